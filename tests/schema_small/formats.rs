//! The formats that draft 7 asserts, on texts near the edge of each.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{agree, both};

fn schema(format: &str) -> Value {
    json!({ "$schema": "http://json-schema.org/draft-07/schema#", "format": format })
}

fn compare(format: &str, texts: &[&str], right: usize) {
    let schema = schema(format);
    let checkers = both(&schema);
    let found: Vec<&&str> =
        texts.iter().filter(|text| agree(&schema, &checkers, &Value::from(**text).to_string())).collect();
    assert_eq!(found.len(), right, "{format}: {found:?}");
}

#[test]
fn days_and_hours() {
    compare(
        "date",
        &[
            "2024-02-29",
            "2023-02-29",
            "1900-02-29",
            "2000-02-29",
            "2024-04-31",
            "2024-13-01",
            "2024-00-01",
            "2024-01-00",
            "24-01-01",
            "2024-1-1",
            "2024-01-01 ",
            "২০২৪-01-01",
        ],
        2,
    );
    compare(
        "time",
        &[
            "10:00:00Z",
            "10:00:00z",
            "24:00:00Z",
            "10:60:00Z",
            "23:59:60Z",
            "22:59:60Z",
            "10:00:00",
            "10:00:00.5Z",
            "10:00:00.Z",
            "10:00:00+05:30",
            "10:00:00-24:00",
            "15:59:60-08:00",
            "00:29:60+00:30",
            "10:00:00+0530",
            "1:00:00Z",
            "10:00:00é",
            "10:00:00+é:30",
        ],
        7,
    );
    compare(
        "date-time",
        &[
            "2024-02-29T10:00:00Z",
            "2024-02-29t10:00:00z",
            "2024-02-29 10:00:00Z",
            "1998-12-31T23:59:60Z",
            "1998-12-31T23:58:60Z",
            "2024-02-30T10:00:00Z",
            "T",
            "",
        ],
        3,
    );
    compare(
        "ipv4",
        &[
            "127.0.0.1",
            "256.1.1.1",
            "1.2.3",
            "1.2.3.4.5",
            "01.2.3.4",
            "0.0.0.0",
            "1.2.3.",
            "1..2.3",
            " 1.2.3.4",
            "1.2.3.४",
        ],
        2,
    );
}

#[test]
fn addresses() {
    compare(
        "uri",
        &[
            "https://example.com",
            "https://user:pw@example.com:8080/a/b?c=d#e",
            "mailto:a@b.example",
            "urn:isbn:1",
            "a:",
            "1a:b",
            "/path",
            "",
            "//host",
            "http://a b",
            "http://a/%zz",
            "http://a/%41",
            "http://[::1]/",
            "http://[::1]:80/",
            "http://[1:2:3:4:5:6:7:8]",
            "http://[1:2:3:4:5:6:7]",
            "http://[1::2::3]",
            "http://[::ffff:1.2.3.4]",
            "http://[v1.x:y]",
            "http://[v.x]",
            "http://[::1",
            "http://::1/",
            "http://a:b",
            "http://a@b@c",
            "http://a/[x]",
            "http://a/é",
            "data:text/plain,hi",
            "x:/?#",
            "x:?a#b#c",
            "http://a/#%",
            "http://a/\\",
            "a+b-c.d:e",
            "http://%41/",
            "http://[::%31]",
            "http://[12345::]",
            "http://[1:2:3:4:5:6:1.2.3.4]",
            "http://[::1.2.3.4:5]",
            "http://[1:2:3:4:5:6:7::]",
            "http://[::1]x",
            "http://:80",
            "http://@",
            "http://",
        ],
        20,
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_texts(text in "[a-z0-9:/?#@%.\\[\\]+-]{0,14}", at in 0_usize..5) {
        let formats = ["date", "time", "date-time", "uri", "ipv4"];
        let format = formats.get(at).copied().unwrap_or("uri");
        let schema = schema(format);
        let checkers = both(&schema);
        for text in [text.clone(), format!("http://{text}"), format!("a:{text}"), format!("2024-02-{text}"), format!("10:00:00{text}")] {
            agree(&schema, &checkers, &Value::from(text).to_string());
        }
    }
}
