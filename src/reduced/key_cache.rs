//! What was made of the last keys that were queried: of a long motion no more is held than of a
//! short one.

use std::fmt::{self, Debug};
use std::sync::{Arc, PoisonError, RwLock};

use crate::time::Side;
use crate::tuning;

/// A key and the side of it.
type Key = (usize, Side);

/// A key with its value, if one is held.
type Slot<T> = Option<(Key, Arc<T>)>;

/// Values made from keys, a limited number of them. A value depends on its key only, so the results
/// do not depend on which are held.
pub(super) struct KeyCache<T> {
    slots: Box<[RwLock<Slot<T>>]>,
}

impl<T> KeyCache<T> {
    /// An empty cache for a motion of `keys` keys.
    pub(super) fn new(keys: usize) -> Self {
        let count = keys.saturating_mul(2).min(tuning::KEPT_KEYS);
        Self { slots: (0..count.max(1)).map(|_| RwLock::new(None)).collect() }
    }

    /// The value of a key, which is made if it is not held. It replaces that of a distant key.
    pub(super) fn get(&self, key: Key, make: impl FnOnce() -> T) -> Arc<T> {
        // Neighbouring keys, and both sides of one, have different slots.
        let half = self.slots.len() / 2;
        let offset = if key.1 == Side::After { half } else { 0 };
        let slot = &self.slots[(key.0 + offset) % self.slots.len()];
        if let Some((own, value)) = &*slot.read().unwrap_or_else(PoisonError::into_inner)
            && *own == key
        {
            return Arc::clone(value);
        }
        let value = Arc::new(make());
        *slot.write().unwrap_or_else(PoisonError::into_inner) = Some((key, Arc::clone(&value)));
        value
    }

    /// Bytes of the slots and of the values held, of which each has `each` bytes.
    pub(super) fn bytes(&self, each: impl Fn(&T) -> usize) -> usize {
        let held = |slot: &RwLock<Slot<T>>| {
            let held = slot.read().unwrap_or_else(PoisonError::into_inner);
            held.as_ref().map_or(0, |(_, value)| size_of::<T>() + each(value))
        };
        size_of_val(&*self.slots) + self.slots.iter().map(held).sum::<usize>()
    }
}

impl<T> Debug for KeyCache<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "KeyCache({})", self.slots.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_held_together_and_distant_keys_are_given_up() {
        let cache: KeyCache<usize> = KeyCache::new(1 << 20);
        let mut made = 0;
        for round in 0..3 {
            for key in 100..100 + tuning::KEPT_KEYS / 2 {
                for side in [Side::At, Side::After] {
                    let expected = 2 * key + usize::from(side == Side::After);
                    let make = || {
                        made += 1;
                        expected
                    };
                    assert_eq!(*cache.get((key, side), make), expected, "round {round}");
                }
            }
        }
        assert_eq!(made, tuning::KEPT_KEYS, "each is made once");
        let most = cache.bytes(|_| 0);
        (0..10_000).for_each(|key| assert_eq!(*cache.get((key, Side::At), || key), key));
        assert!(cache.bytes(|_| 0) <= most);
    }
}
