//! What a block's generated documentation says: its input, its output, and what it holds and reads.

use syn::{GenericArgument, PathArguments, Type};

use super::model::{Block, Kind};
use crate::options::Reads;
use crate::text::{plain, written};

pub(crate) fn docs(block: &Block) -> String {
    let gives = match block.kind {
        Kind::Router => super::router::docs(block),
        _ => format!("gives `{}`", written(&output(block))),
    };
    let mut lines = vec![format!("A {}: takes `{}`, {gives}.", block.kind.word(), input(block))];
    let all = |types: &[Type]| {
        types.iter().map(|ty| format!("`{}`", written(ty))).collect::<Vec<_>>().join(", ")
    };
    if !block.state.is_empty() {
        lines.push(format!("Holds {}.", all(&block.state)));
    }
    let reads = |what: &str, reads: &Reads| {
        let maybe = if reads.optional { ", if it is there" } else { "" };
        format!("Reads {} from {what}{maybe}.", all(&reads.types))
    };
    lines.extend(block.parent.as_ref().map(|found| reads("its parent", found)));
    lines.extend(block.sequencer.as_ref().map(|found| reads("its sequencer", found)));
    for (name, found) in &block.targets {
        lines.push(reads(&format!("its ancestor `{name}`"), found));
    }
    if let Some(ty) = &block.flow_config {
        lines.push(format!("Reads the configuration `{}` of its flow.", written(ty)));
    }
    for lasting in &block.lasting {
        lines.push(format!("Uses {} of the {}.", all(&lasting.types), lasting.word));
    }
    lines.extend(super::contracts::docs(block));
    if !block.needs.is_empty() {
        let types: Vec<_> = block.needs.iter().map(|(_, ty)| ty.clone()).collect();
        lines.push(format!("Needs {}.", all(&types)));
    }
    if !block.models.is_empty() {
        let models = block.models.iter().map(|name| format!("`{}`", name.value()));
        lines.push(format!("Asks {}.", models.collect::<Vec<_>>().join(" or ")));
    }
    if !block.tools.is_empty() {
        let tools = block.tools.iter().map(|tool| format!("`{}`", tool.shown()));
        lines.push(format!("Its tools are {}.", tools.collect::<Vec<_>>().join(", ")));
    }
    if !block.uses.is_empty() {
        let uses = block.uses.iter().map(|used| format!("`{}`", written(&used.tokens)));
        lines.push(format!("With {}.", uses.collect::<Vec<_>>().join(", ")));
    }
    lines.join("\n")
}

/// The input's type, as it stands in the signature.
pub(crate) fn input(block: &Block) -> String {
    let sign = if block.borrowed { "&" } else { "" };
    block.input.as_ref().map_or_else(|| "?".into(), |ty| format!("{sign}{}", written(ty)))
}

/// The value's type, as far as the signature shows it.
pub(crate) fn output(block: &Block) -> Type {
    let returned = returned(block);
    if block.kind == Kind::Generator { super::generator::output(&returned) } else { returned }
}

/// What the function returns, without the `Result`.
pub(crate) fn returned(block: &Block) -> Type {
    let ty = block.returns();
    if block.kind != Kind::Chain
        && let Type::Path(path) = plain(&ty)
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(args) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = args.args.first()
    {
        return inner.clone();
    }
    ty
}
