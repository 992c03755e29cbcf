//! What a block becomes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{FnArg, Pat, Type};

use super::adapted;
use super::asked::{self, Asked};
use super::caching;
use super::context::{Context, cells, cells_type, context};
use super::contracts;
use super::docs::docs;
use super::generator;
use super::locals;
use super::model::{Block, Config, CtxForm, Kind, name_span};
use super::router;
use super::types::{aliases, written_input};
use super::uses;
use super::written::{self, Beside, Body, Child};
use crate::cfg::Cfg;
use crate::chain;
use crate::cx::{Cx, check, ends};
use crate::text::written as text;

/// Lints that generated code may trip and no one can mend.
pub(crate) fn quiet() -> TokenStream {
    quote! {
        #[allow(
            deprecated, missing_docs, missing_debug_implementations, missing_copy_implementations,
            non_camel_case_types, non_snake_case, unreachable_pub, unused_qualifications,
            private_interfaces, private_bounds, trivial_bounds, unused_braces, unused_variables, dead_code, clippy::all, clippy::pedantic, clippy::nursery
        )]
    }
}

/// The function's attributes, by where they belong.
struct Attrs {
    /// Documentation and deprecation, for the block.
    on_type: Vec<syn::Attribute>,
    cfg: Vec<syn::Attribute>,
    /// The others, for the function itself.
    on_function: Vec<syn::Attribute>,
}

impl Attrs {
    fn of(block: &Block) -> Self {
        let mut out = Self { on_type: Vec::new(), cfg: Vec::new(), on_function: Vec::new() };
        for attr in &block.function.attrs {
            let path = attr.path();
            let to = if path.is_ident("cfg") {
                &mut out.cfg
            } else if path.is_ident("doc") || path.is_ident("deprecated") {
                &mut out.on_type
            } else {
                &mut out.on_function
            };
            to.push(attr.clone());
        }
        out
    }

    /// Where the block is deprecated, what is written of it need not say so.
    fn allow(&self) -> Option<TokenStream> {
        let deprecated = self.on_type.iter().any(|attr| attr.path().is_ident("deprecated"));
        deprecated.then(|| quote!(#[allow(deprecated)]))
    }

    /// The doc comment as one text.
    fn description(&self) -> String {
        let line = |attr: &syn::Attribute| match &attr.meta {
            syn::Meta::NameValue(doc) => match &doc.value {
                syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => {
                    Some(text.value().trim().to_owned())
                }
                _ => None,
            },
            _ => None,
        };
        self.on_type.iter().filter_map(line).collect::<Vec<_>>().join("\n").trim().to_owned()
    }
}

pub(crate) fn expand(cx: &Cx, block: &Block) -> TokenStream {
    let p = cx.private();
    let attrs = Attrs::of(block);
    let parts = match block.kind {
        Kind::Chain => chain::parts(cx, block),
        Kind::Written => written_parts(cx, block, &attrs),
        Kind::Router => router::parts(cx, block, function(cx, block, &attrs, None)),
        Kind::Generator => generator::parts(cx, block, function(cx, block, &attrs, None)),
        Kind::Handler => Parts { function: function(cx, block, &attrs, None), ..Parts::default() },
    };
    let mut ty = declaration(cx, block, &attrs);
    if block.kind == Kind::Router {
        ty.extend(router::declaration(cx, block, &attrs.cfg, &quiet()));
    }
    if !block.tools.is_empty() {
        ty.extend(generator::declaration(cx, block, &attrs.cfg, &quiet()));
    }
    let context = context(&p, block, !parts.asked.is_empty());
    if cx.failed() {
        let stub = stub(cx, block, &attrs, &parts, &context);
        return quote!(#ty #stub);
    }
    let body = body(cx, block, &parts, &context);
    let (checks, inner) = (checks(cx, block, &parts), &parts.function);
    let implementation = implementation(cx, block, &attrs, &context, &parts, &body);
    let (types, quiet) = (aliases(cx, block, &parts), quiet());
    let (cfg, allow) = (&attrs.cfg, attrs.allow());
    quote! {
        #ty
        #(#cfg)*
        #allow
        const _: () = {
            #[allow(unused_imports)]
            use #p::Otherwise as _;
            #inner
            #types
            // in an item of its own: a list of lints at each of them takes the compiler longer
            #quiet
            const _: () = { #implementation };
        };
        #checks
    }
}

/// What the kinds of block differ in.
#[derive(Default)]
pub(crate) struct Parts {
    /// The user's function, renamed.
    pub(crate) function: TokenStream,
    pub(crate) children: Vec<Child>,
    /// Statements that give the block's result, of a chain.
    pub(crate) chain: TokenStream,
    /// How many calls an async body makes.
    pub(crate) sites: u32,
    /// The blocks whose outputs the sequencer asks for.
    pub(crate) asked: Vec<Asked>,
    /// Whether it waits for items of the request.
    pub(crate) waits: bool,
    /// The children that run beside each other, of each such step.
    pub(crate) beside: Vec<Vec<Beside>>,
}

/// The type, and the function that gives its value.
fn declaration(cx: &Cx, block: &Block, attrs: &Attrs) -> TokenStream {
    let p = cx.private();
    let (ident, vis) = (block.ident(), &block.function.vis);
    let (on_type, cfg) = (&attrs.on_type, &attrs.cfg);
    let generated = docs(block);
    let gap = (!on_type.is_empty()).then(|| quote!(#[doc = ""]));
    let deprecated: Vec<_> =
        on_type.iter().filter(|attr| attr.path().is_ident("deprecated")).collect();
    let about = format!("The block [`{}`](struct@{}).", ident.unraw(), ident.unraw());
    if !block.config.is_empty() {
        return configured(cx, block, attrs, &generated);
    }
    quote! {
        #(#on_type)* #gap
        #[doc = #generated]
        #(#cfg)*
        #[allow(non_camel_case_types, deprecated)]
        #[derive(#p::Clone, #p::Copy, #p::Debug, #p::Default)]
        #vis struct #ident {}

        #[doc = #about]
        #(#deprecated)* #(#cfg)*
        #[must_use]
        #[allow(dead_code, non_snake_case, deprecated)]
        #vis const fn #ident() -> #ident {
            #ident {}
        }
    }
}

/// As [`declaration`], of a block with a configuration: the function takes it.
fn configured(cx: &Cx, block: &Block, attrs: &Attrs, generated: &str) -> TokenStream {
    let p = cx.private();
    let (ident, vis, quiet) = (block.ident(), &block.function.vis, quiet());
    let (on_type, cfg) = (&attrs.on_type, &attrs.cfg);
    let gap = (!on_type.is_empty()).then(|| quote!(#[doc = ""]));
    let deprecated: Vec<_> =
        on_type.iter().filter(|attr| attr.path().is_ident("deprecated")).collect();
    let about = format!("The block [`{}`](struct@{}), configured.", ident.unraw(), ident.unraw());
    let names: Vec<_> = block.config.iter().map(|config| &config.name).collect();
    let types: Vec<_> = block.config.iter().map(|config| config.plain(cx)).collect();
    let fields: Vec<_> = block.config.iter().map(|config| config.field(cx)).collect();
    let name = ident.unraw().to_string();
    quote! {
        #(#on_type)* #gap
        #[doc = #generated]
        #(#cfg)*
        #[allow(non_camel_case_types, deprecated, unused_parens)]
        #[derive(#p::Clone)]
        #vis struct #ident { #(#names: #fields),* }

        #(#cfg)*
        #quiet
        #[automatically_derived]
        impl #p::Debug for #ident {
            fn fmt(&self, f: &mut #p::Formatter<'_>) -> #p::fmt::Result {
                f.write_str(#name)
            }
        }

        #[doc = #about]
        #(#deprecated)* #(#cfg)*
        #[must_use]
        #[allow(dead_code, non_snake_case, deprecated)]
        #vis const fn #ident(#(#names: #types),*) -> #ident {
            #ident { #(#names),* }
        }
    }
}

/// (With a prefix that no generated local has: those of a block named `own` or `scope` would hide its function.)
fn inner_ident(block: &Block) -> Ident {
    let ident = block.ident();
    Ident::new(&format!("__fn_{}", ident.unraw()), ident.span())
}

/// The user's function, under another name and with the real type of its context.
fn function(cx: &Cx, block: &Block, attrs: &Attrs, body: Option<TokenStream>) -> TokenStream {
    let mut sig = block.function.sig.clone();
    let ident = block.ident();
    sig.ident = inner_ident(block);
    if let Some(FnArg::Typed(arg)) = sig.inputs.iter_mut().nth(1) {
        let (span, _) = ends(&arg.ty);
        let p = cx.private_at(span);
        *arg.ty = match block.ctx {
            CtxForm::Borrowed => syn::parse_quote_spanned!(span=> &#p::Ctx<'_, #ident>),
            _ => syn::parse_quote_spanned!(span=> #p::Ctx<'_, #ident>),
        };
    }
    for Config { name, ty, borrowed } in &block.config {
        let by = borrowed.then(|| quote!(&));
        sig.inputs.push(syn::parse_quote!(#name: #by #ty));
    }
    let (allow, attrs) = (attrs.allow(), &attrs.on_function);
    let body = body.unwrap_or_else(|| block.function.body.clone());
    let alias = match block.kind {
        Kind::Router => Some(router::alias(block)),
        _ => (!block.tools.is_empty()).then(|| generator::alias(block)),
    };
    quote! {
        #alias
        #(#attrs)*
        #allow
        #[allow(
            clippy::unused_async, clippy::needless_pass_by_value, clippy::unnecessary_wraps,
            clippy::redundant_closure, clippy::trivially_copy_pass_by_ref, non_snake_case
        )]
        #sig #body
    }
}

fn written_parts(cx: &Cx, block: &Block, attrs: &Attrs) -> Parts {
    let mut steps: Vec<Child> = Vec::new();
    for (cfg, path) in &block.steps {
        let expr = syn::parse_quote!(#path);
        written::note(&mut steps, Child { expr, cfg: cfg.clone() });
    }
    let ctx = match block.function.sig.inputs.iter().nth(1) {
        Some(FnArg::Typed(arg)) => match &*arg.pat {
            Pat::Ident(pat) => Some(pat.ident.clone()),
            _ => None,
        },
        _ => None,
    };
    let body = match ctx {
        Some(ctx) => written::read(cx, &ctx, steps, block.function.body.clone()),
        None => {
            let tokens = block.function.body.clone();
            Body { tokens, children: steps, sites: 0, waits: false, beside: Vec::new() }
        }
    };
    let Body { tokens, children, sites, waits, beside } = body;
    for child in &children {
        adapted::check(cx, block.ident(), &child.expr);
    }
    let asked = asked::asked(cx, &children, block.function.body.clone());
    let function = function(cx, block, attrs, Some(tokens));
    Parts { function, children, sites, asked, waits, beside, ..Parts::default() }
}

/// How often and how long the block is tried: as it says itself, else as its capabilities say.
fn attempts(cx: &Cx, block: &Block) -> Option<TokenStream> {
    let p = cx.private();
    let used = (!block.uses.is_empty()).then(|| quote!(<__Uses as #p::Uses>::ATTEMPTS));
    let own = block.attempts.any().then(|| block.attempts.constant(cx));
    let all = match (own, used) {
        (None, None) => return None,
        (None, Some(used)) => used,
        (Some(own), used) => quote!(#own.all(&[#used])),
    };
    let ident = block.ident();
    Some(quote! {
        #[automatically_derived]
        impl #p::Says for #ident {
            const ATTEMPTS: #p::Option<#p::Attempts> = #all;
        }
    })
}

/// The statements of `run`.
fn body(cx: &Cx, block: &Block, parts: &Parts, context: &Context) -> TokenStream {
    let p = cx.private();
    let (before, value) = (&context.before, &context.value);
    let (cells, cells_type) = (cells(&p, block), cells_type(&p, block));
    let open = quote! {
        let __scope = __at.open(<Self as #p::Block>::HEAD, #cells);
        let __known = __scope.known::<#cells_type>();
        let __link = __at.inside(&__scope);
        let __base = #p::base::<Self>(&__link);
    };
    if block.kind == Kind::Chain {
        let chain = &parts.chain;
        let config = block.config.iter().map(|config| {
            let (name, value) = (&config.name, config.value(cx));
            quote!(#[allow(unused_variables)] let #name = #value;)
        });
        return quote! {
            #(#config)*
            #open
            #before
            let __ctx = #value;
            let __rt = #p::Seq::new(&__scope, __known, &__ctx);
            let __v = __input;
            #chain
        };
    }
    // every token where an error about the return type should show (one error, not five)
    let ret = block.returns();
    let (span, _) = ends(&ret);
    let pr = cx.private_at(span);
    let inner = inner_ident(block);
    let input = if block.borrowed {
        quote!(<__Input as #p::Borrow<_>>::borrow(&__input))
    } else if matches!(block.kind, Kind::Router | Kind::Generator) {
        // the route is given it too; a generator's function is called again before each step
        quote!(<__Input as #p::Clone>::clone(&__input))
    } else {
        quote!(__input)
    };
    let (make, args) = match block.ctx {
        CtxForm::None => (TokenStream::new(), quote!(#input)),
        CtxForm::Owned => (quote!(#before let __ctx = #value;), quote!(#input, __ctx)),
        CtxForm::Borrowed => (quote!(#before let __ctx = #value;), quote!(#input, &__ctx)),
    };
    let start = if matches!(block.kind, Kind::Router | Kind::Generator) {
        open
    } else if block.kind == Kind::Written {
        let sites = parts.sites as usize;
        quote! {
            #open
            let __sites = [const { #p::AtomicU32::new(0) }; #sites];
        }
    } else if block.ctx == CtxForm::None {
        TokenStream::new()
    } else {
        quote!(let __base = #p::base_at::<Self>(__at);)
    };
    if block.starts_at_once() {
        return quote_spanned!(span=> #start #make #pr::Called::running(#inner(#args)));
    }
    let wait = block.function.sig.asyncness.map(|_| quote_spanned!(span=> .await));
    let result = quote_spanned!(span=> __r);
    let config = block.config.iter().map(|config| {
        let (name, value) = (format_ident!("__{}", config.name.unraw()), config.value(cx));
        (quote!(let #name = #value;), name)
    });
    let (config, names): (Vec<_>, Vec<_>) = config.unzip();
    let call = quote!(#(#config)* let #result = #inner(#args #(, #names)*) #wait;);
    let end = quote_spanned!(span=> <__Returned as #pr::BlockResult>::into_result(#result));
    if block.kind == Kind::Router {
        let taken = router::take(cx, block, &parts.children);
        return quote!(#start #make #call let __route = #end?; #taken);
    }
    if block.kind == Kind::Generator {
        let (once, views) = contracts::seen(cx, block);
        let prompt = match &block.uses[..] {
            [] => quote!(#make #call #end),
            _ => {
                // without a context nothing is made yet
                let before = (block.ctx == CtxForm::None).then_some(before);
                let asks = !block.models.is_empty();
                quote!(#before #make #call #p::bring::<__Uses, _>(__given, #end?, #asks).await)
            }
        };
        let asks = generator::asks(cx, block, &parts.children, &prompt, &once, &views);
        return quote!(#start #asks);
    }
    quote!(#start #make #call #end)
}

fn implementation(
    cx: &Cx,
    block: &Block,
    attrs: &Attrs,
    context: &Context,
    parts: &Parts,
    body: &TokenStream,
) -> TokenStream {
    let p = cx.private();
    let ident = block.ident();
    let head = head(cx, block, attrs, parts.waits);
    let (def, attempts) = (definition(cx, block, &parts.children), attempts(cx, block));
    let caching = block.caching.as_ref().map(|caching| caching::method(cx, caching));
    let written_input = written_input(&p, block);
    // where a future that is not `Send` is explained
    let span = name_span(block);
    let pr = cx.private_at(span);
    let start = quote_spanned!(name_span(block)=> async move);
    // names of values are not at the user's place: under `macro_rules!` they would not be found
    let (given, at, cells) = (quote!(__input), quote!(__at), quote!(__cells));
    let future =
        quote_spanned!(span=> impl #pr::Future<Output = #pr::Result<Self::Output>> + #pr::Send);
    let args = quote_spanned!(span=> &'__a self, #given: Self::Input, #at: #pr::At<'__a>);
    let reads = block.parent.is_some() || (block.sequencer.is_some() && !block.kind.is_sequencer());
    let run = if reads && block.ctx_is_made() {
        quote_spanned! {span=>
            fn run<'__a>(#args) -> #future {
                self.run_in::<()>(#given, #at, #pr::Option::None)
            }
            #[inline]
            fn run_in<'__a, __X: #pr::Cells>(
                #args,
                #cells: #pr::Option<&'__a __X>,
            ) -> #future
        }
    } else {
        quote_spanned!(span=> fn run<'__a>(#args) -> #future)
    };
    let body = &contracts::fed(cx, block, body);
    let future = match block.kind {
        Kind::Handler if block.starts_at_once() => body.clone(),
        Kind::Handler => quote!(#start { #body }),
        // a future that holds its steps' futures by their types cannot nest deeper than about 10 sequencers
        Kind::Router | Kind::Generator => quote_spanned!(span=> #pr::boxed(#start { #body })),
        _ => {
            let boxed = quote_spanned!(span=> <#ident as #pr::Block>::DEF.holds == 0);
            quote_spanned!(span=> #pr::held::<{ #boxed }, _>(#start { #body }))
        }
    };
    let with_ctx = with_ctx(cx, block, context);
    let (into, asks) = (into_block(&p, ident, attempts.is_some()), asks(cx, block, parts));
    let (mut generics, mut clause, mut beside) =
        (TokenStream::new(), TokenStream::new(), TokenStream::new());
    let (mut output, mut future) = (quote!(__Output), future);
    if block.kind == Kind::Router {
        let hidden = router::hidden(cx, block, reads && block.ctx_is_made(), &future);
        (generics, clause, beside) = (hidden.generics, hidden.clause, hidden.beside);
        (output, future) = (quote!(__O), hidden.future);
    }
    let steps = (block.kind == Kind::Written).then(|| {
        let mut steps: Vec<(TokenStream, Cfg, Span)> = Vec::new();
        // of an expression all blocks in it are steps: what it recovers with, too
        let names = parts.children.iter().flat_map(|child| {
            super::adapted::names(&child.expr).into_iter().map(move |name| (name, &child.cfg))
        });
        for ((path, again), cfg) in names {
            let (span, _) = ends(path);
            let p = cx.private_at(span);
            // the path itself: two projections would count as overlapping
            let path = if again { quote_spanned!(span=> #p::Again<#path>) } else { quote!(#path) };
            match steps.iter_mut().find(|(known, ..)| text(known) == text(&path)) {
                Some((_, known, _)) => known.or(cfg),
                None => steps.push((path, cfg.clone(), span)),
            }
        }
        let each = steps.iter().map(|(path, cfg, span)| {
            let p = cx.private_at(*span);
            let step = quote_spanned!(*span=> impl #p::StepOf<#ident> for #path {});
            quote!(#cfg #step)
        });
        quote!(#(#[automatically_derived] #each)*)
    });
    quote! {
        #beside
        #[automatically_derived]
        impl #generics #pr::Block for #ident #clause {
            type Input = __Input;
            type Output = #output;
            const HEAD: &'static #p::Head = #head;
            #def
            #caching
            #[inline]
            #run {
                #future
            }
        }
        #attempts
        #[automatically_derived]
        impl #p::Takes<#written_input> for #ident {}
        #[automatically_derived]
        impl #p::Returns<__Output> for #ident {}
        #into
        #with_ctx
        #steps
        #asks
    }
}

/// That a sequencer waits, and whose outputs it asks for.
fn asks(cx: &Cx, block: &Block, parts: &Parts) -> TokenStream {
    let (p, me) = (cx.private(), block.ident());
    let waits = (parts.waits && block.kind == Kind::Written).then(|| {
        quote! {
            #[automatically_derived]
            impl #p::Waits for #me {}
        }
    });
    let each = parts.asked.iter().map(|Asked { path, cfg }| {
        let (span, _) = ends(path);
        let p = cx.private_at(span);
        let asks = quote_spanned!(span=> impl #p::AsksFor<#me> for #path {});
        quote!(#cfg #[automatically_derived] #asks)
    });
    quote!(#waits #(#each)*)
}

fn into_block(p: &TokenStream, ident: &Ident, says: bool) -> TokenStream {
    let attempt = if says { quote!(#p::AsSaid<Self>) } else { quote!(#p::Tried) };
    quote! {
        #[automatically_derived]
        impl #p::IntoBlock for #ident {
            type Block = Self;
            type Attempt = #attempt;
            #[inline]
            fn into_block(self) -> Self {
                self
            }
        }
    }
}

/// The context's items, where the block has a context.
fn with_ctx(cx: &Cx, block: &Block, context: &Context) -> TokenStream {
    if !block.ctx_is_made() {
        return TokenStream::new();
    }
    let p = cx.private();
    let ident = block.ident();
    let (items, ctx) = (&context.items, &context.ident);
    quote! {
        #(#items)*
        #[automatically_derived]
        impl #p::WithCtx for #ident {
            type Ctx<'__a> = #ctx<'__a>;
        }
    }
}

fn head(cx: &Cx, block: &Block, attrs: &Attrs, waits: bool) -> TokenStream {
    let p = cx.private();
    let (name, ident) = (&block.name, block.ident().unraw().to_string());
    let kind = format_ident!("{}", crate::text::camel(block.kind.word()));
    let description = block.description.clone().unwrap_or_else(|| attrs.description());
    let states = block.states();
    let state = |ty: &Type| states.def(cx, ty);
    let holds = block.state.iter().map(|ty| {
        let state = state(ty);
        quote!(#p::Held { state: #state, capability: #p::Option::None })
    });
    let parent = block.parent.as_ref().map(|reads| states.reads(cx, reads));
    let sequencer = block.sequencer.as_ref().map(|reads| states.reads(cx, reads));
    let targets = states.targets(cx, &block.targets);
    let lasting = block.lasting.iter().flat_map(|lasting| {
        let reach = format_ident!("{}", lasting.variant);
        let p = p.clone();
        let each = lasting.types.iter().map(state).collect::<Vec<_>>();
        each.into_iter().map(move |state| {
            quote!(#p::Lasting::new(#p::Reach::#reach, #state, #name, #p::Option::None))
        })
    });
    let config = block.flow_config.iter().map(|ty| {
        let (span, _) = ends(ty);
        let q = cx.private_at(span);
        let state = quote_spanned!(span=> <#ty as #q::FlowConfig>::DEF);
        quote!(#p::Lasting::new(#p::Reach::Flow, #state, #name, #p::Option::None))
    });
    let lasting = lasting.chain(config).chain(contracts::lasting(cx, block));
    let needs = block.needs.iter().map(|(_, ty)| {
        let text = text(ty);
        quote!(#p::Need { name: #text, id: #p::TypeId::of::<#ty>() })
    });
    let visibility = block.visibility.map(|[client, history]| quote!(.visible(#client, #history)));
    let transient = block.transient.then(|| quote!(.transient()));
    let uses = uses::defs(cx, &block.uses);
    let waits = waits.then(|| quote!(.waits()));
    let models = generator::models_of(cx, block);
    let contracts = contracts::defs(cx, block);
    let more = quote!(#visibility #transient #uses #waits #models #contracts);
    quote! {
        &#p::head(
            #name,
            #p::concat!(
                #p::module_path!(), "::", #ident, "@", #p::file!(), ":", #p::line!(), ":", #p::column!()
            ),
            #p::Kind::#kind,
            #description,
            &[#(#holds),*],
            &[#parent],
            &[#sequencer],
            &[#targets],
            &[#(#lasting),*],
            &[#(#needs),*],
        ) #more
    }
}

/// `DEF` of a handler, where that is not just its head: what it reaches for is written down, for each constant
/// that works it out takes the compiler time.
fn leaf(p: &TokenStream, block: &Block) -> TokenStream {
    let required = block.sequencer.iter().filter(|reads| !reads.optional);
    let near = 0..required.map(|reads| reads.types.len()).sum::<usize>();
    let far = 0..block.targets.iter().map(|(_, reads)| reads.types.len()).sum::<usize>();
    if near.is_empty() && far.is_empty() {
        return TokenStream::new();
    }
    quote! {
        const DEF: &'static #p::BlockDef = &#p::BlockDef::reaching(
            Self::HEAD,
            &[
                #(#p::Unmet::near(Self::HEAD, #near),)*
                #(#p::Unmet::far(Self::HEAD, #far),)*
            ],
        );
    }
}

/// `DEF`, where the block runs others or reaches beyond its parent.
fn definition(cx: &Cx, block: &Block, children: &[Child]) -> TokenStream {
    let p = cx.private();
    let me = block.ident();
    if block.kind == Kind::Handler && block.uses.is_empty() {
        return leaf(&p, block);
    }
    if block.kind == Kind::Handler {
        // fewer constants than below
        let head = quote!(<#me as #p::Block>::HEAD);
        return quote! {
            const DEF: &'static #p::BlockDef = &#p::BlockDef::tree(
                #head,
                &[],
                &#p::check::unmet::<{ #p::check::unmet_len(#head, &[]) }>(#head, &[]),
                &#p::check::lasting::<{ #p::check::lasting_len(#head, &[]) }>(#head, &[]),
            );
        };
    }
    let all = children;
    let children = children.iter().enumerate().map(|(i, child)| {
        let expr = locals::without(block, &child.expr);
        let (cfg, def) = (&child.cfg, written::def(cx, &block.config, i, &expr));
        quote!(#cfg #def)
    });
    if block.kind == Kind::Generator && !block.uses.is_empty() {
        return generator::definition(cx, block, all, &quote!(#(#children),*));
    }
    quote! {
        const DEF: &'static #p::BlockDef = {
            const HEAD: &'static #p::Head = <#me as #p::Block>::HEAD;
            #[allow(unreachable_code, unused_variables, clippy::diverging_sub_expression)]
            const CHILDREN: &'static [&'static #p::BlockDef] = &[#(#children),*];
            const UNMET: [#p::Unmet; #p::check::unmet_len(HEAD, CHILDREN)] =
                #p::check::unmet(HEAD, CHILDREN);
            const LASTING: [#p::Lasting; #p::check::lasting_len(HEAD, CHILDREN)] =
                #p::check::lasting(HEAD, CHILDREN);
            // in a static: a constant's value is compared whole, and shared trees would be unfolded
            static DEF: #p::BlockDef = #p::BlockDef::tree(HEAD, CHILDREN, &UNMET, &LASTING);
            &DEF
        };
    }
}

/// The constant checks, each where the user wrote what it checks.
fn checks(cx: &Cx, block: &Block, parts: &Parts) -> TokenStream {
    let p = cx.private();
    let ident = block.ident();
    let mut out = TokenStream::new();
    let several =
        block.state.len() > 1 || block.lasting.iter().any(|lasting| lasting.types.len() > 1);
    let at = block.state.iter().chain(block.lasting.iter().flat_map(|l| &l.types)).next();
    let at = match &block.uses[..] {
        [] => quote!(#at),
        uses => uses::written(uses),
    };
    if several || !block.uses.is_empty() {
        out.extend(check(&at, quote!(#p::check::states), &quote!(<#ident as #p::Block>::HEAD)));
    }
    for (index, child) in parts.children.iter().enumerate() {
        let cfg = &child.cfg;
        let index = position(&parts.children[..index]);
        let check = check(
            &child.expr,
            quote!(#p::check::child),
            &quote!(<#ident as #p::Block>::DEF, #index),
        );
        out.extend(quote!(#cfg #check));
    }
    out.extend(contracts::checks(cx, block));
    out.extend(beside(cx, block, parts));
    out.extend(generator::checks(cx, block, &parts.children));
    let attrs = Attrs::of(block);
    let (cfg, allow) = (&attrs.cfg, attrs.allow());
    if cfg.is_empty() && allow.is_none() {
        return out;
    }
    match syn::parse2::<syn::File>(out.clone()) {
        Ok(file) => {
            let items = file.items;
            let attrs = quote!(#(#cfg)* #allow);
            quote!(#(#attrs #items)*)
        }
        Err(_) => out,
    }
}

/// The checks of branches that run beside each other, each at the later one.
fn beside(cx: &Cx, block: &Block, parts: &Parts) -> TokenStream {
    let (p, me) = (cx.private(), block.ident());
    let each = parts.beside.iter().flat_map(|branches| {
        let place = |(child, _): &Beside| position(&parts.children[..*child]);
        let p = &p;
        branches.iter().enumerate().skip(1).map(move |(i, branch)| {
            let earlier = branches[..i].iter().map(|branch| {
                let (cfg, place) = (&branch.1.cfg, place(branch));
                quote!(#cfg {#place})
            });
            let (Child { expr, cfg }, index) = (&branch.1, place(branch));
            let arguments = quote!(<#me as #p::Block>::DEF, &[#(#earlier),*], #index);
            let check = check(expr, quote!(#p::check::beside), &arguments);
            quote!(#cfg #check)
        })
    });
    quote!(#(#each)*)
}

/// How many of these children are there, in a constant.
pub(super) fn position(before: &[Child]) -> TokenStream {
    let always = before.iter().filter(|child| child.cfg.is_always()).count();
    let cfg: Vec<_> = before.iter().map(|c| &c.cfg).filter(|cfg| !cfg.is_always()).collect();
    if cfg.is_empty() {
        return quote!(#always);
    }
    quote!(#always + { const __THERE: &[()] = &[#(#cfg ()),*]; __THERE.len() })
}

/// A block that did not compile: known to all that name it, and silent. One of its errors stands for its types.
fn stub(cx: &Cx, block: &Block, attrs: &Attrs, parts: &Parts, context: &Context) -> TokenStream {
    let p = cx.private();
    let (ident, name, quiet) = (block.ident(), &block.name, quiet());
    let (with_ctx, function) = (with_ctx(cx, block, context), function(cx, block, attrs, None));
    let (aliases, into) = (aliases(cx, block, parts), into_block(&p, ident, false));
    let unknown = cx.error_type();
    let (cfg, allow) = (&attrs.cfg, attrs.allow());
    quote! {
        #(#cfg)*
        #allow
        #[allow(unexpected_cfgs)]
        const _: () = {
            // an editor still completes what the block declares
            #[cfg(rust_analyzer)]
            const _: () = {
                use #p::Otherwise as _;
                #aliases
                #function
                #quiet
                const _: () = { #with_ctx };
            };
            #[allow(non_camel_case_types, unused_parens)]
            type __unknown = #unknown;
            #quiet
            const _: () = {
            #[automatically_derived]
            impl #p::Block for #ident {
                type Input = __unknown;
                type Output = __unknown;
                const HEAD: &'static #p::Head = &#p::Head::new(#name, #p::Kind::Broken);
                async fn run(&self, _: Self::Input, _: #p::At<'_>) -> #p::Result<Self::Output> {
                    #p::pending().await
                }
            }
            #[automatically_derived]
            impl #p::Takes<__unknown> for #ident {}
            #[automatically_derived]
            impl #p::Returns<__unknown> for #ident {}
            #into
            #[cfg(not(rust_analyzer))]
            #[automatically_derived]
            impl #p::WithCtx for #ident {
                type Ctx<'__a> = __unknown;
            }
            };
        };
    }
}
