//! `FLOWSTATE_EXPAND=name`: which item that is, and how its expansion is written.

use crate::cx::{formatted, name_of};

fn name(item: &str) -> Option<String> {
    name_of(&item.parse().unwrap())
}

#[test]
fn the_name_of_an_item() {
    let cases = [
        ("async fn triage(fn_: String) -> Result<u32> { struct Inner; }", Some("triage")),
        ("/// About a struct.\n#[allow(dead_code)] pub(crate) const fn f() {}", Some("f")),
        ("pub struct Note { pub count: u32 }", Some("Note")),
        ("#[flow(kind = \"x\")] pub struct Loud { pub shout: shout }", Some("Loud")),
        ("enum Choice { A }", Some("Choice")),
        ("fn r#match() {}", Some("match")),
        ("pub fn", None),
        ("", None),
    ];
    for (item, expected) in cases {
        assert_eq!(name(item).as_deref(), expected, "{item}");
    }
}

#[test]
fn an_expansion_is_formatted() {
    let made =
        super::text(super::Macro::Block, "handler", "async fn f(n: u32) -> Result<u32> { Ok(n) }");
    let text = formatted(&made);
    assert!(text.lines().count() > 30, "{text}");
    assert!(text.contains("\npub struct f {}\n") || text.contains("\nstruct f {}\n"), "{text}");
    // what is no Rust is shown as it is
    assert_eq!(formatted("fn ("), "fn (");
    let long = format!("fn f() {{ {} }}", "g(1); ".repeat(50_000));
    assert!(formatted(&long).len() >= long.len(), "more than a pipe holds");
}
