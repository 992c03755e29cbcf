//! The user's closures: conditions, and what runs in place.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::visit::Visit;
use syn::{Expr, ExprClosure, ExprPath, ReturnType};

use super::Writer;
use crate::chain::model::Function;

impl Writer<'_> {
    /// The method for a closure that ends in a `Result`: `own` where the closure says what its error is.
    pub(super) fn ending(
        &self,
        i: usize,
        method: &str,
        closure: &ExprClosure,
        own: &str,
    ) -> syn::Ident {
        self.named(i, if names_error(closure) { own } else { method })
    }

    pub(super) fn condition(&self, i: usize, condition: &Function) -> TokenStream {
        let site = self.site(i);
        match condition {
            Function::Closure(closure) if is_async(closure) => {
                self.cx.error(
                    closure,
                    "a condition is not async: find out before, in a `map` or a `step`",
                );
                quote!(false)
            }
            Function::Closure(closure) => {
                let closure = padded(closure);
                quote!(#site.when(&__v, #closure))
            }
            Function::Path(path) => {
                let by = self.named(i, "when_by");
                quote!(#site.#by(&__v, #path))
            }
        }
    }

    /// An async closure as an async block in place, so that nothing is boxed.
    pub(super) fn inlined(
        &self,
        i: usize,
        closure: &ExprClosure,
        value: &TokenStream,
    ) -> TokenStream {
        let site = self.site(i);
        let mut inputs = closure.inputs.iter();
        let first = inputs.next();
        let second = inputs.next().map(|ctx| quote!(let #ctx = #site.ctx();));
        let body = match &*closure.body {
            // the statements alone: braces round one expression would be a lint in the user's code
            Expr::Async(syn::ExprAsync { block, .. })
            | Expr::Block(syn::ExprBlock { block, label: None, .. }) => {
                let statements = &block.stmts;
                quote!(#(#statements)*)
            }
            other => quote!(#other),
        };
        let run = quote!(async { let #first = #value; #second #body }.await);
        match &closure.output {
            ReturnType::Type(_, ty) => quote!({ let __r: #ty = #run; __r }),
            ReturnType::Default => run,
        }
    }
}

pub(super) fn is_async(closure: &ExprClosure) -> bool {
    closure.asyncness.is_some() || matches!(&*closure.body, Expr::Async(_))
}

/// Whether the type of a closure's error is written, or follows from its body. Else it is `Error`: what `?`, `into`, a macro and a
/// lone `Ok` make is known by what is wanted.
pub(super) fn names_error(closure: &ExprClosure) -> bool {
    #[derive(Default)]
    struct Found {
        open: bool,
        ok: bool,
        err: bool,
    }
    impl Visit<'_> for Found {
        fn visit_expr_try(&mut self, _: &syn::ExprTry) {
            self.open = true;
        }
        fn visit_ident(&mut self, word: &syn::Ident) {
            self.open |= ["into", "Into", "From"].iter().any(|known| word == known);
        }
        fn visit_macro(&mut self, called: &syn::Macro) {
            self.open |= !["format", "println", "vec", "matches", "json"]
                .iter()
                .any(|known| called.path.segments.last().is_some_and(|last| last.ident == known));
        }
        fn visit_expr_call(&mut self, call: &syn::ExprCall) {
            if let Expr::Path(ExprPath { qself: None, path, .. }) = &*call.func
                && path.segments.iter().all(|part| part.arguments.is_none())
                && let Some(last) = path.segments.last()
            {
                self.ok |= last.ident == "Ok";
                self.err |= last.ident == "Err";
            }
            syn::visit::visit_expr_call(self, call);
        }
    }
    let mut found = Found::default();
    found.visit_expr(&closure.body);
    let written = matches!(closure.output, ReturnType::Type(..));
    written || !found.open && (!found.ok || found.err)
}

/// A closure with two arguments, so that one runtime method serves both forms.
pub(super) fn padded(closure: &ExprClosure) -> TokenStream {
    let mut closure = closure.clone();
    if closure.inputs.len() == 1 {
        closure.inputs.push(syn::Pat::Wild(syn::PatWild {
            attrs: Vec::new(),
            underscore_token: syn::Token![_](Span::call_site()),
        }));
    }
    quote!(#closure)
}
