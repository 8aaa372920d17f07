//! What a world in bytes needs beyond the values themselves: parts that are shared, numbers that
//! are only compared, and samplers, which the host has.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | [`saving`], [`loading`]: the tables that hold while a world is written or read |
//! | `shared` | `#[serde(with)]` of shared parts ([`Arc`](std::sync::Arc)): each is written once |
//! | `marks` | `#[serde(with)]` of numbers that are compared with each other only |
//! | [`sorted`] | `#[serde(serialize_with)]` of hash maps |
//!
//! `serde` hands no context to the implementations it calls. So the tables are in a variable of the
//! thread, from the begin of [`saving`] or [`loading`] to its end. Outside of these, the parts that
//! need a table are refused by an error.

pub(crate) mod marks;
pub(crate) mod shared;

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use serde::{Serialize, Serializer};

/// Writes a hash map in the order of its keys.
pub(crate) fn sorted<K: Ord + Serialize, V: Serialize, H, S: Serializer>(
    map: &HashMap<K, V, H>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(map.iter().collect::<BTreeMap<_, _>>())
}

/// What was written so far.
#[derive(Default)]
struct Saving {
    /// Shared parts, by address and type, numbered in the order in which they were complete.
    shared: BTreeMap<(usize, TypeId), u32>,
    /// Marks, numbered in the order of their first use.
    marks: BTreeMap<u64, u32>,
    /// Samplers by address, numbered.
    samplers: BTreeMap<usize, u32>,
    /// The sampler written last.
    last_sampler: Option<u32>,
}

/// What was read so far.
#[derive(Default)]
struct Loading {
    shared: Vec<Box<dyn Any>>,
    marks: Vec<u64>,
    samplers: Vec<GivenSampler>,
}

/// A sampler that the host gave, of types that the module that reads it knows.
pub(crate) struct GivenSampler {
    /// The motion.
    pub(crate) motion: Box<dyn Any>,
    /// The same with its bounds, if it has any.
    pub(crate) bounded: Option<Box<dyn Any>>,
}

thread_local! {
    static SAVING: RefCell<Option<Saving>> = const { RefCell::new(None) };
    static LOADING: RefCell<Option<Loading>> = const { RefCell::new(None) };
}

/// Takes the tables away at the end, also when unwinding. Those of before come back: a host's
/// sampler may load a world of its own.
struct Restore(Option<Saving>, Option<Loading>);

impl Drop for Restore {
    fn drop(&mut self) {
        SAVING.set(self.0.take());
        LOADING.set(self.1.take());
    }
}

/// Calls `write`, in which shared parts and marks may be written, and samplers at the given
/// addresses.
pub(crate) fn saving<R>(samplers: impl Iterator<Item = usize>, write: impl FnOnce() -> R) -> R {
    let samplers = samplers.zip(0..).collect();
    let tables = Saving { samplers, ..Saving::default() };
    let _restore = Restore(SAVING.replace(Some(tables)), LOADING.take());
    write()
}

/// Calls `read`, in which shared parts and marks may be read, and these samplers.
pub(crate) fn loading<R>(samplers: Vec<GivenSampler>, read: impl FnOnce() -> R) -> R {
    let tables = Loading { samplers, ..Loading::default() };
    let _restore = Restore(SAVING.take(), LOADING.replace(Some(tables)));
    read()
}

const OUTSIDE: &str = "this is a part of a world: it is written and read with the world only";

/// Uses the tables of the world being written.
fn with_saving<R, E: serde::ser::Error>(use_tables: impl FnOnce(&mut Saving) -> R) -> Result<R, E> {
    SAVING.with_borrow_mut(|saving| saving.as_mut().map(use_tables)).ok_or_else(|| E::custom(OUTSIDE))
}

/// Uses the tables of the world being read.
fn with_loading<R, E: serde::de::Error>(use_tables: impl FnOnce(&mut Loading) -> Option<R>) -> Result<R, E> {
    let found =
        LOADING.with_borrow_mut(|loading| loading.as_mut().map(use_tables)).ok_or_else(|| E::custom(OUTSIDE))?;
    found.ok_or_else(|| E::custom("it names a part that is not there, or of another kind"))
}

/// The number of the sampler at an address.
pub(crate) fn number_of_sampler<E: serde::ser::Error>(address: usize) -> Result<u32, E> {
    let number = with_saving(|saving| {
        saving.last_sampler = saving.samplers.get(&address).copied();
        saving.last_sampler
    })?;
    number.ok_or_else(|| E::custom("a sampler moves no body of the world"))
}

/// The number of the sampler that was written last.
pub(crate) fn number_of_last_sampler<E: serde::ser::Error>() -> Result<u32, E> {
    with_saving(|saving| saving.last_sampler)?.ok_or_else(|| E::custom("no sampler was written before its boxes"))
}

/// The motion of a sampler.
pub(crate) fn motion_of_sampler<T: Clone + 'static, E: serde::de::Error>(number: u32) -> Result<T, E> {
    with_loading(|loading| loading.samplers.get(number as usize)?.motion.downcast_ref().cloned())
}

/// A sampler with its bounds.
pub(crate) fn bounded_sampler<T: Clone + 'static, E: serde::de::Error>(number: u32) -> Result<T, E> {
    with_loading(|loading| loading.samplers.get(number as usize)?.bounded.as_ref()?.downcast_ref().cloned())
}
