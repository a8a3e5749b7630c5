//! A value of one kind for what is settled about it.

mod array;
mod members;
pub(crate) mod number;
mod object;
mod string;

/// What is settled about one kind of values: atoms that hold or do not.
pub(crate) type Atoms<'a, A> = [(&'a A, bool)];
