use std::collections::BTreeMap;

use crate::generate::{PROGRAMS, Random, programs};
use crate::interpret::{Expected, Failure, expected};
use crate::programs::ALL;
use crate::tree::{Block, Body, Op, Seq, Stmt, Tap};

const INPUTS: usize = 20;

fn made() -> Vec<Seq> {
    programs(env!("FLOWSTATE_SEED").parse().expect("the build script read it"))
}

fn inputs(program: usize) -> Vec<i64> {
    let mut random = Random::new(1000 + program as u64);
    let some = [0, 1, -1, i64::MAX, i64::MIN];
    let more = (some.len()..INPUTS).map(|_| random.between(-120, 120));
    some.into_iter().chain(more).collect()
}

#[derive(Default)]
struct Counts {
    worked: u32,
    failed: BTreeMap<String, u32>,
    blocks: u64,
    wrong: Vec<String>,
}

async fn all_agree(trees: &[Seq]) -> Counts {
    let mut counts = Counts::default();
    for (number, (tree, run)) in trees.iter().zip(ALL).enumerate() {
        for input in inputs(number) {
            let seen = run(input).await.expect("the root does not fail");
            let expected = expected(tree, input);
            counts.blocks += expected.runs;
            match seen.value {
                Some(_) => counts.worked += 1,
                None => *counts.failed.entry(seen.code.clone()).or_default() += 1,
            }
            if !agrees(&seen, &expected) {
                let text = format!(
                    "program {number} for {input}: flowstate gives\n  {seen:?}\nbut it means\n  {expected:?}"
                );
                counts.wrong.push(text);
            }
        }
    }
    counts
}

fn agrees(seen: &crate::blocks::Seen, expected: &Expected) -> bool {
    let path = |path: &str| -> Vec<String> {
        let name = |part: &str| part.split('[').next().unwrap_or_default().to_owned();
        path.split(" > ").map(name).collect()
    };
    let result = match (&expected.result, seen.value) {
        (Ok(value), Some(seen)) => *value == seen,
        (Err(failures), None) => failures.iter().any(|Failure { code, path: names }| {
            *code == seen.code && *names == path(&seen.path) && names.last() == Some(&seen.block)
        }),
        _ => false,
    };
    let (mut log, mut wanted) = (seen.log.clone(), expected.state.log.clone());
    if expected.side_by_side {
        log.sort_unstable();
        wanted.sort_unstable();
    }
    result && (expected.cut_off || (seen.count == expected.state.count && log == wanted))
}

#[test]
fn every_program_means_what_its_tree_means() {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !info.to_string().contains("as planned") {
            quiet(info);
        }
    }));
    let trees = made();
    assert_eq!((trees.len(), ALL.len()), (PROGRAMS as usize, PROGRAMS as usize));
    let mut one = tokio::runtime::Builder::new_current_thread();
    let mut many = tokio::runtime::Builder::new_multi_thread();
    for (name, builder) in [("one thread", &mut one), ("four threads", many.worker_threads(4))] {
        let runtime = builder.enable_all().build().expect("a runtime");
        let counts = runtime.block_on(all_agree(&trees));
        let wrong = counts.wrong.join("\n");
        assert!(
            wrong.is_empty(),
            "{name}, see {}:\n{wrong}",
            concat!(env!("OUT_DIR"), "/programs.rs")
        );
        println!(
            "{name}: {PROGRAMS} programs x {INPUTS} inputs, {} worked, {:?} failed as they must, {} blocks ran",
            counts.worked, counts.failed, counts.blocks
        );
        assert!(counts.worked > 300 && counts.failed.len() > 7, "too much of one kind");
    }
}

/// Nothing that sequencers can do is missing from the programs.
#[test]
fn the_programs_use_everything() {
    let mut seen = BTreeMap::new();
    for program in made() {
        visit(&program, &mut seen);
    }
    println!("{} sequencers: {seen:?}", seen["chain"] + seen["async fn"]);
    for what in [
        "Step",
        "StepIf",
        "Map",
        "TryMap",
        "Tap",
        "TapIf",
        "ForEach",
        "EachOf",
        "Parallel",
        "All",
        "Any",
        "Race",
        "Branch",
        "Repeat",
        "LoopBack",
        "ExitIf",
        "ThrowIf",
        "stmt Step",
        "stmt If",
        "stmt For",
        "stmt While",
        "stmt Match",
        "stmt Each",
        "stmt Parallel",
        "stmt Join",
        "stmt Return",
        "stmt ReturnStep",
        "stmt Recover",
        "stmt Fail",
        "stmt Write",
        "stmt Helper",
        "nested loop",
    ] {
        assert!(seen.contains_key(what), "no program has {what}");
    }
}

type Uses = BTreeMap<String, u32>;

fn note(what: &str, seen: &mut Uses) {
    *seen.entry(what.to_owned()).or_default() += 1;
}

fn variant(of: &impl std::fmt::Debug) -> String {
    let text = format!("{of:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

fn visit(seq: &Seq, seen: &mut Uses) {
    match &seq.body {
        Body::Chain(ops) => {
            note("chain", seen);
            ops.iter().for_each(|op| visit_op(op, seen));
            let loops = ops.iter().enumerate().filter_map(|(from, op)| match op {
                Op::LoopBack { to, .. } => Some((*to, from)),
                _ => None,
            });
            let loops: Vec<_> = loops.collect();
            for (to, from) in &loops {
                if loops.iter().any(|(start, end)| to <= start && end < from) {
                    note("nested loop", seen);
                }
            }
        }
        Body::Written(stmts) => {
            note("async fn", seen);
            visit_stmts(stmts, seen);
        }
    }
}

fn visit_block(block: &Block, seen: &mut Uses) {
    match block {
        Block::Leaf(_) => {}
        Block::Seq(seq) => visit(seq, seen),
        Block::ConnectInput(block, _) | Block::ConnectOutput(block, _) => visit_block(block, seen),
    }
}

fn visit_op(op: &Op, seen: &mut Uses) {
    note(&variant(op), seen);
    match op {
        Op::Step(target)
        | Op::StepIf(_, target)
        | Op::Tap(Tap::Block(target))
        | Op::TapIf(_, Tap::Block(target))
        | Op::Repeat { target, .. } => visit_block(&target.block, seen),
        Op::ForEach { block, .. } => visit_block(block, seen),
        Op::EachOf { blocks, .. } | Op::Race(blocks, _) => {
            blocks.iter().for_each(|block| visit_block(block, seen));
        }
        Op::Parallel { all, .. } | Op::All(all, _) | Op::Any(all) => {
            all.iter().for_each(|target| visit_block(&target.block, seen));
        }
        Op::Branch(arms, otherwise) => {
            let blocks = arms.iter().map(|arm| &arm.block).chain(otherwise);
            blocks.for_each(|block| visit_block(block, seen));
        }
        _ => {}
    }
}

fn visit_stmts(stmts: &[Stmt], seen: &mut Uses) {
    for stmt in stmts {
        note(&format!("stmt {}", variant(stmt)), seen);
        match stmt {
            Stmt::Step(block, _)
            | Stmt::Each(block, _)
            | Stmt::ReturnStep(_, block)
            | Stmt::Recover(block, _)
            | Stmt::Helper(block) => visit_block(block, seen),
            Stmt::Parallel(all) => all.iter().for_each(|block| visit_block(block, seen)),
            Stmt::Join(a, b) => {
                visit_block(a, seen);
                visit_block(b, seen);
            }
            Stmt::If(_, a, b) => {
                visit_stmts(a, seen);
                visit_stmts(b, seen);
            }
            Stmt::For(_, body) | Stmt::While(_, _, body) => visit_stmts(body, seen),
            Stmt::Match(arms) => arms.iter().for_each(|arm| visit_stmts(arm, seen)),
            _ => {}
        }
    }
}
