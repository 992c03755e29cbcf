//! The methods of a chain: what the parser, the near misses and the reference page are made of.

/// One method.
pub(crate) struct Method {
    pub(crate) name: &'static str,
    /// How it is written.
    pub(crate) form: &'static str,
    /// Its options, `name = value`, after the arguments.
    pub(crate) options: &'static [&'static str],
}

pub(crate) const METHODS: &[Method] = &[
    Method { name: "step", form: "step(block)` or `step(|value| …, block)", options: &[] },
    Method {
        name: "step_if",
        form: "step_if(|value| …, block)` or `step_if(|value| …, |value| …, block)",
        options: &[],
    },
    Method { name: "map", form: "map(|value| …)", options: &[] },
    Method { name: "try_map", form: "try_map(|value| …)", options: &[] },
    Method {
        name: "tap",
        form: "tap(|value, ctx| …)`, `tap(block)` or `tap(|value| …, block)",
        options: &[],
    },
    Method {
        name: "tap_if",
        form: "tap_if(|value| …, |value, ctx| …)` or `tap_if(|value| …, block)",
        options: &[],
    },
    Method {
        name: "for_each",
        form: "for_each(block)` or `for_each(|value| …, block)",
        options: &["max_concurrency"],
    },
    Method {
        name: "loop_back",
        form: "loop_back(block, when = |value| …, max_iterations = n)",
        options: &["when", "max_iterations"],
    },
    Method { name: "exit_if", form: "exit_if(|value| …)", options: &[] },
];
