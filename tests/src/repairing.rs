//! A model's JSON, mended.

use std::time::{Duration, Instant};

use flowstate::generate::repair;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn broken_json_is_mended() {
    let table = [
        // around it
        ("```json\n{\"a\": 1}\n```", json!({"a": 1})),
        ("```\n[1, 2]\n```", json!([1, 2])),
        ("Here is the JSON:\n```json\n{\"a\": 1,}\n```\nHope [it] helps!", json!({"a": 1})),
        ("Sure! {\"a\": [1, 2]} Let me know.", json!({"a": [1, 2]})),
        ("As in [1], it is {\"a\": 1,}", json!({"a": 1})),
        ("{\"a\": 1,} and, for example, {\"b\": 2}", json!({"a": 1})),
        ("The set {a, b; c}: {\"a\": 1,}", json!({"a": 1})),
        ("callback({\"a\": 1});", json!({"a": 1})),
        ("\u{feff}{\"a\": 1}", json!({"a": 1})),
        // in it
        ("{\"a\": 1,}", json!({"a": 1})),
        ("[1, 2,]", json!([1, 2])),
        ("{\"a\": 1 \"b\": 2}", json!({"a": 1, "b": 2})),
        ("[1 2]", json!([1, 2])),
        ("{'a': 'it\\'s'}", json!({"a": "it's"})),
        ("{a: 1}", json!({"a": 1})),
        ("{“a”: “b”}", json!({"a": "b"})),
        ("{\"a\": True, \"b\": None, \"c\": False}", json!({"a": true, "b": null, "c": false})),
        ("{\"a\": undefined, \"b\": NaN}", json!({"a": null, "b": null})),
        ("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"})),
        ("{\"a\": \"say \"hi\" now\"}", json!({"a": "say \"hi\" now"})),
        ("{\"a\": 1 /* one */} // end", json!({"a": 1})),
        ("{\"code\": \"```js\\nx[0]\\n```\",}", json!({"code": "```js\nx[0]\n```"})),
        ("{\"a\": 1]", json!({"a": 1})),
        // cut off
        ("{\"a\": [1, 2", json!({"a": [1, 2]})),
        ("{\"a\": [1, 2], \"b\": \"hel", json!({"a": [1, 2], "b": "hel"})),
        ("{\"a\": 1, \"b", json!({"a": 1, "b": null})),
        ("{\"a\": 1, \"b\":", json!({"a": 1, "b": null})),
        ("{\"a\": 1,", json!({"a": 1})),
        ("```json\n{\"a\": [1, 2\n```", json!({"a": [1, 2]})),
        ("[{\"a\": 1}, {\"a\": 2", json!([{"a": 1}, {"a": 2}])),
        // of two, the first
        ("{\"a\": 1}\n{\"b\": 2}", json!({"a": 1})),
    ];
    for (text, value) in table {
        assert_eq!(repair(text), Some(value), "{text}");
    }
}

#[test]
fn what_is_valid_is_left_as_it_is() {
    for text in ["null", "\"plain\"", "\"{\\\"a\\\": 1}\"", " 1.50 ", "{\"output\": {}}"] {
        assert_eq!(repair(text), Some(serde_json::from_str(text).unwrap()), "{text}");
    }
}

#[test]
fn prose_is_no_json() {
    for text in ["", " ", "plain prose", "I cannot answer that.", "True", "``` ```", "a } b ]"] {
        assert_eq!(repair(text), None, "{text}");
    }
}

#[test]
fn nesting_of_any_depth_is_refused_and_does_not_overflow() {
    for piece in ["[", "{", "{\"a\":", "[\"", "'{", "[{\"a\":"] {
        assert_eq!(repair(&piece.repeat(20_000)), None, "{piece}");
    }
    assert_eq!(repair(&format!("{}{}", "[".repeat(200), "]".repeat(200))), None);
}

#[test]
fn many_openings_cost_no_more_than_a_few() {
    // each of them can be mended, and would be looked at to the end of the text
    let text = "]{".repeat(200_000);
    let started = Instant::now();
    assert_eq!(repair(&text), Some(json!({})));
    assert!(started.elapsed() < Duration::from_secs(60), "minutes, were it quadratic");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "(?s).{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("(?s).{0,6}", inner, 0..5).prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #[test]
    fn valid_json_is_unchanged(value in any_json()) {
        prop_assert_eq!(repair(&value.to_string()), Some(value.clone()));
        prop_assert_eq!(repair(&serde_json::to_string_pretty(&value).unwrap()), Some(value));
    }

    #[test]
    fn prose_and_a_fence_round_it_do_not_matter(value in any_json()) {
        prop_assume!(value.is_object() || value.is_array());
        prop_assert_eq!(repair(&format!("So:\n```json\n{value}\n```\nDone.")), Some(value));
    }

    #[test]
    fn any_text_and_any_cut_are_read_without_a_panic(
        text in prop_oneof!["(?s).{0,60}", r#"[\[\]{}"':,\\/*`a-c0-9.eEtfnu\n -]{0,60}"#],
        value in any_json(),
        cut: prop::sample::Index,
    ) {
        let once = repair(&text);
        prop_assert_eq!(&once, &repair(&text));
        let json = value.to_string();
        let at = json.floor_char_boundary(cut.index(json.len()));
        let _ = repair(&json[..at]);
        let _ = repair(&format!("{}{text}{}", &json[..at], &json[at..]));
    }
}
