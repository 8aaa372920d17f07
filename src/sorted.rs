//! Small ordered sets and maps in one list each. An ordered tree gives the memory of its nodes back
//! as items go, and takes it again as others come; these keep it.
//!
//! Cost: O(log n) to find; O(n) to insert and to remove, which moves what lies behind: about 1 µs
//! per 20 kB.

use std::ops::Deref;

/// A set in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "record",
    derive(serde::Serialize, serde::Deserialize),
    serde(bound(deserialize = "T: Ord + serde::Deserialize<'de>"), from = "std::collections::BTreeSet<T>")
)]
pub(crate) struct SortedSet<T>(Vec<T>);

impl<T: Ord> SortedSet<T> {
    /// Enters an item, unless it is there.
    pub(crate) fn insert(&mut self, item: T) {
        if let Err(place) = self.0.binary_search(&item) {
            self.0.insert(place, item);
        }
    }

    /// Takes an item out, if it is there.
    pub(crate) fn remove(&mut self, item: &T) {
        if let Ok(place) = self.0.binary_search(item) {
            self.0.remove(place);
        }
    }
}

impl<T> Deref for SortedSet<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a SortedSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<T> From<std::collections::BTreeSet<T>> for SortedSet<T> {
    fn from(set: std::collections::BTreeSet<T>) -> Self {
        Self(set.into_iter().collect())
    }
}

/// A map in ascending order of its keys.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "record",
    derive(serde::Serialize, serde::Deserialize),
    serde(
        bound(deserialize = "K: Ord + serde::Deserialize<'de>, V: serde::Deserialize<'de>"),
        from = "std::collections::BTreeMap<K, V>"
    )
)]
pub(crate) struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord + Copy, V: Copy> SortedMap<K, V> {
    fn place(&self, key: K) -> Result<usize, usize> {
        self.0.binary_search_by_key(&key, |&(key, _)| key)
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.place(*key).ok().map(|place| &self.0[place].1)
    }

    /// Whether a key is there.
    pub(crate) fn contains_key(&self, key: &K) -> bool {
        self.place(*key).is_ok()
    }

    /// Enters the value of a key, in place of the one before.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        match self.place(key) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (key, value)),
        }
    }

    /// Takes a key out, if it is there.
    pub(crate) fn remove(&mut self, key: &K) {
        if let Ok(place) = self.place(*key) {
            self.0.remove(place);
        }
    }

    /// The first key after one, or the first of all, with its value.
    pub(crate) fn after(&self, last: Option<K>) -> Option<(K, V)> {
        let place = last.map_or(0, |last| self.0.partition_point(|&(key, _)| key <= last));
        self.0.get(place).copied()
    }

    /// All keys with their values, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (K, V)> {
        self.0.iter().copied()
    }

    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl<K, V> From<std::collections::BTreeMap<K, V>> for SortedMap<K, V> {
    fn from(map: std::collections::BTreeMap<K, V>) -> Self {
        Self(map.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_sorted_map_is_a_map() {
        let (mut map, mut known) = (SortedMap::default(), BTreeMap::new());
        for step in 0..400u32 {
            let key = step.wrapping_mul(2_654_435_761) >> 27;
            if step % 3 == 0 {
                map.remove(&key);
                known.remove(&key);
            } else {
                map.insert(key, step);
                known.insert(key, step);
            }
            assert!(map.iter().eq(known.iter().map(|(&key, &value)| (key, value))));
            assert_eq!((map.get(&key), map.contains_key(&key)), (known.get(&key), known.contains_key(&key)));
            let next = known.range(key + 1..).next().map(|(&key, &value)| (key, value));
            assert_eq!((map.after(Some(key)), map.after(None)), (next, map.iter().next()));
        }
    }

    #[test]
    fn a_sorted_set_holds_each_item_once() {
        let mut set = SortedSet::default();
        [5, 1, 5, 3].into_iter().for_each(|item| set.insert(item));
        assert_eq!(*set, [1, 3, 5]);
        set.remove(&3);
        set.remove(&4);
        assert_eq!(set.into_iter().collect::<Vec<_>>(), [1, 5]);
    }
}
