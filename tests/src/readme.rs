//! What the README and the guide show is what there is: the program, and what the compiler says.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const README: &str = include_str!("../../README.md");
const GUIDE: &str = include_str!("../../flowstate/src/guide/compile_errors.md");
const QUICKSTART: &str = include_str!("../../examples/quickstart.rs");

/// The blocks of code between fences, with what stands behind the opening fence.
fn fenced(page: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(kind)) => open = Some((kind.to_owned(), String::new())),
            (Some(_), Some(_)) => all.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    assert!(open.is_none(), "a fence is not closed");
    all
}

/// The programs that do not compile, each with what the page says of it.
fn refused(page: &str) -> Vec<(String, String)> {
    let all = fenced(page);
    let pairs =
        all.iter().zip(all.iter().skip(1)).filter(|(program, _)| program.0 == "compile_fail");
    let shown = |line: &str| format!("{}\n", line.strip_prefix("# ").unwrap_or(line));
    let pairs: Vec<_> = pairs
        .map(|(program, text)| {
            assert_eq!(
                text.0, "text",
                "what the compiler says follows the program:\n{}",
                program.1
            );
            (program.1.lines().map(shown).collect(), text.1.clone())
        })
        .collect();
    assert!(!pairs.is_empty(), "the page shows no program that does not compile");
    pairs
}

#[test]
fn the_readme_shows_the_quickstart() {
    let program = fenced(README).into_iter().find(|(kind, _)| kind == "rust");
    assert_eq!(program.expect("the README has a program").1, QUICKSTART);
    assert!(QUICKSTART.lines().count() < 30);
}

#[test]
fn the_front_page_shows_the_quickstart() {
    assert_eq!(include_str!("../../flowstate/src/guide/quickstart.rs"), QUICKSTART);
}

/// `cargo check` of many programs, each as a binary of one crate: what the compiler says of each.
fn check(programs: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    // this test is target/debug/deps/…
    let here = std::env::current_exe().expect("this test is a file");
    let folder: PathBuf = here.ancestors().nth(3).expect("the target folder").join("shown");
    let sources = folder.join("src/bin");
    let _ = fs::remove_dir_all(&sources);
    fs::create_dir_all(&sources).expect("a folder");
    let manifest = format!(
        "[package]\nname = \"shown\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nflowstate = {{ path = {:?} }}\n\
         tokio = {{ version = \"1\", features = [\"rt-multi-thread\", \"macros\"] }}\n",
        root.join("flowstate"),
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a lock file");
    for (name, program) in programs {
        fs::write(sources.join(format!("{name}.rs")), program).expect("a program");
    }
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--keep-going", "--bins", "--message-format=json"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    for line in
        stdout.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
    {
        let (name, message) = (&line["target"]["name"], &line["message"]);
        if let (Some(name), Some("error"), Some(text)) =
            (name.as_str(), message["level"].as_str(), message["rendered"].as_str())
        {
            *said.entry(name.to_owned()).or_default() += text;
        }
    }
    assert!(!said.is_empty(), "cargo said nothing:\n{}", String::from_utf8_lossy(&output.stderr));
    said
}

/// The first error without what a reader of the page can do without, and with no wider a margin than its own lines need.
fn shortened(said: &str) -> String {
    const LEFT_OUT: &[&str] = &[
        "help: the trait",
        "help: the following",
        "help: for that",
        "note: required",
        "note: method defined",
        "note: this error originates",
    ];
    let mut lines = Vec::new();
    let mut left_out = false;
    for line in said.lines().take_while(|line| !line.is_empty()) {
        let point = line.trim_start();
        let point = point.strip_prefix("= ").unwrap_or(point);
        if point.starts_with("help: ") || point.starts_with("note: ") {
            left_out = LEFT_OUT.iter().any(|start| point.starts_with(start));
        }
        if !left_out {
            lines.push(line.trim_end());
        }
    }
    while lines.last().is_some_and(|line| matches!(line.trim(), "" | "|")) {
        lines.pop();
    }
    let arrow = lines.iter().position(|line| line.trim_start().starts_with("-->"));
    let (above, below) = lines.split_at(arrow.unwrap_or(lines.len()));
    let number = |line: &&str| line.trim_start().find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let needed = below.iter().map(number).max().unwrap_or(0);
    let margin = below.first().map_or(0, |line| line.len() - line.trim_start().len());
    let extra = " ".repeat(margin.saturating_sub(needed));
    let below = below.iter().map(|line| line.strip_prefix(&extra).unwrap_or(line));
    above.iter().copied().chain(below).map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_compiler_says_what_the_pages_show() {
    let mut shown: Vec<_> = refused(GUIDE);
    // the README shows a change to the quickstart
    let error = |(kind, text): &(String, String)| kind == "text" && text.starts_with("error");
    let text = fenced(README).into_iter().find(error).expect("the README shows an error").1;
    let changed = QUICKSTART.replace("#[block(sequencer, state = Shift)]", "#[block(sequencer)]");
    assert_ne!(changed, QUICKSTART);
    shown.push((changed, text));

    let names = (0..shown.len()).map(|i| format!("page{i:02}"));
    let programs = names.clone().zip(shown.iter().map(|(program, _)| program.clone())).collect();
    let said = check(&programs);
    let mut wrong = String::new();
    let (mut readme, mut guide) = (README.to_owned(), GUIDE.to_owned());
    for (name, (program, text)) in names.zip(&shown) {
        let said = said.get(&name).map_or("", String::as_str);
        let said = said.replace(&format!("src/bin/{name}.rs"), "src/main.rs");
        // every line of the page is said, in this order; the page may leave lines out, and margins differ
        let mut rest = said.lines();
        if !text.lines().all(|line| rest.any(|other| other.trim() == line.trim())) {
            wrong += &format!(
                "--- the program\n{program}--- the page\n{text}--- the compiler\n{said}\n"
            );
            let page = if *program == shown[shown.len() - 1].0 { &mut readme } else { &mut guide };
            let fence = |text: &str| format!("```text\n{text}```");
            *page = page.replacen(&fence(text), &fence(&shortened(&said)), 1);
        }
    }
    if !wrong.is_empty() && std::env::var_os("SHOWN").is_some_and(|what| what == "overwrite") {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        fs::write(root.join("README.md"), readme).expect("the README");
        fs::write(root.join("flowstate/src/guide/compile_errors.md"), guide).expect("the guide");
    }
    assert!(
        wrong.is_empty(),
        "{wrong}`SHOWN=overwrite` writes the pages anew: read the difference"
    );
}

/// The table of codes in the guide's page `errors` is `error::code::ALL`.
#[test]
fn the_page_of_errors_has_every_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../flowstate/src/guide/errors.md");
    let page = fs::read_to_string(&path).expect("the page");
    let mut table = String::from("\n| code | when |\n|---|---|\n");
    for (code, when) in flowstate::error::code::ALL {
        table += &format!("| `{code}` | {when} |\n");
    }
    let (before, rest) = page.split_once("<!-- codes -->\n").expect("where it begins");
    let (_, after) = rest.split_once("<!-- end of codes -->").expect("where it ends");
    let made = format!("{before}<!-- codes -->\n{table}\n<!-- end of codes -->{after}");
    if page != made && std::env::var_os("SHOWN").is_some_and(|what| what == "overwrite") {
        return fs::write(&path, made).expect("the page");
    }
    assert!(page == made, "`SHOWN=overwrite cargo test -p flowstate-tests readme` writes it anew");
}
