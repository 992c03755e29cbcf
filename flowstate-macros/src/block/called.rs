//! `block(input).await` in the body of a sequencer, where `ctx.step(block, input).await` is meant.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::{Expr, Path};

use super::asked::is;
use super::written::Child;
use crate::cx::Cx;
use crate::text::written;

/// Refuses calls of blocks that the sequencer runs: to the compiler each is two mistakes, and neither says what to write.
pub(super) fn refuse(cx: &Cx, children: &[Child], body: TokenStream) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let awaited = matches!(
            tokens.get(i + 1..i + 3),
            Some([TokenTree::Punct(dot), TokenTree::Ident(word)]) if dot.as_char() == '.' && word == "await"
        );
        if awaited && group.delimiter() == Delimiter::Parenthesis {
            let path = before(&tokens[..i]);
            let known = |child: &Child| matches!(&child.expr, Expr::Path(of) if path.as_ref().is_some_and(|path| is(&of.path, path)));
            if let (Some(path), true) = (&path, children.iter().any(known)) {
                let name = written(path);
                let text = format!(
                    "`{name}` is a block, and no function: `ctx.step({name}, …).await` runs it"
                );
                cx.error(path, text);
            }
        }
        refuse(cx, children, group.stream());
    }
}

/// The path that stands last, if it is no method.
fn before(tokens: &[TokenTree]) -> Option<Path> {
    let part = |token: &&TokenTree| match token {
        TokenTree::Ident(_) => true,
        TokenTree::Punct(punct) => punct.as_char() == ':',
        _ => false,
    };
    let length = tokens.iter().rev().take_while(part).count();
    let (rest, path) = tokens.split_at(tokens.len() - length);
    let method = matches!(rest.last(), Some(TokenTree::Punct(dot)) if dot.as_char() == '.');
    // (`return one(1)` has a word before it)
    let from = path.iter().rposition(|token| {
        matches!(token, TokenTree::Ident(word) if ["return", "in", "match", "if", "else", "while", "break"].iter().any(|known| word == known))
    });
    let path = &path[from.map_or(0, |at| at + 1)..];
    if method { None } else { syn::parse2(path.iter().cloned().collect()).ok() }
}
