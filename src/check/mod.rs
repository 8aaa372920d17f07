//! Checking a whole clip: a scene in; contacts over its span and their incidents out, in the
//! formats that people and pipelines read.

mod result;

pub use result::{CheckResult, CheckedBody};
