//! Typed generational ids: the id of a removed item never names its replacement.

use std::marker::PhantomData;

use slab::Slab;

/// Names a body of a [`crate::World`] until that body is removed; never reused for another body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    index: u32,
    generation: u32,
}

impl BodyId {
    /// Position in the world's storage; unique among the bodies of the world at one time.
    pub fn index(self) -> u32 {
        self.index
    }
}

impl std::fmt::Debug for BodyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "body {}.{}", self.index, self.generation)
    }
}

impl std::fmt::Display for BodyId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self, f)
    }
}

/// A key that an [`Arena`] hands out and takes back.
pub(crate) trait Id: Copy {
    fn new(index: u32, generation: u32) -> Self;
    fn index(self) -> u32;
    fn generation(self) -> u32;
}

impl Id for BodyId {
    fn new(index: u32, generation: u32) -> Self {
        Self { index, generation }
    }
    fn index(self) -> u32 {
        self.index
    }
    fn generation(self) -> u32 {
        self.generation
    }
}

/// A slab whose keys carry a generation. Iterates in index order.
#[derive(Clone, Debug)]
pub(crate) struct Arena<I, T> {
    slots: Slab<T>,
    generations: Vec<u32>,
    id: PhantomData<I>,
}

impl<I: Id, T> Arena<I, T> {
    pub(crate) fn new() -> Self {
        Self { slots: Slab::new(), generations: Vec::new(), id: PhantomData }
    }

    /// The id the next [`Arena::insert`] will return.
    pub(crate) fn next_id(&self) -> I {
        let index = self.slots.vacant_key();
        I::new(index as u32, self.generations.get(index).copied().unwrap_or(0))
    }

    pub(crate) fn insert(&mut self, value: T) -> I {
        let index = self.slots.insert(value);
        if index == self.generations.len() {
            self.generations.push(0);
        }
        I::new(index as u32, self.generations[index])
    }

    pub(crate) fn remove(&mut self, id: I) -> Option<T> {
        self.get(id)?;
        let index = id.index() as usize;
        self.generations[index] += 1;
        Some(self.slots.remove(index))
    }

    pub(crate) fn get(&self, id: I) -> Option<&T> {
        let index = id.index() as usize;
        if self.generations.get(index) != Some(&id.generation()) {
            return None;
        }
        self.slots.get(index)
    }

    pub(crate) fn at(&self, index: u32) -> &T {
        &self.slots[index as usize]
    }

    pub(crate) fn at_mut(&mut self, index: u32) -> &mut T {
        &mut self.slots[index as usize]
    }

    /// The items at some indices; the indices are ascending. O(slots).
    pub(crate) fn each_of(&mut self, indices: &[u32]) -> impl Iterator<Item = &mut T> {
        let mut wanted = indices.iter().peekable();
        let all = self.slots.iter_mut();
        all.filter_map(move |(index, value)| wanted.next_if(|&&wanted| wanted as usize == index).map(|_| value))
    }

    pub(crate) fn id_at(&self, index: u32) -> I {
        I::new(index, self.generations[index as usize])
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.slots.iter().map(|(index, value)| (self.id_at(index as u32), value))
    }
}
