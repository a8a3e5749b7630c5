//! Tests of the policy crate through what it offers to others.

mod absence;
mod cases;
mod checks;
mod compiling;
mod decision;
mod explain;
mod operators;
mod random;
mod reaching;
mod reference;
mod rounds;
mod support;
