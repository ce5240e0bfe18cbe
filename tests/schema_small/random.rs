//! Random schemas of the small set and random values, right, nearly right and wrong.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::chance::Chance;
use super::{agree, small, whole};

/// A schema with definitions that may refer to each other.
fn document(chance: &mut Chance) -> Value {
    let mut schema = chance.schema(3, &["one", "two"]);
    let drafts = ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"];
    if let Some(map) = schema.as_object_mut() {
        let definitions = json!({ "one": chance.schema(2, &["two", "one"]), "two": chance.schema(1, &[]) });
        map.insert("$defs".to_owned(), definitions);
        if chance.one_in(3) {
            map.insert("$schema".to_owned(), json!(chance.pick(&drafts)));
        }
    }
    schema
}

/// More by `CASES` in the environment.
fn cases() -> u32 {
    std::env::var("CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(3000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_say_the_same_of_random_values(seed in any::<u64>()) {
        let mut chance = Chance(seed);
        let schema = document(&mut chance);
        let text = schema.to_string();
        // What refers to itself, or offers too much, is left to the other: that is tested by itself.
        if let Some(small) = small(&text) {
            let checkers = (small, whole(&text));
            for _ in 0..12 {
                let value = chance.answer(&schema, &schema, 4);
                agree(&schema, &checkers, &value);
            }
        }
    }
}

#[test]
fn most_random_schemas_are_taken_and_some_values_are_right() {
    let (mut taken, mut right, mut wrong) = (0, 0, 0);
    for seed in 0..2000 {
        let mut chance = Chance(seed);
        let schema = document(&mut chance);
        let text = schema.to_string();
        let Some(small) = small(&text) else { continue };
        taken += 1;
        let checkers = (small, whole(&text));
        let value = chance.answer(&schema, &schema, 4);
        if agree(&schema, &checkers, &value) { right += 1 } else { wrong += 1 }
    }
    assert!(taken > 1000 && right > 200 && wrong > 200, "taken {taken}, right {right}, wrong {wrong}");
}
