//! What a block is, as its options and its signature say.

use proc_macro2::{Ident, Span, TokenStream};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{LitStr, Path, ReturnType, Type, parse_quote};

use super::attempts::Attempts;
use super::caching::Caching;
use super::config::{Config, config};
use super::contracts::{Fed, View};
use super::function::Function;
use super::named::NamedBlock;
use super::read::read_options;
use super::signature::read_signature;
use super::types::is_plain_result;
use crate::cfg::Cfg;
use crate::cx::Cx;
use crate::options::{Reads, Repair, Use};
use crate::states::States;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Handler,
    /// A sequencer whose body is one chain.
    Chain,
    /// A sequencer that is plain async Rust.
    Written,
    Router,
    Generator,
}

impl Kind {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Handler => "handler",
            Self::Chain | Self::Written => "sequencer",
            Self::Router => "router",
            Self::Generator => "generator",
        }
    }

    pub(crate) fn is_sequencer(self) -> bool {
        matches!(self, Self::Chain | Self::Written)
    }
}

/// One of the states that outlive a block.
pub(crate) struct Lasting {
    /// `session`, and its variant of `Reach`.
    pub(crate) word: &'static str,
    pub(crate) variant: &'static str,
    pub(crate) types: Vec<Type>,
}

/// How the function wants its context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CtxForm {
    None,
    Owned,
    Borrowed,
}

pub(crate) struct Block {
    pub(crate) kind: Kind,
    /// Without the arguments that are configuration.
    pub(crate) function: Function,
    pub(crate) config: Vec<Config>,
    pub(crate) state: Vec<Type>,
    pub(crate) parent: Option<Reads>,
    pub(crate) sequencer: Option<Reads>,
    pub(crate) targets: Vec<(Ident, Reads)>,
    pub(crate) lasting: Vec<Lasting>,
    /// The type of its flow's configuration.
    pub(crate) flow_config: Option<Type>,
    /// The services, by their fields in `ctx.needs`.
    pub(crate) needs: Vec<(Ident, Type)>,
    pub(crate) uses: Vec<Use>,
    /// What it is shown of contracts.
    pub(crate) reads: Vec<View>,
    /// The contracts that it writes.
    pub(crate) writes: Vec<Type>,
    /// What it feeds contracts, as a tool.
    pub(crate) feeds: Vec<Fed>,
    pub(crate) steps: Vec<(Cfg, Path)>,
    pub(crate) routes: Vec<NamedBlock>,
    /// The names of the models that a generator asks.
    pub(crate) models: Vec<LitStr>,
    pub(crate) tools: Vec<NamedBlock>,
    /// Whether it lists tools, if none: then it has none of its capabilities', but for those for control.
    pub(crate) lists_tools: bool,
    /// How deep the models search the web, if they do.
    pub(crate) search: Option<&'static str>,
    pub(crate) repair: Repair,
    pub(crate) attempts: Attempts,
    pub(crate) caching: Option<Caching>,
    /// Whether the client and the history are shown what it says.
    pub(crate) visibility: Option<[bool; 2]>,
    pub(crate) transient: bool,
    /// What it is called in errors and paths.
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    /// The block's input; `None` where the signature does not say.
    pub(crate) input: Option<Type>,
    /// Whether it is borrowed: then the input is what this type is borrowed from.
    pub(crate) borrowed: bool,
    pub(crate) ctx: CtxForm,
}

impl Block {
    pub(crate) fn ident(&self) -> &Ident {
        &self.function.sig.ident
    }

    /// Whether the user's future can be all there is: nothing must be made before it that waits, or that it borrows.
    pub(crate) fn starts_at_once(&self) -> bool {
        let holds = !self.state.is_empty() || !self.uses.is_empty() || !self.lasting.is_empty();
        self.kind == Kind::Handler
            && self.function.sig.asyncness.is_some()
            && self.ctx != CtxForm::Borrowed
            && !holds
            && !self.borrowed
            && self.needs.is_empty()
            && self.flow_config.is_none()
            && self.config.is_empty()
            && self.feeds.is_empty()
            // what is wrong with another type is told by the function's call
            && is_plain_result(&self.returns())
    }

    /// Whether running it makes a context.
    pub(crate) fn ctx_is_made(&self) -> bool {
        self.kind.is_sequencer() || self.ctx != CtxForm::None
    }

    /// A place of the user's for a name of the generated code, which must be known there even where the token came from
    /// the arguments of a `macro_rules!` macro.
    pub(crate) fn at(&self, span: Span) -> Span {
        span.resolved_at(self.function.sig.fn_token.span)
    }

    /// All state types that it names.
    pub(crate) fn states(&self) -> States<'_> {
        let reads = [&self.parent, &self.sequencer].into_iter().flatten();
        let reads = reads.chain(self.targets.iter().map(|(_, reads)| reads));
        let lasting = self.lasting.iter().flat_map(|lasting| &lasting.types);
        let own = self.state.iter();
        States::of(own.chain(reads.flat_map(|reads| &reads.types)).chain(lasting))
    }

    /// The type of a set of states.
    pub(crate) fn set(&self, p: &TokenStream, types: &[Type]) -> TokenStream {
        self.states().set(p, types)
    }

    /// The type that the function returns.
    pub(crate) fn returns(&self) -> Type {
        match &self.function.sig.output {
            ReturnType::Type(_, ty) => (**ty).clone(),
            ReturnType::Default => parse_quote!(()),
        }
    }
}

pub(crate) fn model(cx: &Cx, args: TokenStream, mut function: Function) -> Block {
    let config = config(cx, &mut function);
    let mut block = Block {
        kind: Kind::Handler,
        name: function.sig.ident.unraw().to_string(),
        function,
        config,
        state: Vec::new(),
        parent: None,
        sequencer: None,
        targets: Vec::new(),
        lasting: Vec::new(),
        flow_config: None,
        needs: Vec::new(),
        uses: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        feeds: Vec::new(),
        steps: Vec::new(),
        routes: Vec::new(),
        models: Vec::new(),
        tools: Vec::new(),
        lists_tools: false,
        search: None,
        repair: Repair::Auto,
        attempts: Attempts::default(),
        caching: None,
        visibility: None,
        transient: false,
        description: None,
        input: None,
        borrowed: false,
        ctx: CtxForm::None,
    };
    let parse = |input: ParseStream<'_>| {
        read_options(cx, input, &mut block);
        Ok(())
    };
    // what an option left unread is said already
    if let Err(error) = parse.parse2(args)
        && !cx.failed()
    {
        cx.push(error);
    }
    read_signature(cx, &mut block);
    block
}

/// Where an error about the block as a whole shows.
pub(crate) fn name_span(block: &Block) -> Span {
    block.ident().span()
}
