//! What `flow!` makes: a constant for each entry, and the flow's definition and entries.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, Path};

use super::{Entry, Key, Options, checks, client};
use crate::cfg::Cfg;
use crate::cx::{Cx, ends, only, only_here, respan};
use crate::data::missing;
use crate::states::States;
use crate::text::{camel, snake, written};

/// A block that the flow names, and how the generated code knows it.
struct Named<'a> {
    alias: Ident,
    path: syn::Type,
    /// What it is of a flow, for messages.
    what: &'static str,
    cfg: &'a [syn::Attribute],
}

impl Named<'_> {
    /// The alias, which is asked once whether it is a block.
    fn alias(&self, cx: &Cx) -> TokenStream {
        let (alias, cfg, text) = (&self.alias, self.cfg, written(&self.path));
        let help = "put `#[block(…)]` on the function, and name it without arguments";
        let message = format!("`{text}` is not a block\nhelp: {help}");
        let block = only(cx, &self.path, "BLOCK", &message);
        quote!(#(#cfg)* #[allow(non_camel_case_types, unused_parens)] type #alias = #block;)
    }

    fn def(&self, p: &TokenStream) -> TokenStream {
        let (alias, cfg) = (&self.alias, self.cfg);
        quote!(#(#cfg)* <#alias as #p::Block>::DEF)
    }
}

fn as_type(path: &Path) -> syn::Type {
    syn::Type::Path(syn::TypePath { qself: None, path: path.clone() })
}

/// A hook of an entry or of the flow, at the place where it is named.
fn hook(
    p: &TokenStream,
    option: &str,
    alias: &Ident,
    path: &Path,
    takes: &TokenStream,
) -> TokenStream {
    let (first, last) = ends(path);
    let callee = respan(quote!(#p::hook::<#alias, #takes>), first);
    let arguments = quote_spanned!(last=> ());
    let option = format_ident!("{}", option);
    quote!(.#option(#callee #arguments))
}

pub(super) fn flow(
    cx: &Cx,
    ty: &syn::ItemStruct,
    options: &Options,
    entries: &[Entry],
) -> TokenStream {
    let p = cx.private();
    let (ident, vis, attrs) = (&ty.ident, &ty.vis, &ty.attrs);
    let when = Cfg::of(attrs);
    let name = ident.unraw().to_string();
    let kind = options.kind.clone().unwrap_or_else(|| snake(&name).replace('_', "-"));
    let failed = cx.failed();

    let consts = entries.iter().map(|entry| constant(&p, entry));

    let mut hooks: Vec<Named<'_>> = Vec::new();
    let mut plans = Vec::new();
    let mut defs = Vec::new();
    let mut blocks = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let alias = format_ident!("__entry{}", i);
        let mut plan = Vec::new();
        for (option, path) in
            [("on_completed", &entry.on_completed), ("on_errored", &entry.on_errored)]
        {
            let Some(path) = path else { continue };
            let alias = format_ident!("__{}{}", option, i);
            let takes = match option {
                "on_completed" => {
                    let block = format_ident!("__entry{}", i);
                    quote!(<#block as #p::Block>::Output)
                }
                _ => quote!(#p::Failure),
            };
            plan.push(hook(&p, option, &alias, path, &takes));
            hooks.push(Named { alias, path: as_type(path), what: option, cfg: &entry.cfg });
        }
        if let Some(Key::Function(function)) = &entry.policy.key {
            let function = typed(function, 2, |call| call);
            plan.push(quote!(.key(#function)));
        }
        if let Some(function) = &entry.user_message {
            let function = typed(function, 1, |call| {
                let (first, _) = ends(function);
                quote_spanned!(first=> #p::said(#call))
            });
            plan.push(quote!(.user_message(#function)));
        }
        let def = definition(&p, entry, &alias);
        defs.push((entry.sort, def));
        plans.push((entry, alias.clone(), quote!(#(#plan)*)));
        let what = entry.sort;
        blocks.push(Named { alias, path: entry.block.clone(), what, cfg: &entry.cfg });
    }
    let mut of_request = Vec::new();
    for (option, path) in &options.hooks {
        let alias = format_ident!("__{}", option);
        let takes = match *option {
            "on_errored" => quote!(#p::Failure),
            _ => quote!(#p::CalledRequest),
        };
        of_request.push(hook(&p, option, &alias, path, &takes));
        hooks.push(Named { alias, path: as_type(path), what: option, cfg: &[] });
    }

    let calls = plans.iter().map(|(entry, alias, plan)| {
        // at the block, whole: one without a default is refused there
        let (first, last) = ends(&entry.block);
        let (cfg, text) = (&entry.cfg, &entry.text);
        let callee = respan(quote!(#p::entry), first);
        let new = respan(quote!(#p::Plan::<#ident, #alias>::new(#text)), last);
        let plan = quote_spanned!(last=> #new #plan);
        let arguments = quote_spanned!(last=> (&const { #plan }));
        quote!(#(#cfg)* #callee #arguments)
    });
    let calls: Vec<_> = calls.collect();
    let of_sort = |wanted: &str| {
        let each = defs.iter().filter(|(sort, _)| *sort == wanted).map(|(_, def)| def);
        quote!(&[#(#each),*])
    };
    let (actions, internal, task) = (of_sort("action"), of_sort("internal"), of_sort("task"));
    let types = blocks.iter().chain(&hooks).map(|block| block.alias(cx));
    let children = blocks.iter().chain(&hooks).map(|block| block.def(&p));
    let hook_defs = hooks.iter().map(|hook| hook.def(&p));
    let mut more = vec![quote!(.entries(#internal, #task)), quote!(.hooks(&[#(#hook_defs),*]))];
    if options.require_user {
        more.push(quote!(.require_user()));
    }
    if options.collection {
        more.push(quote!(.collection()));
    }
    let config = match &options.config {
        Some(ty) => {
            let config = quote!(<<#ident as #p::Flow>::Config as #p::FlowConfig>::DEF);
            more.push(quote!(.config(#config)));
            let text = format!(
                "`{}` cannot be the configuration of a flow\nhelp: put `#[data]` on its declaration: a struct with named \
                 fields, and without generics",
                written(ty)
            );
            only_here(cx, ty, "FLOW_CONFIG", &text)
        }
        None => quote!(()),
    };
    let states = States::of(options.lasting.iter().flat_map(|(_, types)| types));
    let lasting = options.lasting.iter().flat_map(|(word, types)| {
        let (p, reach, name) = (p.clone(), format_ident!("{}", camel(word)), name.clone());
        let each: Vec<_> = types.iter().map(|ty| states.def(cx, ty)).collect();
        each.into_iter().map(move |state| {
            quote!(#p::Lasting::new(#p::Reach::#reach, #state, #name, #p::Option::None))
        })
    });
    let of_states = states.aliases(cx);
    let client = client::constant(cx, options);

    let derives = missing(attrs, &["Clone", "Copy", "Debug"]).into_iter().map(|name| {
        let name = format_ident!("{}", name);
        quote!(#p::#name)
    });
    let all = if failed {
        TokenStream::new()
    } else {
        let named: Vec<_> = hooks.iter().map(|hook| (&hook.path, hook.what, hook.cfg)).collect();
        checks::checks(cx, ident, &when, options, entries, &named)
    };
    quote! {
        #(#attrs)*
        #[derive(#(#derives),*)]
        #vis struct #ident;

        // in parentheses a name is a type, whatever it turns out to be
        #when
        #[allow(deprecated, unused_parens)]
        impl #ident {
            #(#consts)*
        }

        #when
        #[automatically_derived]
        #[allow(deprecated)]
        impl #p::Flow for #ident {
            type Config = #config;
            #client
            const ENTRIES: &'static #p::Entries = {
                #[allow(unused_imports)]
                use #p::Otherwise as _;
                #(#types)*
                #of_states
                const OWN: &#p::Head = &#p::lasts(#name, &[#(#lasting),*]);
                const CHILDREN: &[&#p::BlockDef] = &[#(#children),*];
                const LASTING: [#p::Lasting; #p::check::lasting_len(OWN, CHILDREN)] =
                    #p::check::lasting(OWN, CHILDREN);
                static DEF: #p::FlowDef =
                    #p::FlowDef::new(#name, #kind, #actions, &LASTING) #(#more)*;
                static ENTRIES: #p::Entries = #p::Entries::new(
                    &DEF,
                    &[#(#calls),*],
                    #p::Hooks::NONE #(#of_request)*,
                );
                &ENTRIES
            };
        }

        #all
    }
}

/// A function of the user's as a closure whose types are known: also one that borrows what it takes.
fn typed(
    function: &Expr,
    arguments: usize,
    round: impl FnOnce(TokenStream) -> TokenStream,
) -> TokenStream {
    if matches!(function, Expr::Closure(_)) {
        return quote!(#function);
    }
    let (_, last) = ends(function);
    let names: Vec<_> = (0..arguments).map(|i| format_ident!("__{}", i, span = last)).collect();
    let call = round(quote_spanned!(last=> #function(#(#names),*)));
    quote!(|#(#names),*| #call)
}

fn definition(p: &TokenStream, entry: &Entry, alias: &Ident) -> TokenStream {
    let Entry { text, description, cfg, .. } = entry;
    let turns = entry.policy.def(p);
    let budget = entry.token_budget.as_ref().map(|budget| quote!(.token_budget(#budget)));
    quote! {
        #(#cfg)*
        #p::ActionDef::new(#text, #description, <#alias as #p::Block>::DEF) #turns #budget
    }
}

/// The constant by which an entry is named.
fn constant(p: &TokenStream, entry: &Entry) -> TokenStream {
    let Entry { sort, name, text, vis, block, attrs, cfg, .. } = entry;
    let docs = attrs.is_empty().then(|| {
        let text = format!("The {} `{text}`.", if *sort == "action" { "action" } else { "entry" });
        quote!(#[doc = #text])
    });
    let handle = format_ident!("{}", camel(sort));
    // nobody may name it: it is reached by its text, too
    quote! {
        #(#cfg)* #(#attrs)* #docs
        #[allow(non_upper_case_globals, dead_code)]
        #vis const #name: #p::#handle<Self, (#block)> = #p::#handle::new(#text);
    }
}
