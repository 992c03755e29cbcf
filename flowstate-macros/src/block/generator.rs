//! A generator: a function that says what the model is asked, the loop that asks it, and the enum of its tools.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::{Expr, GenericArgument, LitStr, PathArguments, ReturnType, Type, parse_quote};

use super::checks::position;
use super::expand::Parts;
use super::model::{Block, Kind};
use super::named::{self, NamedBlock, named_blocks};
use super::written::Child;
use super::{docs, uses};
use crate::cx::{Cx, check};
use crate::options::Repair;
use crate::text::{last_name, plain, suggestion, written as text};

/// The tools of the option.
pub(super) fn tools(cx: &Cx, given: Vec<Expr>) -> Vec<NamedBlock> {
    named_blocks(cx, given, "Tool", "tools = [a, name = b]")
}

/// The models of the option.
pub(crate) fn models(cx: &Cx, key: &Ident, given: Vec<LitStr>) -> Vec<LitStr> {
    if given.is_empty() {
        cx.error(key, "a generator asks at least one model: `model = \"intent/chat\"`");
    }
    for (i, name) in given.iter().enumerate() {
        if name.value().trim().is_empty() {
            cx.error(name, "a model has a name: `\"intent/chat\"`, `\"provider/model\"`");
        } else if given[..i].iter().any(|other| other.value() == name.value()) {
            cx.error(name, format!("`{}` stands here twice", name.value()));
        }
    }
    given
}

/// How deep the models search the web, as a variant.
pub(super) fn search(cx: &Cx, key: &Ident, args: Vec<(Ident, Expr)>) -> Option<&'static str> {
    const DEPTHS: &[(&str, &str)] = &[("low", "Low"), ("medium", "Medium"), ("high", "High")];
    const FORM: &str = "`search` says how deep: `search(depth = low)`, `medium` or `high`";
    let mut args = args.into_iter();
    let (Some((name, depth)), None) = (args.next(), args.next()) else {
        cx.error(key, FORM);
        return None;
    };
    if name != "depth" {
        cx.error(&name, FORM);
        return None;
    }
    let word = written_word(&depth).unwrap_or_default();
    let found = DEPTHS.iter().find(|(known, _)| *known == word);
    if found.is_none() {
        let known: Vec<_> = DEPTHS.iter().map(|(known, _)| *known).collect();
        cx.error(depth, format!("this is no depth{}", suggestion(&word, &known)));
    }
    found.map(|(_, variant)| *variant)
}

fn written_word(value: &Expr) -> Option<String> {
    match value {
        Expr::Path(path) => Some(path.path.get_ident()?.to_string()),
        _ => None,
    }
}

/// Says so where the function does not return a prompt.
pub(super) fn check_output(cx: &Cx, block: &Block, output: &ReturnType) {
    const FORM: &str = "a generator returns what its model is asked: `Result<Prompt>`, or `Result<Prompt<Output>>`";
    let ty = match output {
        ReturnType::Default => return cx.error(block.ident(), FORM),
        ReturnType::Type(_, ty) => ty,
    };
    let is_prompt = |ty: &Type| last_name(ty).is_some_and(|name| name == "Prompt");
    if !is_prompt(&docs::returned(block)) || is_prompt(ty) {
        cx.error(ty, format!("{FORM}, not `{}`", text(ty)));
    }
}

/// What comes out: the `T` of `Prompt<T>`.
pub(super) fn output(prompt: &Type) -> Type {
    if let Type::Path(path) = plain(prompt)
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(args) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = args.args.first()
    {
        return inner.clone();
    }
    parse_quote!(String)
}

/// Whether it is `Prompt` alone, and so a text.
pub(super) fn is_text(prompt: &Type) -> bool {
    let Type::Path(path) = plain(prompt) else { return false };
    path.path.segments.last().is_some_and(|last| last.arguments.is_none())
}

pub(super) fn parts(cx: &Cx, block: &Block, function: TokenStream) -> Parts {
    let children = named::children(cx, block.ident(), &block.tools);
    Parts { function, children, ..Parts::default() }
}

/// What `HEAD` says of the models.
pub(super) fn models_of(cx: &Cx, block: &Block) -> Option<TokenStream> {
    let p = cx.private();
    let all = &block.models;
    let mender = match &block.repair {
        Repair::With(name) => Some(quote!(.mender(#name))),
        _ => None,
    };
    let search = block.search.map(|depth| {
        let depth = Ident::new(depth, block.ident().span());
        quote!(.search(#p::SearchDepth::#depth))
    });
    if !block.models.is_empty() {
        return Some(quote!(.models(&[#(#all),*]) #mender #search));
    }
    if block.kind != Kind::Generator || block.uses.is_empty() {
        return None;
    }
    let args = uses::list(cx, &block.uses);
    let args = quote!(&[], #args);
    Some(
        quote!(.models(&#p::check::models::<{ #p::check::models_len(#args) }>(#args)) #mender #search),
    )
}

/// Each tool of a list, as it is run.
pub(crate) fn boxed(
    cx: &Cx,
    tools: &[NamedBlock],
    children: &[Child],
) -> impl Iterator<Item = TokenStream> {
    tools.iter().map(|NamedBlock { expr, name, given, .. }| {
        let p = cx.private();
        let made = named::made(cx, named::child_of(children, expr), expr);
        quote!(#p::tool(#made, #name, #given))
    })
}

/// The statements that ask the model until it has answered; `prompt` makes what it is asked.
pub(super) fn asks(
    cx: &Cx,
    block: &Block,
    children: &[Child],
    prompt: &TokenStream,
    once: &TokenStream,
    views: &TokenStream,
) -> TokenStream {
    let p = cx.private();
    let cfg = block.tools.iter().map(|tool| &tool.cfg);
    let tools = boxed(cx, &block.tools, children);
    let tools = if block.uses.is_empty() {
        quote!(let __tools: &[#p::Box<dyn #p::DeclaredTool>] = &[#(#cfg #tools),*];)
    } else {
        quote! {
            let mut __all = #p::Vec::new();
            #(#cfg __all.push(#tools);)*
            #p::bring_tools::<__Uses>(<Self as #p::Block>::DEF, &mut __all);
            let __tools: &[#p::Box<dyn #p::DeclaredTool>] = &__all;
        }
    };
    let models = &block.models;
    let repair = match &block.repair {
        Repair::Auto => quote!(#p::Repair::Auto),
        Repair::Off => quote!(#p::Repair::Off),
        Repair::With(name) => quote!(#p::Repair::With(#name)),
    };
    quote! {
        #tools
        let mut __run = #p::Generation::<'_, __Output>::new(
            __base, &__scope, &[#(#models),*], #repair, __tools,
        );
        loop {
            #once
            let __prompt = { #prompt };
            #views
            if let #p::Option::Some(__o) = __run.step(__prompt?).await? {
                break #p::Result::Ok(__o);
            }
        }
    }
}

/// Whether its name stands nowhere in the text: `as_tool` gives it one, which only run time knows.
pub(crate) fn renamed(tool: &NamedBlock) -> bool {
    !tool.given && text(&tool.expr).contains(".as_tool(")
}

/// What a model calls a tool, whose block is `def`, as far as its text tells.
pub(crate) fn given_name(cx: &Cx, tool: &NamedBlock) -> TokenStream {
    let (p, name) = (cx.private(), &tool.name);
    match (tool.given, renamed(tool)) {
        (true, _) => quote!(#p::Option::Some(#name)),
        (_, true) => quote!(#p::Option::Some("")),
        _ => quote!(#p::Option::None),
    }
}

/// The generator's own tools, for the checks of those that its capabilities bring; `all` are its children.
fn own_tools(cx: &Cx, block: &Block, children: &[Child], all: &TokenStream) -> TokenStream {
    let p = cx.private();
    let each = block.tools.iter().map(|tool| {
        let NamedBlock { name, expr, given, cfg, .. } = tool;
        let head = {
            let index = position(&children[..named::child_of(children, expr)]);
            quote!(#all[#index].head)
        };
        let name = match (given, renamed(tool)) {
            (true, _) => quote!(#name),
            (_, true) => quote!(""),
            _ => quote!(#head.name),
        };
        let head = match expr {
            Expr::Path(_) => quote!(#p::Option::Some(#head)),
            _ => quote!(#p::Option::None),
        };
        quote!(#cfg (#name, #head))
    });
    quote!(&[#(#each),*])
}

/// `DEF` of a generator with capabilities, which may bring it tools.
pub(super) fn definition(
    cx: &Cx,
    block: &Block,
    children: &[Child],
    own: &TokenStream,
) -> TokenStream {
    let (p, me, lists) = (cx.private(), block.ident(), block.lists_tools);
    let tools = own_tools(cx, block, children, &quote!(OWN));
    quote! {
        const DEF: &'static #p::BlockDef = {
            const HEAD: &'static #p::Head = <#me as #p::Block>::HEAD;
            #[allow(unreachable_code, unused_variables, clippy::diverging_sub_expression)]
            const OWN: &'static [&'static #p::BlockDef] = &[#own];
            const TOOLS: &'static [#p::OwnTool] = #tools;
            const LIST: #p::Option<&'static #p::ToolList> = <__Uses as #p::AllBring>::TOOLS;
            const BROUGHT: [#p::Option<#p::CapabilityTool>; #p::check::brought_len(TOOLS, LIST, #lists)] =
                #p::check::brought(TOOLS, LIST, #lists);
            const CHILDREN: [&'static #p::BlockDef; OWN.len() + BROUGHT.len()] =
                #p::check::with_brought(OWN, &BROUGHT);
            const UNMET: [#p::Unmet; #p::check::unmet_len(HEAD, &CHILDREN)] =
                #p::check::unmet(HEAD, &CHILDREN);
            const LASTING: [#p::Lasting; #p::check::lasting_len(HEAD, &CHILDREN)] =
                #p::check::lasting(HEAD, &CHILDREN);
            static DEF: #p::BlockDef =
                #p::BlockDef::tree(HEAD, &CHILDREN, &UNMET, &LASTING).brought(&BROUGHT);
            &DEF
        };
    }
}

/// The checks that no two tools have one name, each at a tool; of those of capabilities, at these. (What `as_tool` says, only
/// run time knows.)
pub(super) fn checks(cx: &Cx, block: &Block, children: &[Child]) -> TokenStream {
    let p = cx.private();
    let me = block.ident();
    let named: Vec<_> = block.tools.iter().filter(|tool| !renamed(tool)).collect();
    let name = |tool: &NamedBlock| {
        let name = &tool.name;
        let index = position(&children[..named::child_of(children, &tool.expr)]);
        match tool.given {
            true => quote!(#name),
            false => quote!(<#me as #p::Block>::DEF.children[#index].head.name),
        }
    };
    let each = named.iter().enumerate().skip(1).map(|(i, tool)| {
        let earlier = named[..i].iter().map(|tool| {
            let (cfg, name) = (&tool.cfg, name(tool));
            quote!(#cfg #name)
        });
        let (cfg, name) = (&tool.cfg, name(tool));
        let arguments = quote!(<#me as #p::Block>::HEAD.name, &[#(#earlier),*], #name);
        let check = check(&tool.expr, quote!(#p::check::tool), &arguments);
        quote!(#cfg #check)
    });
    let mut out = quote!(#(#each)*);
    if block.kind == Kind::Generator && !block.uses.is_empty() {
        let at = uses::written(&block.uses);
        let tools = own_tools(cx, block, children, &quote!(<#me as #p::Block>::DEF.children));
        let arguments = quote!(<#me as #p::Block>::DEF, #tools);
        out.extend(check(&at, quote!(#p::check::brought_tools), &arguments));
        if block.models.is_empty() {
            let head = quote!(<#me as #p::Block>::HEAD);
            out.extend(check(&at, quote!(#p::check::one_model), &head));
        }
    }
    out
}

/// The enum of the tools, for `Prompt::tools`.
pub(super) fn declaration(
    cx: &Cx,
    block: &Block,
    cfg: &[syn::Attribute],
    quiet: &TokenStream,
) -> TokenStream {
    let (ident, vis, me) = (enum_ident(block), &block.function.vis, block.ident().unraw());
    let about = format!("The tools of [`{me}`](struct@{me}), for `Prompt::tools`.");
    let declared = named::enumeration(cx, &block.tools, &ident, vis, &about, "Calls");
    let names = names(cx, &block.tools, &ident, None);
    quote! {
        #(#cfg)*
        #declared

        #(#cfg)*
        #quiet
        #names
    }
}

/// What a prompt knows the tools by; `of` is the capability that brings them.
pub(crate) fn names(
    cx: &Cx,
    tools: &[NamedBlock],
    ident: &Ident,
    of: Option<&Ident>,
) -> TokenStream {
    let p = cx.private();
    let keys =
        named::each(tools, |NamedBlock { variant, name, .. }| quote!(Self::#variant => #name));
    let of = of.map(|of| {
        quote! {
            const CAPABILITY: #p::Option<#p::Id> =
                #p::Option::Some(<#of as #p::Capability>::DEF.id);
        }
    });
    quote! {
        impl #p::DeclaredIn for #ident {
            #of
            fn name(self) -> &'static #p::str {
                match self { #keys }
            }
        }
    }
}

fn enum_ident(block: &Block) -> Ident {
    named::enum_ident(block.ident(), "Tool")
}

/// `Tool`, where the function is.
pub(super) fn alias(block: &Block) -> TokenStream {
    let (ident, alias) = (enum_ident(block), quote::format_ident!("Tool"));
    quote!(#[allow(unused_imports)] use #ident as #alias;)
}
