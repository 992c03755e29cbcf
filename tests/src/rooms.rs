//! The rooms of `flowstate/src` import only from rooms before them.

use std::fs;
use std::path::{Path, PathBuf};

/// Lowest first.
const ROOMS: &[&str] = &[
    "sync",
    "error",
    "item",
    "schema",
    "port",
    "state",
    "scope",
    "block",
    "sequence",
    "route",
    "capability",
    "contract",
    "generate",
    "dispatch",
    "resource",
    "app",
    "test",
    "store",
    "model",
    "serve",
    "engine",
    "guide",
];

/// From here on, nothing imports from another: `store`, `model`, `serve`, `engine`.
const LEAVES: usize = 17;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file without comments, strings of documentation included.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
    &text[..end]
}

/// The first words of `crate::x` and `crate::{x, y::{…}}`.
fn imports(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, text) in code.match_indices("crate::") {
        let rest = &code[at + text.len()..];
        if code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let Some(group) = rest.strip_prefix('{') else {
            found.push(word(rest).to_owned());
            continue;
        };
        let (mut depth, mut start) = (0, true);
        for (i, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => start = true,
                c if start && !c.is_whitespace() => {
                    found.push(word(&group[i..]).to_owned());
                    start = false;
                }
                _ => {}
            }
        }
    }
    found
}

/// How many times a path goes up: `super::super::x` of a file three levels deep is still in its room.
fn climbs(code: &str) -> usize {
    let ups =
        |text: &str| text.split("super::").skip(1).take_while(|between| between.is_empty()).count();
    code.match_indices("super::").map(|(at, _)| 1 + ups(&code[at..])).max().unwrap_or(0)
}

#[test]
fn imports_are_read() {
    assert_eq!(
        imports("use crate::a; crate::b::C::d(); use crate::{c::{x, y}, d, e::F}; other_crate::g"),
        ["a", "b", "c", "d", "e"]
    );
    assert_eq!(
        (climbs("use a;"), climbs("use super::x;"), climbs("super::super::x, super::y")),
        (0, 1, 2)
    );
}

#[test]
fn locks_and_tasks_come_from_the_room_sync() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../flowstate/src");
    let mut all = Vec::new();
    files(&src, &mut all);
    let theirs =
        ["parking_lot", "tokio::spawn", "tokio::task", "Notify", "AtomicBool", "AtomicUsize"];
    for path in all.iter().filter(|path| !path.ends_with("src/sync.rs")) {
        let code = code(path);
        let ours = imports(&code).iter().any(|room| room == "sync");
        let names = theirs.iter().filter(|name| code.contains(**name));
        let wrong: Vec<_> =
            names.filter(|name| !(ours && name.chars().all(char::is_alphabetic))).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?} is not from `crate::sync`", path.display());
    }
}

#[test]
fn rooms_import_only_from_rooms_before_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../flowstate/src");
    let (mut all, mut wrong) = (Vec::new(), Vec::new());
    files(&src, &mut all);
    assert!(all.len() > 10, "{all:?}");
    for path in all {
        let relative = path.strip_prefix(&src).unwrap();
        let parts: Vec<_> =
            relative.iter().map(|part| part.to_str().unwrap().trim_end_matches(".rs")).collect();
        if parts == ["lib"] {
            continue;
        }
        let shown = relative.display();
        let Some(room) = ROOMS.iter().position(|room| *room == parts[0]) else {
            wrong.push(format!("{shown}: `{}` is no room of the design", parts[0]));
            continue;
        };
        let code = code(&path);
        for import in imports(&code) {
            let allowed = match ROOMS.iter().position(|room| *room == import) {
                Some(other) => other == room || (other < room && other < LEAVES),
                None => false,
            };
            if !allowed {
                wrong.push(format!("{shown}: `crate::{import}` from the room `{}`", ROOMS[room]));
            }
        }
        // from `room/mod.rs` one step up leaves the room; inner `mod`s of a file are a level more
        let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
        let inner = code.lines().any(|line| {
            line.trim_start().trim_start_matches("pub ").starts_with("mod ") && line.ends_with('{')
        });
        if climbs(&code) >= depth + usize::from(inner) {
            wrong.push(format!("{shown}: `super::` leads out of the room"));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
