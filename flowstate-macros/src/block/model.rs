//! What a block is, as its options and its signature say; and what is wrong with them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{FnArg, Path, ReturnType, Token, Type, parse_quote};

use super::function::Function;
use crate::cfg::Cfg;
use crate::cx::Cx;
use crate::options::{self, Reads, Shape, Spec, Value};
use crate::text::{last_name, plain, suggestion};

/// Every option of `#[block]`, and what sorts of block it is for.
pub(crate) const OPTIONS: &[Spec] = &[
    Spec { name: "state", shape: Shape::Types, on: &[] },
    Spec { name: "parent", shape: Shape::Reads, on: &[] },
    Spec { name: "sequencer", shape: Shape::Reads, on: &[] },
    Spec { name: "targets", shape: Shape::Named, on: &[] },
    Spec { name: "request", shape: Shape::Types, on: &[] },
    Spec { name: "session", shape: Shape::Types, on: &[] },
    Spec { name: "user", shape: Shape::Types, on: &[] },
    Spec { name: "org", shape: Shape::Types, on: &[] },
    Spec { name: "needs", shape: Shape::Types, on: &[] },
    Spec { name: "steps", shape: Shape::Paths, on: &["sequencer"] },
    Spec { name: "name", shape: Shape::Text, on: &[] },
    Spec { name: "description", shape: Shape::Text, on: &[] },
    Spec { name: "crate", shape: Shape::Path, on: &[] },
];

const KINDS: &[&str] = &["handler", "sequencer"];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Handler,
    /// A sequencer whose body is one chain.
    Chain,
    /// A sequencer that is plain async Rust.
    Written,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Handler => "handler",
            Self::Chain | Self::Written => "sequencer",
        }
    }
}

/// One of the states that outlive a block.
pub(crate) struct Lasting {
    /// `session`, and its variant of `Reach`.
    pub(crate) word: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) types: Vec<Type>,
}

/// How the function wants its context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CtxForm {
    None,
    Owned,
    Borrowed,
}

pub(crate) struct Block {
    pub(crate) kind: Kind,
    pub(crate) function: Function,
    pub(crate) state: Vec<Type>,
    pub(crate) parent: Option<Reads>,
    pub(crate) sequencer: Option<Reads>,
    pub(crate) targets: Vec<(Ident, Reads)>,
    pub(crate) lasting: Vec<Lasting>,
    pub(crate) needs: Vec<Type>,
    pub(crate) steps: Vec<(Cfg, Path)>,
    /// What it is called in errors and paths.
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// The block's input; `None` where the signature does not say.
    pub(crate) input: Option<Type>,
    /// What a borrowed input is borrowed as.
    pub(crate) borrowed: Option<Type>,
    pub(crate) ctx: CtxForm,
}

impl Block {
    pub(crate) fn ident(&self) -> &Ident {
        &self.function.sig.ident
    }

    /// Whether running it makes a context.
    pub(crate) fn ctx_is_made(&self) -> bool {
        self.kind != Kind::Handler || self.ctx != CtxForm::None
    }

    /// The place of a token for a name of the generated code, which must be known there even where the token came
    /// from the arguments of a `macro_rules!` macro.
    pub(crate) fn at(&self, span: Span) -> Span {
        span.resolved_at(self.function.sig.fn_token.span)
    }

    /// The type that the function returns.
    pub(crate) fn returns(&self) -> Type {
        match &self.function.sig.output {
            ReturnType::Type(_, ty) => (**ty).clone(),
            ReturnType::Default => parse_quote!(()),
        }
    }
}

pub(crate) fn model(cx: &Cx, args: TokenStream, function: Function) -> Block {
    let mut block = Block {
        kind: Kind::Handler,
        name: function.sig.ident.unraw().to_string(),
        function,
        state: Vec::new(),
        parent: None,
        sequencer: None,
        targets: Vec::new(),
        lasting: Vec::new(),
        needs: Vec::new(),
        steps: Vec::new(),
        description: None,
        input: None,
        borrowed: None,
        ctx: CtxForm::None,
    };
    let parse = |input: ParseStream<'_>| {
        read_options(cx, input, &mut block);
        Ok(())
    };
    if let Err(error) = parse.parse2(args) {
        cx.push(error);
    }
    read_signature(cx, &mut block);
    block
}

fn read_options(cx: &Cx, input: ParseStream<'_>, block: &mut Block) {
    let word = read_kind(cx, input);
    let is_async = block.function.sig.asyncness.is_some();
    block.kind = match word.as_deref() {
        Some("sequencer") if is_async => Kind::Written,
        Some("sequencer") => Kind::Chain,
        _ => Kind::Handler,
    };
    let what = word.unwrap_or_default();
    for given in options::parse(cx, input, OPTIONS, &what) {
        let key = given.key;
        match (given.name, given.value) {
            ("state", Value::Types(types)) => block.state = types,
            ("parent", Value::Reads(reads)) => block.parent = Some(reads),
            ("sequencer", Value::Reads(reads)) => block.sequencer = Some(reads),
            ("targets", Value::Named(targets)) => block.targets = targets,
            ("request", Value::Types(types)) => block.last("request", "Request", types),
            ("session", Value::Types(types)) => block.last("session", "Session", types),
            ("user", Value::Types(types)) => block.last("user", "User", types),
            ("org", Value::Types(types)) => block.last("org", "Org", types),
            ("needs", Value::Types(types)) => block.needs = types,
            ("steps", Value::Paths(paths)) => {
                if block.kind == Kind::Chain {
                    cx.error(&key, "the steps of a chain are those it names; `steps` is for `async fn` sequencers");
                }
                block.steps = paths;
            }
            ("name", Value::Text(text)) if text.value().trim().is_empty() => {
                cx.error(&text, "a block's name is not empty");
            }
            ("name", Value::Text(text)) => block.name = text.value(),
            ("description", Value::Text(text)) => block.description = Some(text.value()),
            ("crate", Value::Path(path)) => cx.set_crate(path),
            _ => {}
        }
    }
    repeated(cx, block);
}

impl Block {
    fn last(&mut self, word: &'static str, variant: &'static str, types: Vec<Type>) {
        self.lasting.push(Lasting { word, variant, types });
    }
}

/// The sort of block, which comes first.
fn read_kind(cx: &Cx, input: ParseStream<'_>) -> Option<String> {
    let ahead = input.fork();
    let word = match ahead.call(Ident::parse_any) {
        Ok(word) if !ahead.peek(Token![=]) && !ahead.peek(syn::token::Paren) => word,
        _ => {
            cx.error_at(input.span(), "say first what sort of block it is: `#[block(handler)]`");
            return None;
        }
    };
    let _ = input.call(Ident::parse_any);
    let text = word.to_string();
    let known = KINDS.contains(&text.as_str());
    if !known {
        cx.error(
            &word,
            format!("there is no block of the sort `{text}`{}", suggestion(&text, KINDS)),
        );
    }
    if !input.is_empty() && input.parse::<Token![,]>().is_err() {
        cx.error_at(input.span(), "expected `,` between options");
    }
    known.then_some(text)
}

/// One state twice in one option, one target name twice.
fn repeated(cx: &Cx, block: &Block) {
    let lists = [&block.state, &block.needs];
    let lists = lists.into_iter().chain(block.lasting.iter().map(|lasting| &lasting.types));
    let reads = [&block.parent, &block.sequencer];
    let lists = lists.chain(reads.into_iter().flatten().map(|reads| &reads.types));
    for list in lists {
        for (i, ty) in list.iter().enumerate() {
            if list[..i].contains(ty) {
                cx.error(ty, format!("`{}` stands here twice", crate::text::written(ty)));
            }
        }
    }
    for (i, (name, _)) in block.targets.iter().enumerate() {
        if block.targets[..i].iter().any(|(other, _)| other == name) {
            cx.error(name, format!("there are two targets named `{name}`"));
        }
    }
}

fn read_signature(cx: &Cx, block: &mut Block) {
    let sig = block.function.sig.clone();
    if !sig.generics.params.is_empty() {
        cx.error(
            &sig.generics,
            "a block cannot be generic: its input and output are what callers see",
        );
    } else if let Some(clause) = &sig.generics.where_clause {
        cx.error(clause, "a block cannot be generic: its input and output are what callers see");
    }
    if let Some(word) = &sig.unsafety {
        cx.error(word, "a block cannot be `unsafe`");
    }
    if let Some(word) = &sig.constness {
        cx.error(word, "a block cannot be `const`");
    }
    if let Some(word) = &sig.abi {
        cx.error(word, "a block cannot be `extern`");
    }
    let mut args = sig.inputs.iter();
    match args.next() {
        None => cx.error(
            &sig.ident,
            "a block takes its input as its first argument; `_: ()` where it needs none",
        ),
        Some(FnArg::Receiver(receiver)) => {
            cx.error(receiver, "a block is a free function: it cannot be a method");
            return;
        }
        Some(FnArg::Typed(arg)) if is_ctx(&arg.ty).is_some() => cx.error(
            arg,
            "a block takes its input first, and then its context; `_: ()` where it needs no input",
        ),
        Some(FnArg::Typed(arg)) => read_input(cx, block, &arg.ty),
    }
    match args.next() {
        None => {}
        Some(FnArg::Typed(arg)) => match is_ctx(&arg.ty) {
            Some(form) => block.ctx = form,
            None => cx.error(
                &arg.ty,
                "the second argument of a block is its context, written `ctx: Ctx`",
            ),
        },
        Some(FnArg::Receiver(receiver)) => cx.error(receiver, "a block cannot be a method"),
    }
    for arg in args {
        cx.error(arg, "a block takes its input and its context, and nothing else");
    }
    match (&sig.output, block.kind) {
        (ReturnType::Default, Kind::Chain) => {
            cx.error(&sig.ident, "a sequencer says what it returns: `fn …(input: …) -> …`");
        }
        (ReturnType::Default, _) => {
            cx.error(
                &sig.ident,
                "a block returns `Result<…>`; `Result<()>` where it gives nothing",
            );
        }
        (ReturnType::Type(_, ty), Kind::Chain) if last_name(ty).as_deref() == Some("Result") => {
            cx.error(ty, "a chain's return type is the value alone, without `Result`: each step may fail anyway");
        }
        (ReturnType::Type(_, ty), _) if matches!(plain(ty), Type::ImplTrait(_)) => {
            cx.error(ty, "a block returns a type that has a name");
        }
        _ => {}
    }
    match block.kind {
        Kind::Chain if block.ctx != CtxForm::None => {
            cx.error(
                sig.inputs.iter().nth(1),
                "a chain takes its input alone: the functions in it take `|value, ctx|`",
            );
        }
        Kind::Written if block.ctx == CtxForm::None && sig.inputs.len() == 1 => {
            cx.error(
                &sig.ident,
                "an async sequencer runs its steps through its context: add the argument `ctx: Ctx`",
            );
        }
        _ => {}
    }
    if block.kind == Kind::Chain && block.borrowed.is_some() {
        cx.error(sig.inputs.first(), "a chain takes its input by value");
    }
}

fn read_input(cx: &Cx, block: &mut Block, ty: &Type) {
    match plain(ty) {
        Type::Reference(reference) if reference.mutability.is_some() => {
            cx.error(
                ty,
                "a block takes its input by value or by `&`: nothing would see the change",
            );
        }
        Type::Reference(reference) => {
            let elem = &*reference.elem;
            let p = cx.private();
            let span = elem.span();
            block.input = Some(syn::parse_quote_spanned!(span=> <#elem as #p::ToOwned>::Owned));
            block.borrowed = Some(elem.clone());
        }
        Type::ImplTrait(_) => cx.error(ty, "a block's input has a type with a name"),
        Type::Infer(_) => cx.error(ty, "a block says what it takes"),
        other => block.input = Some(other.clone()),
    }
}

/// Whether a type is literally `Ctx` or `&Ctx`.
fn is_ctx(ty: &Type) -> Option<CtxForm> {
    match plain(ty) {
        Type::Reference(reference) => {
            (is_ctx(&reference.elem)? == CtxForm::Owned).then_some(CtxForm::Borrowed)
        }
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            (last.ident == "Ctx").then_some(CtxForm::Owned)
        }
        _ => None,
    }
}

/// The type of a set of states: `()`, `One<S>`, `(One<S>, …)`.
pub(crate) fn set(p: &TokenStream, types: &[Type]) -> TokenStream {
    match types {
        [] => quote!(()),
        [ty] => quote!(#p::One<#ty>),
        [ty, rest @ ..] => {
            let rest = set(p, rest);
            quote!((#p::One<#ty>, #rest))
        }
    }
}

/// Where an error about the block as a whole shows.
pub(crate) fn name_span(block: &Block) -> Span {
    block.ident().span()
}
