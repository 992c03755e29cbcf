//! What a capability brings to generators: tools, which of them a step has, context, a model.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, ExprLit, Lit, LitStr, Path};

use super::api_ident;
use super::model::Capability;
use crate::block::generator as tool;
use crate::block::{Child, Config, NamedBlock, aliases, def, enum_ident, locals, named, quiet};
use crate::cfg::Cfg;
use crate::cx::{Cx, check, ends, here, respan};
use crate::text::plain_expr;

/// The model that a generator asks where it says none.
pub(super) enum Model {
    Names(Vec<LitStr>),
    /// What this function says.
    Chosen(Path),
}

pub(super) fn read_model(cx: &Cx, key: &Ident, value: Expr) -> Option<Model> {
    const FORM: &str = "`model` is written `model = \"intent/chat\"` or `model = [\"provider/model\", \"other/model\"]`, or \
                        with a function that takes `ctx: &Ctx`, `model = Self::model`";
    let at = value.clone();
    let text = |expr| match plain_expr(expr) {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        _ => None,
    };
    let names = match plain_expr(value) {
        Expr::Path(path) if path.qself.is_none() => return Some(Model::Chosen(path.path)),
        Expr::Array(list) => list.elems.into_iter().map(text).collect::<Option<Vec<_>>>(),
        other => text(other).map(|name| vec![name]),
    };
    match names {
        Some(names) => Some(Model::Names(tool::models(cx, key, names))),
        None => {
            cx.error(at, FORM);
            None
        }
    }
}

pub(super) fn read_context(cx: &Cx, given: Vec<(Ident, Expr)>) -> Vec<(Ident, Path)> {
    let mut all: Vec<(Ident, Path)> = Vec::new();
    for (tag, value) in given {
        if all.iter().any(|(other, _)| *other == tag) {
            cx.error(&tag, format!("there are two tags named `{tag}`"));
        } else if let Expr::Path(function) = plain_expr(value.clone()) {
            all.push((tag, function.path));
        } else {
            cx.error(value, "a tag is what a function says that takes `ctx: &Ctx`: `context(skills = Self::skills)`");
        }
    }
    all
}

/// The tools of both lists, and where those for control begin; what is wrong with one is said.
pub(super) fn read_tools(
    cx: &Cx,
    tools: Vec<Expr>,
    control: Vec<Expr>,
) -> (Vec<NamedBlock>, usize) {
    let of = |list, form: &str| named::named_blocks(cx, list, "Tool", form);
    let mut all = of(tools, "tools = [a, name = b]");
    let first = all.len();
    for tool in of(control, "control_tools = [a, name = b]") {
        if named::unlike(cx, &all[..first], &tool, "Tool") {
            all.push(tool);
        }
    }
    (all, first)
}

/// The tools, and the blocks that they are made of.
pub(super) struct Tools<'a> {
    cap: &'a Capability,
    children: Vec<Child>,
}

impl<'a> Tools<'a> {
    /// Says what is wrong with them.
    pub(super) fn of(cx: &Cx, cap: &'a Capability) -> Self {
        Self { cap, children: named::children(cx, &cap.item.ident, &cap.tools) }
    }

    /// The enum of them.
    pub(super) fn declaration(&self, cx: &Cx) -> TokenStream {
        let (me, vis, cfg) = (&self.cap.item.ident, &self.cap.item.vis, self.cfg());
        if self.cap.tools.is_empty() {
            return TokenStream::new();
        }
        let (ident, name, quiet) = (enum_ident(me, "Tool"), me.unraw(), quiet());
        let about = format!("The tools of [`{name}`], for its `offered` and for `Prompt::tools`.");
        let declared = named::enumeration(cx, &self.cap.tools, &ident, vis, &about, "Calls");
        let names = tool::names(cx, &self.cap.tools, &ident, Some(me));
        quote! {
            #cfg
            #declared
            #cfg
            #quiet
            #names
        }
    }

    /// The checks of names, of tools and of tags.
    pub(super) fn checks(&self, cx: &Cx) -> TokenStream {
        let (p, me, cfg) = (cx.private(), &self.cap.item.ident, self.cfg());
        let tags = self.cap.context.iter().map(|(tag, _)| {
            let text = tag.unraw().to_string();
            let check = check(tag, quote!(#p::tag_name), &quote!(#text));
            quote!(#cfg #check)
        });
        let checks =
            self.cap.tools.iter().skip(1).filter(|tool| !tool::renamed(tool)).map(|tool| {
                let NamedBlock { name, cfg: own, expr, .. } = tool;
                let arguments = quote!(<#me as #p::Brings>::TOOLS, #name);
                let check = check(expr, quote!(#p::check::capability_tool), &arguments);
                quote!(#cfg #own #check)
            });
        quote!(#(#tags)* #(#checks)*)
    }

    fn cfg(&self) -> Cfg {
        Cfg::of(&self.cap.item.attrs)
    }

    /// `impl Brings`.
    pub(super) fn implementation(&self, cx: &Cx) -> TokenStream {
        let (p, me, quiet) = (cx.private(), &self.cap.item.ident, quiet());
        let (tools, asked) = (self.tools(cx), asked(cx, self.cap));
        let names = aliases(cx, &self.children, &[]);
        quote! {
            #names
            #quiet
            #[automatically_derived]
            impl #p::Brings for #me {
                #tools
                #asked
            }
        }
    }

    /// The configuration, where a tool is made of it: as an argument, and the statement that gives it. Its name is the one that
    /// stands there.
    fn config(&self, cx: &Cx, expr: &Expr) -> Option<(Config, TokenStream)> {
        self.cap.config.as_ref()?;
        let (p, me) = (cx.private(), &self.cap.item.ident);
        let name = word(expr.to_token_stream(), "config")?;
        let ty = syn::parse_quote!(&'static <#me as #p::Capability>::Config);
        let given = quote!(let #name = __config;);
        Some((Config { name, ty, borrowed: false }, given))
    }

    fn tools(&self, cx: &Cx) -> TokenStream {
        if self.cap.tools.is_empty() {
            return TokenStream::new();
        }
        let (p, me) = (cx.private(), &self.cap.item.ident);
        let each = self.cap.tools.iter().enumerate().map(|(i, tool)| {
            let NamedBlock { name, expr, cfg, .. } = tool;
            // (in a constant there is none)
            let shown = locals::without_names(expr, &["config".to_owned()]);
            let config = self.config(cx, expr).map(|(config, _)| config);
            let def = def(cx, config.as_slice(), named::child_of(&self.children, expr), &shown);
            let given = tool::given_name(cx, tool);
            let plain = matches!(expr, Expr::Path(_)).then(|| quote!(.plain()));
            let control = (i >= self.cap.control).then(|| quote!(.control()));
            let of = quote!(<#me as #p::Capability>::DEF);
            quote!(#cfg #p::CapabilityTool::new(#of, #name, #given, #def) #control #plain)
        });
        let made = tool::boxed(cx, &self.cap.tools, &self.children);
        let arms = self.cap.tools.iter().zip(made).map(|(tool, made)| {
            let NamedBlock { name, cfg, .. } = tool;
            let config = self.config(cx, &tool.expr).map(|(_, given)| given);
            quote!(#cfg #name => { #config #p::Option::Some(#made) })
        });
        quote! {
            #[allow(unreachable_code, unused_variables, clippy::diverging_sub_expression)]
            const TOOLS: &'static [#p::CapabilityTool] = &[#(#each),*];

            fn tool(
                __key: &#p::str,
                __config: &'static Self::Config,
            ) -> #p::Option<#p::Box<dyn #p::DeclaredTool>> {
                match __key {
                    #(#arms)*
                    _ => #p::Option::None,
                }
            }
        }
    }
}

/// The first of such words.
pub(super) fn word(tokens: TokenStream, text: &str) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(word) if word == text => Some(word),
        TokenTree::Group(group) => word(group.stream(), text),
        _ => None,
    })
}

/// The function that asks the functions of the capability.
fn asked(cx: &Cx, cap: &Capability) -> TokenStream {
    let (p, me, api) = (cx.private(), &cap.item.ident, api_ident(&cap.item.ident));
    let mut all = Vec::new();
    for (tag, function) in &cap.context {
        let tag = tag.unraw().to_string();
        all.push(said(cx, function, &quote!(tag), &quote!(#tag,)));
    }
    if let Some(function) = &cap.offered {
        let tool = enum_ident(me, "Tool");
        let id = quote!(<#me as #p::Capability>::DEF.id,);
        all.push(said(cx, function, &quote!(offer::<#tool>), &id));
    }
    match &cap.model {
        Some(Model::Chosen(function)) => {
            all.push(said(cx, function, &quote!(model), &TokenStream::new()));
        }
        Some(Model::Names(names)) => {
            all.push(quote!(#(__step.model(#names)?;)*));
        }
        None => {}
    }
    if all.is_empty() {
        return TokenStream::new();
    }
    let mut functions = cap.context.iter().map(|(_, path)| path).chain(&cap.offered);
    let asking = quote!({
        #[allow(unused_imports)]
        use #p::SaidOtherwise as _;
        let __ctx = #api { __given, __config }.__ctx();
        #(#all)*
        #p::Result::Ok(())
    });
    // where a future that is not `Send` is explained
    let at = functions.next().map_or_else(Span::call_site, |path| here(ends(path).0));
    let pr = cx.private_at(at);
    let asking = quote_spanned!(at=> #pr::boxed(async move #asking));
    quote! {
        fn asked<'__a>(
            __given: #p::Given<'__a>,
            __config: &'static Self::Config,
            __step: &'__a mut #p::Step,
        ) -> #p::Option<#p::Asking<'__a>> {
            let __asking = #asking;
            #p::Option::Some(__asking)
        }
    }
}

/// The statement that asks a function, and takes what it says. All of it stands at its name.
fn said(cx: &Cx, function: &Path, take: &TokenStream, first: &TokenStream) -> TokenStream {
    let (start, end) = ends(function);
    let (start, end) = (here(start), here(end));
    let p = cx.private_at(start);
    let tokens = function.to_token_stream();
    let call = quote_spanned!(end=> (&__ctx));
    let settled = quote_spanned!(start=> #p::Said(#tokens #call).settled().await);
    // a `?` in the argument of a call would show the whole attribute
    let value = quote_spanned!(start=> let __value = #p::Said(#settled).value()?;);
    let take = respan(quote!(#take(#first __value)), start);
    let take = quote_spanned!(start=> __step.#take?;);
    quote!(#value #take)
}
