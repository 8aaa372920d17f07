//! Disjoint sets of numbers.

/// Disjoint sets of numbers; the least number of a set stands for it.
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Sets of one number each, from 0 to `count - 1`.
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The least number of the set of a number.
    pub(crate) fn root(&mut self, mut item: u32) -> u32 {
        while self.parents[item as usize] != item {
            let parent = self.parents[item as usize];
            self.parents[item as usize] = self.parents[parent as usize];
            item = parent;
        }
        item
    }

    /// Unites the sets of two numbers.
    pub(crate) fn join(&mut self, x: u32, y: u32) {
        let (x, y) = (self.root(x), self.root(y));
        self.parents[x.max(y) as usize] = x.min(y);
    }

    /// The sets, each by increasing number, ordered by their least.
    pub(crate) fn into_lists(mut self) -> Vec<Vec<u32>> {
        let mut lists: Vec<Vec<u32>> = Vec::new();
        let mut place = vec![0; self.parents.len()];
        for item in 0..self.parents.len() as u32 {
            let root = self.root(item);
            if root == item {
                place[item as usize] = lists.len();
                lists.push(Vec::new());
            }
            lists[place[root as usize]].push(item);
        }
        lists
    }
}
