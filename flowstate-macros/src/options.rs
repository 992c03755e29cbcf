//! One parser for the options of every attribute: `key = value`, `key = [list]`, `key(name = value)`, `key`.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, LitStr, Path, Token, Type};

use crate::cfg::Cfg;
use crate::cx::Cx;
use crate::text::{plain, plain_expr, suggestion};

/// What may stand behind an option's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// `= Type`.
    Type,
    /// `= Type` or `= [Type, …]`.
    Types,
    /// `= Type`, `= Option<Type>` or `= [Type, …]`.
    Reads,
    /// `(name = Type, other = Option<Type>)`.
    Named,
    /// `= Type`, `= [Type, …]` or `(name = Type, …)`.
    Services,
    /// `= [path, …]`.
    Paths,
    /// `= [Capability, Capability.with(name = expression)]`.
    Uses,
    /// `= [block, name = block, …]`.
    Blocks,
    /// `= [Contract::reader(budget = 200), …]`.
    Views,
    /// `= [Contract::reducer(|output| …), …]`.
    Feeds,
    /// `= "text"`.
    Text,
    /// `= "text"` or `= ["text", …]`.
    Texts,
    /// `(off)` or `(coerce = "model")`.
    Repair,
    /// `= path`.
    Path,
    /// `(name = expression, …)`.
    Args,
    /// `= word`, one of these.
    Word(&'static [&'static str]),
    /// `(word, word)`, of these.
    Words(&'static [&'static str]),
    /// `= expression`.
    Expr,
    /// Nothing.
    Flag,
}

/// An option that a macro knows.
pub(crate) struct Spec {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// The sorts of item it is for; empty for all.
    pub(crate) on: &'static [&'static str],
}

/// A type that is read, and whether it may be absent.
#[derive(Clone)]
pub(crate) struct Reads {
    pub(crate) types: Vec<Type>,
    pub(crate) optional: bool,
}

#[derive(Clone)]
pub(crate) enum Value {
    Types(Vec<Type>),
    Reads(Reads),
    Named(Vec<(Ident, Reads)>),
    Services(Vec<(Option<Ident>, Type)>),
    Paths(Vec<(Cfg, Path)>),
    Blocks(Vec<Expr>),
    Text(LitStr),
    Texts(Vec<LitStr>),
    Repair(Repair),
    Args(Vec<(Ident, Expr)>),
    Word(String),
    Words(Vec<Ident>),
    Uses(Vec<Use>),
    Path(Path),
    Expr(Expr),
    Flag,
}

/// What becomes of a model's answer that does not fit.
#[derive(Clone)]
pub(crate) enum Repair {
    Auto,
    Off,
    /// The model of this name mends it.
    With(LitStr),
}

impl Parse for Repair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let word = input.parse::<Ident>()?;
        if word == "off" && input.is_empty() {
            return Ok(Self::Off);
        }
        if word != "coerce" {
            return Err(syn::Error::new(word.span(), "unknown"));
        }
        input.parse::<Token![=]>()?;
        input.parse().map(Self::With)
    }
}

/// A capability that is used, and how it is configured.
#[derive(Clone)]
pub(crate) struct Use {
    pub(crate) path: Path,
    pub(crate) with: Vec<(Ident, Expr)>,
    /// As written.
    pub(crate) tokens: TokenStream,
}

impl Parse for Use {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let expr = input.parse::<Expr>()?;
        let tokens = expr.to_token_stream();
        let wrong = || syn::Error::new_spanned(&tokens, "not a capability");
        match plain_expr(expr) {
            Expr::Path(path) if path.qself.is_none() => {
                Ok(Self { path: path.path, with: Vec::new(), tokens })
            }
            Expr::MethodCall(call) if call.method == "with" && call.turbofish.is_none() => {
                let Expr::Path(path) = plain_expr(*call.receiver) else { return Err(wrong()) };
                let pairs = call.args.into_iter().map(|arg| match arg {
                    Expr::Assign(set) => match *set.left {
                        Expr::Path(name) => Some((name.path.get_ident()?.clone(), *set.right)),
                        _ => None,
                    },
                    _ => None,
                });
                let with = pairs.collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
                Ok(Self { path: path.path, with, tokens })
            }
            _ => Err(wrong()),
        }
    }
}

/// An option as it was given.
pub(crate) struct Given {
    pub(crate) key: Ident,
    pub(crate) name: &'static str,
    pub(crate) value: Value,
}

/// Reads all options; what is wrong with one is said, and the others still count.
pub(crate) fn parse(
    cx: &Cx,
    input: ParseStream<'_>,
    specs: &'static [Spec],
    what: &str,
) -> Vec<Given> {
    let mut all: Vec<Given> = Vec::new();
    while !input.is_empty() {
        match one(cx, input, specs, what) {
            Ok(Some(given)) => {
                if all.iter().any(|other| other.name == given.name) {
                    cx.error(&given.key, format!("option `{}` is given twice", given.name));
                } else {
                    all.push(given);
                }
            }
            Ok(None) => {}
            Err(error) => {
                cx.push(error);
                skip(input);
            }
        }
        if input.is_empty() {
            break;
        }
        if input.parse::<Token![,]>().is_err() {
            cx.error_at(input.span(), "expected `,` between options");
            skip(input);
            let _ = input.parse::<Token![,]>();
        }
    }
    all
}

fn one(
    cx: &Cx,
    input: ParseStream<'_>,
    specs: &'static [Spec],
    what: &str,
) -> syn::Result<Option<Given>> {
    let key = input.call(Ident::parse_any)?;
    let word = key.unraw().to_string();
    let Some(spec) = specs.iter().find(|spec| spec.name == word) else {
        let fits = |spec: &&Spec| spec.on.is_empty() || spec.on.contains(&what);
        let known: Vec<_> = specs.iter().filter(fits).map(|spec| spec.name).collect();
        cx.error(&key, format!("unknown option `{word}`{}", suggestion(&word, &known)));
        skip(input);
        return Ok(None);
    };
    if !spec.on.is_empty() && !what.is_empty() && !spec.on.contains(&what) {
        let on = spec.on.join(" or a ");
        cx.error(&key, format!("`{word}` is an option of a {on}, not of a {what}"));
        skip(input);
        return Ok(None);
    }
    let value = value(input, spec, &key)?;
    Ok(Some(Given { key, name: spec.name, value }))
}

fn value(input: ParseStream<'_>, spec: &Spec, key: &Ident) -> syn::Result<Value> {
    let name = spec.name;
    if spec.shape == Shape::Flag {
        if input.peek(Token![=]) || input.peek(syn::token::Paren) {
            let text = format!("`{name}` stands alone, without a value");
            return Err(syn::Error::new(key.span(), text));
        }
        return Ok(Value::Flag);
    }
    if spec.shape == Shape::Named {
        let named = || {
            let text = format!("`{name}` is written `{name}(name = Type)`");
            syn::Error::new(key.span(), text)
        };
        if !input.peek(syn::token::Paren) {
            return Err(named());
        }
        let inside;
        syn::parenthesized!(inside in input);
        let pairs =
            Punctuated::<Pair, Token![,]>::parse_terminated(&inside).map_err(|_| named())?;
        return Ok(Value::Named(pairs.into_iter().map(|pair| (pair.0, reads(&pair.1))).collect()));
    }
    if spec.shape == Shape::Services && input.peek(syn::token::Paren) {
        let inside;
        syn::parenthesized!(inside in input);
        let at = inside.span();
        let pairs = Punctuated::<Pair, Token![,]>::parse_terminated(&inside).map_err(|_| {
            // what is left would be one more error
            let _ = inside.parse::<TokenStream>();
            syn::Error::new(
                at,
                format!("`{name}` is written `{name} = [Type]` or `{name}(name = Type)`"),
            )
        })?;
        return Ok(Value::Services(pairs.into_iter().map(|pair| (Some(pair.0), pair.1)).collect()));
    }
    if spec.shape == Shape::Args {
        let form = || match name {
            "client" => {
                "`client` is written `client(session = State { field, name: function })`".to_owned()
            }
            "context" => "`context` is written `context(tag = Self::function)`".to_owned(),
            "presets" => "`presets` is written `presets(strict = on(Config::strict))`".to_owned(),
            "search" => "`search` is written `search(depth = low)`, `medium` or `high`".to_owned(),
            "cacheable" => "`cacheable` is written `cacheable(ttl = \"5m\")` or \
                            `cacheable(ttl = \"5m\", scope = session, key = path)`"
                .to_owned(),
            _ => format!(
                "`{name}` is written `{name}(max = 3)` or `{name}(max = 3, base = \"100ms\", on = [ErrorType])`"
            ),
        };
        if !input.peek(syn::token::Paren) {
            return Err(syn::Error::new(key.span(), form()));
        }
        let inside;
        syn::parenthesized!(inside in input);
        let at = inside.span();
        let pairs = Punctuated::<Arg, Token![,]>::parse_terminated(&inside).map_err(|_| {
            // what is left would be one more error
            let _ = inside.parse::<proc_macro2::TokenStream>();
            syn::Error::new(at, form())
        })?;
        return Ok(Value::Args(pairs.into_iter().map(|pair| (pair.0, pair.1)).collect()));
    }
    if let Shape::Words(known) = spec.shape {
        let form = || format!("`{name}` is written {}", words_form(name, known));
        if !input.peek(syn::token::Paren) {
            return Err(syn::Error::new(key.span(), form()));
        }
        let inside;
        syn::parenthesized!(inside in input);
        let at = inside.span();
        let words = Punctuated::<Ident, Token![,]>::parse_terminated(&inside);
        let words: Vec<_> = words.map(|words| words.into_iter().collect()).unwrap_or_default();
        let wrong = words.iter().enumerate().find(|(i, word): &(usize, &Ident)| {
            !known.iter().any(|known| *word == known) || words[..*i].contains(word)
        });
        if wrong.is_some() || words.is_empty() {
            // what is left would be one more error
            let _ = inside.parse::<proc_macro2::TokenStream>();
            return Err(syn::Error::new(wrong.map_or(at, |(_, word)| word.span()), form()));
        }
        return Ok(Value::Words(words));
    }
    if spec.shape == Shape::Repair {
        let form = || {
            format!("`{name}` is written `{name}(off)` or `{name}(coerce = \"intent/utility\")`")
        };
        if !input.peek(syn::token::Paren) {
            return Err(syn::Error::new(key.span(), form()));
        }
        let inside;
        syn::parenthesized!(inside in input);
        let at = inside.span();
        let repair = inside.parse::<Repair>();
        // what is left would be one more error
        let rest = inside.parse::<TokenStream>().unwrap_or_default();
        return match repair {
            Ok(repair) if rest.is_empty() => Ok(Value::Repair(repair)),
            _ => Err(syn::Error::new(at, form())),
        };
    }
    let form = match spec.shape {
        Shape::Type => "Type",
        Shape::Types | Shape::Services => "Type` or `[Type, Type]",
        Shape::Word(known) => &known.join(" | "),
        Shape::Reads => "Type` or `Option<Type>",
        Shape::Paths => "[path, path]",
        Shape::Uses => "[Capability, Other.with(field = value)]",
        Shape::Blocks => "[block, name = block]",
        Shape::Views => "[Contract::reader(budget = 200)]",
        Shape::Feeds => "[Contract::reducer(|output| …)]",
        Shape::Text if name == "timeout" => "\"30s\"",
        Shape::Text => "\"text\"",
        Shape::Texts => "\"intent/chat\"` or `[\"provider/model\", \"other/model\"]",
        Shape::Path => "path",
        _ => "value",
    };
    let wanted =
        |span: Span| syn::Error::new(span, format!("`{name}` is written `{name} = {form}`"));
    if !input.peek(Token![=]) {
        return Err(wanted(key.span()));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(wanted(key.span()));
    }
    let at = input.span();
    Ok(match spec.shape {
        Shape::Type => Value::Types(vec![input.parse().map_err(|_| wanted(at))?]),
        Shape::Types => Value::Types(list(input).map_err(|_| wanted(at))?),
        Shape::Services => {
            let types = list(input).map_err(|_| wanted(at))?;
            Value::Services(types.into_iter().map(|ty| (None, ty)).collect())
        }
        Shape::Reads if input.peek(syn::token::Bracket) => {
            let types = list(input).map_err(|_| wanted(at))?;
            Value::Reads(Reads { types, optional: false })
        }
        Shape::Reads => Value::Reads(reads(&input.parse().map_err(|_| wanted(at))?)),
        Shape::Paths => {
            let paths = list::<CfgPath>(input).map_err(|_| wanted(at))?;
            Value::Paths(paths.into_iter().map(|path| (path.0, path.1)).collect())
        }
        Shape::Uses => Value::Uses(list(input).map_err(|error| wanted(error.span()))?),
        Shape::Blocks | Shape::Views | Shape::Feeds => {
            Value::Blocks(list(input).map_err(|_| wanted(at))?)
        }
        Shape::Text => Value::Text(input.parse().map_err(|_| wanted(at))?),
        Shape::Texts => Value::Texts(list(input).map_err(|_| wanted(at))?),
        Shape::Word(known) => {
            let word = input.call(Ident::parse_any).map_err(|_| wanted(at))?;
            let text = word.unraw().to_string();
            if !known.contains(&&*text) {
                let text = format!("unknown {name} `{text}`{}", suggestion(&text, known));
                return Err(syn::Error::new(word.span(), text));
            }
            Value::Word(text)
        }
        Shape::Path => Value::Path(Path::parse_mod_style(input).map_err(|_| wanted(at))?),
        _ => Value::Expr(input.parse()?),
    })
}

/// How an option of some words is written.
pub(crate) fn words_form(name: &str, known: &[&str]) -> String {
    format!("`{name}({})`, or with fewer of these words", known.join(", "))
}

/// One, or several in brackets.
fn list<T: Parse>(input: ParseStream<'_>) -> syn::Result<Vec<T>> {
    if !input.peek(syn::token::Bracket) {
        return Ok(vec![input.parse()?]);
    }
    let inside;
    syn::bracketed!(inside in input);
    Ok(Punctuated::<T, Token![,]>::parse_terminated(&inside)?.into_iter().collect())
}

/// A path that may have `#[cfg(…)]` before it.
struct CfgPath(Cfg, Path);

impl Parse for CfgPath {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(syn::Attribute::parse_outer)?;
        Ok(Self(Cfg::of(&attrs), input.parse()?))
    }
}

struct Arg(Ident, Expr);

impl Parse for Arg {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        if input.peek(syn::token::Bracket) {
            // a list of types, which need not look like expressions
            let inside;
            let bracket_token = syn::bracketed!(inside in input);
            let types = Punctuated::<Type, Token![,]>::parse_terminated(&inside)?;
            let elems = types.into_iter().map(|ty| Expr::Verbatim(quote::quote!(#ty))).collect();
            return Ok(Self(
                name,
                syn::ExprArray { attrs: Vec::new(), bracket_token, elems }.into(),
            ));
        }
        Ok(Self(name, input.parse()?))
    }
}

struct Pair(Ident, Type);

impl Parse for Pair {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![=]>()?;
        Ok(Self(name, input.parse()?))
    }
}

fn reads(ty: &Type) -> Reads {
    if let Type::Path(path) = plain(ty)
        && let Some(last) = path.path.segments.last()
        && last.ident == "Option"
        && let syn::PathArguments::AngleBracketed(args) = &last.arguments
        && let Some(syn::GenericArgument::Type(inner)) = args.args.first()
    {
        return Reads { types: vec![inner.clone()], optional: true };
    }
    Reads { types: vec![ty.clone()], optional: false }
}

/// Goes on to the next comma outside of brackets and of `<…>`.
fn skip(input: ParseStream<'_>) {
    let mut depth = 0i32;
    while !input.is_empty() && (depth > 0 || !input.peek(Token![,])) {
        if input.peek(Token![<]) {
            depth += 1;
        } else if input.peek(Token![>]) && !input.peek(Token![>=]) {
            depth -= 1;
        }
        if input.parse::<proc_macro2::TokenTree>().is_err() {
            return;
        }
    }
}
