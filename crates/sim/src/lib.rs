//! Seeded worlds, faults and invariants.
