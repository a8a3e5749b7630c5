//! Compiles a condition node by node and reports everything that is wrong, with its place. Knows
//! nothing of what a comparison needs.

use spec::snapshot::{self, Condition, Decision, DecisionKind};

use crate::fault::Fault;
use crate::probe;
use crate::rule::{Leaf, Tree};

/// How deep a condition may nest; a leaf alone is one deep.
pub(crate) const DEPTH_MAX: usize = 64;
/// How many leaves a condition may have.
pub(crate) const LEAVES_MAX: usize = 1024;

/// A fault and its place in the policy's spec.
pub(crate) type Placed = (String, Fault);

/// A compiled condition and how many leaves it has.
pub(crate) fn compile(
    condition: &Condition,
    decision: &Decision,
) -> Result<(Tree, usize), Vec<Placed>> {
    let mut compiler = Compiler {
        kind: decision.kind,
        leaves: 0,
        faults: Vec::new(),
    };
    let tree = compiler.node(
        condition,
        Position {
            place: "conditions".to_owned(),
            depth: 1,
            below_not: false,
        },
    );
    match tree {
        Some(tree) if compiler.faults.is_empty() => Ok((tree, compiler.leaves)),
        Some(_) | None => Err(compiler.faults),
    }
}

struct Compiler {
    kind: DecisionKind,
    leaves: usize,
    faults: Vec<Placed>,
}

/// Where a node stands.
struct Position {
    place: String,
    depth: usize,
    below_not: bool,
}

impl Position {
    fn below(&self, step: &str) -> Position {
        Position {
            place: format!("{}.{step}", self.place),
            depth: self.depth + 1,
            below_not: self.below_not,
        }
    }
}

impl Compiler {
    /// The compiled node; `None` when something below it is wrong, which is noted then.
    fn node(&mut self, condition: &Condition, at: Position) -> Option<Tree> {
        if at.depth > DEPTH_MAX {
            self.faults.push((
                at.place,
                Fault::new(
                    format!("the condition nests more than {DEPTH_MAX} deep"),
                    "split it into several policies",
                ),
            ));
            return None;
        }
        match condition {
            Condition::All(children) => self.children(children, &at, "all").map(Tree::All),
            Condition::Any(children) => self.children(children, &at, "any").map(Tree::Any),
            Condition::Not(child) => {
                let mut below = at.below("not");
                below.below_not = !at.below_not;
                self.node(child, below)
                    .map(|child| Tree::Not(Box::new(child)))
            }
            Condition::Leaf(leaf) => self.leaf(leaf, at),
        }
    }

    fn children(&mut self, children: &[Condition], at: &Position, word: &str) -> Option<Vec<Tree>> {
        // All of them are compiled before the first failure counts, so that all is reported.
        let compiled: Vec<Option<Tree>> = children
            .iter()
            .enumerate()
            .map(|(index, child)| self.node(child, at.below(&format!("{word}[{index}]"))))
            .collect();
        compiled.into_iter().collect()
    }

    fn leaf(&mut self, source: &snapshot::Leaf, at: Position) -> Option<Tree> {
        let ordinal = self.leaves;
        self.leaves += 1;
        if self.leaves == LEAVES_MAX + 1 {
            self.faults.push((
                at.place.clone(),
                Fault::new(
                    format!("the condition has more than {LEAVES_MAX} comparisons"),
                    "use `in` with a list, or split it into several policies",
                ),
            ));
        }
        match probe::compile(source, self.kind, at.below_not) {
            Ok(probe) => Some(Tree::Leaf(Box::new(Leaf {
                ordinal,
                place: at.place,
                source: source.clone(),
                probe,
            }))),
            Err((part, fault)) => {
                self.faults.push((format!("{}.{part}", at.place), fault));
                None
            }
        }
    }
}
