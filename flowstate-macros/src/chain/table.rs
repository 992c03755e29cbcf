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
    Method {
        name: "step",
        form: "step(block)` or `step(|value| …, block)",
        options: &["on_settled", "abort_signal"],
    },
    Method {
        name: "step_if",
        form: "step_if(|value| …, block)` or `step_if(|value| …, |value| …, block)",
        options: &["on_settled", "abort_signal"],
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
        name: "parallel",
        form: "parallel((a, b))`, `parallel(Struct { field: a, other: b })` or with a connector, `parallel((a, (|value| …, b)))",
        options: &["max_concurrency"],
    },
    Method {
        name: "for_each",
        form: "for_each(block)`, `for_each(|value| …, block)` or `for_each(|item, index, ctx| Each::A, blocks = [a, b])",
        options: &["max_concurrency", "blocks"],
    },
    Method {
        name: "do_until",
        form: "do_until(block, |value| …)` or `do_until(|value| …, block, |value| …)",
        options: &["max_iterations"],
    },
    Method {
        name: "do_while",
        form: "do_while(block, |value| …)` or `do_while(|value| …, block, |value| …)",
        options: &["max_iterations"],
    },
    Method {
        name: "branch",
        form: "branch((|value| …, a), (|value| …, |input| …, b), c)",
        options: &[],
    },
    Method { name: "step_all", form: "step_all([a, b])", options: &["max_concurrency"] },
    Method { name: "step_any", form: "step_any([a, b])", options: &[] },
    Method { name: "race", form: "race([a, b])", options: &["max_concurrency"] },
    Method {
        name: "loop_back",
        form: "loop_back(block, when = |value| …, max_iterations = n)",
        options: &["when", "max_iterations"],
    },
    Method { name: "exit_if", form: "exit_if(|value| …)", options: &[] },
    Method {
        name: "throw_if",
        form: "throw_if(|value| …, error)` or `throw_if(|value| …, |value| error)",
        options: &[],
    },
    Method {
        name: "side_chain",
        form: "side_chain(block)` or `side_chain(|value| …, block)",
        options: &[],
    },
    Method {
        name: "side_chain_if",
        form: "side_chain_if(|value| …, block)` or `side_chain_if(|value| …, |value| …, block)",
        options: &[],
    },
    Method {
        name: "for_each_side_chain",
        form: "for_each_side_chain(block)` or `for_each_side_chain(|value| …, block)",
        options: &["max_concurrency"],
    },
    Method {
        name: "wait_for_side_chain",
        form: "wait_for_side_chain()` or `wait_for_side_chain(fail_on_error = true, timeout = \"5s\")",
        options: &["fail_on_error", "timeout"],
    },
    Method {
        name: "wait_for_condition",
        form: "wait_for_condition(|items| …, timeout = \"5s\")` or `wait_for_condition(|items| …, timeout = \"5s\", wake_on = |item, change| …)",
        options: &["timeout", "wake_on"],
    },
    Method {
        name: "rescue",
        form: "rescue(block)`, `rescue::<Error>(block)` or `rescue(code = \"…\", block)",
        options: &["code"],
    },
];
