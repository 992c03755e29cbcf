//! The option `uses`: capabilities as types, and how each is configured.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Expr, ExprLit, Lit, Visibility};

use super::at_macro;
use crate::cx::{Cx, ends, here, only, respan};
use crate::options::Use;
use crate::text::written as text;

/// The uses as one run of tokens, for the place of an error.
pub(crate) fn written(uses: &[Use]) -> TokenStream {
    uses.iter().map(|used| used.tokens.clone()).collect()
}

fn alias(index: usize, used: &Use) -> Ident {
    at_macro(Ident::new(&format!("__use{index}"), ends(&used.path).0))
}

/// The types `__use0`, … and their list `__Uses`, as visible as what names them.
pub(crate) fn aliases(cx: &Cx, uses: &[Use], vis: &Visibility) -> TokenStream {
    if uses.is_empty() {
        return TokenStream::new();
    }
    let each = uses.iter().enumerate().map(|(i, used)| one(cx, &alias(i, used), used, vis));
    let list = uses.iter().enumerate().rev().fold(quote!(()), |rest, (i, used)| {
        let name = alias(i, used);
        quote!((#name, #rest))
    });
    quote! {
        #(#each)*
        #[allow(non_camel_case_types)]
        type __Uses = #list;
    }
}

fn one(cx: &Cx, name: &Ident, used: &Use, vis: &Visibility) -> TokenStream {
    let path = &used.path;
    let written = text(path);
    let help = format!("put `#[capability]` on the declaration of `{written}`");
    let message = format!("`{written}` is not a capability\nhelp: {help}");
    let capability = only(cx, path, "CAPABILITY", &message);
    let quiet = quote!(#[allow(non_camel_case_types, unused_parens, unreachable_pub, dead_code)]);
    if used.with.is_empty() {
        return quote!(#quiet type #name = #capability;);
    }
    let (p, of, set) = (cx.private(), format_ident!("{}_of", name), format_ident!("{}_set", name));
    let with: Vec<_> =
        used.with.iter().map(|(name, value)| text(&quote!(#name = #value))).collect();
    let (with, given) = (with.join(", "), used.with.iter().map(|(name, _)| name.to_string()));
    let nothing = format!(
        "`{written}` has no configuration: there is nothing to set\nhelp: write `{written}` alone, or give it one, \
         `#[capability(config = Type)]`"
    );
    let at = here(used.with[0].0.span());
    let set_up = respan(quote!(<#of as #p::Capability>::Setup), at);
    let set_up = only(cx, &set_up, "SET_UP", &nothing);
    let setup = quote!(__setup);
    // presets are switched by `true` and `false` alone, so these come first; then what they set can still be changed
    let switches = used.with.iter().filter(|(_, value)| is_bool(value)).map(|(name, value)| {
        let span = name.span();
        let (p, setup) = (cx.private_at(span), respan(setup.clone(), here(span)));
        quote_spanned!(span=> #setup.#name = #p::Literal::literal(#value);)
    });
    let values = used.with.iter().map(|(name, expr)| {
        let span = name.span();
        // (an error of a value shows the whole place)
        let (p, setup) = (cx.private_at(span), respan(setup.clone(), here(span)));
        if is_bool(expr) {
            return quote_spanned!(span=> #setup.#name = #p::Literal::literal(#expr););
        }
        quote_spanned!(span=> #setup.#name = #expr;)
    });
    quote! {
        #quiet type #of = #capability;
        #quiet type #set = #set_up;
        #quiet #vis struct #name;
        #[automatically_derived]
        impl #p::Use for #name {
            type Capability = #of;
            const DEF: #p::UseDef =
                #p::UseDef::new(<#of as #p::Capability>::DEF, #with, &[#(#given),*]);
            #[allow(clippy::field_reassign_with_default)]
            fn config() -> &'static <#of as #p::Capability>::Config {
                static __CONFIG: #p::LazyLock<<#of as #p::Capability>::Config> =
                    #p::LazyLock::new(|| {
                        let mut #setup: #set = <#of as #p::Capability>::setup();
                        #(#switches)*
                        let mut #setup: #set = <#of as #p::Capability>::presets(#setup);
                        #(#values)*
                        <#of as #p::Capability>::configured(#setup)
                    });
                &__CONFIG
            }
        }
    }
}

/// Refuses a field that is given twice.
pub(crate) fn check(cx: &Cx, uses: &[Use]) {
    for Use { with, .. } in uses {
        for (i, (name, _)) in with.iter().enumerate() {
            if with[..i].iter().any(|(other, _)| other == name) {
                cx.error(name, format!("`{name}` is given twice"));
            }
        }
    }
}

fn is_bool(value: &Expr) -> bool {
    matches!(value, Expr::Lit(ExprLit { lit: Lit::Bool(_), .. }))
}

/// `.uses(&[…])` of a block's head.
pub(crate) fn defs(cx: &Cx, uses: &[Use]) -> TokenStream {
    if uses.is_empty() {
        return TokenStream::new();
    }
    let list = list(cx, uses);
    quote!(.uses(#list))
}

/// `&[…]`, the definitions of what is used.
pub(crate) fn list(cx: &Cx, uses: &[Use]) -> TokenStream {
    let p = cx.private();
    let each = uses.iter().enumerate().map(|(i, used)| {
        let name = alias(i, used);
        quote!(<#name as #p::Use>::DEF)
    });
    quote!(&[#(#each),*])
}
