"""The programs that are compiled: N blocks of flowstate, the same as types by hand, and the same as plain functions."""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent

OURS = """use flowstate::prelude::*;

#[state]
pub struct Total { pub seen: u64, pub names: Vec<String> }
"""
TYPED = (HERE / "typed.rs").read_text()
FUNCTIONS = """use parking_lot::Mutex;

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub struct Total { pub seen: u64, pub names: Vec<String> }
type Result<T> = std::result::Result<T, String>;
"""
FRAMES = {"flowstate": OURS, "typed": TYPED, "functions": FUNCTIONS}


def step(how, name, add):
    bump = 'let mut total = {total}.lock(); total.seen = total.seen.checked_add(1).ok_or("overflow")?;'
    if how == "flowstate":
        return (
            "#[block(handler, sequencer = Total)]\n"
            f"async fn {name}(input: u64, ctx: Ctx) -> Result<u64> {{ ctx.sequencer.seen.inc(1)?; Ok(input + {add}) }}\n"
        )
    if how == "functions":
        return (
            f"async fn {name}(input: u64, total: &Mutex<Total>) -> Result<u64> {{\n"
            f"    {{ {bump.format(total='total')} }}\n    Ok(input + {add})\n}}\n"
        )
    return f"""
#[derive(Clone, Copy, Debug, Default)]
pub struct {name};
pub struct Ctx_{name}<'a> {{ pub sequencer: &'a Mutex<Total> }}
impl {name} {{
    async fn body(input: u64, ctx: Ctx_{name}<'_>) -> Result<u64> {{
        {{ {bump.format(total='ctx.sequencer')} }}
        Ok(input + {add})
    }}
}}
impl Step for {name} {{
    type Input = u64;
    type Output = u64;
    const DEF: &'static Def = &Def {{ name: "{name}", reads: &[Total::NAME], holds: &[], steps: &[] }};
    async fn run(&self, input: u64, at: At<'_>) -> Result<u64> {{
        Self::body(input, Ctx_{name} {{ sequencer: at.find()? }}).await
    }}
}}
"""


def sequencer(how, name, steps, holds):
    # what is nested is boxed, as a type that holds that of all levels does not compile for long
    boxed = [one[0] == "q" for one in steps]
    wait = lambda call, box: f" let v = Box::pin({call}).await?;" if box else f" let v = {call}.await?;"
    if how == "flowstate":
        state = ", state = Total" if holds else ""
        chain = "".join(f".step({one})" for one in steps)
        return f"#[block(sequencer{state})]\nfn {name}(input: u64) -> u64 {{ input{chain} }}\n"
    if how == "functions":
        given = "" if holds else ", total: &Mutex<Total>"
        made = " let total = &Mutex::new(Total::default());" if holds else ""
        calls = "".join(wait(f"{one}(v, total)", box) for one, box in zip(steps, boxed))
        return f"async fn {name}(v: u64{given}) -> Result<u64> {{{made}{calls} Ok(v) }}\n"
    reads, held = ("", "Total::NAME") if holds else ("Total::NAME", "")
    made = " let total = Mutex::new(Total::default()); let at = at.holding(&total);" if holds else ""
    calls = "".join(wait(f"{one}.run(v, at)", box) for one, box in zip(steps, boxed))
    defs = ", ".join(f"{one}::DEF" for one in steps)
    return f"""
#[derive(Clone, Copy, Debug, Default)]
pub struct {name};
impl Step for {name} {{
    type Input = u64;
    type Output = u64;
    const DEF: &'static Def = &Def {{ name: "{name}", reads: &[{reads}], holds: &[{held}], steps: &[{defs}] }};
    async fn run(&self, v: u64, at: At<'_>) -> Result<u64> {{{made}{calls} Ok(v) }}
}}
const _: () = assert!(met({name}::DEF), "a step of {name} reads what is not there");
"""


def flat(how, n):
    "N - N/11 steps, ten to a sequencer."
    text, roots = "", []
    for q in range(max(1, n // 11)):
        steps = [f"s{q}_{i}" for i in range(10)]
        text += "".join(step(how, one, i) for i, one in enumerate(steps))
        text += sequencer(how, f"q{q}", steps, True)
        roots.append(f"q{q}")
    return text, roots


def nested(how, n):
    "Nine in ten are sequencers, in nine levels of n/10, each with three of the level below; the top ones hold the state."
    width = n // 10
    below = [f"s{i}" for i in range(width)]
    text = "".join(step(how, one, i) for i, one in enumerate(below))
    for level in range(1, 10):
        names = [f"q{level}_{i}" for i in range(width)]
        for i, name in enumerate(names):
            text += sequencer(how, name, [below[(i + k) % width] for k in range(3)], level == 9)
        below = names
    return text, below


def source(shape, how, n):
    text, roots = shape(how, n)
    app, calls, end = "", "", "match name.as_str() {CALLS _ => None }"
    if how == "flowstate":
        entries = "".join(f" a_{root}: {root}," for root in roots)
        text += f'flow! {{\n    #[flow(kind = "all")]\n    struct All {{{entries} }}\n}}\n'
        calls = "".join(f' "{root}" => app.request().call(All::a_{root}, 1).await.ok(),' for root in roots)
        app = " let app = App::builder().flow(All).build().ok();\n    let Some(app) = app else { return };"
    elif how == "typed":
        entries = ", ".join(f"Box::new({root})" for root in roots)
        text += f"fn entries() -> Vec<Box<dyn Entry>> {{\n    vec![{entries}]\n}}\n"
        app = " let entries = entries();\n        let entry = entries.iter().find(|entry| entry.name() == name);"
        end = "match entry { Some(entry) => entry.call(1.into()).await.ok(), None => None }"
    else:
        calls = "".join(f' "{root}" => {root}(1).await.ok(),' for root in roots)
    return FRAMES[how] + text + f"""fn main() {{
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().build() else {{ return }};
    let name = std::env::args().nth(1).unwrap_or_default();
    runtime.block_on(async {{{app}
        let end = {end.replace('CALLS', calls)};
        println!("{{end:?}}");
    }});
}}
"""
