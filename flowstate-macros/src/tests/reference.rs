//! The tables in the guide's page `reference` are those that the parsers go by.

use std::fs;
use std::path::Path;

use crate::block::{OPTIONS, RETRY};
use crate::capability::OPTIONS as CAPABILITY;
use crate::chain::METHODS;
use crate::contract::OPTIONS as CONTRACT;
use crate::flow::{ENTRY, OPTIONS as FLOW};
use crate::options::{Shape, Spec};

/// A cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn methods() -> String {
    let mut out = String::from("| method | written | options |\n|---|---|---|\n");
    for method in METHODS {
        let options: Vec<_> = method.options.iter().map(|name| format!("`{name}`")).collect();
        out +=
            &format!("| `{}` | `{}` | {} |\n", method.name, cell(method.form), options.join(", "));
    }
    out
}

fn written(name: &str, shape: Shape) -> String {
    match shape {
        Shape::Type => format!("`{name} = Type`"),
        Shape::Types => format!("`{name} = Type`, `{name} = [Type, Other]`"),
        Shape::Reads => format!("`{name} = Type`, `{name} = Option<Type>`"),
        Shape::Services => {
            format!("`{name} = Type`, `{name} = [Type, Other]`, `{name}(name = Type)`")
        }
        Shape::Named => format!("`{name}(name = Type, other = Option<Type>)`"),
        Shape::Paths => format!("`{name} = [path, other]`"),
        Shape::Blocks => format!("`{name} = [block, name = other]`"),
        Shape::Views => format!("`{name} = [Contract::reader(budget = 200)]`"),
        Shape::Feeds => format!("`{name} = [Contract::reducer(|output| …)]`"),
        Shape::Uses => format!("`{name} = [Capability, Other.with(field = value)]`"),
        Shape::Text => format!("`{name} = \"…\"`"),
        Shape::Texts => format!("`{name} = \"…\"`, `{name} = [\"…\", \"…\"]`"),
        Shape::Repair => format!("`{name}(off)`, `{name}(coerce = \"…\")`"),
        Shape::Path if name == "offered" => format!("`{name} = Self::function`"),
        Shape::Path => format!("`{name} = path`"),
        Shape::Args if name == "retry" => {
            let args: Vec<_> = RETRY.iter().map(|name| format!("{name} = …")).collect();
            format!("`{name}({})`", args.join(", "))
        }
        Shape::Args if name == "search" => format!("`{name}(depth = low | medium | high)`"),
        Shape::Args if name == "cacheable" => {
            format!("`{name}(ttl = \"…\", scope = request | session, key = path)`")
        }
        Shape::Args if name == "presets" => {
            format!("`{name}(name = on(function), other = off(function))`")
        }
        Shape::Args if name == "client" => {
            format!("`{name}(session = State {{ field, name: function }})`")
        }
        Shape::Args if name == "context" => {
            format!("`{name}(tag = Self::function, other = …)`")
        }
        Shape::Args => format!("`{name}(name = value)`"),
        Shape::Word(known) => format!("`{name} = {}`", known.join(" | ")),
        Shape::Words(known) => crate::options::words_form(name, known),
        Shape::Expr if name == "timeout" => {
            format!("`{name} = \"…\"`, `{name} = config.field`")
        }
        Shape::Expr if name == "model" => {
            format!("`{name} = \"…\"`, `{name} = [\"…\", \"…\"]`, `{name} = Self::function`")
        }
        Shape::Expr => format!("`{name} = value`"),
        Shape::Flag => format!("`{name}`"),
    }
}

fn capability() -> String {
    // (some are known only to say why they are refused)
    plain(CAPABILITY.iter().filter(|option| option.on.is_empty()))
}

fn plain<'a>(options: impl IntoIterator<Item = &'a Spec>) -> String {
    let mut out = String::from("| option | written |\n|---|---|\n");
    for option in options {
        out += &format!("| `{}` | {} |\n", option.name, cell(&written(option.name, option.shape)));
    }
    out
}

fn contract() -> String {
    let mut out = String::from("| option | written |\n|---|---|\n");
    for option in CONTRACT {
        out += &format!("| `{}` | {} |\n", option.name, cell(&written(option.name, option.shape)));
    }
    out
}

fn options() -> String {
    let mut out = String::from("| option | written | of |\n|---|---|---|\n");
    for option in OPTIONS {
        let on = if option.on.is_empty() { "every block".into() } else { option.on.join(", ") };
        out += &format!(
            "| `{}` | {} | {on} |\n",
            option.name,
            cell(&written(option.name, option.shape))
        );
    }
    out
}

#[test]
fn the_reference_page_is_made_of_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../flowstate/src/guide/reference.md");
    let page = fs::read_to_string(&path).unwrap();
    let mut made = page.clone();
    for (name, table) in [
        ("methods", methods()),
        ("options", options()),
        ("capability", capability()),
        ("flow", plain(FLOW)),
        ("entry", plain(ENTRY)),
        ("contract", contract()),
    ] {
        let (begin, end) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
        let from = made.find(&begin).unwrap_or_else(|| panic!("no {begin}")) + begin.len();
        let to = from + made[from..].find(&end).unwrap_or_else(|| panic!("no {end}"));
        made.replace_range(from..to, &format!("\n{table}\n"));
    }
    if page != made && std::env::var_os("SHOWN").is_some_and(|what| what == "overwrite") {
        fs::write(&path, &made).unwrap();
        return;
    }
    assert_eq!(
        page, made,
        "`SHOWN=overwrite cargo test -p flowstate-macros reference` writes it anew"
    );
}
