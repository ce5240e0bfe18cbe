//! The `wasm-bindgen-test-runner` command: the library's own test runner and nothing else.

fn main() -> anyhow::Result<()> {
    wasm_bindgen_cli::wasm_bindgen_test_runner::run_cli_with_args(std::env::args_os())
}
