//! Exact tests between primitives.
