//! `derive(StateFields)`: a state's definition, its default, its fields as types, and its handle.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use crate::cx::Cx;
use crate::options::{self, Shape, Spec, Value};
use crate::text::{last_name, snake, written};

const FIELD: &[Spec] = &[
    Spec { name: "default", shape: Shape::Expr, on: &[] },
    Spec { name: "transient", shape: Shape::Flag, on: &[] },
    Spec { name: "validate", shape: Shape::Expr, on: &[] },
];

struct Field {
    name: Ident,
    text: String,
    ty: syn::Type,
    /// Its type as the user wrote it.
    written: syn::Type,
    vis: syn::Visibility,
    docs: Vec<syn::Attribute>,
    default: Option<syn::Expr>,
    transient: bool,
    validate: Option<syn::Expr>,
}

pub(crate) fn expand(cx: &Cx, item: TokenStream) -> TokenStream {
    let ty: syn::ItemStruct = match syn::parse2(item) {
        Ok(ty) => ty,
        Err(error) => {
            cx.push(error);
            return TokenStream::new();
        }
    };
    let mut key = None;
    for attr in ty.attrs.iter().filter(|attr| attr.path().is_ident("flowstate")) {
        let read = attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("key") {
                key = Some(meta.value()?.parse::<syn::LitStr>()?.value());
            } else {
                cx.set_crate(syn::Path::parse_mod_style(meta.value()?)?);
            }
            Ok(())
        });
        if let Err(error) = read {
            cx.push(error);
        }
    }
    let fields: Vec<Field> = ty.fields.iter().filter_map(|field| read_field(cx, field)).collect();
    let name = ty.ident.unraw().to_string();
    let key = key.unwrap_or_else(|| snake(&name));
    write(cx, &ty, &name, &key, &fields)
}

/// Says what is wrong with a field's options, where no state is made of the struct.
pub(crate) fn check_field(cx: &Cx, field: &syn::Field) {
    let _ = read_field(cx, field);
}

fn read_field(cx: &Cx, field: &syn::Field) -> Option<Field> {
    let name = field.ident.clone().unwrap_or_else(|| format_ident!("unnamed"));
    let mut out = Field {
        text: name.unraw().to_string(),
        name,
        ty: field.ty.clone(),
        written: field.ty.clone(),
        vis: field.vis.clone(),
        docs: field.attrs.iter().filter(|attr| attr.path().is_ident("doc")).cloned().collect(),
        default: None,
        transient: false,
        validate: None,
    };
    for attr in field.attrs.iter().filter(|attr| attr.path().is_ident("flowstate")) {
        if let Ok(written) = attr.parse_args_with(as_written) {
            out.written = written;
            continue;
        }
        let parse = |input: syn::parse::ParseStream<'_>| Ok(options::parse(cx, input, FIELD, ""));
        match attr.parse_args_with(parse) {
            Ok(given) => {
                for option in given {
                    match (option.name, option.value) {
                        ("default", Value::Expr(expr)) => out.default = Some(expr),
                        ("validate", Value::Expr(expr)) => out.validate = Some(expr),
                        ("transient", _) => out.transient = true,
                        _ => {}
                    }
                }
            }
            Err(error) => cx.push(error),
        }
    }
    Some(out)
}

/// What `#[state]` puts on a field whose type it replaces.
fn as_written(input: syn::parse::ParseStream<'_>) -> syn::Result<syn::Type> {
    input.step(|cursor| match cursor.ident() {
        Some((word, rest)) if word == "written" => Ok(((), rest)),
        _ => Err(cursor.error("")),
    })?;
    input.parse::<syn::Token![:]>()?;
    input.parse()
}

fn write(cx: &Cx, ty: &syn::ItemStruct, name: &str, key: &str, fields: &[Field]) -> TokenStream {
    let p = cx.private();
    let ident = &ty.ident;
    let handle = format_ident!("Handle_{}", ident);
    let values = fields.iter().map(|field| {
        let name = &field.name;
        let value = match &field.default {
            Some(expr) => quote!(#expr),
            None => {
                let (ty, span) = (&field.ty, field.ty.span());
                let initial = cx.private_at(span);
                quote_spanned!(span=> <#ty as #initial::Initial>::initial())
            }
        };
        quote!(#name: #value)
    });
    let defs = fields.iter().map(|field| {
        let (text, ty, transient) = (&field.text, written(&field.written), field.transient);
        quote!(#p::FieldDef::new(#text, #ty, #transient))
    });
    let same = fields.iter().map(|field| {
        let (name, same) = (&field.name, compared(&p, field));
        quote!({ let (__a, __b) = (&self.#name, &__other.#name); #same })
    });
    let lost = fields.iter().filter(|field| !field.transient).map(|field| {
        let (name, text) = (&field.name, &field.text);
        quote! {
            if !(&#p::Compared(&self.#name, &__read.#name)).equal(false) {
                return #p::Option::Some(#text);
            }
        }
    });
    let checked: Vec<_> = fields.iter().filter(|field| field.validate.is_some()).collect();
    let validate = (!checked.is_empty()).then(|| {
        let markers = checked.iter().map(|field| marker(field));
        let names = checked.iter().map(|field| &field.name);
        quote! {
            fn validate(&self) -> #p::StdResult<(), #p::StateError> {
                #(#p::check_field::<#markers>(&self.#names)?;)*
                #p::StdResult::Ok(())
            }
        }
    });
    let members = fields.iter().map(|field| member(&p, ty, field));
    let vis = &ty.vis;
    let all = fields.iter().map(marker);
    let kinds: Vec<_> = fields.iter().map(field_type).collect();
    let slots = fields.iter().zip(&kinds).map(|(field, kind)| {
        let (name, vis, marker, docs) = (&field.name, &field.vis, marker(field), &field.docs);
        quote!(#(#docs)* #vis #name: #p::#kind<'__a, __A, #marker>)
    });
    let made = fields.iter().zip(&kinds).map(|(field, kind)| {
        let name = &field.name;
        quote!(#name: #p::#kind::new(__at))
    });
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #p::Default for #ident {
            fn default() -> Self {
                Self { #(#values),* }
            }
        }

        #[allow(
            deprecated, missing_docs, missing_debug_implementations, missing_copy_implementations,
            non_camel_case_types, unreachable_pub, unused_qualifications, private_interfaces, dead_code,
            clippy::all, clippy::pedantic, clippy::nursery
        )]
        const _: () = {
            #(#members)*

            #vis struct #handle<'__a, __A: #p::Access, __R: '__a> {
                #(#slots,)*
                __tail: #p::Tail<'__a, __A, #ident, __R>,
            }

            #[automatically_derived]
            impl<'__a, __A: #p::Access, __R: '__a> #p::Deref for #handle<'__a, __A, __R> {
                type Target = #p::Tail<'__a, __A, #ident, __R>;
                #[inline]
                fn deref(&self) -> &Self::Target {
                    &self.__tail
                }
            }

            // (so that `if let Some(parent) = ctx.parent` leaves it where it was)
            #[automatically_derived]
            impl<'__a, __A: #p::Access, __R: #p::Copy + '__a> #p::Clone for #handle<'__a, __A, __R> {
                #[inline]
                fn clone(&self) -> Self {
                    *self
                }
            }

            #[automatically_derived]
            impl<'__a, __A: #p::Access, __R: #p::Copy + '__a> #p::Copy for #handle<'__a, __A, __R> {}

            #[automatically_derived]
            impl<'__a, __A: #p::Access, __R: '__a> #p::Debug for #handle<'__a, __A, __R> {
                fn fmt(&self, __f: &mut #p::Formatter<'_>) -> #p::fmt::Result {
                    #p::Debug::fmt(&self.__tail, __f)
                }
            }

            #[automatically_derived]
            impl #p::State for #ident {
                const DEF: &'static #p::StateDef = {
                    static DEF: #p::StateDef = #p::StateDef::new(
                        #name,
                        #p::concat!(
                            #p::module_path!(), "::", #name, "@",
                            #p::file!(), ":", #p::line!(), ":", #p::column!()
                        ),
                        #key,
                        &[#(#defs),*],
                    )
                    .contract(#p::contract_of::<#ident>());
                    &DEF
                };
                const RULES: #p::Option<&'static #p::Rules<Self>> = {
                    #[allow(unused_imports)]
                    use #p::NoRules as _;
                    #p::Probe::<#ident>::RULES
                };
                type Handle<'__a, __A: #p::Access, __R: '__a> = #handle<'__a, __A, __R>;

                #[inline]
                fn handle<'__a, __A: #p::Access, __R: '__a>(
                    __tail: #p::Tail<'__a, __A, Self, __R>,
                ) -> #handle<'__a, __A, __R> {
                    let __at = __tail.at();
                    #handle { #(#made,)* __tail }
                }

                fn same(&self, __other: &Self) -> bool {
                    true #(&& #same)*
                }

                fn changes(
                    before: &Self,
                    after: &Self,
                    delta: &mut #p::Map<#p::String, #p::Value>,
                ) {
                    #(#p::changed_field::<#all>(before, after, delta);)*
                }

                fn lost(&self, __read: &Self) -> #p::Option<&'static #p::str> {
                    #[allow(unused_imports)]
                    use #p::{ByEquality as _, BySerde as _};
                    #(#lost)*
                    #p::Option::None
                }

                #validate
            }
        };
    }
}

/// Whether `__a` and `__b` are the same value of the field: by its own equality, too, where it has one.
fn compared(p: &TokenStream, field: &Field) -> TokenStream {
    if unordered(field) {
        return quote!(#p::same_set(__a, __b));
    }
    quote!({
        #[allow(unused_imports)]
        use #p::{ByEquality as _, BySerde as _};
        (&#p::Compared(__a, __b)).equal(true)
    })
}

/// The field as a type.
fn marker(field: &Field) -> Ident {
    format_ident!("__{}", field.text)
}

/// Who sees the field as a type: whoever sees both the state and the field, as its associated types demand.
fn marker_vis<'v>(state: &'v syn::Visibility, field: &'v syn::Visibility) -> &'v syn::Visibility {
    use syn::Visibility::{Inherited, Public, Restricted};
    match (state, field) {
        (Public(_), other) | (other, Public(_)) => other,
        (Inherited, _) | (_, Inherited) => &Inherited,
        (_, Restricted(wide)) if wide.path.is_ident("crate") => state,
        _ => field,
    }
}

fn member(p: &TokenStream, ty: &syn::ItemStruct, field: &Field) -> TokenStream {
    let (state, vis) = (&ty.ident, marker_vis(&ty.vis, &field.vis));
    let (marker, name, text, ty) = (marker(field), &field.name, &field.text, &field.ty);
    let span = ty.span();
    let validate = field.validate.as_ref().map(|validate| {
        // a closure's argument has its type from here; a function may take what the field derefs to
        let check = match validate {
            syn::Expr::Closure(closure) => quote!(#closure),
            other => quote_spanned!(other.span()=> |__value| (#other)(__value)),
        };
        quote! {
            const VALIDATE: #p::Option<fn(&Self::Value) -> #p::StdResult<(), #p::String>> =
                #p::Option::Some(#check);
        }
    });
    let compare = compared(p, field);
    let same = quote! {
        fn same(__a: &Self::Value, __b: &Self::Value) -> bool {
            #compare
        }
    };
    let value = quote_spanned!(span=> #ty);
    let transient = field.transient.then(|| {
        quote!(
            const TRANSIENT: bool = true;
        )
    });
    quote! {
        #vis enum #marker {}

        #[automatically_derived]
        impl #p::Member for #marker {
            type State = #state;
            type Value = #value;
            const NAME: &'static str = #text;
            #[inline]
            fn get(__state: &#state) -> &Self::Value {
                &__state.#name
            }
            #[inline]
            fn get_mut(__state: &mut #state) -> &mut Self::Value {
                &mut __state.#name
            }
            #same
            #transient
            #validate
        }
    }
}

/// Whether two equal values may serialise differently.
fn unordered(field: &Field) -> bool {
    last_name(&field.written).as_deref() == Some("HashSet")
}

/// A set's `insert` takes one argument, and a method cannot take one or two: the type's name decides.
fn field_type(field: &Field) -> Ident {
    let set =
        matches!(last_name(&field.written).as_deref(), Some("BTreeSet" | "HashSet" | "IndexSet"));
    format_ident!("{}", if set { "SetField" } else { "Field" })
}
