//! A router: an enum of its routes, a function that picks one of them, and the `match` that runs it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, ExprClosure, ReturnType};

use super::adapted;
use super::docs;
use super::expand::Parts;
use super::model::Block;
use super::named::{self, NamedBlock, named_blocks};
use super::written::{self, Child};
use crate::cfg::Cfg;
use crate::cx::{Cx, ends, placed_at};
use crate::text::{last_name, plain_expr, written as text};

/// The routes of the option.
pub(super) fn routes(cx: &Cx, key: &Ident, given: Vec<Expr>) -> Vec<NamedBlock> {
    if given.is_empty() {
        cx.error(key, "a router has at least one route: `routes = [a, b]`");
    }
    named_blocks(cx, given, "Route", "routes = [a, name = b]")
}

/// The name of the enum.
fn enum_ident(block: &Block) -> Ident {
    named::enum_ident(block.ident(), "Route")
}

/// Says so where the function does not return one of the routes.
pub(super) fn check_output(cx: &Cx, block: &Block, output: &ReturnType) {
    const FORM: &str = "a router returns which of its routes it takes: `Result<Route>`";
    let ty = match output {
        ReturnType::Default => return cx.error(block.ident(), FORM),
        ReturnType::Type(_, ty) => ty,
    };
    let name = last_name(&docs::output(block));
    let known = name.is_some_and(|name| name == "Route" || enum_ident(block) == name);
    if !known || last_name(ty).is_some_and(|name| name == "Route") {
        cx.error(ty, format!("{FORM}, not `{}`", text(ty)));
    }
}

/// What the documentation says in place of an output.
pub(super) fn docs(block: &Block) -> String {
    let routes = block.routes.iter().map(|route| format!("`{}`", route.shown()));
    format!("runs {}", routes.collect::<Vec<_>>().join(" or "))
}

pub(super) fn parts(cx: &Cx, block: &Block, function: TokenStream) -> Parts {
    let children = named::children(cx, block.ident(), &block.routes);
    if let Some(first) = children.first()
        && outputs(cx, block, &children).next().is_none()
    {
        cx.error(
            &first.expr,
            "what this route returns does not show: write it, `connect_output(|output| -> Type { … })`",
        );
    }
    Parts { function, children, ..Parts::default() }
}

/// The enum.
pub(super) fn declaration(
    cx: &Cx,
    block: &Block,
    cfg: &[Attribute],
    quiet: &TokenStream,
) -> TokenStream {
    let p = cx.private();
    let (ident, vis, me) = (enum_ident(block), &block.function.vis, block.ident().unraw());
    let about = format!("The routes of [`{me}`](struct@{me}): what its function returns.");
    let routes = &block.routes;
    let declared = named::enumeration(cx, routes, &ident, vis, &about, "Runs");
    let keys = named::each(routes, |NamedBlock { name, .. }| quote!(#name));
    let to_key =
        named::each(routes, |NamedBlock { variant, name, .. }| quote!(Self::#variant => #name));
    let of_key = named::each(
        routes,
        |NamedBlock { variant, name, .. }| quote!(#name => #p::StdResult::Ok(Self::#variant)),
    );
    let name = &block.name;
    quote! {
        #(#cfg)*
        #declared

        #(#cfg)*
        #quiet
        impl #ident {
            /// The names of the routes, as they stand in `routes = […]`.
            pub const KEYS: &'static [&'static #p::str] = &[#keys];

            /// The route's name.
            #[must_use]
            pub const fn key(self) -> &'static #p::str {
                match self { #to_key }
            }

            /// The route of that name.
            ///
            /// # Errors
            /// `route_unknown`, with all names that there are.
            pub fn from_key(key: &#p::str) -> #p::StdResult<Self, #p::UnknownRouteError> {
                match key {
                    #of_key
                    _ => #p::StdResult::Err(#p::UnknownRouteError::new(#name, key, Self::KEYS)),
                }
            }
        }
    }
}

/// `Route`, where the function is.
pub(super) fn alias(block: &Block) -> TokenStream {
    let (ident, alias) = (enum_ident(block), format_ident!("Route", span = Span::call_site()));
    quote!(#[allow(unused_imports)] use #ident as #alias;)
}

/// The statements that run the route.
pub(super) fn take(cx: &Cx, block: &Block, children: &[Child]) -> TokenStream {
    let p = cx.private();
    let ident = enum_ident(block);
    let arms = block.routes.iter().map(|route| {
        let NamedBlock { variant, expr, cfg, .. } = route;
        let (first, _) = ends(expr);
        let p = cx.private_at(first);
        let index = named::child_of(children, expr);
        // an argument is at the route: it is the route that does not fit
        let at = |argument| placed_at(first, argument);
        let it = at(quote!(__b));
        let named = |method: &str| Ident::new(method, first);
        let (made, (input, output)) = (
            named::made(cx, index, expr),
            if let Expr::Path(_) = expr {
                let (input, output) = (named("input"), named("output"));
                (quote!(#input(__input, #it)), quote!(#output(__o, #it)))
            } else {
                let (adapted, input, output) =
                    (named("adapted"), named("input"), named("output_value"));
                let (given, gave) = (at(quote!(__input)), at(quote!(__o)));
                (quote!(#adapted(#it).#input(#given)), quote!(#output(#gave)))
            },
        );
        quote! {
            #cfg #ident::#variant => {
                let __b = &#p::IntoBlock::into_block(#made);
                let __i = __taken.#input;
                let __o = __taken.run(#it, __i).await?;
                __taken.#output
            }
        }
    });
    quote! {
        let __taken = #p::Taken::<__Output>::new(__base, &__scope, __route as #p::u32, __route.key());
        #p::Result::Ok(match __route { #(#arms)* })
    }
}

/// The type `__Output`: that of the first route whose output shows in its text, under the conditions of the routes.
pub(super) fn output(cx: &Cx, block: &Block, children: &[Child]) -> TokenStream {
    let mut not: Vec<TokenStream> = Vec::new();
    let mut out = TokenStream::new();
    for (ty, cfg) in outputs(cx, block, children) {
        out.extend(quote!(#(#not)* #cfg #[allow(non_camel_case_types, unused_parens)] type __Output = #ty;));
        if cfg.is_always() {
            return out;
        }
        not.push(cfg.not());
    }
    let text = format!("`{}` has no route under this configuration", block.ident().unraw());
    // (where there are none at all, that is said already)
    let none = quote_spanned!(block.ident().span()=> ::core::compile_error!(#text););
    let none = (!not.is_empty()).then(|| quote!(#(#not)* #none));
    quote! {
        #out
        #(#not)* type __Output = ();
        #none
    }
}

/// What `impl Block` of a router is made of.
pub(super) struct Hidden {
    /// Beside it: the function that runs the router.
    pub(super) beside: TokenStream,
    pub(super) generics: TokenStream,
    pub(super) clause: TokenStream,
    /// The future of `run`.
    pub(super) future: TokenStream,
}

/// The output of a router is made of the type of a route. This may be private where the router is not, and an associated type
/// must not name it: it is a parameter, `__O`, that can only be `__Output`. Inside such an `impl` the compiler knows the two
/// for the same only where it is told, so the work is done beside it.
pub(super) fn hidden(cx: &Cx, block: &Block, cells: bool, future: &TokenStream) -> Hidden {
    let p = cx.private();
    let ident = block.ident();
    let cells = if cells { quote!(__cells) } else { quote!(#p::Option::None::<&()>) };
    let beside = quote! {
        #[allow(unreachable_code)] // where no route is there
        impl #ident {
            fn __run<'__a, __X: #p::Cells>(
                __input: __Input,
                __at: #p::At<'__a>,
                __cells: #p::Option<&'__a __X>,
            ) -> #p::Running<'__a, __Output> {
                #future
            }
        }
    };
    let clause = quote!(where __Output: #p::Itself<#ident, It = __O> + #p::SameAs<#ident, __O>);
    let future = quote! {
        async move {
            let __o = Self::__run(__input, __at, #cells).await?;
            #p::Result::Ok(<__Output as #p::SameAs<#ident, __O>>::same(__o))
        }
    };
    Hidden { beside, generics: quote!(<__O: #p::Data>), clause, future }
}

/// The outputs that show, those of routes that lead back last.
fn outputs<'a>(
    cx: &'a Cx,
    block: &'a Block,
    children: &'a [Child],
) -> impl Iterator<Item = (TokenStream, &'a Cfg)> {
    let all = move |again: bool| {
        children.iter().enumerate().filter_map(move |(index, child)| {
            let leads_back = adapted::names(&child.expr).first().is_some_and(|(_, again)| *again);
            let ty =
                (leads_back == again).then(|| shown(cx, block, index, &child.expr)).flatten()?;
            Some((ty, &child.cfg))
        })
    };
    all(false).chain(all(true))
}

/// The output of a block, where its text tells.
fn shown(cx: &Cx, block: &Block, index: usize, expr: &Expr) -> Option<TokenStream> {
    let of = |ty: &dyn ToTokens| {
        let p = cx.private_at(ends(expr).0);
        Some(quote!(<#ty as #p::Block>::Output))
    };
    match expr {
        // (a router that runs itself is told so elsewhere)
        Expr::Path(path) if path.path.is_ident(block.ident()) => None,
        Expr::Path(_) => of(&written::alias(index, expr)),
        Expr::Struct(made) => of(&made.path),
        Expr::MethodCall(call) if call.method == "connect_output" => match call.args.first()? {
            Expr::Closure(ExprClosure { output: ReturnType::Type(_, ty), .. }) => Some(quote!(#ty)),
            _ => None,
        },
        Expr::MethodCall(call) => match plain_expr((*call.receiver).clone()) {
            Expr::Call(call) if adapted::names(&call.clone().into()).is_empty() => of(&call.func),
            receiver @ (Expr::Path(_) | Expr::Call(_)) => {
                inside(block, index, &receiver).and_then(|name| of(&name))
            }
            receiver => shown(cx, block, index, &receiver),
        },
        // a block with a configuration
        Expr::Call(call) if adapted::names(expr).is_empty() => of(&call.func),
        again => inside(block, index, again).and_then(|name| of(&name)),
    }
}

/// The block that an expression begins with, by its generated name.
fn inside(block: &Block, index: usize, expr: &Expr) -> Option<Ident> {
    let (path, _) = adapted::names(expr).into_iter().next()?;
    (!path.is_ident(block.ident())).then(|| adapted::alias(index, 0, path))
}
