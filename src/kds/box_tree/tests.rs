//! Local tests of the kinetic BoxTree.
