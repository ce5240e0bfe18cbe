//! The `wasm-bindgen` command: the library's own command line and nothing else.

use std::{env, process};

fn main() {
    if let Err(error) = wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(env::args_os()) {
        eprintln!("error: {error:?}");
        process::exit(1);
    }
}
