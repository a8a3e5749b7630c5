//! Compiles rules against schemas and evaluates them to a verdict with reasons.
