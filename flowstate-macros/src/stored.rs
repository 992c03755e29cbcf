//! The types of the fields of data: one that is not data is refused once, in our words, and silent in all that is derived.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::punctuated::Pair;
use syn::{Attribute, Fields, GenericArgument, Ident, PathArguments, Type, parse_quote};

use crate::block::is_data;
use crate::cfg::Cfg;
use crate::cx::{Cx, ends, only_here};
use crate::text::written;

/// Gives each type in the fields a name that asks whether it is data, where this is not known.
pub(crate) struct Ask<'c> {
    pub(crate) cx: &'c Cx,
    pub(crate) owner: &'c Ident,
    pub(crate) attrs: &'c [Attribute],
    /// Whether values may hold others of their type. The size of a type is that of its last field: to ask what this is
    /// would be a cycle, where an alias hides what stands between.
    pub(crate) nested: bool,
    pub(crate) names: Vec<TokenStream>,
}

impl Ask<'_> {
    pub(crate) fn fields(&mut self, fields: &mut Fields) {
        // serde may have been told to do with less than data
        let told = |attr: &Attribute| {
            let text = written(attr);
            ["from", "into", "remote", "bound"].iter().any(|option| text.contains(option))
        };
        let told = self.attrs.iter().filter(|attr| !attr.path().is_ident("doc")).any(told);
        let (Fields::Named(syn::FieldsNamed { named: all, .. })
        | Fields::Unnamed(syn::FieldsUnnamed { unnamed: all, .. })) = fields
        else {
            return;
        };
        let count = all.len();
        for (i, pair) in std::mem::take(all).into_pairs().enumerate() {
            let (field, comma) = pair.into_tuple();
            let mut asked = field.clone();
            let last = self.nested && i + 1 == count;
            if told || !is_plain(&field.attrs) || !self.ty(&mut asked.ty, &field, last) {
                all.extend([Pair::new(field, comma)]);
                continue;
            }
            let (mut shown, ty) = (field.clone(), &field.ty);
            // documentation shows the type as it was written
            shown.attrs.push(parse_quote!(#[cfg(doc)]));
            asked.attrs.push(parse_quote!(#[cfg(not(doc))]));
            if !self.nested {
                asked.attrs.push(parse_quote!(#[flowstate(written: #ty)]));
            }
            let between = Some(comma.unwrap_or_default());
            all.extend([Pair::new(shown, between), Pair::new(asked, comma)]);
        }
    }

    /// Whether something is asked of the type.
    fn ty(&mut self, ty: &mut Type, field: &syn::Field, last: bool) -> bool {
        match ty {
            _ if is_data(ty) => false,
            Type::Group(group) => self.ty(&mut group.elem, field, last),
            Type::Paren(paren) => self.ty(&mut paren.elem, field, last),
            Type::Array(array) => self.ty(&mut array.elem, field, last),
            // (each is asked, also after one that was)
            Type::Tuple(tuple) => {
                tuple.elems.iter_mut().fold(false, |some, ty| some | self.ty(ty, field, last))
            }
            Type::Path(path) if path.qself.is_none() => {
                let Some(end) = path.path.segments.last_mut() else { return false };
                let name = end.ident.to_string();
                match &mut end.arguments {
                    PathArguments::AngleBracketed(given) if is_container(&name) => {
                        let last = last && name == "Option";
                        let count = if name.ends_with("Map") { 2 } else { 1 };
                        given.args.iter_mut().take(count).fold(false, |some, given| match given {
                            GenericArgument::Type(ty) => some | self.ty(ty, field, last),
                            _ => some,
                        })
                    }
                    _ if end.ident == *self.owner || name == "Self" || name == "str" => false,
                    _ => {
                        let mut name = self.name(ty, field, last);
                        if last {
                            return false;
                        }
                        // with the place of the whole type
                        let (first, end) = ends(ty);
                        name.set_span(first);
                        let end = quote_spanned!(end=> <>);
                        *ty = parse_quote!(#name #end);
                        true
                    }
                }
            }
            _ => false,
        }
    }

    fn name(&mut self, ty: &Type, field: &syn::Field, last: bool) -> Ident {
        let owner = self.owner;
        let (whole, part) = (written(&field.ty), written(ty));
        let place = match &field.ident {
            Some(name) => format!("`{owner}.{name}` is"),
            None => format!("`{owner}` holds"),
        };
        let but = if whole == part { "which" } else { &format!("and `{part}`") };
        let text = format!(
            "{place} `{whole}`, {but} is not data\nhelp: put `#[data]` on the declaration of the type, or derive Clone, \
             Serialize, Deserialize and JsonSchema"
        );
        let only = only_here(self.cx, ty, "STORED", &text);
        let (cfg, name) = (Cfg::of(self.attrs), format_ident!("__{}_{}", owner, self.names.len()));
        let p = self.cx.private();
        let used = last
            .then(|| quote!(#cfg #[cfg(not(doc))] const _: #p::Option<#name> = #p::Option::None;));
        self.names.push(quote! {
            #cfg
            #[cfg(not(doc))]
            #[allow(non_camel_case_types, unused_parens, clippy::all)]
            type #name = #only;
            #used
        });
        name
    }
}

/// Whether they change nothing of what a field must be, or where it is.
pub(crate) fn is_plain(attrs: &[Attribute]) -> bool {
    let known = ["doc", "flowstate", "allow"];
    attrs.iter().all(|attr| known.iter().any(|name| attr.path().is_ident(name)))
}

/// Whether it is data where its arguments are.
fn is_container(name: &str) -> bool {
    const KNOWN: &[&str] =
        &["BTreeMap", "BTreeSet", "Box", "HashMap", "HashSet", "Option", "Vec", "VecDeque"];
    KNOWN.contains(&name)
}
