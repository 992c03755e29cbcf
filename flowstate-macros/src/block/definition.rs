//! What a block says of itself, `HEAD`, and of all that it runs, `DEF`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::Type;
use syn::ext::IdentExt as _;

use super::attrs::Attrs;
use super::contracts;
use super::generator;
use super::locals;
use super::model::{Block, Kind};
use super::uses;
use super::written;
use super::written::Child;
use crate::cx::{Cx, ends};
use crate::text::written as text;

pub(super) fn head(cx: &Cx, block: &Block, attrs: &Attrs, waits: bool) -> TokenStream {
    let p = cx.private();
    let (name, ident) = (&block.name, block.ident().unraw().to_string());
    let kind = format_ident!("{}", crate::text::camel(block.kind.word()));
    let description = block.description.clone().unwrap_or_else(|| attrs.description());
    let states = block.states();
    let state = |ty: &Type| states.def(cx, ty);
    let holds = block.state.iter().map(|ty| {
        let state = state(ty);
        quote!(#p::Held { state: #state, capability: #p::Option::None })
    });
    let parent = block.parent.as_ref().map(|reads| states.reads(cx, reads));
    let sequencer = block.sequencer.as_ref().map(|reads| states.reads(cx, reads));
    let targets = states.targets(cx, &block.targets);
    let lasting = block.lasting.iter().flat_map(|lasting| {
        let reach = format_ident!("{}", lasting.variant);
        let p = p.clone();
        let each = lasting.types.iter().map(state).collect::<Vec<_>>();
        each.into_iter().map(move |state| {
            quote!(#p::Lasting::new(#p::Reach::#reach, #state, #name, #p::Option::None))
        })
    });
    let config = block.flow_config.iter().map(|ty| {
        let (span, _) = ends(ty);
        let q = cx.private_at(span);
        let state = quote_spanned!(span=> <#ty as #q::FlowConfig>::DEF);
        quote!(#p::Lasting::new(#p::Reach::Flow, #state, #name, #p::Option::None))
    });
    let lasting = lasting.chain(config).chain(contracts::lasting(cx, block));
    let needs = block.needs.iter().map(|(_, ty)| {
        let text = text(ty);
        quote!(#p::Need { name: #text, id: #p::TypeId::of::<#ty>() })
    });
    let visibility = block.visibility.map(|[client, history]| quote!(.visible(#client, #history)));
    let transient = block.transient.then(|| quote!(.transient()));
    let uses = uses::defs(cx, &block.uses);
    let waits = waits.then(|| quote!(.waits()));
    let models = generator::models_of(cx, block);
    let contracts = contracts::defs(cx, block);
    let more = quote!(#visibility #transient #uses #waits #models #contracts);
    quote! {
        &#p::head(
            #name,
            #p::concat!(
                #p::module_path!(), "::", #ident, "@", #p::file!(), ":", #p::line!(), ":", #p::column!()
            ),
            #p::Kind::#kind,
            #description,
            &[#(#holds),*],
            &[#parent],
            &[#sequencer],
            &[#targets],
            &[#(#lasting),*],
            &[#(#needs),*],
        ) #more
    }
}

/// `DEF` of a handler, where that is not just its head: what it reaches for is written down, for each constant
/// that works it out takes the compiler time.
fn leaf(p: &TokenStream, block: &Block) -> TokenStream {
    let required = block.sequencer.iter().filter(|reads| !reads.optional);
    let near = 0..required.map(|reads| reads.types.len()).sum::<usize>();
    let far = 0..block.targets.iter().map(|(_, reads)| reads.types.len()).sum::<usize>();
    if near.is_empty() && far.is_empty() {
        return TokenStream::new();
    }
    quote! {
        const DEF: &'static #p::BlockDef = &#p::BlockDef::reaching(
            Self::HEAD,
            &[
                #(#p::Unmet::near(Self::HEAD, #near),)*
                #(#p::Unmet::far(Self::HEAD, #far),)*
            ],
        );
    }
}

/// `DEF`, where the block runs others or reaches beyond its parent.
pub(super) fn definition(cx: &Cx, block: &Block, children: &[Child]) -> TokenStream {
    let p = cx.private();
    let me = block.ident();
    if block.kind == Kind::Handler && block.uses.is_empty() {
        return leaf(&p, block);
    }
    if block.kind == Kind::Handler {
        // fewer constants than below
        let head = quote!(<#me as #p::Block>::HEAD);
        return quote! {
            const DEF: &'static #p::BlockDef = &#p::BlockDef::tree(
                #head,
                &[],
                &#p::check::unmet::<{ #p::check::unmet_len(#head, &[]) }>(#head, &[]),
                &#p::check::lasting::<{ #p::check::lasting_len(#head, &[]) }>(#head, &[]),
            );
        };
    }
    let all = children;
    let children = children.iter().enumerate().map(|(i, child)| {
        let expr = locals::without(block, &child.expr);
        let (cfg, def) = (&child.cfg, written::def(cx, &block.config, i, &expr));
        quote!(#cfg #def)
    });
    if block.kind == Kind::Generator && !block.uses.is_empty() {
        return generator::definition(cx, block, all, &quote!(#(#children),*));
    }
    quote! {
        const DEF: &'static #p::BlockDef = {
            const HEAD: &'static #p::Head = <#me as #p::Block>::HEAD;
            #[allow(unreachable_code, unused_variables, clippy::diverging_sub_expression)]
            const CHILDREN: &'static [&'static #p::BlockDef] = &[#(#children),*];
            const UNMET: [#p::Unmet; #p::check::unmet_len(HEAD, CHILDREN)] =
                #p::check::unmet(HEAD, CHILDREN);
            const LASTING: [#p::Lasting; #p::check::lasting_len(HEAD, CHILDREN)] =
                #p::check::lasting(HEAD, CHILDREN);
            // in a static: a constant's value is compared whole, and shared trees would be unfolded
            static DEF: #p::BlockDef = #p::BlockDef::tree(HEAD, CHILDREN, &UNMET, &LASTING);
            &DEF
        };
    }
}
