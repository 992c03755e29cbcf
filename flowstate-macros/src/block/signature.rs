//! The block's signature: what it takes, what it returns, how it wants its context.

use syn::{FnArg, ReturnType, Type};

use super::generator;
use super::model::{Block, CtxForm, Kind};
use super::router;
use crate::cx::Cx;
use crate::text::{last_name, plain};

pub(super) fn read_signature(cx: &Cx, block: &mut Block) {
    let sig = block.function.sig.clone();
    if !sig.generics.params.is_empty() {
        cx.error(
            &sig.generics,
            "a block cannot be generic: its input and output are what callers see",
        );
    } else if let Some(clause) = &sig.generics.where_clause {
        cx.error(clause, "a block cannot be generic: its input and output are what callers see");
    }
    if let Some(word) = &sig.unsafety {
        cx.error(word, "a block cannot be `unsafe`");
    }
    if let Some(word) = &sig.constness {
        cx.error(word, "a block cannot be `const`");
    }
    if let Some(word) = &sig.abi {
        cx.error(word, "a block cannot be `extern`");
    }
    let mut args = sig.inputs.iter();
    match args.next() {
        None => cx.error(
            &sig.ident,
            "a block takes its input as its first argument; `_: ()` where it needs none",
        ),
        Some(FnArg::Receiver(_)) => return,
        Some(FnArg::Typed(arg)) if is_ctx(&arg.ty).is_some() => {
            let (first, second) =
                ("a block takes its input first, and then its context", args.next());
            match second {
                None => cx.error(arg, format!("{first}; `_: ()` where it needs no input")),
                Some(_) => cx.error(arg, first),
            }
            return;
        }
        Some(FnArg::Typed(arg)) => read_input(cx, block, &arg.ty),
    }
    let second = args.next();
    let more = "a block takes its input and its context, and nothing else: \
                several values are one tuple, or one struct with `#[data]`";
    match (second, args.next()) {
        (Some(FnArg::Typed(arg)), more_args) => match (is_ctx(&arg.ty), more_args) {
            (Some(form), None) => block.ctx = form,
            (None, None) => cx.error(
                &arg.ty,
                "the second argument of a block is its context, written `ctx: Ctx`",
            ),
            (Some(_), Some(third)) => cx.error(third, more),
            (None, Some(_)) => cx.error(arg, more),
        },
        (None | Some(FnArg::Receiver(_)), _) => {}
    }
    match (&sig.output, block.kind) {
        (output, Kind::Router) => router::check_output(cx, block, output),
        (output, Kind::Generator) => generator::check_output(cx, block, output),
        (ReturnType::Default, Kind::Chain) => {
            cx.error(&sig.ident, "a sequencer says what it returns: `fn …(input: …) -> …`");
        }
        (ReturnType::Default, _) => {
            cx.error(
                &sig.ident,
                "a block returns `Result<…>`; `Result<()>` where it gives nothing",
            );
        }
        (ReturnType::Type(_, ty), Kind::Chain) if last_name(ty).as_deref() == Some("Result") => {
            cx.error(ty, "a chain's return type is the value alone, without `Result`: each step may fail anyway");
        }
        (ReturnType::Type(_, ty), _) => {
            if let Some(unnamed) = unnamed(ty) {
                let text = "a block's output is one type, and has a name: it cannot be `impl …`";
                cx.error(unnamed, text);
            }
        }
    }
    match block.kind {
        Kind::Chain if block.ctx != CtxForm::None => {
            cx.error(
                sig.inputs.iter().nth(1),
                "a chain takes its input alone: the functions in it take `|value, ctx|`",
            );
        }
        Kind::Written if block.ctx == CtxForm::None && sig.inputs.len() == 1 => {
            cx.error(
                &sig.ident,
                "an async sequencer runs its steps through its context: add the argument `ctx: Ctx`",
            );
        }
        _ => {}
    }
    if block.kind == Kind::Chain && block.borrowed {
        cx.error(sig.inputs.first(), "a chain takes its input by value");
    }
}

fn read_input(cx: &Cx, block: &mut Block, ty: &Type) {
    if let Some(unnamed) = unnamed(ty) {
        let text = "a block's input is one type, and has a name: it cannot be `impl …`";
        return cx.error(unnamed, text);
    }
    match plain(ty) {
        Type::Reference(reference) if reference.mutability.is_some() => {
            cx.error(
                ty,
                "a block takes its input by value or by `&`: nothing would see the change",
            );
        }
        Type::Reference(syn::TypeReference { lifetime: Some(long), .. })
            if long.ident == "static" =>
        {
            cx.error(long, "a block's input lives for the call: write `&str` for `&'static str`, or take it by value");
        }
        Type::Reference(reference) => {
            let elem = &*reference.elem;
            block.input = Some(elem.clone());
            block.borrowed = true;
        }
        Type::Infer(_) => cx.error(ty, "a block says what it takes"),
        other => block.input = Some(other.clone()),
    }
}

/// An `impl …` in a type.
fn unnamed(ty: &Type) -> Option<&syn::TypeImplTrait> {
    struct Find<'a>(Option<&'a syn::TypeImplTrait>);
    impl<'a> syn::visit::Visit<'a> for Find<'a> {
        fn visit_type_impl_trait(&mut self, found: &'a syn::TypeImplTrait) {
            self.0.get_or_insert(found);
        }
    }
    let mut find = Find(None);
    syn::visit::Visit::visit_type(&mut find, ty);
    find.0
}

/// Whether a type is literally `Ctx` or `&Ctx`.
fn is_ctx(ty: &Type) -> Option<CtxForm> {
    match plain(ty) {
        Type::Reference(reference) => {
            (is_ctx(&reference.elem)? == CtxForm::Owned).then_some(CtxForm::Borrowed)
        }
        Type::Path(path) if path.qself.is_none() => {
            let last = path.path.segments.last()?;
            (last.ident == "Ctx").then_some(CtxForm::Owned)
        }
        _ => None,
    }
}
