//! References that lead back to themselves without a value in between, which mean nothing.

use std::collections::BTreeSet;

use crate::Reason;
use crate::node::{Arena, Node, NodeId};

/// # Errors
/// Some schema says of a value what it says of that value.
pub(crate) fn check(arena: &Arena) -> Result<(), Reason> {
    for start in arena.slots() {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(here) = open.pop() {
            for next in in_place(arena, here) {
                if next == start {
                    return Err(Reason::keyword("$ref", "a reference to itself"));
                }
                if seen.insert(next) {
                    open.push(next);
                }
            }
        }
    }
    Ok(())
}

/// The nodes that speak of the same value.
fn in_place(arena: &Arena, node: NodeId) -> Vec<NodeId> {
    match arena.get(node) {
        Node::All(parts) | Node::Any(parts) | Node::One(parts) => parts.clone(),
        Node::Not(part) => vec![*part],
        Node::If(test, yes, no) => vec![*test, *yes, *no],
        Node::Ref(slot) => arena.target(*slot).into_iter().collect(),
        Node::Types(_)
        | Node::Values(_)
        | Node::Number(_)
        | Node::Text(_)
        | Node::Items(_)
        | Node::Members(_) => Vec::new(),
    }
}
