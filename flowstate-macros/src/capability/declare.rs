//! What the struct of a capability becomes: its definition, its context, and what `ctx.cap.<name>` is.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ItemStruct;
use syn::ext::IdentExt as _;

use super::api_ident;
use super::brings::{self, Model, Tools};
use super::model::{Capability, model};
use crate::block::{CtxParts, LASTING, REST, deref, quiet, uses};
use crate::cfg::Cfg;
use crate::cx::{Cx, check, ends, here, only, respan};
use crate::text::written;

pub(super) fn expand(cx: &Cx, args: TokenStream, item: ItemStruct) -> TokenStream {
    let cap = model(cx, args, item);
    let p = cx.private();
    let (item, ident, vis) = (&cap.item, &cap.item.ident, &cap.item.vis);
    let cfg = Cfg::of(&item.attrs);
    let api = api_ident(ident);
    let (name, field) = (ident.unraw().to_string(), cap.field.unraw().to_string());
    let about = format!("The functions of the capability [`{name}`]: what `ctx.cap.{field}` is.");
    let tools = Tools::of(cx, &cap);
    let enumeration = tools.declaration(cx);
    if cx.failed() {
        let stub = stub(cx, ident, vis, &item.attrs);
        return quote!(#item #stub #enumeration);
    }
    let set_up = setup(cx, &cap);
    let (states, used) = (cap.states().aliases(cx), uses::aliases(cx, &cap.uses, vis));
    let used = if cap.uses.is_empty() {
        quote!(
            type __Uses = ();
        )
    } else {
        used
    };
    let (context, make) = context(&p, &cap);
    let implementation = implementation(cx, &cap, &make);
    let (brings, checks) = (tools.implementation(cx), tools.checks(cx));
    let debug = quote_spanned!(ident.span()=> #api);
    let word = quote_spanned!(ident.span()=> struct);
    let whole =
        check(ident, quote!(#p::check::capability), &quote!(<#ident as #p::Capability>::DEF));
    let (quiet, allow) = (quiet(), quote!(#[allow(deprecated, non_camel_case_types)]));
    quote! {
        #item

        #[doc = #about]
        #cfg
        #allow
        #[derive(#p::Clone, #p::Copy)]
        #vis #word #api<'__a> {
            __given: #p::Given<'__a>,
            __config: &'static <#ident as #p::Capability>::Config,
        }

        #cfg
        const _: () = {
            #[allow(unused_imports)]
            use #p::Otherwise as _;
            #states
            #used
            #quiet
            #context
            #set_up
            #implementation
            #brings
            #[automatically_derived]
            impl #p::Debug for #debug<'_> {
                fn fmt(&self, f: &mut #p::Formatter<'_>) -> #p::fmt::Result {
                    f.write_str(#name)
                }
            }
        };

        #cfg
        #whole
        #enumeration
        #checks
    }
}

/// A capability that cannot be one: known to all that name it, and silent. One of its errors stands for its types.
pub(super) fn stub(
    cx: &Cx,
    ident: &syn::Ident,
    vis: &syn::Visibility,
    attrs: &[syn::Attribute],
) -> TokenStream {
    let (p, api, name, quiet) =
        (cx.private(), api_ident(ident), ident.unraw().to_string(), quiet());
    let (cfg, unknown) = (Cfg::of(attrs), cx.error_type());
    let sets =
        ["State", "Request", "Session", "User", "Org", "Sequencer", "Uses", "Config", "Setup"];
    let sets = sets.map(|set| format_ident!("{}", set));
    quote! {
        #cfg
        #quiet
        #vis struct #api<'__a>(&'__a ());
        #cfg
        const _: () = {
            #[allow(non_camel_case_types)]
            type __unknown = #unknown;
            #[automatically_derived]
            impl #p::Use for #ident {
                type Capability = Self;
                const DEF: #p::UseDef = #p::UseDef::new(<Self as #p::Capability>::DEF, "", &[]);
                fn config() -> &'static __unknown { loop {} }
            }
            #quiet
            #[automatically_derived]
            impl #p::Capability for #ident {
                const DEF: &'static #p::CapabilityDef = &#p::CapabilityDef::broken(#name);
                #(type #sets = __unknown;)*
                type Targets<'__a, __W: 'static, __R: '__a> = __unknown;
                type Named<'__a, __R: '__a> = __unknown;
                fn setup() -> __unknown { loop {} }
                fn configured(_: __unknown) -> __unknown { loop {} }
                fn targets<'__a, __W: 'static, __R: '__a>(
                    _: #p::Base<'__a>, _: __R,
                ) -> #p::Result<__unknown> { loop {} }
                fn named<'__a, __R: '__a>(
                    _: #p::Given<'__a>, _: &'static __unknown, _: __R,
                ) -> __unknown { loop {} }
            }
            #[automatically_derived]
            impl #p::Brings for #ident {}
            #[automatically_derived]
            impl #p::WithCtx for #ident {
                type Ctx<'__a> = __unknown;
            }
            impl #p::Api for #api<'_> {
                type Ctx = __unknown;
            }
            #quiet
            impl #api<'_> {
                fn __ctx(&self) -> __unknown { loop {} }
            }
        };
    }
}

/// The context's items, and the statements that make it.
fn context(p: &TokenStream, cap: &Capability) -> (TokenStream, TokenStream) {
    let name = cap.item.ident.unraw().to_string();
    let ident = format_ident!("Ctx_{}", name);
    let (vis, uses) = (&cap.item.vis, !cap.uses.is_empty());
    let mut parts = CtxParts::new(p, cap.states(), uses);
    let mut items = Vec::new();
    if !cap.state.is_empty() || uses {
        let set = parts.with_used(&cap.state, "State");
        let get = quote!(__given.own::<#set, #p::access::ReadWrite>()?);
        parts.field("self_", parts.local(&set, false), get);
    }
    for (word, variant) in LASTING {
        if !cap.of(word).is_empty() || uses {
            let set = parts.with_used(cap.of(word), variant);
            parts.over_bags(word, &set);
        }
    }
    let none = quote!(#p::Option::None::<&()>);
    parts.sequencer(cap.sequencer.as_ref(), &none);
    parts.targets(&mut items, &name, vis, &cap.targets);
    if uses {
        let ty = quote!(<__Uses as #p::Uses>::Caps<'__a>);
        parts.field("cap", ty, quote!(__used.cap));
    }
    if cap.config.is_some() {
        let me = &cap.item.ident;
        let ty = quote!(&'static <#me as #p::Capability>::Config);
        parts.field("config", ty, quote!(__config));
    }
    let rest = format_ident!("{}", REST);
    parts.fields.push((rest.clone(), quote!(#p::Base<'__a>), quote!(__base)));
    items.push(parts.structure(vis, &ident));
    items.push(deref(p, &ident, &quote!(#p::Base<'__a>), &quote!(self.#rest)));
    let me = &cap.item.ident;
    items.push(quote! {
        #[automatically_derived]
        impl #p::WithCtx for #me {
            type Ctx<'__a> = #ident<'__a>;
        }
    });
    // an attribute reaches one item, so each gets it
    let quiet = quiet();
    let items = quote!(#(#quiet #items)*);
    let value = parts.value(&ident);
    let used =
        uses.then(|| quote!(let __used = __given.around::<__Uses, #p::access::ReadWrite>()?;));
    (items, quote!(let __base = __given.base(); #used #p::Result::Ok(#value)))
}

/// The configuration: what `Cap.with(…)` sets, and the presets.
fn setup(cx: &Cx, cap: &Capability) -> TokenStream {
    let p = cx.private();
    let Some(config) = &cap.config else { return TokenStream::new() };
    let written = written(config);
    let message = format!(
        "`{written}` cannot configure a capability\nhelp: it needs a default value, and is shared among threads: derive \
         `Default` for it, and name what must be given in `required = [field]`"
    );
    let config_type = only(cx, config, "CONFIGURES", &message);
    let fields = cap.required.iter().map(|name| quote!(let _ = &__config.#name;));
    let names = cap.required.iter().map(|name| name.unraw().to_string());
    // in one constant, so that whoever uses the capability is not told again of a field that is not there
    let checks = quote! {
        #[allow(unused_parens)]
        type __Config = #config_type;
        const __REQUIRED: &[&#p::str] = {
            let _: fn(&__Config) = |__config| { #(#fields)* };
            &[#(#names),*]
        };
    };
    let clashes = cap.presets.iter().map(|preset| {
        let (name, text) = (&preset.name, preset.name.unraw().to_string());
        check(name, quote!(#p::check::preset), &quote!(<#p::Probe<__Config>>::FIELDS, #text))
    });
    if cap.presets.is_empty() {
        return checks;
    }
    let (vis, setup) = (&cap.item.vis, setup_ident(cap));
    let names: Vec<_> = cap.presets.iter().map(|preset| &preset.name).collect();
    let quiet = quiet();
    quote! {
        #checks
        #(#clashes)*
        #quiet
        #vis struct #setup {
            #(pub #names: #p::TrueOrFalse,)*
            __config: __Config,
        }
        #[automatically_derived]
        impl #p::Deref for #setup {
            type Target = __Config;
            fn deref(&self) -> &__Config { &self.__config }
        }
        #[automatically_derived]
        impl #p::DerefMut for #setup {
            fn deref_mut(&mut self) -> &mut __Config { &mut self.__config }
        }
    }
}

/// What `Cap.with(…)` sets where there are presets: the name shows in errors.
fn setup_ident(cap: &Capability) -> syn::Ident {
    format_ident!("Config_of_{}", cap.item.ident.unraw())
}

fn implementation(cx: &Cx, cap: &Capability, make: &TokenStream) -> TokenStream {
    let p = cx.private();
    let (ident, states) = (&cap.item.ident, cap.states());
    let (name, field, api) = (ident.unraw().to_string(), &cap.field, api_ident(ident));
    let field_text = field.unraw().to_string();
    let holds = cap.state.iter().map(|ty| states.def(cx, ty));
    let sequencer = cap.sequencer.as_ref().map(|reads| states.reads(cx, reads));
    let targets = states.targets(cx, &cap.targets);
    let lasting = cap.lasting.iter().flat_map(|lasting| {
        let reach = format_ident!("{}", lasting.variant);
        let each: Vec<_> = lasting.types.iter().map(|ty| states.def(cx, ty)).collect();
        let p = p.clone();
        each.into_iter().map(move |state| quote!((#p::Reach::#reach, #state)))
    });
    let list = uses::list(cx, &cap.uses);
    let required = if cap.config.is_some() { quote!(__REQUIRED) } else { quote!(&[]) };
    let visible = cap.visibility.map(|[client, history]| quote!(.visible(#client, #history)));
    let transient = cap.transient.then(|| quote!(.transient()));
    let models = cap.model.as_ref().map(|model| match model {
        Model::Names(names) => quote!(.models(&[#(#names),*])),
        Model::Chosen(_) => quote!(.models(&[])),
    });
    let attempts = (cap.attempts.any() || !cap.chosen.is_empty()).then(|| {
        let (attempts, chosen) = (cap.attempts.constant(cx), chosen(&p, cap));
        quote! {
            const ATTEMPTS: #p::Option<#p::Attempts> = #p::Option::Some(#attempts);
            #chosen
        }
    });
    let sets = [("State", &cap.state[..])].into_iter();
    let sets = sets.chain(LASTING.iter().map(|(word, variant)| (*variant, cap.of(word))));
    let required_sequencer = cap.sequencer.iter().filter(|reads| !reads.optional);
    let sequencers: Vec<_> = required_sequencer.flat_map(|reads| reads.types.clone()).collect();
    let sets = sets
        .chain([("Sequencer", &sequencers[..])])
        .map(|(name, types)| assigned(name, &types.first(), &states.set(&p, types)));
    let (targets_items, targets_type, targets_value) = forwarded(&p, cap);
    let configuration = configuration(&p, cap);
    let used = assigned("Uses", &cap.uses.first().map(|used| &used.path), &quote!(__Uses));
    let make_targets = if cap.targets.is_empty() { quote!(_) } else { quote!(__base) };
    let (quiet, named) = (quiet(), format_ident!("Cap_{}", ident.unraw()));
    let def = quote! {
        const DEF: &'static #p::CapabilityDef = {
            static DEF: #p::CapabilityDef = #p::CapabilityDef::new(
                #name,
                #p::concat!(
                    #p::module_path!(), "::", #name, "@", #p::file!(), ":", #p::line!(), ":",
                    #p::column!()
                ),
                #field_text,
            ).with(
                &[#(#holds),*],
                &[#sequencer],
                &[#targets],
                &[#(#lasting),*],
                #list,
                #required,
            ) #visible #transient #models;
            &DEF
        };
    };
    // two that use each other are an error of the compiler, which shows where this stands
    let def = match cap.uses.first() {
        Some(used) => respan(def, here(ends(&used.path).0)),
        None => def,
    };
    quote! {
        #targets_items
        #quiet
        pub struct #named<'__a, __R> {
            pub #field: #api<'__a>,
            others_are_listed_in_uses: __R,
        }
        #[automatically_derived]
        impl<__R> #p::Deref for #named<'_, __R> {
            type Target = __R;
            #[inline]
            fn deref(&self) -> &__R { &self.others_are_listed_in_uses }
        }
        #[automatically_derived]
        #[allow(deprecated)]
        impl #p::Use for #ident {
            type Capability = Self;
            const DEF: #p::UseDef = #p::UseDef::new(<Self as #p::Capability>::DEF, "", &[]);
            fn config() -> &'static <Self as #p::Capability>::Config {
                static __CONFIG: #p::LazyLock<<#ident as #p::Capability>::Config> =
                    #p::LazyLock::new(|| {
                        let __setup = <#ident as #p::Capability>::setup();
                        let __setup = <#ident as #p::Capability>::presets(__setup);
                        <#ident as #p::Capability>::configured(__setup)
                    });
                &__CONFIG
            }
        }
        #quiet
        #[automatically_derived]
        impl #p::Capability for #ident {
            #def
            #attempts
            #(#sets)*
            #used
            type Targets<'__a, __W: 'static, __R: '__a> = #targets_type;
            type Named<'__a, __R: '__a> = #named<'__a, __R>;
            #configuration

            fn targets<'__a, __W: 'static, __R: '__a>(
                #make_targets: #p::Base<'__a>,
                __rest: __R,
            ) -> #p::Result<Self::Targets<'__a, __W, __R>> {
                #p::Result::Ok(#targets_value)
            }
            fn named<'__a, __R: '__a>(
                __given: #p::Given<'__a>,
                __config: &'static Self::Config,
                __rest: __R,
            ) -> #named<'__a, __R> {
                #named { #field: #api { __given, __config }, others_are_listed_in_uses: __rest }
            }
        }
        #quiet
        #[automatically_derived]
        impl<'__a> #p::Api for #api<'__a> {
            type Ctx = #p::Ctx<'__a, #ident>;
        }
        #quiet
        impl<'__a> #api<'__a> {
            /// What a function is given.
            fn __ctx(&self) -> #p::Ctx<'__a, #ident> {
                let #api { __given, __config } = *self;
                #p::made((|| { #make })())
            }
        }
    }
}

/// `type Name = …;`, at what the user wrote for it: a private type shows there.
fn assigned(name: &str, at: &Option<impl ToTokens>, ty: &TokenStream) -> TokenStream {
    let span = at.as_ref().map_or_else(Span::call_site, |at| here(ends(at).0));
    let name = syn::Ident::new(name, span);
    quote_spanned!(span=> type #name = #ty;)
}

/// How often and how long blocks are tried, as far as the configuration says it.
fn chosen(p: &TokenStream, cap: &Capability) -> TokenStream {
    if cap.chosen.is_empty() {
        return TokenStream::new();
    }
    let timeout = cap.chosen.iter().any(|(name, _)| name == "timeout");
    let retry = cap.chosen.iter().any(|(name, _)| name != "timeout");
    let each = cap.chosen.iter().map(|(name, value)| {
        let config = brings::word(value.to_token_stream(), "config");
        let name = format_ident!("{}", name);
        let value = match name == "timeout" {
            true => quote!(#p::IsTimeout::timeout(#value)),
            false => quote!(#value),
        };
        quote!(__attempts.#name = { let #config = __config; #value };)
    });
    quote! {
        const CHOSEN: [#p::bool; 2] = [#retry, #timeout];
        fn choose(__config: &'static Self::Config, __attempts: &mut #p::Attempts) {
            #(#each)*
        }
    }
}

/// The configuration's types and functions in the `impl`.
fn configuration(p: &TokenStream, cap: &Capability) -> TokenStream {
    if cap.config.is_none() {
        return quote! {
            type Config = ();
            type Setup = #p::NothingToConfigure;
            fn setup() -> #p::NothingToConfigure { #p::NothingToConfigure }
            fn configured(_: #p::NothingToConfigure) {}
        };
    }
    let new = quote!(<__Config as #p::Default>::default());
    let config = assigned("Config", &cap.config, &quote!(__Config));
    if cap.presets.is_empty() {
        let setup = assigned("Setup", &cap.config, &quote!(__Config));
        return quote! {
            #config
            #setup
            fn setup() -> __Config { #new }
            fn configured(__setup: __Config) -> __Config { __setup }
        };
    }
    let setup = setup_ident(cap);
    let switches = cap.presets.iter().map(|preset| {
        let (name, on) = (&preset.name, preset.on);
        quote!(#name: #p::TrueOrFalse(#on))
    });
    let apply = cap.presets.iter().map(|preset| {
        let (name, function) = (&preset.name, &preset.function);
        quote! {
            if __setup.#name.0 {
                let __apply: fn(&mut __Config) = #function;
                __apply(&mut __setup.__config);
            }
        }
    });
    quote! {
        #config
        type Setup = #setup;
        fn setup() -> #setup {
            #setup { #(#switches,)* __config: #new }
        }
        fn presets(mut __setup: #setup) -> #setup {
            #(#apply)*
            __setup
        }
        fn configured(__setup: #setup) -> __Config { __setup.__config }
    }
}

/// The targets, as each block that uses the capability has them: a struct, its type, and its value.
fn forwarded(p: &TokenStream, cap: &Capability) -> (TokenStream, TokenStream, TokenStream) {
    if cap.targets.is_empty() {
        return (TokenStream::new(), quote!(__R), quote!(__rest));
    }
    let states = cap.states();
    let handle = |reads: &crate::options::Reads| {
        let set = states.set(p, &reads.types);
        let handle =
            quote!(<#set as #p::StateSet>::Handle<'__a, #p::access::Local<__W>, #p::NoMoreState>);
        if reads.optional { quote!(#p::Option<#handle>) } else { handle }
    };
    let fields = cap.targets.iter().map(|(name, reads)| {
        let ty = handle(reads);
        quote!(pub #name: #ty)
    });
    let values = cap.targets.iter().map(|(name, reads)| {
        let (set, text) = (states.set(p, &reads.types), name.unraw().to_string());
        if reads.optional {
            quote!(#name: __base.target_or_none::<#set, __W>(#text))
        } else {
            quote!(#name: __base.target_or_fail::<#set, __W>(#text)?)
        }
    });
    let quiet = quiet();
    let items = quote! {
        #quiet
        pub struct __Targets<'__a, __W: 'static, __R> {
            #(#fields,)*
            __rest: __R,
        }
        #[automatically_derived]
        impl<__W: 'static, __R> #p::Deref for __Targets<'_, __W, __R> {
            type Target = __R;
            #[inline]
            fn deref(&self) -> &__R { &self.__rest }
        }
    };
    (items, quote!(__Targets<'__a, __W, __R>), quote!(__Targets { #(#values,)* __rest }))
}
