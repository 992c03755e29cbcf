//! A generator: a function that says what the model is asked, the loop that asks it, and the enum of its tools.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, GenericArgument, LitStr, PathArguments, ReturnType, Type, parse_quote};

use super::expand::{Parts, position};
use super::model::Block;
use super::named::{NamedBlock, named_blocks};
use super::written::{self, Child};
use super::{adapted, docs, lowered};
use crate::cx::{Cx, check, ends};
use crate::options::Repair;
use crate::text::{last_name, plain, written as text};

/// The tools of the option.
pub(super) fn tools(cx: &Cx, given: Vec<Expr>) -> Vec<NamedBlock> {
    named_blocks(cx, given, "Tool", "tools = [a, name = b]")
}

/// The models of the option.
pub(super) fn models(cx: &Cx, key: &Ident, given: Vec<LitStr>) -> Vec<LitStr> {
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
    let mut children: Vec<Child> = Vec::new();
    for NamedBlock { expr, cfg, .. } in &block.tools {
        let before = children.len();
        written::note(&mut children, Child { expr: expr.clone(), cfg: cfg.clone() });
        if children.len() > before {
            adapted::check(cx, block, expr);
        }
    }
    Parts { function, children, ..Parts::default() }
}

/// What `HEAD` says of the models.
pub(super) fn models_of(block: &Block) -> Option<TokenStream> {
    let coerce = match &block.repair {
        Repair::With(name) => Some(name),
        _ => None,
    };
    let all = block.models.iter().chain(coerce);
    (!block.models.is_empty()).then(|| quote!(.models(&[#(#all),*])))
}

/// The statements that ask the model until it has answered; `prompt` makes what it is asked.
pub(super) fn asks(
    cx: &Cx,
    block: &Block,
    children: &[Child],
    prompt: &TokenStream,
) -> TokenStream {
    let p = cx.private();
    let tools = block.tools.iter().map(|tool| {
        let NamedBlock { expr, cfg, name, given, .. } = tool;
        let (first, last) = ends(expr);
        let same = text(expr);
        let known = children.iter().position(|child| text(&child.expr) == same);
        let index = known.unwrap_or_default();
        let made = if let Expr::Path(_) = expr {
            let step = written::alias(index, expr);
            let p = cx.private_at(first);
            let head = quote_spanned!(first=> <#step as #p::ByName>::by_name);
            let call = quote_spanned!(last=> ());
            quote!(#head #call)
        } else {
            lowered(cx, index, expr)
        };
        quote!(#cfg #p::tool(#made, #name, #given))
    });
    let models = &block.models;
    let repair = match &block.repair {
        Repair::Auto => quote!(#p::Repair::Auto),
        Repair::Off => quote!(#p::Repair::Off),
        Repair::With(name) => quote!(#p::Repair::With(#name)),
    };
    quote! {
        let __tools: &[#p::Box<dyn #p::DeclaredTool>] = &[#(#tools),*];
        let mut __run = #p::Generation::<'_, __Output>::new(
            __base, &__scope, &[#(#models),*], #repair, __tools,
        );
        loop {
            let __prompt = { #prompt };
            if let #p::Option::Some(__o) = __run.step(__prompt?).await? {
                break #p::Result::Ok(__o);
            }
        }
    }
}

/// The checks that no two tools have one name, each at a tool. (What `as_tool` says, only run time knows.)
pub(super) fn checks(cx: &Cx, block: &Block, children: &[Child]) -> TokenStream {
    let p = cx.private();
    let me = block.ident();
    let renamed = |tool: &&NamedBlock| !tool.given && text(&tool.expr).contains(".as_tool(");
    let named: Vec<_> = block.tools.iter().filter(|tool| !renamed(tool)).collect();
    let name = |tool: &NamedBlock| {
        let (name, same) = (&tool.name, text(&tool.expr));
        let at = children.iter().position(|child| text(&child.expr) == same).unwrap_or_default();
        let index = position(&children[..at]);
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
    quote!(#(#each)*)
}

/// The enum of the tools, for `Prompt::tools`.
pub(super) fn declaration(
    cx: &Cx,
    block: &Block,
    cfg: &[syn::Attribute],
    quiet: &TokenStream,
) -> TokenStream {
    let p = cx.private();
    let (ident, vis, me) = (enum_ident(block), &block.function.vis, block.ident().unraw());
    let about = format!("The tools of [`{me}`](struct@{me}), for `Prompt::tools`.");
    let variants = block.tools.iter().map(|tool| {
        let (NamedBlock { variant, cfg, .. }, doc) = (tool, format!("Calls `{}`.", tool.shown()));
        quote!(#[doc = #doc] #cfg #variant)
    });
    // whole at the block's name: it is what rustc shows where a variant is not declared
    let declared = quote_spanned!(ident.span()=> #vis enum #ident { #(#variants),* });
    let keys = block
        .tools
        .iter()
        .map(|NamedBlock { variant, name, cfg, .. }| quote!(#cfg Self::#variant => #name,));
    quote! {
        #[doc = #about]
        #(#cfg)*
        #quiet
        #[derive(#p::Clone, #p::Copy, #p::Debug, #p::PartialEq, #p::Eq, #p::Hash)]
        #declared

        #(#cfg)*
        #quiet
        impl #p::DeclaredIn for #ident {
            fn name(self) -> &'static #p::str {
                match self { #(#keys)* }
            }
        }
    }
}

fn enum_ident(block: &Block) -> Ident {
    let ident = block.ident();
    Ident::new(&format!("{}Tool", crate::text::camel(&ident.unraw().to_string())), ident.span())
}

/// `Tool`, where the function is.
pub(super) fn alias(block: &Block) -> TokenStream {
    let (ident, alias) = (enum_ident(block), quote::format_ident!("Tool"));
    quote!(#[allow(unused_imports)] use #ident as #alias;)
}
