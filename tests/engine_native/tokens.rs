//! Client tokens, who may do what with them, and the headers every page may read.

use serde_json::{Value, json};

use crate::driver::{Driver, START, cart};

const MINT: &str = "/api/machine/client-tokens";
const SESSION: &str = "/api/client/sessions/s1";

fn mint(driver: &mut Driver, key: &str, body: &Value) -> (u16, String) {
    let key = format!("Bearer {key}");
    let body = body.to_string();
    let answer = driver.ask("POST", MINT, &[("authorization", &key)], body.as_bytes());
    (answer.status, answer.text)
}

fn status_with(driver: &mut Driver, authorization: &str) -> (u16, String) {
    let answer = driver.ask("GET", SESSION, &[("Authorization", authorization)], b"");
    let error = answer.json()["error"].as_str().unwrap_or_default().to_owned();
    (answer.status, error)
}

#[test]
fn minting_answers_each_bad_request_as_documented() {
    let mut driver = Driver::new(json!({}));
    let good = json!({ "identity": { "id": "u", "metadata": { "tier": "gold" } } });
    let (status, text) = mint(&mut driver, "test-api-key", &good);
    let body: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((status, body["expires_at"].as_u64()), (200, Some(START / 1000 + 600)));
    assert_eq!(mint(&mut driver, "wrong", &good), (401, r#"{"error":"unauthorized"}"#.into()));
    let blank = json!({ "identity": { "id": "  " } });
    let expected = (400, r#"{"error":"identity.id is required"}"#.to_owned());
    assert_eq!(mint(&mut driver, "test-api-key", &blank), expected);
    let zero = json!({ "identity": { "id": "u" }, "ttl_seconds": 0 });
    let expected = (400, r#"{"error":"ttl_seconds must be positive"}"#.to_owned());
    assert_eq!(mint(&mut driver, "test-api-key", &zero), expected);
}

#[test]
fn a_token_is_taken_until_a_minute_past_its_end() {
    let mut driver = Driver::new(cart());
    let token = format!("Bearer {}", driver.mint("shopper-17", 10));
    driver.pass(70_000);
    assert_eq!(status_with(&mut driver, &token), (404, "session not found".into()));
    driver.pass(1000);
    assert_eq!(status_with(&mut driver, &token), (401, "unauthorized".into()));
}

#[test]
fn an_open_stream_outlives_its_token() {
    let mut driver = Driver::new(cart());
    driver.token = driver.mint("shopper-17", 1);
    let stream = driver.open("?after_seq=0");
    driver.pass(120_000);
    driver.token = driver.mint("shopper-17", 600);
    driver.say("t-1", "cart", &["read_cart"]);
    assert!(driver.logged(stream).contains(&"session.created".to_owned()));
}

#[test]
fn every_other_credential_is_refused() {
    let mut driver = Driver::new(json!({}));
    let token = driver.token.clone();
    let cut = &token[..token.len() - 2];
    let elsewhere = Driver::new(json!({ "jwtSecret": "another" })).token;
    let foreign = Driver::new(json!({ "audience": "other" })).token;
    for bad in [
        String::new(),
        token.clone(),
        format!("bearer {token}"),
        format!("Bearer {cut}"),
        format!("Bearer {elsewhere}"),
        format!("Bearer {foreign}"),
        "Bearer eyJhbGciOiJub25lIn0.e30.".to_owned(),
    ] {
        assert_eq!(status_with(&mut driver, &bad), (401, "unauthorized".into()), "{bad}");
    }
    let machine = status_with(&mut driver, "Bearer test-api-key");
    assert_eq!(machine, (403, "client subject is required".into()));
    driver.fault(json!({ "kind": "authDown" }));
    let good = format!("Bearer {token}");
    assert_eq!(status_with(&mut driver, &good), (503, "auth_unavailable".into()));
    assert_eq!(status_with(&mut driver, &good), (404, "session not found".into()));
}

#[test]
fn a_preflight_needs_no_token_and_mirrors_the_asked_headers() {
    let mut driver = Driver::new(json!({}));
    let asked = [
        ("Origin", "https://shop.example"),
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization, content-type"),
    ];
    let answer = driver.ask("OPTIONS", "/api/client/sessions/input", &asked, b"");
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("access-control-allow-methods"), Some("POST"));
    let mirrored = answer.header("access-control-allow-headers");
    assert_eq!(mirrored, Some("authorization, content-type"));
    assert_eq!(answer.header("access-control-allow-credentials"), None);
    let machine = driver.ask("OPTIONS", MINT, &asked, b"");
    assert_eq!(machine.header("access-control-allow-origin"), None);
}

#[test]
fn a_page_can_read_errors() {
    let mut driver = Driver::new(json!({}));
    let answer = driver.ask("GET", SESSION, &[], b"");
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (401, Some("*")));
    assert_eq!(answer.header("access-control-expose-headers"), Some("*"));
}

#[test]
fn unknown_paths_are_404_and_wrong_methods_405() {
    let mut driver = Driver::new(json!({}));
    for (method, path, status) in [
        ("GET", "/", 404),
        ("GET", "/api/client/sessions/s1/events", 404),
        ("GET", "/api/client/sessions//events/stream", 404),
        ("DELETE", SESSION, 405),
    ] {
        assert_eq!(driver.ask(method, path, &[], b"").status, status, "{method} {path}");
    }
}
