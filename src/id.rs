//! Numbered slots, and typed generational ids: the id of a removed item never names its
//! replacement.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use slab::Slab;

/// Names a body of a [`crate::World`] until that body is removed; never reused for another body.
/// A world that was restored or cloned gives the ids that the original gave after the snapshot or
/// clone was taken.
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

/// Items in numbered slots. A free slot is used again before there is another one, the slot that
/// became free last first. Iterates in the order of numbers.
///
/// The order of free slots decides the numbers of later items, so it is part of what is saved with
/// a world. The crate `slab` hides that order: it is listed here too. A slot holds an `Option`, so
/// that a slab can be filled and its free slots emptied in their order when a world is read.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Deserialize), serde(try_from = "stored::StoredSlots<T>"))]
pub(crate) struct Slots<T> {
    slab: Slab<Option<T>>,
    /// Free slots; the last is used next.
    free: Vec<usize>,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Slots<T> {
    pub(crate) const fn new() -> Self {
        Self { slab: Slab::new(), free: Vec::new() }
    }

    /// The slot that the next [`Slots::insert`] uses.
    pub(crate) fn vacant_key(&self) -> usize {
        self.slab.vacant_key()
    }

    #[inline]
    pub(crate) fn insert(&mut self, item: T) -> usize {
        let slot = self.slab.insert(Some(item));
        let listed = self.free.pop();
        debug_assert!(listed.is_none_or(|listed| listed == slot));
        slot
    }

    /// Empties a slot that is in use.
    #[inline]
    pub(crate) fn remove(&mut self, slot: usize) -> T {
        let Some(item) = self.slab.remove(slot) else { free_slot(slot) };
        self.free.push(slot);
        item
    }

    /// Removes all items; the next ones are numbered from 0 on. Keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.slab.clear();
        self.free.clear();
    }

    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Option<&T> {
        self.slab.get(slot)?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: usize) -> Option<&mut T> {
        self.slab.get_mut(slot)?.as_mut()
    }

    /// The number of slots in use.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.slab.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slab.is_empty()
    }

    /// The number of slots there is room for.
    pub(crate) fn capacity(&self) -> usize {
        self.slab.capacity()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &T)> {
        self.slab.iter().filter_map(|(slot, item)| Some((slot, item.as_ref()?)))
    }

    pub(crate) fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (usize, &mut T)> {
        self.slab.iter_mut().filter_map(|(slot, item)| Some((slot, item.as_mut()?)))
    }
}

impl<T> Index<usize> for Slots<T> {
    type Output = T;

    #[inline]
    fn index(&self, slot: usize) -> &T {
        self.get(slot).unwrap_or_else(|| free_slot(slot))
    }
}

impl<T> IndexMut<usize> for Slots<T> {
    #[inline]
    fn index_mut(&mut self, slot: usize) -> &mut T {
        self.get_mut(slot).unwrap_or_else(|| free_slot(slot))
    }
}

#[cold]
fn free_slot(slot: usize) -> ! {
    panic!("slot {slot} is free")
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

/// Slots whose numbers carry a generation. Iterates in index order.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "record",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "stored::StoredArena<T>")
)]
pub(crate) struct Arena<I, T> {
    slots: Slots<T>,
    generations: Vec<u32>,
    #[cfg_attr(feature = "record", serde(skip))]
    id: PhantomData<I>,
}

/// Slots as they are stored, checked when they are read.
#[cfg(feature = "record")]
mod stored {
    use std::marker::PhantomData;

    use serde::{Serialize, Serializer};
    use slab::Slab;

    use super::{Arena, Slots};

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct StoredSlots<T> {
        items: Vec<Option<T>>,
        free: Vec<usize>,
    }

    impl<T: Serialize> Serialize for Slots<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let items = (0..self.slab.len() + self.free.len()).map(|slot| self.get(slot)).collect();
            StoredSlots { items, free: self.free.clone() }.serialize(serializer)
        }
    }

    impl<T> TryFrom<StoredSlots<T>> for Slots<T> {
        type Error = &'static str;

        fn try_from(StoredSlots { items, free }: StoredSlots<T>) -> Result<Self, Self::Error> {
            let mut listed = vec![false; items.len()];
            for &slot in &free {
                match (items.get(slot), listed.get_mut(slot)) {
                    (Some(None), Some(listed @ false)) => *listed = true,
                    _ => return Err("a slot is listed as free that is in use, listed already, or not there"),
                }
            }
            if items.iter().filter(|item| item.is_none()).count() != free.len() {
                return Err("a free slot is not listed");
            }
            let mut slab = Slab::with_capacity(items.len());
            items.into_iter().for_each(|item| {
                slab.insert(item);
            });
            free.iter().for_each(|&slot| {
                slab.remove(slot);
            });
            Ok(Self { slab, free })
        }
    }

    #[derive(serde::Deserialize)]
    #[serde(bound = "T: serde::Deserialize<'de>")]
    pub(super) struct StoredArena<T> {
        slots: Slots<T>,
        generations: Vec<u32>,
    }

    impl<I, T> TryFrom<StoredArena<T>> for Arena<I, T> {
        type Error = &'static str;

        fn try_from(StoredArena { slots, generations }: StoredArena<T>) -> Result<Self, Self::Error> {
            if slots.len() + slots.free.len() != generations.len() {
                return Err("there are more slots or fewer than generations");
            }
            Ok(Self { slots, generations, id: PhantomData })
        }
    }
}

impl<I: Id, T> Arena<I, T> {
    pub(crate) fn new() -> Self {
        Self { slots: Slots::new(), generations: Vec::new(), id: PhantomData }
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

    /// Whether an index is of an item.
    #[cfg(feature = "record")]
    pub(crate) fn contains(&self, index: u32) -> bool {
        self.slots.get(index as usize).is_some()
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
