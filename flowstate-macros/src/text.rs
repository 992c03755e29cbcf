//! Names and texts: types as one would write them, near misses, cases.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt as _;

/// A type or path as one would write it: `Vec<String>`, not `Vec < String >`.
pub(crate) fn written(tokens: &impl ToTokens) -> String {
    let mut out = String::new();
    write(&mut out, tokens.to_token_stream());
    out
}

fn write(out: &mut String, tokens: TokenStream) {
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '"';
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write(out, group.stream());
                out.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                ',' => out.push_str(", "),
                '=' | '+' => {
                    out.push(' ');
                    out.push(punct.as_char());
                    out.push(' ');
                }
                c => {
                    if c == '>' && out.ends_with(" - ") {
                        out.truncate(out.len() - 3);
                        out.push_str(" -> ");
                    } else {
                        out.push(c);
                    }
                }
            },
            other => {
                let text = other.to_string();
                if out.ends_with(word) && text.starts_with(word) {
                    out.push(' ');
                }
                out.push_str(&text);
            }
        }
    }
}

/// The last name of a path type, `Vec` of `std::vec::Vec<u8>`.
pub(crate) fn last_name(ty: &syn::Type) -> Option<String> {
    match plain(ty) {
        syn::Type::Path(path) => Some(path.path.segments.last()?.ident.unraw().to_string()),
        _ => None,
    }
}

/// A type without the invisible groups that `macro_rules!` puts round `$t:ty`.
pub(crate) fn plain(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Group(group) => plain(&group.elem),
        syn::Type::Paren(paren) => plain(&paren.elem),
        other => other,
    }
}

/// An expression without the invisible groups that `macro_rules!` puts round `$e:expr`, and without parentheses.
pub(crate) fn plain_expr(expr: syn::Expr) -> syn::Expr {
    match expr {
        syn::Expr::Group(group) => plain_expr(*group.expr),
        syn::Expr::Paren(paren) => plain_expr(*paren.expr),
        other => other,
    }
}

/// `active_skills` of `ActiveSkills`.
pub(crate) fn snake(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, c) in chars.iter().enumerate() {
        let starts = c.is_uppercase()
            && i > 0
            && (!chars[i - 1].is_uppercase() || chars.get(i + 1).is_some_and(|n| n.is_lowercase()))
            && chars[i - 1] != '_';
        if starts {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// A text as the name of a field, where it is a name: a keyword is written `r#…` in Rust.
pub(crate) fn field_name(text: &str, span: Span) -> Option<Ident> {
    let raw = || syn::parse_str(&format!("r#{text}")).ok();
    // (a keyword since the edition 2024, which syn does not know)
    let plain = syn::parse_str(text).ok().filter(|_| text != "gen");
    let mut name: Ident = plain.or_else(raw)?;
    name.set_span(span);
    Some(name)
}

/// A name as that of a field: with `_` behind where it may not even be written `r#…`, as `self_`.
pub(crate) fn field(name: &str, span: Span) -> Ident {
    field_name(name, span).unwrap_or_else(|| Ident::new(&format!("{name}_"), span))
}

/// `ActiveSkills` of `active_skills`.
pub(crate) fn camel(name: &str) -> String {
    let parts = name.split('_').filter(|part| !part.is_empty());
    let up = |part: &str| {
        let mut chars = part.chars();
        chars.next().map(|c| c.to_uppercase().chain(chars).collect::<String>())
    };
    let out: String = parts.filter_map(up).collect();
    // no name begins with a digit
    if out.starts_with(char::is_alphabetic) { out } else { format!("Block{out}") }
}

/// The known word that was most likely meant.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = |k: &'a str| (distance(word, k), k);
    let (distance, found) = known.into_iter().map(near).min()?;
    (distance <= 1 + word.len() / 4).then_some(found)
}

/// How many letters must be put in, left out, changed or swapped.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best =
                (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// ", did you mean `state`?" and what there is.
pub(crate) fn suggestion(word: &str, known: &[&str]) -> String {
    let all = known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ");
    match nearest(word, known.iter().copied()) {
        Some(near) => format!(": did you mean `{near}`?\nthere are {all}"),
        None => format!("\nthere are {all}"),
    }
}
