//! Data that bodies over one mesh have in common, held for as long as one of them is there.
//!
//! A model that is placed elsewhere, or that gets another clip, keeps its bounds: they depend on
//! the mesh and on the tree over it, not on poses.

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The last values made, one per slot.
#[derive(Debug, Default)]
pub(super) struct Shared {
    slots: [Slot; 2],
}

type Slot = Mutex<Option<Weak<dyn Any + Send + Sync>>>;

impl Shared {
    /// The value of a slot that passes a test, or another one, if it can be made. Values depend on
    /// what they are made from only, so it does not matter which are held.
    pub(super) fn get<T: Any + Send + Sync>(
        &self,
        slot: usize,
        is_it: impl FnOnce(&T) -> bool,
        make: impl FnOnce() -> Option<T>,
    ) -> Option<Arc<T>> {
        let slot = &self.slots[slot];
        let held = slot.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(Weak::upgrade);
        if let Some(held) = held.and_then(|held| held.downcast::<T>().ok())
            && is_it(&held)
        {
            return Some(held);
        }
        let made = Arc::new(make()?);
        let weak: Weak<dyn Any + Send + Sync> = Arc::downgrade(&(Arc::clone(&made) as Arc<dyn Any + Send + Sync>));
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(weak);
        Some(made)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shared_while_they_are_held_and_fit() {
        let shared = Shared::default();
        let first = shared.get(0, |_: &u32| true, || Some(1)).unwrap();
        assert!(Arc::ptr_eq(&first, &shared.get(0, |&value: &u32| value == 1, || Some(2)).unwrap()));
        let second = shared.get(0, |&value: &u32| value == 2, || Some(2)).unwrap();
        assert_eq!((*first, *second), (1, 2));
        assert_eq!(*shared.get(1, |_: &u8| true, || Some(3)).unwrap(), 3);
        assert_eq!(shared.get(0, |_: &u32| false, || None), None);
        drop(second);
        assert_eq!(*shared.get(0, |_: &u32| true, || Some(4)).unwrap(), 4);
        // Of another type.
        assert_eq!(*shared.get(0, |_: &u64| true, || Some(5)).unwrap(), 5);
    }
}
