//! `flow!`: a struct whose fields are entries and whose field types are their blocks.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;

use crate::cfg::Cfg;
use crate::cx::{Cx, check, ends, only, respan};
use crate::data::{first, kind_of};
use crate::options::{self, Shape, Spec, Value};
use crate::text::{camel, snake, written};

const OPTIONS: &[Spec] = &[
    Spec { name: "kind", shape: Shape::Text, on: &[] },
    Spec { name: "crate", shape: Shape::Path, on: &[] },
];

const ACTION: &[Spec] = &[
    Spec { name: "description", shape: Shape::Text, on: &[] },
    Spec { name: "concurrency", shape: Shape::Word(CONCURRENCY), on: &[] },
];

/// What becomes of a call while the session is busy.
const CONCURRENCY: &[&str] = &["allow", "queue", "reject"];

/// `flow! { #[flow(…)] pub struct … }`
pub(crate) fn expand_bang(cx: &Cx, item: TokenStream) -> TokenStream {
    let Some(mut ty) = structure(cx, item) else {
        return TokenStream::new();
    };
    let mut args = TokenStream::new();
    ty.attrs.retain(|attr| {
        let ours = attr.path().segments.last().is_some_and(|last| last.ident == "flow");
        if ours {
            match attr.meta.require_list() {
                Ok(list) => args = list.tokens.clone(),
                Err(error) => cx.push(error),
            }
        }
        !ours
    });
    write(cx, args, &ty)
}

/// `#[flowstate::flow(…)] pub struct …`
pub(crate) fn expand(cx: &Cx, args: TokenStream, item: TokenStream) -> TokenStream {
    match structure(cx, item.clone()) {
        Some(ty) => write(cx, args, &ty),
        None => item,
    }
}

fn structure(cx: &Cx, item: TokenStream) -> Option<syn::ItemStruct> {
    if item.is_empty() {
        cx.error_at(
            Span::call_site(),
            "a flow is a struct: `flow! { pub struct Chat { pub say: say } }`",
        );
        return None;
    }
    match syn::parse2::<syn::Item>(item) {
        Ok(syn::Item::Struct(ty)) => Some(ty),
        Ok(other) => {
            let found = kind_of(&other);
            cx.error(first(&other), format!("a flow is a struct with named fields, not {found}"));
            None
        }
        Err(error) => {
            cx.push(error);
            None
        }
    }
}

struct Entry {
    name: proc_macro2::Ident,
    text: String,
    vis: syn::Visibility,
    block: syn::Type,
    description: String,
    /// As a variant of the runtime's; `None` where it is not said.
    concurrency: Option<proc_macro2::Ident>,
    attrs: Vec<syn::Attribute>,
    cfg: Vec<syn::Attribute>,
}

fn write(cx: &Cx, args: TokenStream, ty: &syn::ItemStruct) -> TokenStream {
    let given = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, OPTIONS, ""));
    let mut kind = None;
    for option in given.parse2(args).unwrap_or_default() {
        match option.value {
            Value::Path(path) => cx.set_crate(path),
            Value::Text(text) if text.value().trim().is_empty() => {
                cx.error(&text, "a flow's kind is not empty");
            }
            Value::Text(text) => kind = Some(text.value()),
            _ => {}
        }
    }
    if !matches!(ty.fields, syn::Fields::Named(_)) {
        cx.error(
            &ty.ident,
            "a flow's entries are named fields: `pub struct Chat { pub say: say }`",
        );
    }
    if !ty.generics.params.is_empty() {
        cx.error(&ty.generics, "a flow cannot be generic");
    }
    let mut entries: Vec<Entry> = Vec::new();
    for field in &ty.fields {
        let Some(entry) = entry(cx, field) else {
            continue;
        };
        if entries
            .iter()
            .any(|other| other.text == entry.text && other.cfg.is_empty() && entry.cfg.is_empty())
        {
            cx.error(&entry.name, format!("the flow has two entries named `{}`", entry.text));
        } else {
            entries.push(entry);
        }
    }
    let p = cx.private();
    let (ident, vis) = (&ty.ident, &ty.vis);
    let attrs = &ty.attrs;
    let when = Cfg::of(attrs);
    let name = ident.unraw().to_string();
    let kind = kind.unwrap_or_else(|| snake(&name).replace('_', "-"));
    let failed = cx.failed();
    let policy = |entry: &Entry| {
        entry.concurrency.as_ref().map(|variant| quote!(.concurrency(#p::Concurrency::#variant)))
    };
    let consts = entries.iter().map(|entry| {
        let Entry { name, text, vis, block, attrs, cfg, .. } = entry;
        let policy = policy(entry);
        let docs = attrs.is_empty().then(|| {
            let text = format!("The action `{text}`.");
            quote!(#[doc = #text])
        });
        quote! {
            #(#cfg)* #(#attrs)* #docs
            #[allow(non_upper_case_globals)]
            #vis const #name: #p::Action<Self, (#block)> = #p::Action::new(#text)#policy;
        }
    });
    let aliases = (0..entries.len()).map(|i| quote::format_ident!("__entry{}", i));
    let aliases: Vec<_> = aliases.collect();
    let types = entries.iter().zip(&aliases).map(|(entry, alias)| {
        let (block, cfg, text) = (&entry.block, &entry.cfg, written(&entry.block));
        let help = "put `#[block(…)]` on the function, and name it without arguments";
        let block = only(cx, block, "BLOCK", &format!("`{text}` is not a block\nhelp: {help}"));
        quote!(#(#cfg)* #[allow(non_camel_case_types, unused_parens)] type #alias = #block;)
    });
    let actions = entries.iter().zip(&aliases).map(|(entry, alias)| {
        let Entry { text, description, cfg, .. } = entry;
        let policy = policy(entry);
        quote!(#(#cfg)* #p::ActionDef::new(#text, #description, <#alias as #p::Block>::DEF)#policy)
    });
    let calls = entries.iter().zip(&aliases).map(|(entry, alias)| {
        let Entry { text, cfg, block, .. } = entry;
        // at the block, whole: one without a default is refused there
        let (first, last) = ends(block);
        let callee = respan(quote!(#p::entry), first);
        let policy = policy(entry);
        let action = quote!((&#p::Action::<#ident, #alias>::new(#text)#policy));
        let arguments = respan(action, last);
        quote!(#(#cfg)* #callee #arguments)
    });
    let children = entries.iter().zip(&aliases).map(|(entry, alias)| {
        let cfg = &entry.cfg;
        quote!(#(#cfg)* <#alias as #p::Block>::DEF)
    });
    let checks = entries.iter().map(|entry| {
        let Entry { text, block, cfg, .. } = entry;
        let check =
            check(block, quote!(#p::check::action), &quote!(<#ident as #p::Flow>::DEF, #text));
        quote!(#when #(#cfg)* #check)
    });
    let whole = check(ident, quote!(#p::check::flow), &quote!(<#ident as #p::Flow>::DEF));
    let all = if failed { TokenStream::new() } else { quote!(#(#checks)* #when #whole) };
    quote! {
        #(#attrs)*
        #[derive(#p::Clone, #p::Copy, #p::Debug)]
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
            const ENTRIES: &'static #p::Entries = {
                #[allow(unused_imports)]
                use #p::Otherwise as _;
                #(#types)*
                const CHILDREN: &[&#p::BlockDef] = &[#(#children),*];
                const LASTING: [#p::Lasting; #p::check::lasting_len(#p::check::NOBODY, CHILDREN)] =
                    #p::check::lasting(#p::check::NOBODY, CHILDREN);
                static DEF: #p::FlowDef =
                    #p::FlowDef::new(#name, #kind, &[#(#actions),*], &LASTING);
                static ENTRIES: #p::Entries = #p::Entries::new(&DEF, &[#(#calls),*]);
                &ENTRIES
            };
        }

        #all
    }
}

fn entry(cx: &Cx, field: &syn::Field) -> Option<Entry> {
    let name = field.ident.clone()?;
    let mut description = Vec::new();
    let mut concurrency = None;
    let (mut attrs, mut cfg) = (Vec::new(), Vec::new());
    for attr in &field.attrs {
        if attr.path().is_ident("action") {
            let parse =
                |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, ACTION, ""));
            match attr.parse_args_with(parse) {
                Ok(given) => {
                    for option in given {
                        match option.value {
                            Value::Text(text) => description = vec![text.value()],
                            Value::Word(word) => {
                                concurrency = Some(quote::format_ident!("{}", camel(&word)));
                            }
                            _ => {}
                        }
                    }
                }
                Err(error) => cx.push(error),
            }
            continue;
        }
        if attr.path().is_ident("cfg") {
            cfg.push(attr.clone());
            continue;
        }
        if let syn::Meta::NameValue(doc) = &attr.meta
            && doc.path.is_ident("doc")
            && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) = &doc.value
        {
            description.push(text.value().trim().to_owned());
        }
        attrs.push(attr.clone());
    }
    if !matches!(crate::text::plain(&field.ty), syn::Type::Path(_)) {
        cx.error(&field.ty, "an entry's type is a block, by its name");
        return None;
    }
    let text = name.unraw().to_string();
    Some(Entry {
        text,
        name,
        vis: field.vis.clone(),
        block: field.ty.clone(),
        description: description.join(" "),
        concurrency,
        attrs,
        cfg,
    })
}
