//! A block's context: a struct with just the addresses that the block declares.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;

use super::contracts;
use super::model::{Block, Kind};
use crate::options::Reads;
use crate::states::States;
use crate::text::written;

/// The field that holds the rest of the context. The compiler lists it where an address is not declared, so its name
/// says what to do about that.
pub(crate) const REST: &str = "others_are_options_of_block";

/// The parts of a context: its type, and how it is made inside `run`.
pub(crate) struct Context {
    /// The items: the context's struct, and those of `targets` and `needs`.
    pub(crate) items: Vec<TokenStream>,
    /// Statements that make what the context borrows.
    pub(crate) before: TokenStream,
    /// The value.
    pub(crate) value: TokenStream,
    pub(crate) ident: Ident,
}

/// How a block's containers are made.
pub(crate) fn cells(p: &TokenStream, block: &Block) -> TokenStream {
    let set = block.set(p, &block.state);
    if block.uses.is_empty() {
        quote!(<#set as #p::StateSet>::cells())
    } else {
        quote!(#p::cells::<#set, __Uses>())
    }
}

/// The type of a block's containers.
pub(crate) fn cells_type(p: &TokenStream, block: &Block) -> TokenStream {
    let set = block.set(p, &block.state);
    if block.uses.is_empty() { quote!(<#set as #p::StateSet>::Cells) } else { quote!(#p::Bag) }
}

pub(crate) fn context(p: &TokenStream, block: &Block, asks: bool) -> Context {
    let base = block.ident().unraw().to_string();
    let ident = format_ident!("Ctx_{}", base);
    let vis = &block.function.vis;
    let uses = !block.uses.is_empty();
    let mut parts = Parts::new(p, block.states(), uses);
    parts.at_once = block.starts_at_once();
    let with_used = parts.with_used(&block.state, "State");
    // a router may be asked again, so it only reads
    let reads_only = block.kind == Kind::Router;
    if reads_only {
        parts.access = quote!(#p::access::ReadOnly);
    }
    let access = parts.access.clone();
    if !block.state.is_empty() || uses {
        let cells = match block.kind {
            Kind::Handler => {
                let cells = cells(p, block);
                parts
                    .before
                    .extend(quote!(let __own = __at.hold(<Self as #p::Block>::HEAD, #cells);));
                quote!(&__own)
            }
            _ => quote!(__known),
        };
        let set = with_used.clone();
        let get = if uses {
            parts.before.extend(quote! {
                let __bags = #p::Bags::load::<__Uses>(__base).await?;
                let __given = #p::Given::new(__base, #cells, &__bags);
            });
            quote!(__used.self_)
        } else {
            quote!(__base.own::<#set, #access>(#cells)?)
        };
        parts.field("self_", parts.local(&set, false), get);
    }
    if let Some(reads) = &block.parent {
        let set = parts.states.set(p, &reads.types);
        parts.reads("parent", reads, &set, &quote!(__cells));
    }
    // a sequencer's own containers come first
    let cells = match block.kind.is_sequencer() {
        true => quote!(#p::Option::Some(__known)),
        false => quote!(__cells),
    };
    parts.sequencer(block.sequencer.as_ref(), &cells);
    for lasting in &block.lasting {
        let set = parts.with_used(&lasting.types, lasting.variant);
        let keep = format_ident!("__{}", lasting.word);
        if lasting.word == "request" {
            parts.before.extend(quote!(let #keep = __base.shared::<#set>();));
            let get = quote!(__base.over_shared::<#set, #access>(&#keep)?);
            parts.field(lasting.word, parts.local(&set, false), get);
        } else {
            let reach = format_ident!("{}", lasting.variant);
            parts.before.extend(quote! {
                let #keep = __base.stored::<#set>(#p::Reach::#reach).await?;
            });
            let get = quote!(__base.over_stored::<#set, #access>(&#keep)?);
            parts.field(lasting.word, parts.stored(&set), get);
        }
    }
    if uses {
        let declared: Vec<_> = block.lasting.iter().map(|lasting| lasting.word).collect();
        parts.given(&declared);
        if reads_only {
            // what they do may be a write
            let none = quote!(#p::NoFunctionsInRouters);
            parts.field("cap", none, quote!(#p::Default::default()));
        } else {
            let ty = quote!(<__Uses as #p::Uses>::Caps<'__a>);
            parts.field("cap", ty, quote!(__used.cap));
        }
    }
    let mut items = Vec::new();
    contracts::fields(p, block, &mut parts, &mut items);
    parts.targets(&mut items, &base, vis, &block.targets);
    if !block.needs.is_empty() {
        let inner = format_ident!("Needs_{}", base);
        let mut needs = Parts::new(p, block.states(), false);
        for (name, ty) in &block.needs {
            let (name, text) = (name.clone(), written(ty));
            let get = quote!(__base.need::<#ty>(#text)?);
            needs.fields.push((name, quote!(&'__a #ty), get));
        }
        items.push(needs.structure(vis, &inner));
        let value = needs.value(&inner);
        parts.field("needs", quote!(#inner<'__a>), value);
    }
    if let Some(ty) = &block.flow_config {
        parts.field("flow", quote!(#p::InFlow<'__a, #ty>), quote!(__base.flow_config::<#ty>()?));
    }
    let me = block.ident();
    let rest = format_ident!("{}", REST);
    let (base_ty, base) = if block.kind == Kind::Written {
        let cells = cells_type(p, block);
        let ty = quote!(#p::Holding<'__a, #me, #cells>);
        let steps = quote!(#p::Steps::new(__base, &__scope, &__sites));
        parts.fields.push((rest.clone(), ty, quote!(#p::Holding::new(#steps, __known))));
        // (what a context derefs to is as visible as the context, which a state need not be)
        items.push(quote! {
            impl<'__a> #ident<'__a> {
                #[inline]
                fn at_once(&self, __op: u32) -> #p::Now<'__a, #me, #cells> {
                    self.#rest.at_once(__op)
                }
            }
        });
        (quote!(#p::Steps<'__a, #me>), quote!(self.#rest.steps))
    } else {
        let ty = quote!(#p::Base<'__a>);
        parts.fields.push((rest.clone(), ty.clone(), quote!(__base)));
        if asks {
            items.push(quote! {
                impl<'__a> #ident<'__a> {
                    /// What a block returned when the sequencer last ran it.
                    #vis fn output_of<__B: #p::IntoBlock>(
                        &self,
                        _: __B,
                    ) -> #p::Option<<__B::Block as #p::Block>::Output>
                    where
                        __B::Block: #p::AsksFor<#me>,
                    {
                        #p::kept::<__B::Block>(&self.#rest)
                    }
                }
            });
        }
        (ty, quote!(self.#rest))
    };
    items.push(parts.structure(vis, &ident));
    items.push(deref(p, &ident, &base_ty, &base));
    let mut value = parts.value(&ident);
    if uses {
        // in a block of its own: it need not be kept while the function waits
        value = quote!({ let __used = __given.used::<__Uses, #with_used, #access>()?; #value });
    }
    Context { items, before: parts.before, value, ident }
}

/// `Deref` of a struct of the context to what stands behind it.
pub(crate) fn deref(
    p: &TokenStream,
    ident: &Ident,
    target: &TokenStream,
    rest: &TokenStream,
) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl<'__a> #p::Deref for #ident<'__a> {
            type Target = #target;
            #[inline]
            fn deref(&self) -> &Self::Target {
                &#rest
            }
        }
    }
}

/// The fields of a context, of a block or of a capability.
pub(crate) struct Parts<'p> {
    p: &'p TokenStream,
    pub(crate) states: States<'p>,
    /// Whether there are capabilities, in `__Uses`.
    uses: bool,
    /// What may be done with the states.
    access: TokenStream,
    /// Whether the context is made outside of the block's future.
    at_once: bool,
    pub(crate) fields: Vec<(Ident, TokenStream, TokenStream)>,
    before: TokenStream,
}

impl<'p> Parts<'p> {
    pub(crate) fn new(p: &'p TokenStream, states: States<'p>, uses: bool) -> Self {
        let access = quote!(#p::access::ReadWrite);
        let (fields, before) = (Vec::new(), TokenStream::new());
        Self { p, states, uses, access, at_once: false, fields, before }
    }

    /// The value of a result; its error is the block's.
    fn asks(&self, result: TokenStream) -> TokenStream {
        let p = self.p;
        if !self.at_once {
            return quote!(#result?);
        }
        quote! {
            match #result {
                #p::Result::Ok(__it) => __it,
                #p::Result::Err(__error) => return #p::Called::failed(__error),
            }
        }
    }

    /// A set of states, and what the capabilities bring to the same place.
    pub(crate) fn with_used(&self, types: &[syn::Type], place: &str) -> TokenStream {
        let (p, set) = (self.p, self.states.set(self.p, types));
        let place = format_ident!("{}", place);
        match (self.uses, types.is_empty()) {
            (false, _) => set,
            (true, true) => quote!(<__Uses as #p::Uses>::#place),
            (true, false) => quote!((#set, <__Uses as #p::Uses>::#place)),
        }
    }

    pub(crate) fn local(&self, set: &TokenStream, optional: bool) -> TokenStream {
        let (p, access) = (self.p, &self.access);
        let handle = quote!(<#set as #p::StateSet>::Handle<'__a, #p::access::Local<#access>, #p::NoMoreState>);
        if optional { quote!(#p::Option<#handle>) } else { handle }
    }

    pub(crate) fn stored(&self, set: &TokenStream) -> TokenStream {
        let (p, access) = (self.p, &self.access);
        quote!(<#set as #p::StateSet>::Handle<'__a, #p::access::Stored<#access>, #p::NoMoreState>)
    }

    pub(crate) fn field(&mut self, name: &str, ty: TokenStream, value: TokenStream) {
        self.fields.push((format_ident!("{}", name), ty, value));
    }

    /// The address `sequencer`: what is declared, and what the capabilities look for there.
    pub(crate) fn sequencer(&mut self, reads: Option<&Reads>, cells: &TokenStream) {
        match reads {
            Some(reads) if reads.optional => {
                let set = self.states.set(self.p, &reads.types);
                self.reads("sequencer", reads, &set, cells);
            }
            Some(reads) => {
                let set = self.with_used(&reads.types, "Sequencer");
                self.reads("sequencer", reads, &set, cells);
            }
            None if self.uses => {
                let set = self.with_used(&[], "Sequencer");
                self.field("sequencer", self.local(&set, false), quote!(__used.sequencer));
            }
            None => {}
        }
    }

    /// What only the capabilities bring: their states of the request, session, …
    fn given(&mut self, declared: &[&str]) {
        for (word, variant) in LASTING {
            if !declared.contains(&word) {
                let set = self.with_used(&[], variant);
                let ty =
                    if word == "request" { self.local(&set, false) } else { self.stored(&set) };
                let name = format_ident!("{}", word);
                self.field(word, ty, quote!(__used.#name));
            }
        }
    }

    /// A state of the request, session, … over what was loaded for capabilities.
    pub(crate) fn over_bags(&mut self, word: &str, set: &TokenStream) {
        let access = &self.access;
        let ty = if word == "request" { self.local(set, false) } else { self.stored(set) };
        let method = format_ident!("{}", word);
        self.field(word, ty, quote!(__given.#method::<#set, #access>()?));
    }

    /// `targets`: a struct with a field for each.
    pub(crate) fn targets(
        &mut self,
        items: &mut Vec<TokenStream>,
        base: &str,
        vis: &syn::Visibility,
        targets: &[(Ident, Reads)],
    ) {
        let (p, access) = (self.p, &self.access);
        let used = quote!(<__Uses as #p::Uses>::Targets<'__a, #access>);
        let get = quote!(__used.targets);
        if targets.is_empty() {
            if self.uses {
                self.field("targets", used, get);
            }
            return;
        }
        let inner = format_ident!("Targets_{}", base);
        let mut parts = Parts::new(p, self.states.clone(), false);
        parts.access = access.clone();
        parts.at_once = self.at_once;
        for (name, reads) in targets {
            let (text, set) = (name.unraw().to_string(), parts.states.set(p, &reads.types));
            parts.reads_as("target", name, reads, &set, &quote!(#text));
        }
        let private = syn::Visibility::Inherited;
        let vis = if self.uses {
            let rest = format_ident!("{}", REST);
            items.push(deref(p, &inner, &used, &quote!(self.#rest)));
            parts.fields.push((rest, used, get));
            // what a struct derefs to is as visible as the struct, which a capability need not be
            &private
        } else {
            vis
        };
        items.push(parts.structure(vis, &inner));
        let value = parts.value(&inner);
        self.field("targets", quote!(#inner<'__a>), value);
    }

    pub(crate) fn reads(
        &mut self,
        word: &str,
        reads: &Reads,
        set: &TokenStream,
        arg: &TokenStream,
    ) {
        self.reads_as(word, &format_ident!("{}", word), reads, set, arg);
    }

    fn reads_as(
        &mut self,
        word: &str,
        name: &Ident,
        reads: &Reads,
        set: &TokenStream,
        arg: &TokenStream,
    ) {
        let access = &self.access;
        // no method is named as an address is, or one that is not declared would be taken for a call
        let method =
            format_ident!("{}_{}", word, if reads.optional { "or_none" } else { "or_fail" });
        let value = quote!(__base.#method::<#set, #access>(#arg));
        let value = if reads.optional { value } else { self.asks(value) };
        self.fields.push((name.clone(), self.local(set, reads.optional), value));
    }

    pub(crate) fn structure(&self, vis: &syn::Visibility, ident: &Ident) -> TokenStream {
        let fields = self.fields.iter().map(|(name, ty, _)| {
            let vis = (name != REST).then(|| quote!(pub));
            quote!(#vis #name: #ty)
        });
        quote!(#vis struct #ident<'__a> { #(#fields),* })
    }

    pub(crate) fn value(&self, ident: &Ident) -> TokenStream {
        let fields = self.fields.iter().map(|(name, _, value)| quote!(#name: #value));
        quote!(#ident { #(#fields),* })
    }
}

/// The places of states that outlive a block.
pub(crate) const LASTING: [(&str, &str); 4] =
    [("request", "Request"), ("session", "Session"), ("user", "User"), ("org", "Org")];
