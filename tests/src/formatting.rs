//! The exact text of every prompt formatter, and context in XML tags.

use std::collections::{BTreeMap, HashMap};

use flowstate::prelude::*;
use flowstate::prompt::*;
use proptest::prelude::*;
use serde_json::{Value, json};

const NOTHING: Option<&str> = None;

#[test]
fn section_has_a_heading_and_lines() {
    assert_eq!(section("R", ["a", "b"]), "## R\na\nb");
    assert_eq!(section("R", "a"), "## R\na");
    assert_eq!(section("R", ("a", NOTHING, false, "", " ", 0)), "## R\na\n \n0");
    for nothing in [json!(null), json!([]), json!(["", null, false]), json!("")] {
        assert_eq!(section("R", nothing), "## R");
    }
}

#[test]
fn a_heading_has_level_1_to_6() {
    let levels = [0, 1, 3, 6, 9].map(|level| section_at(level, "R", ()));
    assert_eq!(levels, ["# R", "# R", "### R", "###### R", "###### R"]);
}

#[test]
fn lists() {
    assert_eq!(list(["a", "b"]), "- a\n- b");
    assert_eq!(list(vec![Some("a"), None, Some("")]), "- a");
    assert_eq!(ordered_list(["", "a", "b"]), "1. a\n2. b");
    assert_eq!(bullet_list("*", ["a"]), "* a");
    assert_eq!(list(["", ""]), "");
    assert_eq!(ordered_list(Vec::<String>::new()), "");
    assert_eq!(list((1.5, json!({"k": [1]}), ["x"])), "- 1.5\n- {\"k\":[1]}\n- [\"x\"]");
}

#[test]
fn key_values_leave_out_only_what_is_none() {
    assert_eq!(key_values((("a", "yes"), ("b", NOTHING), ("c", false))), "a: yes\nc: false");
    assert_eq!(key_values(json!({"k": "", "n": 1})), "k: \nn: 1");
    assert_eq!(key_values(json!({})), "");
}

#[data]
struct Row {
    zeta: u32,
    alpha: Option<String>,
    float: f64,
}

#[test]
fn fields_keep_the_order_of_the_struct_and_numbers_their_digits() {
    let row = Row { zeta: 1, alpha: Some("x".into()), float: 31.245270191439438 };
    assert_eq!(key_values(&row), "zeta: 1\nalpha: x\nfloat: 31.245270191439438");
    assert_eq!(
        table(&[row]),
        "| zeta | alpha | float |\n| --- | --- | --- |\n| 1 | x | 31.245270191439438 |"
    );
}

#[test]
fn tables() {
    assert_eq!(table(([("a", 1)], [("b", 2)])), "| a | b |\n| --- | --- |\n| 1 |  |\n|  | 2 |");
    assert_eq!(table(json!([{"a|b": "x|y\nz\r\nw"}])), "| a\\|b |\n| --- |\n| x\\|y z w |");
    assert_eq!(
        table_with(&["b", "c"], json!([{"a": 1, "b": null}])),
        "| b | c |\n| --- | --- |\n|  |  |"
    );
    assert_eq!(table(json!([])), "");
    assert_eq!(table(json!("no list")), "");
}

#[test]
fn entries_of_a_map() {
    let map = BTreeMap::from([("a", 1), ("b", 2), ("c", 3)]);
    assert_eq!(
        entries(&map, |key, n| if *n == 2 { String::new() } else { format!("{key}{n}") }),
        "a1\nc3"
    );
    assert_eq!(entries(BTreeMap::<u8, u8>::new(), |_, _| "x"), "");
}

#[test]
fn code_blocks_have_three_backticks() {
    assert_eq!(code_block("x", "ts"), "```ts\nx\n```");
    assert_eq!(code_block("```", ""), "```\n```\n```");
}

#[test]
fn join_and_when() {
    assert_eq!(
        join(("a", "", when(true, || "b"), when(false, || -> &str { panic!("called") }))),
        "a\n\nb"
    );
    assert_eq!(join(()), "");
}

#[test]
fn what_cannot_be_json_shows_its_error() {
    assert_eq!(list(HashMap::from([((1, 2), 3)])), "- [key must be a string]");
}

#[test]
fn xml_tag_takes_its_content_as_it_is() {
    assert_eq!(xml_tag("documents", "doc <b>"), "<documents>\n  doc <b>\n</documents>");
    assert_eq!(xml_tag("d", ["a", "", "b\n\nc"]), "<d>\n  a\n  b\n\n  c\n</d>");
    for nothing in [json!(null), json!(""), json!(["", ""]), json!([])] {
        assert_eq!(xml_tag("d", nothing), "");
    }
}

#[test]
fn keys_become_kebab_case() {
    let keys = ["user_name", "userName", "user-name", "UserName", "HTMLPage", "step2Next", "a1"];
    let tags = keys.map(|key| validate_tag_name(key).unwrap());
    assert_eq!(
        tags,
        ["user-name", "user-name", "user-name", "user-name", "html-page", "step2-next", "a1"]
    );
}

#[test]
fn keys_that_make_no_tag_are_refused_at_every_depth() {
    for key in ["", "1a", "-a", "a b", "a.b", "<a>", "é", "a:b"] {
        let error = render_tagged_context(json!({"outer": {"inner": {key: "x"}}})).unwrap_err();
        assert_eq!(error.code(), "context_invalid");
        let said = format!("context key {key:?} makes no tag");
        assert!(error.to_string().starts_with(&said), "{error}");
    }
    for key in RESERVED_TAG_NAMES {
        assert!(validate_tag_name(key).is_err(), "{key}");
    }
    let error = render_tagged_context(json!({"toolUse": "x"})).unwrap_err();
    assert_eq!(
        error.to_string(),
        "context key \"toolUse\" is the reserved tag <tool-use>; give it another name"
    );
}

#[test]
fn tags_nest_with_two_blanks_a_level() {
    let source = json!({"memory": {"long_term": "b\n\nc", "shortTerm": ["a", null, true, 0]}});
    assert_eq!(
        render_tagged_context(source).unwrap(),
        "<memory>\n  <long-term>\n    b\n\n    c\n  </long-term>\n  <short-term>\n    a\n    true\n    0\n  </short-term>\n</memory>"
    );
}

#[test]
fn records_of_a_list_stand_on_a_line_each() {
    let source = json!({"skills": [{"id": "a", "on": true}, null, {}, {"id": "<b>", "on": false}]});
    assert_eq!(
        render_tagged_context(source).unwrap(),
        "<skills>\n  {\"id\":\"a\",\"on\":true}\n  {\"id\":\"&lt;b&gt;\",\"on\":false}\n</skills>"
    );
}

#[test]
fn tags_that_say_nothing_are_left_out() {
    let source = json!({"a": "", "b": [], "c": {"d": [null, ""], "e": {}}, "f": null});
    assert_eq!(render_tagged_context(source).unwrap(), "");
    assert_eq!(render_tagged_context(()).unwrap(), "");
}

#[test]
fn text_is_escaped_once_and_quotes_are_left() {
    let text = render_tagged_context((("a", "1 < 2 & 3 > 2 &lt; \"x\" 'y'"),)).unwrap();
    assert_eq!(text, "<a>\n  1 &lt; 2 &amp; 3 &gt; 2 &amp;lt; \"x\" 'y'\n</a>");
}

#[test]
fn several_sources_share_a_tag() {
    let mut context = TaggedContext::new();
    context.add((("plan", NOTHING), ("documents", "own"))).unwrap();
    context.add(json!({"documents": ["second", "third"], "memory": {"short": "x"}})).unwrap();
    context
        .add((("plan", [("goal", "tea")]), ("memory", [("long", "z"), ("short", "y")])))
        .unwrap_err();
    // a list of pairs inside is a list; a record is a struct or a map
    let mut context = TaggedContext::new();
    context.add((("plan", NOTHING), ("documents", "own"))).unwrap();
    context.add(json!({"documents": ["second", "third"], "memory": {"short": "x"}})).unwrap();
    context.add(json!({"memory": {"long": "z", "short": "y"}, "plan": {"goal": "tea"}})).unwrap();
    assert_eq!(
        context.render_with("", true),
        "<plan><goal>tea</goal></plan>\n<documents>own\nsecond\nthird</documents>\n<memory><short>x\ny</short>\n<long>z</long></memory>"
    );
}

#[test]
fn text_and_tags_under_one_key_do_not_fit() {
    for (one, other) in [(json!("x"), json!({"b": 1})), (json!({"b": 1}), json!("x"))] {
        let mut context = TaggedContext::new();
        context.add(json!({"a": one})).unwrap();
        let error = context.add(json!({"a": other})).unwrap_err();
        assert_eq!(error.code(), "context_invalid");
        assert!(error.to_string().starts_with("context key \"a\" type mismatch:"), "{error}");
    }
    for no_record in [json!("text"), json!(["a"]), json!(1)] {
        assert_eq!(render_tagged_context(no_record).unwrap_err().code(), "context_invalid");
    }
}

#[test]
fn escaping_can_be_left_out() {
    let mut context = TaggedContext::new();
    context.add(json!({"a": "<b>"})).unwrap();
    assert_eq!(context.render_with("  ", false), "<a>\n  <b>\n</a>");
}

/// The tags of a rendering without indentation, as JSON again.
fn parsed(mut text: &str) -> Value {
    if !text.starts_with('<') {
        return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").into();
    }
    let mut tags = serde_json::Map::new();
    while let Some(open) = text.trim_start_matches('\n').strip_prefix('<') {
        let (name, rest) = open.split_once('>').unwrap();
        let (body, rest) = rest.split_once(&format!("</{name}>")).unwrap();
        assert!(tags.insert(name.to_owned(), parsed(body)).is_none(), "{name} twice");
        text = rest;
    }
    assert_eq!(text, "");
    tags.into()
}

fn tree() -> impl Strategy<Value = Value> {
    let text = prop_oneof!["(?s).{0,20}", "[<>&;a-c/\n]{0,20}"].prop_map(Value::from);
    // each level has tags of its own, so that the small parser finds the right end
    let inner = prop::collection::btree_map("[c-d]", text.clone(), 0..3);
    let outer = prop_oneof![text, inner.prop_map(|map| json!(map))];
    prop::collection::btree_map("[a-b]", outer, 0..3).prop_map(|map| json!(map))
}

fn said(tree: &Value) -> Option<Value> {
    match tree {
        Value::Object(map) => {
            let said = map.iter().filter_map(|(key, value)| Some((key.clone(), said(value)?)));
            let said: serde_json::Map<_, _> = said.collect();
            (!said.is_empty()).then(|| said.into())
        }
        text => (text != "").then(|| text.clone()),
    }
}

proptest! {
    #[test]
    fn any_text_survives_its_tag(tree in tree()) {
        let mut context = TaggedContext::new();
        context.add(&tree).unwrap();
        let text = context.render_with("", true);
        prop_assert_eq!(said(&tree), (!text.is_empty()).then(|| parsed(&text)));
        // the indented one has the same tags
        let tags = |text: &str| text.matches('<').count();
        prop_assert_eq!(tags(&context.render()), tags(&text));
    }

    #[test]
    fn nothing_panics(key in "(?s).{0,8}", text in "(?s).{0,40}", level: u8) {
        let value = json!({key.clone(): [text.clone(), {key.clone(): text.clone()}]});
        let _ = render_tagged_context(&value);
        let _ = (section_at(level, &key, &value), list(&value), key_values(&value), table([&value]));
        let _ = (xml_tag(&key, &text), code_block(&text, &key), join((&text, &value)));
    }
}
