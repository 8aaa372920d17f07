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

/// Disjoint sets of numbers, each with one of two colours; a root, the least number of its set,
/// stands for both.
pub(crate) struct Colours {
    parent: Vec<u32>,
    /// Whether the colour differs from that of the parent.
    differs: Vec<bool>,
}

impl Colours {
    /// Sets of one number each, from 0 to `count - 1`, all of one colour.
    pub(crate) fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect(), differs: vec![false; count] }
    }

    /// The root, and whether the colour differs from that of the root. Halves the path.
    pub(crate) fn find(&mut self, mut item: u32) -> (u32, bool) {
        let mut differs = false;
        loop {
            let parent = self.parent[item as usize];
            if parent == item {
                return (item, differs);
            }
            let above = self.parent[parent as usize];
            if above != parent {
                self.differs[item as usize] ^= self.differs[parent as usize];
                self.parent[item as usize] = above;
            }
            differs ^= self.differs[item as usize];
            item = self.parent[item as usize];
        }
    }

    /// Demands that two colours differ, or that they are equal; whether that is possible.
    pub(crate) fn join(&mut self, p: u32, q: u32, differ: bool) -> bool {
        let ((root_p, colour_p), (root_q, colour_q)) = (self.find(p), self.find(q));
        let differ = differ ^ colour_p ^ colour_q;
        if root_p == root_q {
            return !differ;
        }
        let (low, high) = (root_p.min(root_q), root_p.max(root_q));
        self.parent[high as usize] = low;
        self.differs[high as usize] = differ;
        true
    }
}
