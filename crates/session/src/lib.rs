//! The session state machine: decide, fold, outstanding.
