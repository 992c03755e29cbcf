//! A list of blocks that have names, `[block, name = block]`: an enum has a variant for each.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, Visibility};

use super::written::{Child, bottom, taken};
use super::{adapted, lowered, quiet, written};
use crate::cfg::Cfg;
use crate::cx::{Cx, ends};
use crate::text::{camel, plain_expr, written as text};

/// One of them: its variant, and the name that this is made of.
pub(crate) struct NamedBlock {
    pub(crate) variant: Ident,
    pub(crate) name: String,
    /// Whether the name stands in the list.
    pub(crate) given: bool,
    pub(crate) expr: Expr,
    pub(crate) cfg: Cfg,
}

impl NamedBlock {
    /// What it is called in texts: the name of the block that its expression begins with.
    pub(crate) fn shown(&self) -> String {
        bottom(&self.expr).map_or_else(|| text(&self.expr), text)
    }
}

/// What an enum of the list is called: after its item, and `Route` or `Tool`.
pub(crate) fn enum_ident(item: &Ident, of: &str) -> Ident {
    Ident::new(&format!("{}{of}", camel(&item.unraw().to_string())), item.span())
}

/// The enum, `what` its variants do with their blocks.
pub(crate) fn enumeration(
    cx: &Cx,
    list: &[NamedBlock],
    ident: &Ident,
    vis: &Visibility,
    about: &str,
    what: &str,
) -> TokenStream {
    let (p, quiet) = (cx.private(), quiet());
    let variants = list.iter().map(|block| {
        let doc = format!("{what} `{}`.", block.shown());
        let NamedBlock { variant, cfg, .. } = block;
        quote!(#[doc = #doc] #cfg #variant)
    });
    // whole at the item's name: it is what rustc shows where a variant is not declared
    let declared = quote_spanned!(ident.span()=> #vis enum #ident { #(#variants),* });
    quote! {
        #[doc = #about]
        #quiet
        #[derive(#p::Clone, #p::Copy, #p::Debug, #p::PartialEq, #p::Eq, #p::Hash)]
        #declared
    }
}

/// Something for each, under its condition.
pub(crate) fn each(list: &[NamedBlock], make: impl Fn(&NamedBlock) -> TokenStream) -> TokenStream {
    let each = list.iter().map(|block| {
        let (cfg, made) = (&block.cfg, make(block));
        quote!(#cfg #made)
    });
    quote!(#(#each,)*)
}

/// The children that they are, of a block or of a capability of this name.
pub(crate) fn children(cx: &Cx, owner: &Ident, list: &[NamedBlock]) -> Vec<Child> {
    let mut children: Vec<Child> = Vec::new();
    for NamedBlock { expr, cfg, .. } in list {
        let before = children.len();
        written::note(&mut children, Child { expr: expr.clone(), cfg: cfg.clone() });
        if children.len() > before {
            adapted::check(cx, owner, expr);
        }
    }
    children
}

/// Which of the children a block is.
pub(crate) fn child_of(children: &[Child], expr: &Expr) -> usize {
    let same = text(expr);
    children.iter().position(|child| text(&child.expr) == same).unwrap_or_default()
}

/// The expression that makes child `index`.
pub(crate) fn made(cx: &Cx, index: usize, expr: &Expr) -> TokenStream {
    if !matches!(expr, Expr::Path(_)) {
        return lowered(cx, index, expr);
    }
    let (first, last) = ends(expr);
    let (step, p) = (written::alias(index, expr), cx.private_at(first));
    let head = quote_spanned!(first=> <#step as #p::ByName>::by_name);
    let call = quote_spanned!(last=> ());
    quote!(#head #call)
}

/// All of the list, which is written as `form` says, for the enum `of`; what is wrong with one is said, and the others
/// still count.
pub(crate) fn named_blocks(
    cx: &Cx,
    list: impl IntoIterator<Item = Expr>,
    of: &str,
    form: &str,
) -> Vec<NamedBlock> {
    let mut all: Vec<NamedBlock> = Vec::new();
    for block in list.into_iter().filter_map(|elem| named_block(cx, elem, of, form)) {
        if unlike(cx, &all, &block, of) {
            all.push(block);
        }
    }
    all
}

/// Whether none of these has its variant, else says so.
pub(crate) fn unlike(cx: &Cx, all: &[NamedBlock], block: &NamedBlock, of: &str) -> bool {
    let same = |other: &&NamedBlock| {
        other.variant == block.variant && other.cfg.is_always() && block.cfg.is_always()
    };
    let Some(known) = all.iter().find(same) else { return true };
    let (one, other) = (known.shown(), block.shown());
    let both = if one == other {
        format!("`{one}` stands here twice")
    } else {
        format!("`{one}` and `{other}` would both be `{of}::{}`", block.variant)
    };
    cx.error(&block.expr, format!("{both}\nhelp: name one of them: `other = …`"));
    false
}

fn named_block(cx: &Cx, elem: Expr, of: &str, form: &str) -> Option<NamedBlock> {
    let mut elem = plain_expr(elem);
    let mut cfg = taken(&mut elem);
    if let Expr::Assign(pair) = &mut elem {
        cfg.extend(taken(&mut pair.left));
    }
    let given = matches!(elem, Expr::Assign(_));
    let (name, expr) = match elem {
        Expr::Assign(pair) => match &*pair.left {
            Expr::Path(name) if name.path.get_ident().is_some() => {
                (name.path.get_ident().cloned(), plain_expr(*pair.right))
            }
            left => {
                cx.error(left, "a block of the list is written `block` or `name = block`");
                return None;
            }
        },
        other => (name_of(&other), other),
    };
    if !written::is_block(&expr) {
        let found = if matches!(expr, Expr::Closure(_)) { ", not a function" } else { "" };
        cx.error(&expr, format!("expected a block{found}: it is written `{form}`"));
        return None;
    }
    let Some(name) = name else {
        cx.error(&expr, format!("give it a name: `name = {}`", text(&expr)));
        return None;
    };
    let (name, span) = (name.unraw().to_string(), name.span());
    let variant = camel(&name);
    if variant == "Self" {
        let other = text(&expr);
        cx.error_at(span, format!("`{of}::Self` cannot be: name it otherwise, `name = {other}`"));
        return None;
    }
    Some(NamedBlock { variant: Ident::new(&variant, span), name, given, expr, cfg: Cfg::of(&cfg) })
}

/// The name of the block that an expression begins with.
fn name_of(expr: &Expr) -> Option<Ident> {
    let path = bottom(expr).or_else(|| adapted::names(expr).first().map(|(path, _)| *path));
    path?.segments.last().map(|last| last.ident.clone())
}
