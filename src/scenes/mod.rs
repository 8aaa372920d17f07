//! Seeded scene generators.
