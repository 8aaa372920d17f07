//! Contacts: the set that holds now, and the exact intervals of continuous contacts.

pub(crate) mod continuous;
mod decide;
pub(crate) mod enclosure_tests;
pub(crate) mod linear_window;
pub(crate) mod set;
