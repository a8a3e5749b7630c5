//! Turns files into a snapshot or diagnostics.
