//! `ctx.output_of(block)` in the body of a sequencer: the blocks whose outputs are kept.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::quote;
use syn::{Expr, Path};

use super::adapted;
use super::written::Child;
use crate::cfg::Cfg;
use crate::cx::Cx;
use crate::text::written;

/// A block that is asked for.
pub(crate) struct Asked {
    pub(crate) path: Path,
    pub(crate) cfg: Cfg,
}

/// The blocks that a body asks for, each once. What is no step of the sequencer is refused.
pub(crate) fn asked(cx: &Cx, children: &[Child], body: TokenStream) -> Vec<Asked> {
    let mut calls = Vec::new();
    find(body, &mut calls);
    let mut all: Vec<Asked> = Vec::new();
    for (receiver, call) in calls {
        // of another name it may be a method of the user's own; if not, the compiler says that nothing is kept
        let is_ctx = receiver == "ctx";
        let path = match syn::parse2::<Expr>(call.stream()) {
            Ok(Expr::Path(path)) if path.qself.is_none() => path.path,
            _ if !is_ctx => continue,
            _ => {
                let at = if call.stream().is_empty() { quote!(#call) } else { call.stream() };
                cx.error(at, "`output_of` names a block: it is written `ctx.output_of(block)`");
                continue;
            }
        };
        if all.iter().any(|known| is(&known.path, &path)) {
            continue;
        }
        let mut runs = children.iter().filter(|child| runs(child, &path));
        if let Some(first) = runs.next() {
            let mut cfg = first.cfg.clone();
            runs.for_each(|child| cfg.or(&child.cfg));
            all.push(Asked { path, cfg });
        } else if is_ctx {
            let name = written(&path);
            let text = format!(
                "`{name}` is not a step of this sequencer: `ctx.output_of` gives what a block that it runs has returned"
            );
            cx.error(&path, text);
        }
    }
    all
}

pub(crate) fn is(one: &Path, other: &Path) -> bool {
    written(one) == written(other)
}

/// Whether the child is the block, or one that is made of it. (What an `again` leads back to is no step.)
fn runs(child: &Child, path: &Path) -> bool {
    adapted::names(&child.expr).into_iter().any(|(name, again)| !again && is(name, path))
}

/// The receiver and the arguments of each `ctx.output_of(…)`.
fn find(tokens: TokenStream, calls: &mut Vec<(Ident, Group)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        match &tokens[..i] {
            [
                before @ ..,
                TokenTree::Ident(receiver),
                TokenTree::Punct(dot),
                TokenTree::Ident(method),
            ] if dot.as_char() == '.'
                && method == "output_of"
                && group.delimiter() == Delimiter::Parenthesis
                && !matches!(before.last(), Some(TokenTree::Punct(dot)) if dot.as_char() == '.') =>
            {
                calls.push((receiver.clone(), group.clone()));
            }
            _ => find(group.stream(), calls),
        }
    }
}
