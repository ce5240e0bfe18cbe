//! The page's own ECMAScript, for the checker of schemas: its regular expressions and its doubles.
//!
//! A pattern comes from a developer and a text from a model: a bad pattern is none, and nothing throws through.

use crate::schema::{Ecma, Expression};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = RegExp)]
    #[derive(Debug)]
    type RegExp;

    #[wasm_bindgen(catch, constructor, js_class = "RegExp")]
    fn new(pattern: &str, flags: &str) -> Result<RegExp, JsValue>;

    #[wasm_bindgen(catch, method)]
    fn test(this: &RegExp, text: &str) -> Result<bool, JsValue>;

    #[wasm_bindgen(js_name = parseFloat)]
    fn parse_float(digits: &str) -> f64;

    #[wasm_bindgen(js_name = Number)]
    #[derive(Debug)]
    type Number;

    #[wasm_bindgen(method, js_class = "Number", js_name = toExponential)]
    fn to_exponential(this: &Number) -> String;
}

/// The engine that runs this module.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page;

impl Ecma for Page {
    fn expression(&self, pattern: &str) -> Option<Box<dyn Expression>> {
        Some(Box::new(RegExp::new(pattern, "u").ok()?))
    }

    fn double(&self, digits: &str) -> f64 {
        parse_float(digits)
    }

    fn digits(&self, double: f64) -> String {
        JsValue::from_f64(double).unchecked_into::<Number>().to_exponential()
    }
}

impl Expression for RegExp {
    fn matches(&self, text: &str) -> bool {
        self.test(text).unwrap_or(false)
    }
}
