//! What a capability brings to a generator: tools, which of them a step has, context, a model.

use flowstate::model::{Message, ModelRequest, Reply, ScriptedModel};
use flowstate::prelude::*;
use serde_json::json;

#[state]
struct Skills {
    pub active: Vec<String>,
}

#[state]
struct Draft {
    pub text: String,
}

#[data]
struct Id {
    id: String,
}

/// Switches a skill on.
#[block(handler, parent = Skills)]
async fn activate(input: Id, ctx: Ctx) -> Result<bool> {
    ctx.parent.active.push(input.id)
}

/// Switches all skills off.
#[block(handler, parent = Skills)]
async fn clear(_: (), ctx: Ctx) -> Result<bool> {
    ctx.parent.active.set(Vec::new())
}

/// Says what is done.
#[block(handler)]
async fn report(text: String) -> Result<String> {
    Ok(format!("reported {text}"))
}

/// Doubles a number.
#[block(handler)]
async fn double(n: u32) -> Result<u32> {
    Ok(n * 2)
}

/// Looks something up on a site.
#[block(handler)]
async fn look_up(words: String, #[config] site: String) -> Result<String> {
    Ok(format!("{words} on {site}"))
}

#[derive(Default)]
struct BookConfig {
    model: String,
    frozen: bool,
}

#[capability(
    state = Skills,
    config = BookConfig,
    tools = [activate, forget = clear],
    control_tools = [report],
    offered = Self::offered,
    context(active_skills = Self::active, frozen = Self::frozen),
    model = Self::model,
)]
struct SkillBook;

#[capability]
impl SkillBook {
    fn active(ctx: &Ctx) -> Vec<String> {
        ctx.self_.active.get()
    }

    /// Of either form: what fails, fails the step, and what waits is awaited.
    async fn frozen(ctx: &Ctx) -> Result<Option<&'static str>> {
        tokio::task::yield_now().await;
        Ok(ctx.config.frozen.then_some("yes"))
    }

    fn offered(ctx: &Ctx) -> Vec<SkillBookTool> {
        match (ctx.config.frozen, ctx.self_.active.with(Vec::is_empty)) {
            (true, _) => vec![SkillBookTool::Report],
            (false, true) => vec![SkillBookTool::Activate, SkillBookTool::Report],
            (false, false) => {
                vec![SkillBookTool::Activate, SkillBookTool::Forget, SkillBookTool::Report]
            }
        }
    }

    fn model(ctx: &Ctx) -> String {
        ctx.config.model.clone()
    }
}

#[block(generator, uses = [SkillBook.with(model = "m".to_string())])]
async fn agent(_: &str) -> Result<Prompt> {
    Ok(Prompt::system("Go."))
}

fn told(request: &ModelRequest) -> Vec<&str> {
    request.tools().iter().map(|tool| tool.name.as_str()).collect()
}

/// Runs a generator on a script.
async fn ran<B: IntoBlock<Block: flowstate::Block<Input = String>>>(
    block: B,
    replies: impl IntoIterator<Item = Reply>,
) -> (Result<<B::Block as flowstate::Block>::Output>, Vec<ModelRequest>) {
    let model = ScriptedModel::new(replies);
    let app = App::builder().model_as("m", model.clone()).build().unwrap();
    (app.run(block, "go".to_string()).await, model.requests())
}

#[tokio::test]
async fn its_tools_write_to_the_generator_and_its_context_shows_it() {
    let script = [
        Reply::tool("activate", json!({"id": "search"})),
        Reply::tools([("forget", json!({})), ("report", json!({"input": "a"}))]),
        Reply::text("Done."),
    ];
    let (done, requests) = ran(agent, script).await;
    assert_eq!(done.unwrap(), "Done.");
    assert_eq!(told(&requests[0]), ["activate", "report"]);
    assert_eq!(told(&requests[1]), ["activate", "forget", "report"]);
    assert_eq!(told(&requests[2]), ["activate", "report"]);
    assert_eq!(requests[0].system(), "Go.");
    let tags = "<active-skills>\n  search\n</active-skills>";
    assert_eq!(requests[1].system(), format!("Go.\n\n{tags}"));
    assert_eq!(requests[2].messages().last().unwrap().text(), "reported a");
    assert_eq!(requests[0].tools()[0].description, "Switches a skill on.");
}

#[block(generator, uses = [SkillBook.with(model = "m".to_string(), frozen = true)])]
async fn frozen(_: &str) -> Result<Prompt> {
    Ok(Prompt::system(""))
}

#[tokio::test]
async fn the_configuration_chooses_among_what_is_declared() {
    let script = [Reply::tool("activate", json!({"id": "a"})), Reply::text("Done.")];
    let (done, requests) = ran(frozen, script).await;
    done.unwrap();
    assert_eq!(told(&requests[0]), ["report"]);
    assert_eq!(requests[0].system(), "<frozen>\n  yes\n</frozen>");
    // what was not offered is not run
    let text = requests[1].messages().last().unwrap().text().to_owned();
    assert_eq!(text, "there is no tool `activate`; there is `report`");
}

#[tokio::test]
async fn the_model_may_be_chosen_by_the_configuration() {
    #[block(generator, uses = [SkillBook.with(model = "other".to_string())])]
    async fn other(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    let error = ran(other, []).await.0.unwrap_err();
    assert_eq!((error.code(), error.block()), ("unknown_model", Some("other")));

    // what the generator says itself comes first, and what its prompt says before that
    #[block(generator, model = "m", uses = [SkillBook.with(model = "other".to_string())])]
    async fn own(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    ran(own, [Reply::text("!")]).await.0.unwrap();

    #[block(generator, uses = [SkillBook.with(model = "other".to_string())])]
    async fn prompted(_: &str) -> Result<Prompt> {
        Ok(Prompt::system("").model("m"))
    }
    ran(prompted, [Reply::text("!")]).await.0.unwrap();
}

/// A generator that lists tools has these, and what a capability has for control.
#[tokio::test]
async fn tools_of_its_own_are_a_fence() {
    #[block(generator, uses = [SkillBook.with(model = "m".to_string())], tools = [double, clear])]
    async fn fenced(_: &str, ctx: Ctx) -> Result<Prompt> {
        ctx.cap.skill_book.switch_on("a")?;
        Ok(Prompt::system("").tools([Tool::Double]))
    }
    let (done, requests) = ran(fenced, [Reply::text("!")]).await;
    done.unwrap();
    assert_eq!(told(&requests[0]), ["double", "report"]);

    #[block(generator, uses = [SkillBook.with(model = "m".to_string())], tools = [])]
    async fn none(_: &str) -> Result<Prompt> {
        Ok(Prompt::system("").without_tools())
    }
    let (done, requests) = ran(none, [Reply::text("!")]).await;
    done.unwrap();
    assert_eq!(told(&requests[0]), ["report"]);

    // one that it lists itself, it has once
    #[block(generator, uses = [SkillBook.with(model = "m".to_string())], tools = [report, activate])]
    async fn both(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    let (done, requests) = ran(both, [Reply::text("!")]).await;
    done.unwrap();
    assert_eq!(told(&requests[0]), ["report", "activate"]);

    #[block(generator, uses = [SkillBook.with(model = "m".to_string())], tools = [double])]
    async fn behind(_: &str) -> Result<Prompt> {
        Ok(Prompt::system("").tools([SkillBookTool::Activate]))
    }
    let error = ran(behind, []).await.0.unwrap_err();
    assert_eq!(error.code(), "tools_invalid");
    assert!(error.to_string().contains("`activate` of a capability"), "{error}");
}

#[capability]
impl SkillBook {
    fn switch_on(ctx: &Ctx, id: &str) -> Result<bool> {
        ctx.self_.active.push(id.to_owned())
    }
}

#[derive(Default)]
struct Sites {
    site: String,
}

/// Tools that are adapted, named and configured; a model that is known when the app is built.
#[capability(
    state = Draft,
    config = Sites,
    required = [site],
    tools = [
        search = look_up(config.site.clone()),
        report.as_tool("tell", "Tells."),
        twice = double.connect_input(|n: u32| n + 1),
    ],
    context(active_skills = Self::text, site = Self::site),
    model = ["m", "n"],
)]
struct Library;

#[capability]
impl Library {
    fn text(ctx: &Ctx) -> String {
        ctx.self_.text.get()
    }
    fn site(ctx: &Ctx) -> Site {
        Site { name: ctx.config.site.clone(), open: true }
    }
}

#[derive(serde::Serialize)]
struct Site {
    name: String,
    open: bool,
}

/// All that [`SkillBook`] and [`Library`] bring comes with it.
#[capability(uses = [SkillBook.with(model = "m".to_string()), Library.with(site = "docs".to_string())])]
struct Desk;

#[block(generator, model = "m", uses = [SkillBook.with(model = "m".to_string()), Desk])]
async fn clerk(_: &str) -> Result<Prompt> {
    #[derive(serde::Serialize)]
    struct Own {
        active_skills: &'static str,
        duty: &'static str,
    }
    Prompt::system("Go.").tagged(Own { active_skills: "own", duty: "clerk" })
}

#[tokio::test]
async fn capabilities_come_with_what_they_use_and_each_once() {
    let script = [
        Reply::tools([
            ("activate", json!({"id": "b"})),
            ("search", json!({"input": "tea"})),
            ("tell", json!({"input": "all"})),
            ("twice", json!({"input": 1})),
        ]),
        Reply::text("Done."),
    ];
    let (done, requests) = ran(clerk, script).await;
    done.unwrap();
    assert_eq!(told(&requests[0]), ["activate", "report", "search", "tell", "twice"]);
    let messages = requests[1].messages();
    let texts: Vec<_> = messages[messages.len() - 4..].iter().map(Message::text).collect();
    assert_eq!(texts, ["true", "tea on docs", "reported all", "4"]);
    // one tag for all that say something under it, those of the capabilities first
    assert_eq!(
        requests[1].system(),
        "Go.\n\n<active-skills>\n  b\n  own\n</active-skills>\n<site>\n  <name>\n    docs\n  </name>\n  <open>\n    \
         true\n  </open>\n</site>\n<duty>\n  clerk\n</duty>"
    );
}

#[tokio::test]
async fn a_prompt_chooses_among_all_tools() {
    #[block(generator, uses = [Library.with(site = "docs".to_string())], repair(coerce = "m"))]
    async fn some(_: &str) -> Result<Prompt> {
        Ok(Prompt::system("").tools([LibraryTool::Twice]).tools([LibraryTool::Report]))
    }
    let model = ScriptedModel::new([Reply::text("!")]);
    let app = App::builder().model_as("m", model.clone()).model_as("n", model.clone());
    app.build().unwrap().run(some, "go".to_string()).await.unwrap();
    assert_eq!(told(&model.requests()[0]), ["tell", "twice"]);

    // a model that is known by its name is looked for before anything runs
    let error = ran(some, []).await.0.unwrap_err();
    assert_eq!(error.code(), "unknown_model");
    assert!(error.to_string().contains("`n`"), "{error}");
}

#[tokio::test]
async fn a_name_that_only_run_time_knows_is_checked_there() {
    #[capability(tools = [report.as_tool("double", "")])]
    struct Renamed;

    #[block(generator, model = "m", uses = [Renamed, Doubles])]
    async fn clashing(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    #[capability(tools = [double])]
    struct Doubles;

    let error = ran(clashing, []).await.0.unwrap_err();
    assert_eq!(error.code(), "tools_invalid");
    assert_eq!(
        error.to_string(),
        "there are two tools of the name `double`: one of capability `Renamed`, one of capability `Doubles`"
    );
}

/// Two capabilities with the same block as a tool bring it once.
#[tokio::test]
async fn one_block_is_one_tool() {
    #[capability(tools = [double])]
    struct One;
    #[capability(tools = [double, report])]
    struct Other;
    #[block(generator, model = "m", uses = [One, Other])]
    async fn sharing(_: &str) -> Result<Prompt> {
        Ok(Prompt::system("").tools([OtherTool::Report]).tools([OneTool::Double]))
    }
    let (done, requests) = ran(sharing, [Reply::text("!")]).await;
    done.unwrap();
    assert_eq!(told(&requests[0]), ["double", "report"]);
}

/// A tool may use the capability that brings it, and a generator may be a tool of one that it uses itself.
#[tokio::test]
async fn tools_use_the_capability_too() {
    #[capability(state = Skills, tools = [learn, again(pupil)])]
    struct School;
    #[capability]
    impl School {
        fn count(ctx: &Ctx) -> usize {
            ctx.self_.active.with(Vec::len)
        }
    }
    #[block(handler, parent = Skills, uses = [School])]
    async fn learn(input: Id, ctx: Ctx) -> Result<String> {
        ctx.parent.active.push(input.id)?;
        Ok(format!("{} of its own, at {}", ctx.cap.school.count(), ctx.path()))
    }
    #[block(generator, model = "m", uses = [School])]
    async fn pupil(text: String) -> Result<Prompt> {
        Ok(Prompt::system("").user(text))
    }
    let script = [
        Reply::tool("pupil", json!({"input": "deeper"})),
        Reply::tool("learn", json!({"id": "a"})),
        Reply::text("inner"),
        Reply::text("outer"),
    ];
    let (done, requests) = ran(pupil, script).await;
    assert_eq!(done.unwrap(), "outer");
    let text = requests[2].messages().last().unwrap().text().to_owned();
    assert_eq!(text, "0 of its own, at pupil > pupil > learn");
}

/// Blocks of other sorts have the functions, and no tools.
#[tokio::test]
async fn other_blocks_ignore_what_is_for_generators() {
    #[block(handler, uses = [SkillBook, Doubling])]
    async fn plain(input: String, ctx: Ctx) -> Result<usize> {
        ctx.cap.skill_book.switch_on(&input)?;
        Ok(ctx.self_.active.with(Vec::len))
    }
    /// A second model is nothing to it either.
    #[capability(model = "m", tools = [double])]
    struct Doubling;
    assert_eq!(flowstate::run(plain, "a".to_string()).await.unwrap(), 1);
}

#[tokio::test]
async fn what_a_function_fails_with_fails_the_generator() {
    #[capability(context(shown = Self::shown))]
    struct Failing;
    #[capability]
    impl Failing {
        fn shown(_: &Ctx) -> Result<String> {
            Err(Error::with_code("nothing_there", "there is nothing"))
        }
    }
    #[block(generator, model = "m", uses = [Failing])]
    async fn failing(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    let (done, requests) = ran(failing, []).await;
    let error = done.unwrap_err();
    assert_eq!(
        (error.code(), error.block(), requests.len()),
        ("nothing_there", Some("failing"), 0)
    );

    #[capability(context(shown = Self::shown))]
    struct Nested;
    #[capability]
    impl Nested {
        fn shown(_: &Ctx) -> Site {
            Site { name: String::new(), open: false }
        }
    }
    #[block(generator, model = "m", uses = [Nested])]
    async fn mixed(_: &str) -> Result<Prompt> {
        Prompt::system("").tagged(std::collections::BTreeMap::from([("shown", "text")]))
    }
    assert_eq!(ran(mixed, []).await.0.unwrap_err().code(), "context_invalid");
}

#[tokio::test]
async fn tools_under_conditions() {
    #[capability(tools = [#[cfg(false)] report, double, #[cfg(true)] other = double])]
    struct Some;
    #[block(generator, model = "m", uses = [Some])]
    async fn conditional(_: &str) -> Result<Prompt> {
        Ok(Prompt::system(""))
    }
    let (done, requests) = ran(conditional, [Reply::text("!")]).await;
    done.unwrap();
    assert_eq!(told(&requests[0]), ["double", "other"]);
}

/// The trees of tools are checked and walked like all else.
#[tokio::test]
async fn its_tools_are_children_of_the_generator() {
    use flowstate::Block as _;
    let names: Vec<_> = clerk::DEF.children.iter().map(|child| child.head.name).collect();
    assert_eq!(names, ["activate", "clear", "report", "look_up", "report", "double"]);
}
