//! A block's context: a struct with just the addresses that the block declares.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;

use super::model::{Block, Kind};
use crate::options::Reads;
use crate::text::{last_name, snake, written};

/// The field that holds the rest of the context. The compiler lists it where an address is not declared, so its name
/// says what to do about that.
const REST: &str = "others_are_options_of_block";

/// The parts of a context: its type, and how it is made inside `run`.
pub(crate) struct Context {
    /// The items: the context's struct, and those of `targets` and `needs`.
    pub(crate) items: TokenStream,
    /// Statements that make what the context borrows.
    pub(crate) before: TokenStream,
    /// The value.
    pub(crate) value: TokenStream,
    pub(crate) ident: Ident,
}

pub(crate) fn context(p: &TokenStream, block: &Block) -> Context {
    let base = block.ident().unraw().to_string();
    let ident = format_ident!("Ctx_{}", base);
    let vis = &block.function.vis;
    let mut parts = Parts::new(p, block);
    if !block.state.is_empty() {
        let set = block.set(p, &block.state);
        let cells = match block.kind {
            Kind::Handler => {
                parts.before.extend(quote!(let __own = __at.hold(<Self as #p::Block>::HEAD, <#set as #p::StateSet>::cells());));
                quote!(&__own)
            }
            _ => quote!(__known),
        };
        let get = quote!(__base.own::<#set, #p::access::ReadWrite>(#cells)?);
        parts.field("self_", parts.local(&set, false), get);
    }
    if let Some(reads) = &block.parent {
        parts.reads("parent", reads, &[quote!(__cells)]);
    }
    if let Some(reads) = &block.sequencer {
        // a sequencer's own containers come first
        let cells = if block.kind == Kind::Handler {
            quote!(__cells)
        } else {
            quote!(#p::Option::Some(__known))
        };
        parts.reads("sequencer", reads, &[cells]);
    }
    for lasting in &block.lasting {
        let set = block.set(p, &lasting.types);
        let keep = format_ident!("__{}", lasting.word);
        if lasting.word == "request" {
            parts.before.extend(quote!(let #keep = __base.shared::<#set>();));
            let get = quote!(__base.over_shared::<#set, #p::access::ReadWrite>(&#keep)?);
            parts.field(lasting.word, parts.local(&set, false), get);
        } else {
            let reach = format_ident!("{}", lasting.variant);
            parts.before.extend(quote! {
                let #keep = __base.stored::<#set>(#p::Reach::#reach).await?;
            });
            let get = quote!(__base.over_stored::<#set, #p::access::ReadWrite>(&#keep)?);
            let ty =
                quote!(<#set as #p::StateSet>::Handle<'__a, #p::access::Stored, #p::NoMoreState>);
            parts.field(lasting.word, ty, get);
        }
    }
    let mut items = TokenStream::new();
    if !block.targets.is_empty() {
        let inner = format_ident!("Targets_{}", base);
        let mut targets = Parts::new(p, block);
        for (name, reads) in &block.targets {
            let text = name.unraw().to_string();
            targets.reads_as("target", name, reads, &[quote!(#text)]);
        }
        items.extend(targets.structure(vis, &inner));
        let value = targets.value(&inner);
        parts.field("targets", quote!(#inner<'__a>), value);
    }
    if !block.needs.is_empty() {
        let inner = format_ident!("Needs_{}", base);
        let mut needs = Parts::new(p, block);
        for ty in &block.needs {
            let text = written(ty);
            let name = format_ident!("{}", snake(&last_name(ty).unwrap_or_default()));
            let get = quote!(__base.need::<#ty>(#text)?);
            needs.fields.push((name, quote!(&'__a #ty), get));
        }
        items.extend(needs.structure(vis, &inner));
        let value = needs.value(&inner);
        parts.field("needs", quote!(#inner<'__a>), value);
    }
    let me = block.ident();
    let rest = format_ident!("{}", REST);
    let (base_ty, base) = if block.kind == Kind::Written {
        let set = block.set(p, &block.state);
        let cells = quote!(<#set as #p::StateSet>::Cells);
        let ty = quote!(#p::Holding<'__a, #me, #cells>);
        let steps = quote!(#p::Steps::new(__base, &__scope, &__sites));
        parts.fields.push((rest.clone(), ty, quote!(#p::Holding::new(#steps, __known))));
        // (what a context derefs to is as visible as the context, which a state need not be)
        items.extend(quote! {
            impl<'__a> #ident<'__a> {
                #[inline]
                fn at_once(&self, __op: u32) -> #p::Now<'_, '__a, #me, #cells> {
                    self.#rest.at_once(__op)
                }
            }
        });
        (quote!(#p::Steps<'__a, #me>), quote!(self.#rest.steps))
    } else {
        let ty = quote!(#p::Base<'__a>);
        parts.fields.push((rest.clone(), ty.clone(), quote!(__base)));
        (ty, quote!(self.#rest))
    };
    items.extend(parts.structure(vis, &ident));
    items.extend(quote! {
        #[automatically_derived]
        impl<'__a> #p::Deref for #ident<'__a> {
            type Target = #base_ty;
            #[inline]
            fn deref(&self) -> &Self::Target {
                &#base
            }
        }
    });
    let value = parts.value(&ident);
    Context { items, before: parts.before, value, ident }
}

struct Parts<'p> {
    p: &'p TokenStream,
    block: &'p Block,
    fields: Vec<(Ident, TokenStream, TokenStream)>,
    before: TokenStream,
}

impl<'p> Parts<'p> {
    fn new(p: &'p TokenStream, block: &'p Block) -> Self {
        Self { p, block, fields: Vec::new(), before: TokenStream::new() }
    }

    fn local(&self, set: &TokenStream, optional: bool) -> TokenStream {
        let p = self.p;
        let handle =
            quote!(<#set as #p::StateSet>::Handle<'__a, #p::access::Local, #p::NoMoreState>);
        if optional { quote!(#p::Option<#handle>) } else { handle }
    }

    fn field(&mut self, name: &str, ty: TokenStream, value: TokenStream) {
        self.fields.push((format_ident!("{}", name), ty, value));
    }

    fn reads(&mut self, word: &str, reads: &Reads, args: &[TokenStream]) {
        self.reads_as(word, &format_ident!("{}", word), reads, args);
    }

    fn reads_as(&mut self, word: &str, name: &Ident, reads: &Reads, args: &[TokenStream]) {
        let p = self.p;
        let set = self.block.set(p, &reads.types);
        // no method is named as an address is, or one that is not declared would be taken for a call
        let method =
            format_ident!("{}_{}", word, if reads.optional { "or_none" } else { "or_fail" });
        let question = (!reads.optional).then(|| quote!(?));
        let value = quote!(__base.#method::<#set, #p::access::ReadWrite>(#(#args),*) #question);
        self.fields.push((name.clone(), self.local(&set, reads.optional), value));
    }

    fn structure(&self, vis: &syn::Visibility, ident: &Ident) -> TokenStream {
        let fields = self.fields.iter().map(|(name, ty, _)| {
            let vis = (name != REST).then(|| quote!(pub));
            quote!(#vis #name: #ty)
        });
        quote!(#vis struct #ident<'__a> { #(#fields),* })
    }

    fn value(&self, ident: &Ident) -> TokenStream {
        let fields = self.fields.iter().map(|(name, _, value)| quote!(#name: #value));
        quote!(#ident { #(#fields),* })
    }
}
