//! What of the flow's states its client sees.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Expr;
use syn::ext::IdentExt as _;

use super::Options;
use crate::cx::{Cx, ends};
use crate::states::States;
use crate::text::camel;

pub(super) fn constant(cx: &Cx, options: &Options) -> Option<TokenStream> {
    if options.client.is_empty() {
        return None;
    }
    let p = cx.private();
    let shown = States::of(options.client.iter().map(|client| &client.state));
    let of_shown = shown.aliases(cx);
    let views = options.client.iter().map(|client| {
        let (reach, state) = (format_ident!("{}", camel(client.reach)), shown.alias(&client.state));
        let fields = client.fields.iter().map(|(name, function)| {
            let text = name.unraw().to_string();
            match function {
                None => quote!(__shown.put(#text, &__state.#name);),
                Some(closure @ Expr::Closure(_)) => quote! {
                    let __show = #p::shows::<#state, _>(#closure);
                    __shown.put(#text, &__show(__state));
                },
                Some(function) => {
                    let (_, last) = ends(function);
                    let state = Ident::new("__state", last);
                    let call = quote_spanned!(last=> #function(#state));
                    quote!(let #state = __state; __shown.put(#text, &#call);)
                }
            }
        });
        quote!(&#p::View::<#state>::new(#p::Reach::#reach, |__state, __shown| { #(#fields)* }))
    });
    Some(quote! {
        const CLIENT: &'static [&'static dyn #p::Shows] = {
            #[allow(unused_imports)]
            use #p::Otherwise as _;
            #of_shown
            &[#(#views),*]
        };
    })
}
