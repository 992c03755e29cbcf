//! The `rescue`s that end a chain.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::Writer;
use super::values::placed;
use crate::chain::model::{Failures, Kind};
use crate::cx::{check, ends};

impl Writer<'_> {
    /// A chain, and what is run in its place where it fails.
    pub(super) fn rescues(&self, first: usize, chain: &TokenStream) -> TokenStream {
        let p = &self.p;
        let site = self.site_of(first, &quote!(0));
        let clauses = self.ops.iter().enumerate().skip(first).filter_map(|(i, op)| {
            let Kind::Rescue { of, block } = &op.kind else { return None };
            let site = self.site_of(i, &quote!(0));
            let condition = match of {
                Failures::All => None,
                Failures::Of(ty) => {
                    let (span, _) = ends(ty);
                    let (p, error) = (self.cx.private_at(span), quote!(&__e));
                    Some(quote_spanned!(span=> if <#ty as #p::Rescuable>::matches(#error)))
                }
                Failures::Code(code) => {
                    let has_code = self.named(i, "has_code");
                    Some(quote!(if #site.#has_code(&__e, #code)))
                }
            };
            let value = self.owned(block);
            let like = placed(block, quote!(#p::Like::<__Output>::TYPE));
            let (failure, reference) = (placed(block, quote!(__i)), placed(block, quote!(&__b)));
            let call = if block.is_path() {
                let method = self.named(i, "rescue");
                quote!(#site.#method(#like, #failure, #reference).go().await)
            } else {
                let [step, end] = ["step_value", "end_value"].map(|name| self.named(i, name));
                let output = placed(block, quote!(__o));
                quote! {{
                    let __o = #site.of(#reference).#step(#failure).go().await?;
                    #p::Result::Ok(#site.#end(#like, #output))
                }}
            };
            let reached = match self.ops.get(i.wrapping_sub(1)).map(|op| &op.kind) {
                Some(Kind::Rescue { of: Failures::Of(ty), .. }) => check(
                    &self.ops[i].method,
                    quote!(#p::reached),
                    &quote!(<#ty as #p::Rescuable>::EVERY),
                ),
                _ => TokenStream::new(),
            };
            Some(quote! {
                #reached
                #condition {
                    let __b = #value;
                    let __i = #p::Rescued::new(__e);
                    return #call;
                }
            })
        });
        quote! {
            let __done: #p::Result<__Output> = #p::rescued(async { #chain }).await;
            let __e = match __done {
                #p::Result::Ok(__v) => return #p::Result::Ok(__v),
                #p::Result::Err(__e) => #site.rescuable(__e)?,
            };
            #(#clauses)*
            #[allow(unreachable_code)]
            #p::Result::Err(__e)
        }
    }
}
