//! What a capability is, as its options say.

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Expr, ItemStruct, Path, Type};

use super::brings::{self, Model};
use crate::block::{Attempts, Lasting, NamedBlock, duration_of, retry};
use crate::cx::Cx;
use crate::options::{self, Reads, Shape, Spec, Use, Value};
use crate::states::States;
use crate::text::{field, field_name, plain_expr, snake, written};

/// Every option of `#[capability]`.
pub(crate) const OPTIONS: &[Spec] = &[
    Spec { name: "state", shape: Shape::Types, on: &[] },
    Spec { name: "request", shape: Shape::Types, on: &[] },
    Spec { name: "session", shape: Shape::Types, on: &[] },
    Spec { name: "user", shape: Shape::Types, on: &[] },
    Spec { name: "org", shape: Shape::Types, on: &[] },
    Spec { name: "sequencer", shape: Shape::Reads, on: &[] },
    Spec { name: "targets", shape: Shape::Named, on: &[] },
    // these are there to be refused, so that no list shows them
    Spec { name: "parent", shape: Shape::Reads, on: &["nothing"] },
    Spec { name: "needs", shape: Shape::Services, on: &["nothing"] },
    Spec { name: "reads", shape: Shape::Views, on: &["nothing"] },
    Spec { name: "writes", shape: Shape::Types, on: &["nothing"] },
    Spec { name: "feeds", shape: Shape::Feeds, on: &["nothing"] },
    Spec { name: "uses", shape: Shape::Uses, on: &[] },
    Spec { name: "config", shape: Shape::Types, on: &[] },
    Spec { name: "presets", shape: Shape::Args, on: &[] },
    Spec { name: "required", shape: Shape::Paths, on: &[] },
    Spec { name: "tools", shape: Shape::Blocks, on: &[] },
    Spec { name: "control_tools", shape: Shape::Blocks, on: &[] },
    Spec { name: "offered", shape: Shape::Path, on: &[] },
    Spec { name: "context", shape: Shape::Args, on: &[] },
    Spec { name: "model", shape: Shape::Expr, on: &[] },
    Spec { name: "timeout", shape: Shape::Expr, on: &[] },
    Spec { name: "retry", shape: Shape::Args, on: &[] },
    Spec { name: "visibility", shape: Shape::Words(&["client", "history"]), on: &[] },
    Spec { name: "transient", shape: Shape::Flag, on: &[] },
    Spec { name: "name", shape: Shape::Text, on: &[] },
    Spec { name: "crate", shape: Shape::Path, on: &[] },
];

/// A named change to the configuration.
pub(super) struct Preset {
    pub(super) name: Ident,
    pub(super) on: bool,
    pub(super) function: Expr,
}

pub(super) struct Capability {
    pub(super) item: ItemStruct,
    pub(super) state: Vec<Type>,
    pub(super) lasting: Vec<Lasting>,
    pub(super) sequencer: Option<Reads>,
    pub(super) targets: Vec<(Ident, Reads)>,
    pub(super) uses: Vec<Use>,
    pub(super) config: Option<Type>,
    pub(super) presets: Vec<Preset>,
    pub(super) required: Vec<Ident>,
    pub(super) tools: Vec<NamedBlock>,
    /// Where those begin that a generator has, whatever tools it lists itself.
    pub(super) control: usize,
    /// The function that says which of them a step has.
    pub(super) offered: Option<Path>,
    /// Tags, and the functions that say what is in them.
    pub(super) context: Vec<(Ident, Path)>,
    pub(super) model: Option<Model>,
    pub(super) attempts: Attempts,
    /// What of these the configuration says.
    pub(super) chosen: Vec<(Ident, Expr)>,
    pub(super) visibility: Option<[bool; 2]>,
    pub(super) transient: bool,
    /// Its field in `ctx.cap`.
    pub(super) field: Ident,
}

impl Capability {
    pub(super) fn states(&self) -> States<'_> {
        let reads = self.sequencer.iter().chain(self.targets.iter().map(|(_, reads)| reads));
        let lasting = self.lasting.iter().flat_map(|lasting| &lasting.types);
        States::of(self.state.iter().chain(reads.flat_map(|reads| &reads.types)).chain(lasting))
    }

    /// The states of one sort that outlive the block.
    pub(super) fn of(&self, word: &str) -> &[Type] {
        let found = self.lasting.iter().find(|lasting| lasting.word == word);
        found.map_or(&[], |lasting| &lasting.types)
    }
}

pub(super) fn model(cx: &Cx, args: TokenStream, item: ItemStruct) -> Capability {
    let name = snake(&item.ident.unraw().to_string());
    let mut out = Capability {
        field: field(&name, item.ident.span()),
        item,
        state: Vec::new(),
        lasting: Vec::new(),
        sequencer: None,
        targets: Vec::new(),
        uses: Vec::new(),
        config: None,
        presets: Vec::new(),
        required: Vec::new(),
        tools: Vec::new(),
        control: 0,
        offered: None,
        context: Vec::new(),
        model: None,
        attempts: Attempts::default(),
        chosen: Vec::new(),
        visibility: None,
        transient: false,
    };
    let parse = |input: ParseStream<'_>| {
        read(cx, input, &mut out);
        Ok(())
    };
    // what an option left unread is said already
    if let Err(error) = parse.parse2(args)
        && !cx.failed()
    {
        cx.push(error);
    }
    let item = &out.item;
    if !matches!(item.fields, syn::Fields::Unit) {
        let text = format!(
            "a capability is a unit struct, `pub struct {};`: what it keeps is state, and how it is set up is its `config`",
            item.ident
        );
        cx.error(&item.fields, text);
    }
    if !item.generics.params.is_empty() {
        cx.error(&item.generics, "a capability cannot be generic: one capability is one type");
        // without them it is known to all that name it
        out.item.generics = syn::Generics::default();
    }
    out
}

fn read(cx: &Cx, input: ParseStream<'_>, out: &mut Capability) {
    let (mut tools, mut control_tools) = (Vec::new(), Vec::new());
    let mut wants_config = Vec::new();
    for given in options::parse(cx, input, OPTIONS, "") {
        let key = given.key;
        match (given.name, given.value) {
            ("state", Value::Types(types)) => out.state = once(cx, types),
            ("request", Value::Types(types)) => out.last(cx, "request", "Request", types),
            ("session", Value::Types(types)) => out.last(cx, "session", "Session", types),
            ("user", Value::Types(types)) => out.last(cx, "user", "User", types),
            ("org", Value::Types(types)) => out.last(cx, "org", "Org", types),
            ("sequencer", Value::Reads(reads)) => out.sequencer = Some(reads),
            ("targets", Value::Named(targets)) => out.targets = targets,
            ("parent", _) => cx.error(
                &key,
                "a capability cannot say what the parent of a block holds: each block that uses it runs somewhere else, \
                 so the block says it, `#[block(…, parent = State)]`",
            ),
            (word @ ("needs" | "reads" | "writes" | "feeds"), _) => {
                let (what, written) = match word {
                    "needs" => ("which services it needs", "Service"),
                    "reads" => ("which contracts it reads", "Contract::reader(…)"),
                    "writes" => ("which contracts it writes", "Contract"),
                    _ => ("which contracts its output feeds", "Contract::reducer(…)"),
                };
                let text = format!(
                    "a capability has no `{word}`: each block that uses it says {what}, \
                     `#[block(…, {word} = [{written}])]`, and gives its functions what they are to know"
                );
                cx.error(&key, text);
            }
            ("uses", Value::Uses(uses)) => {
                crate::block::uses::check(cx, &uses);
                let me = out.item.ident.clone();
                if let Some(own) = uses.iter().find(|used| used.path.is_ident(&me)) {
                    cx.error(&own.path, format!("capability `{me}` cannot use itself"));
                }
                out.uses = uses;
            }
            ("config", Value::Types(mut types)) => {
                out.config = types.pop();
                if !types.is_empty() {
                    cx.error(&key, "a capability is configured by one type: `config = Type`");
                }
            }
            ("presets", Value::Args(presets)) => {
                wants_config.push(key);
                out.presets = presets.into_iter().filter_map(|(n, e)| preset(cx, n, e)).collect();
            }
            ("required", Value::Paths(paths)) => {
                wants_config.push(key);
                out.required = paths.iter().filter_map(|(_, path)| required(cx, path)).collect();
            }
            ("tools", Value::Blocks(given)) => tools = given,
            ("control_tools", Value::Blocks(given)) => control_tools = given,
            ("offered", Value::Path(path)) => out.offered = Some(path),
            ("context", Value::Args(tags)) => out.context = brings::read_context(cx, tags),
            ("model", Value::Expr(model)) => out.model = brings::read_model(cx, &key, model),
            ("timeout", Value::Expr(value)) if by_config(&value) => {
                out.chosen.push((key.clone(), value));
                wants_config.push(key);
            }
            ("timeout", Value::Expr(value)) => out.attempts.timeout = duration_of(cx, &value),
            ("retry", Value::Args(args)) => {
                let args = args.into_iter().map(|(name, value)| {
                    let known = ["max", "base", "max_delay"].iter().any(|known| name == known);
                    if !known || !by_config(&value) {
                        return Some((name, value));
                    }
                    // (that there is one is said here, how many is known later)
                    let max = (name == "max").then(|| (name.clone(), syn::parse_quote!(1)));
                    out.chosen.push((name, value));
                    max
                });
                let args = args.flatten().collect();
                retry(cx, &key, args, &mut out.attempts);
                if out.chosen.iter().any(|(name, _)| name != "timeout") {
                    wants_config.push(key);
                }
            }
            ("visibility", Value::Words(words)) => {
                out.visibility =
                    Some(["client", "history"].map(|word| words.iter().any(|w| w == word)));
            }
            ("transient", Value::Flag) => out.transient = true,
            ("name", Value::Text(text)) => match field_name(&text.value(), text.span()) {
                Some(name) => out.field = name,
                None => cx.error(
                    &text,
                    "the name of a capability is what stands behind `ctx.cap.`: a name such as `skills`",
                ),
            },
            ("crate", Value::Path(path)) => cx.set_crate(path),
            _ => {}
        }
    }
    let none = tools.is_empty() && control_tools.is_empty();
    if let (true, Some(offered)) = (none, &out.offered) {
        cx.error(
            offered,
            "`offered` picks from the tools of the capability: add `tools = [block]`",
        );
    }
    (out.tools, out.control) = brings::read_tools(cx, tools, control_tools);
    for key in wants_config.iter().filter(|_| out.config.is_none()) {
        cx.error(key, format!("`{key}` is about the configuration: add `config = Type`"));
    }
    for (i, (name, _)) in out.targets.iter().enumerate() {
        if out.targets[..i].iter().any(|(other, _)| other == name) {
            cx.error(name, format!("there are two targets named `{name}`"));
        }
    }
    for (i, preset) in out.presets.iter().enumerate() {
        if out.presets[..i].iter().any(|other| other.name == preset.name) {
            cx.error(&preset.name, format!("there are two presets named `{}`", preset.name));
        }
    }
}

impl Capability {
    fn last(&mut self, cx: &Cx, word: &'static str, variant: &'static str, types: Vec<Type>) {
        self.lasting.push(Lasting { word, variant, types: once(cx, types) });
    }
}

/// Whether a value is one of the configuration.
fn by_config(value: &Expr) -> bool {
    brings::word(quote::quote!(#value), "config").is_some()
}

fn once(cx: &Cx, types: Vec<Type>) -> Vec<Type> {
    for (i, ty) in types.iter().enumerate() {
        if types[..i].contains(ty) {
            cx.error(ty, format!("`{}` stands here twice", written(ty)));
        }
    }
    types
}

fn preset(cx: &Cx, name: Ident, value: Expr) -> Option<Preset> {
    if let Expr::Call(call) = plain_expr(value.clone())
        && let Expr::Path(word) = &*call.func
        && call.args.len() == 1
        && let Some(function) = call.args.first()
        && (word.path.is_ident("on") || word.path.is_ident("off"))
    {
        let on = word.path.is_ident("on");
        return Some(Preset { name, on, function: function.clone() });
    }
    let text = "a preset is a function that changes the configuration, and is on or off where nothing is said: \
                `strict = on(Config::strict)` or `strict = off(|config| config.limit = 1)`";
    cx.error(value, text);
    None
}

fn required(cx: &Cx, path: &Path) -> Option<Ident> {
    let name = path.get_ident().cloned();
    if name.is_none() {
        cx.error(path, "`required` names fields of the configuration: `required = [key]`");
    }
    name
}
