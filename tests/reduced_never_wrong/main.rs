//! Never wrong: no bound of any kind misses a vertex, for every sample model and clip, for skins that are morphed as well, and for skins made
//! to break bounds.
//!
//! A check is a node, a direction and a time of the true motion: the farthest of *all* the node's vertices along the direction, evaluated
//! exactly ([`exact`]), against the bound. `KINETREE_TORTURE=1` in release makes a million per kind of bound for every model and clip (all its
//! bodies together) and for every kind of generated skin; without it, some thousands.
//!
//! Checks of a kind differ in node, direction or time. Times are random, a thousand at least for every body of a clip (more where its bodies have few nodes); at
//! each the root of a tree and random other nodes, none twice, as many as make a million in a thousand times, and of directions those of boxes or of
//! polytopes, or three random axes, new at every time. Besides, and not counted: times at which keys lie, and their neighbours in `f64`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;

mod boxes;
mod exact;
mod generated;
#[cfg(feature = "io")]
mod models;
mod spheres;
mod spherical;

use std::sync::Arc;

use kinetree::reduced::ReducedBody;

/// A body and what it is called.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) body: Arc<ReducedBody>,
}

pub(crate) fn is_torture() -> bool {
    std::env::var_os("KINETREE_TORTURE").is_some()
}

/// How many checks of each kind a group of bodies gets.
pub(crate) fn wanted(usual: usize) -> usize {
    if is_torture() { 1_000_000 } else { usual }
}

/// At how many times a body of a model is looked at, at least.
#[cfg(feature = "io")]
pub(crate) fn times() -> usize {
    if is_torture() { 1_000 } else { 2 }
}

/// Checks made, by kind of bound.
#[derive(Default)]
pub(crate) struct Tally {
    kinds: Vec<(&'static str, usize)>,
    /// At how many times bodies were looked at, least and most.
    times: Option<[usize; 2]>,
}

impl Tally {
    pub(crate) fn add(&mut self, kind: &'static str, checks: usize) {
        match self.kinds.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, count)) => *count += checks,
            None => self.kinds.push((kind, checks)),
        }
    }

    pub(crate) fn looked(&mut self, times: usize) {
        let [least, most] = self.times.unwrap_or([times; 2]);
        self.times = Some([least.min(times), most.max(times)]);
    }

    pub(crate) fn of(&self, kind: &str) -> usize {
        self.kinds.iter().find(|(name, _)| *name == kind).map_or(0, |(_, count)| *count)
    }

    /// The kind that was checked least; but for those of spherical blending, which only bodies with rigid maps have.
    pub(crate) fn least(&self) -> usize {
        let kinds = self.kinds.iter().filter(|(kind, _)| !kind.contains("spherical"));
        kinds.map(|(_, count)| *count).min().unwrap_or(0)
    }

    pub(crate) fn all(&self) -> usize {
        self.kinds.iter().map(|(_, count)| count).sum()
    }

    pub(crate) fn join(&mut self, other: &Self) {
        other.kinds.iter().for_each(|&(kind, count)| self.add(kind, count));
        other.times.into_iter().flatten().for_each(|times| self.looked(times));
    }

    pub(crate) fn print(&self, what: &str) {
        let [least, most] = self.times.unwrap_or_default();
        println!("{what}: {} checks at {least} to {most} times each, none failed", self.all());
        self.kinds.iter().for_each(|(kind, count)| println!("  {kind}: {count}"));
    }
}
