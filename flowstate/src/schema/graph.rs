//! A flow as a graph.

use std::fmt::Write as _;

use super::{BlockDef, EntryType, FlowDef, Kind};

/// In the language of Mermaid: an entry leads to its block, and a block to those that it runs, each block once.
pub(super) fn of(flow: &FlowDef) -> String {
    let mut graph = Graph { text: "flowchart TD\n".to_owned(), seen: Vec::new() };
    for ty in [EntryType::Action, EntryType::Internal, EntryType::Task] {
        for (i, entry) in flow.of(ty).iter().enumerate() {
            let word = ty.word();
            graph.line(&format!("{word}{i}([\"{} · {word}\"])", escaped(entry.name)));
            for block in graph.blocks(&[entry.block]) {
                graph.line(&format!("{word}{i} --> b{block}"));
            }
        }
    }
    graph.blocks(flow.hooks);
    graph.text
}

struct Graph {
    text: String,
    seen: Vec<&'static BlockDef>,
}

impl Graph {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "    {text}");
    }

    /// The numbers of some blocks' nodes, each once; what only changes blocks is not shown itself.
    fn blocks(&mut self, defs: &[&'static BlockDef]) -> Vec<usize> {
        let mut all = Vec::new();
        for def in defs {
            let found = match def.head.kind {
                Kind::Adapter => self.blocks(def.children),
                _ => vec![self.block(def)],
            };
            all.extend(
                found.into_iter().filter(|number| !all.contains(number)).collect::<Vec<_>>(),
            );
        }
        all
    }

    fn block(&mut self, def: &'static BlockDef) -> usize {
        // (a back edge carries the id alone)
        let same = |known: &&BlockDef| known.head.id.is(def.head.id);
        if let Some(known) = self.seen.iter().position(same) {
            return known;
        }
        let number = self.seen.len();
        self.seen.push(def);
        let name = escaped(def.head.name);
        self.line(&match def.head.kind {
            Kind::Sequencer => format!("b{number}[[\"{name}\"]]"),
            Kind::Router => format!("b{number}{{\"{name}\"}}"),
            Kind::Generator => format!("b{number}{{{{\"{name}\"}}}}"),
            _ => format!("b{number}[\"{name}\"]"),
        });
        for child in self.blocks(def.children) {
            self.line(&format!("b{number} --> b{child}"));
        }
        number
    }
}

fn escaped(name: &str) -> String {
    name.replace('"', "#quot;")
}
