//! What every macro shares: the path to the crate, the collected errors, and the way in and out.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;

/// Collects what is wrong with an item, so that all of it is said at once.
pub(crate) struct Cx {
    errors: RefCell<Vec<syn::Error>>,
    krate: RefCell<syn::Path>,
}

impl Cx {
    fn new() -> Self {
        Self { errors: RefCell::default(), krate: RefCell::new(syn::parse_quote!(::flowstate)) }
    }

    /// Says that the tokens are wrong, with the whole of them underlined.
    pub(crate) fn error(&self, tokens: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn error_at(&self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    pub(crate) fn push(&self, error: syn::Error) {
        self.errors.borrow_mut().push(error);
    }

    pub(crate) fn failed(&self) -> bool {
        !self.errors.borrow().is_empty()
    }

    /// One of the errors as a type, which the compiler then takes for anything.
    pub(crate) fn error_type(&self) -> TokenStream {
        let mut single = self.errors.borrow_mut().pop().into_iter().flatten();
        let first = single.next().map(|error| error.to_compile_error());
        self.errors.borrow_mut().extend(single);
        let p = self.private();
        // the error stands in a constant: a macro call that fails as a type would be `()`
        quote!(<#p::Only<(), { #first }> as #p::Is>::It)
    }

    /// All that was found wrong, as `compile_error!`s.
    fn report(&self) -> TokenStream {
        self.errors.borrow().iter().map(syn::Error::to_compile_error).collect()
    }

    pub(crate) fn set_crate(&self, path: syn::Path) {
        *self.krate.borrow_mut() = path;
    }

    /// The path of the crate, as it is written in `crate = …`.
    pub(crate) fn krate(&self) -> syn::Path {
        self.krate.borrow().clone()
    }

    /// The path of what generated code calls.
    pub(crate) fn private(&self) -> TokenStream {
        let krate = self.krate();
        quote!(#krate::__private)
    }

    /// The same, with every token at the given place, so that errors of the generated code show there.
    pub(crate) fn private_at(&self, span: Span) -> TokenStream {
        respan(self.private(), span)
    }
}

/// The place of a user's token, with the names of generated code.
pub(crate) fn here(span: Span) -> Span {
    Span::call_site().located_at(span)
}

/// All tokens at one place.
pub(crate) fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let at = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), respan(group.stream(), span)).into();
        }
        // `$crate` is the crate that it was written in, wherever it shows
        let is_crate = matches!(&token, TokenTree::Ident(ident) if ident == "$crate");
        token.set_span(if is_crate { span.resolved_at(token.span()) } else { span });
        token
    };
    tokens.into_iter().map(at).collect()
}

/// An argument at a place of the user's. It is in braces: their place is that of the whole, and the names inside keep
/// where they are known.
pub(crate) fn placed_at(span: Span, argument: TokenStream) -> TokenStream {
    let mut braces = Group::new(Delimiter::Brace, argument);
    braces.set_span(span);
    braces.to_token_stream()
}

/// The places of the first and the last of the tokens.
pub(crate) fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let mut spans = tokens.to_token_stream().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

/// `callee(arguments)` as a constant check, which shows at the given tokens, whole.
pub(crate) fn check(
    at: &impl ToTokens,
    callee: TokenStream,
    arguments: &TokenStream,
) -> TokenStream {
    let (first, last) = ends(at);
    let callee = respan(callee, first);
    let arguments = quote_spanned!(last=> (#arguments));
    quote!(#[allow(deprecated, long_running_const_eval)] const _: () = #callee #arguments;)
}

/// The type, if it is what it must be (the trait `Otherwise` is in scope): else one error with the text, at the type, and silence wherever it is used.
pub(crate) fn only(cx: &Cx, ty: &impl ToTokens, what: &str, text: &str) -> TokenStream {
    let (first, last) = ends(ty);
    let p = cx.private_at(first);
    let callee = match what {
        "HELD" => quote_spanned!(first=> #p::may_be_held),
        _ => quote_spanned!(first=> #p::known),
    };
    let what = proc_macro2::Ident::new(what, first);
    // in parentheses a name is a type, whatever it turns out to be
    let arguments = quote_spanned!(last=> (<#p::Probe<(#ty)>>::#what, #text));
    quote_spanned!(first=> <#p::Only<(#ty), { #callee #arguments }> as #p::Is>::It)
}

/// The same in a signature, where the trait is not in scope.
pub(crate) fn only_here(cx: &Cx, ty: &impl ToTokens, what: &str, text: &str) -> TokenStream {
    let (first, last) = ends(ty);
    let p = cx.private_at(first);
    let what = proc_macro2::Ident::new(what, first);
    let scope = quote_spanned!(first=> #[allow(unused_imports)] use #p::Otherwise as _;);
    let callee = quote_spanned!(first=> #p::known);
    let arguments = quote_spanned!(last=> (<#p::Probe<(#ty)>>::#what, #text));
    quote_spanned!(first=> <#p::Only<(#ty), { #scope #callee #arguments }> as #p::Is>::It)
}

type Tokens = proc_macro::TokenStream;

/// Runs an attribute macro: errors first, then what it made. A panic becomes an error, beside the user's item.
pub(crate) fn attribute(
    name: &str,
    args: Tokens,
    item: Tokens,
    expand: fn(&Cx, TokenStream, TokenStream) -> TokenStream,
) -> Tokens {
    let (args, item) = (TokenStream::from(args), TokenStream::from(item));
    let wanted = wanted(&item);
    let made = run_attribute(name, args, item, expand);
    show(name, wanted, &made);
    made.into()
}

pub(crate) fn run_attribute(
    name: &str,
    args: TokenStream,
    item: TokenStream,
    expand: fn(&Cx, TokenStream, TokenStream) -> TokenStream,
) -> TokenStream {
    let whole = item.clone();
    guarded(name, move |cx| expand(cx, args, item)).unwrap_or_else(|bug| quote!(#bug #whole))
}

/// Runs a function-like macro or a derive.
pub(crate) fn function(
    name: &str,
    item: Tokens,
    expand: fn(&Cx, TokenStream) -> TokenStream,
) -> Tokens {
    let item = TokenStream::from(item);
    let wanted = wanted(&item);
    let made = run_function(name, item, expand);
    show(name, wanted, &made);
    made.into()
}

/// The item's name, if it is the one whose expansion `FLOWSTATE_EXPAND` asks for.
fn wanted(item: &TokenStream) -> Option<String> {
    let wanted = std::env::var("FLOWSTATE_EXPAND").ok()?;
    (name_of(item)? == wanted).then_some(wanted)
}

/// The name of a function, a struct or an enum.
pub(crate) fn name_of(item: &TokenStream) -> Option<String> {
    let word = |token: TokenTree| match token {
        TokenTree::Ident(word) => Some(word.unraw().to_string()),
        _ => None,
    };
    let mut words = item.clone().into_iter().map(word);
    words.find(|word| matches!(word.as_deref(), Some("fn" | "struct" | "enum")))?;
    words.next()?
}

fn show(by: &str, wanted: Option<String>, made: &TokenStream) {
    if let Some(name) = wanted {
        eprintln!("// what `{by}` made of `{name}`\n{}", formatted(&made.to_string()));
    }
}

/// The text as `rustfmt` writes it, which comes with the toolchain; as it is where there is none. (A formatter as a
/// dependency would be compiled by every user, and hardly one of them ever looks at an expansion.)
pub(crate) fn formatted(text: &str) -> String {
    let rustfmt = || {
        let program = std::env::var_os("RUSTFMT").unwrap_or_else(|| "rustfmt".into());
        let mut child = Command::new(program)
            .args(["--edition", "2024"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        // it reads all before it writes, so neither waits for the other; the pipe is closed by the drop
        child.stdin.take()?.write_all(text.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        String::from_utf8(output.stdout).ok().filter(|_| output.status.success())
    };
    rustfmt().unwrap_or_else(|| text.to_owned())
}

pub(crate) fn run_function(
    name: &str,
    item: TokenStream,
    expand: fn(&Cx, TokenStream) -> TokenStream,
) -> TokenStream {
    guarded(name, move |cx| expand(cx, item)).unwrap_or_else(|bug| bug)
}

fn guarded(
    name: &str,
    expand: impl FnOnce(&Cx) -> TokenStream,
) -> Result<TokenStream, TokenStream> {
    let run = AssertUnwindSafe(|| {
        let cx = Cx::new();
        let made = expand(&cx);
        let errors = cx.report();
        quote!(#errors #made)
    });
    catch_unwind(run).map_err(|_| {
        let text = format!(
            "`{name}` met something it does not know: please report this as a bug of flowstate"
        );
        quote!(::core::compile_error!(#text);)
    })
}
