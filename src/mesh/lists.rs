//! Lists of numbers, one list per owner, stored in one vector.
//!
//! Gathered lists are contiguous. A list changed later is overwritten in place if it did not grow;
//! otherwise it moves to the end. When half of the storage is unused, all lists are compacted. A
//! change costs O(length of the list), amortised; lists that never change cost only their items.

/// The range of an owner's items, given where each list begins and, last, where the last one ends;
/// empty of an owner that does not exist.
#[inline]
pub(crate) fn range_of(begins: &[u32], owner: u32) -> std::ops::Range<usize> {
    match begins.get(owner as usize..owner as usize + 2) {
        Some(&[begin, end]) => begin as usize..end as usize,
        _ => 0..0,
    }
}

#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Lists {
    begins: Vec<u32>,
    /// End of each list; empty as long as each list ends where the next begins.
    ends: Vec<u32>,
    items: Vec<u32>,
    /// Number of unused items in the storage.
    left_behind: usize,
}

impl Lists {
    /// Sorts (owner, item) pairs into lists; within a list items keep the order of `pairs`.
    pub(crate) fn gather(owners: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Self {
        let mut begins = vec![0u32; owners + 1];
        for (owner, _) in pairs.clone() {
            begins[owner as usize + 1] += 1;
        }
        for owner in 0..owners {
            begins[owner + 1] += begins[owner];
        }
        let mut next = begins.clone();
        let mut items = vec![0; begins[owners] as usize];
        for (owner, item) in pairs {
            let place = &mut next[owner as usize];
            items[*place as usize] = item;
            *place += 1;
        }
        Self { begins, ends: Vec::new(), items, left_behind: 0 }
    }

    /// Creates contiguous lists from the begin of each and, as a last entry, the end of the last
    /// one.
    pub(crate) fn end_to_end(begins: Vec<u32>, items: Vec<u32>) -> Self {
        debug_assert_eq!(begins.last().map(|&end| end as usize), Some(items.len()));
        Self { begins, ends: Vec::new(), items, left_behind: 0 }
    }

    /// The list of an owner; empty of one that does not exist.
    #[inline]
    pub(crate) fn of(&self, owner: u32) -> &[u32] {
        let owner = owner as usize;
        let end = if self.ends.is_empty() { self.begins.get(owner + 1) } else { self.ends.get(owner) };
        end.map_or(&[], |&end| &self.items[self.begins[owner] as usize..end as usize])
    }

    /// How many items all lists have.
    pub(crate) fn item_count(&self) -> usize {
        self.items.len() - self.left_behind
    }

    /// All items, list after list. Valid only for lists without changes.
    pub(crate) fn all(&self) -> &[u32] {
        debug_assert!(self.ends.is_empty(), "lists were changed");
        &self.items
    }

    /// Makes lists changeable, with room for at least this many owners; new lists are empty.
    pub(crate) fn grow(&mut self, owners: usize) {
        if self.ends.is_empty() {
            self.ends = self.begins.get(1..).unwrap_or_default().to_vec();
            self.begins.pop();
        }
        let owners = owners.max(self.begins.len());
        self.begins.resize(owners, 0);
        self.ends.resize(owners, 0);
    }

    /// Replaces the list of an owner. O(its length), amortised.
    pub(crate) fn set(&mut self, owner: u32, list: &[u32]) {
        self.grow(owner as usize + 1);
        let place = owner as usize;
        let (begin, end) = (self.begins[place] as usize, self.ends[place] as usize);
        if list.len() <= end - begin {
            self.items[begin..begin + list.len()].copy_from_slice(list);
            self.ends[place] = (begin + list.len()) as u32;
            self.left_behind += end - begin - list.len();
        } else {
            self.left_behind += end - begin;
            self.begins[place] = self.items.len() as u32;
            self.items.extend_from_slice(list);
            self.ends[place] = self.items.len() as u32;
        }
        if self.left_behind > 64 + self.items.len() / 2 {
            self.move_together();
        }
    }

    /// Inserts an item into a sorted list, unless it is present.
    pub(crate) fn enter(&mut self, owner: u32, item: u32) {
        self.grow(owner as usize + 1);
        if let Err(place) = self.of(owner).binary_search(&item) {
            let mut list = self.of(owner).to_vec();
            list.insert(place, item);
            self.set(owner, &list);
        }
    }

    /// Removes items from a list.
    pub(crate) fn retain(&mut self, owner: u32, keep: impl Fn(u32) -> bool) {
        if self.of(owner).iter().any(|&item| !keep(item)) {
            let list: Vec<u32> = self.of(owner).iter().copied().filter(|&item| keep(item)).collect();
            self.set(owner, &list);
        }
    }

    fn move_together(&mut self) {
        let mut items = Vec::with_capacity(self.items.len() - self.left_behind);
        for owner in 0..self.begins.len() {
            let list = self.begins[owner] as usize..self.ends[owner] as usize;
            self.begins[owner] = items.len() as u32;
            items.extend_from_slice(&self.items[list]);
            self.ends[owner] = items.len() as u32;
        }
        (self.items, self.left_behind) = (items, 0);
    }

    /// Length of the longest list.
    pub(crate) fn longest(&self) -> usize {
        let owners = if self.ends.is_empty() { self.begins.len().saturating_sub(1) } else { self.begins.len() };
        (0..owners).map(|owner| self.of(owner as u32).len()).max().unwrap_or(0)
    }

    pub(crate) fn bytes(&self) -> usize {
        (self.begins.capacity() + self.ends.capacity() + self.items.capacity()) * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lists_follow_a_plain_model() {
        let pairs = (0..40u32).map(|i| (i % 10, 7 * i % 31));
        let mut lists = Lists::gather(10, pairs.clone());
        let mut model: Vec<Vec<u32>> = vec![Vec::new(); 10];
        pairs.for_each(|(owner, item)| model[owner as usize].push(item));
        let mut state = 1u64;
        let mut moves = 0;
        for step in 0..4000u32 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (owner, length) = ((state >> 33) as usize % (10 + step as usize / 100), (state >> 50) as usize % 12);
            let list: Vec<u32> = (0..length as u32).map(|i| i * step).collect();
            let before = lists.items.len();
            lists.set(owner as u32, &list);
            moves += u32::from(lists.items.len() < before);
            model.resize(model.len().max(owner + 1), Vec::new());
            model[owner] = list;
            for (owner, list) in model.iter().enumerate() {
                assert_eq!(lists.of(owner as u32), list, "owner {owner} after step {step}");
            }
        }
        assert_eq!(lists.longest(), model.iter().map(Vec::len).max().unwrap());
        assert!(moves > 10, "moved together {moves} times");
    }
}
