//! Groups of bodies in interval mode that meet, directly or not, and whether their intervals cost
//! too much. The buffers are used again from step to step.

use crate::tuning;

/// Bodies in groups.
#[derive(Debug, Default)]
pub(crate) struct CostGroups {
    /// Ascending by body.
    members: Vec<Member>,
    /// Bodies in the order of their pairs, in which costs are added up: places in `members`.
    order: Vec<u32>,
}

/// A body. What is said of the group counts where the body is its head, the one of lowest index.
#[derive(Clone, Copy, Debug)]
struct Member {
    body: u32,
    /// The place of a body of lower index in the same group, or the own one.
    head: u32,
    /// Costs of a step of the group: by intervals, by refits.
    costs: [f64; 2],
    /// Whether a body of the group may not leave its intervals.
    is_bound: bool,
    /// Whether the group's intervals cost enough more than refits to matter.
    is_expensive: bool,
    /// Whether the group leaves its intervals.
    leaves: bool,
}

impl CostGroups {
    /// Begins with bodies in the order of their pairs, each in a group of its own. O(n log n).
    pub(crate) fn begin(&mut self, bodies: impl Iterator<Item = u32>) {
        self.order.clear();
        self.order.extend(bodies);
        self.members.clear();
        self.members.extend(self.order.iter().map(|&body| Member {
            body,
            head: 0,
            costs: [0.0; 2],
            is_bound: false,
            is_expensive: false,
            leaves: false,
        }));
        self.members.sort_unstable_by_key(|member| member.body);
        self.members.dedup_by_key(|member| member.body);
        for (place, member) in self.members.iter_mut().enumerate() {
            member.head = place as u32;
        }
        let Self { members, order } = self;
        for entry in &mut *order {
            *entry = members.partition_point(|member| member.body < *entry) as u32;
        }
        // Each body once, where it comes first. Heads are not used yet, so `is_bound` marks them.
        order.retain(|&place| !std::mem::replace(&mut members[place as usize].is_bound, true));
        members.iter_mut().for_each(|member| member.is_bound = false);
    }

    /// Two bodies meet.
    pub(crate) fn connect(&mut self, bodies: [u32; 2]) {
        let places = bodies.map(|body| self.place(body));
        let [a, b] = places.map(|place| self.head(place));
        self.members[a.max(b)].head = a.min(b) as u32;
        // Short ways for the next.
        places.into_iter().for_each(|place| self.members[place].head = a.min(b) as u32);
    }

    /// Adds up the costs of each group. `of` gives those of a body, and whether it may leave its
    /// intervals.
    pub(crate) fn weigh(&mut self, of: impl Fn(u32) -> ([f64; 2], bool)) {
        // Heads come before their members.
        for place in 0..self.members.len() {
            self.members[place].head = self.members[self.members[place].head as usize].head;
        }
        for entry in 0..self.order.len() {
            let place = self.order[entry] as usize;
            let head = self.head(place);
            let (costs, may_leave) = of(self.members[place].body);
            let group = &mut self.members[head];
            group.costs = [group.costs[0] + costs[0], group.costs[1] + costs[1]];
            group.is_bound |= !may_leave;
        }
        for group in &mut self.members {
            let [interval, refits] = group.costs;
            group.is_expensive = interval > tuning::EXPENSIVE_RATIO * refits
                && interval > refits + tuning::MIN_EXCESS_COST
                && !group.is_bound;
            group.leaves = group.is_expensive && interval > tuning::EXPENSIVE_RATIO_OF_ONE_INTERVAL * refits;
        }
    }

    /// Asks each body of a group whose intervals are expensive, ascending, whether its group leaves
    /// them.
    pub(crate) fn ask(&mut self, mut leaves: impl FnMut(u32) -> bool) {
        for place in 0..self.members.len() {
            let head = self.head(place);
            if self.members[head].is_expensive && leaves(self.members[place].body) {
                self.members[head].leaves = true;
            }
        }
    }

    /// Bodies of groups that leave their intervals, ascending.
    pub(crate) fn leaving(&self) -> impl Iterator<Item = u32> + use<'_> {
        let places = (0..self.members.len()).filter(|&place| self.members[self.head(place)].leaves);
        places.map(|place| self.members[place].body)
    }

    fn place(&self, body: u32) -> usize {
        self.members.partition_point(|member| member.body < body)
    }

    /// The place of the head of a group.
    fn head(&self, mut place: usize) -> usize {
        while self.members[place].head as usize != place {
            place = self.members[place].head as usize;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::CostGroups;

    #[test]
    fn groups_leave_together_and_by_their_sums() {
        let mut groups = CostGroups::default();
        let costs = |body: u32| match body {
            7 => ([1e9, 1.0], true),
            20 => ([1e9, 1.0], false),
            _ => ([1.0, 1.0], true),
        };
        for _ in 0..2 {
            groups.begin([9, 7, 3, 5, 20, 5, 1, 1].into_iter());
            // 3 and 9 meet 7 through each other; 5 meets 20, which may not leave; 1 meets itself.
            for pair in [[9, 7], [3, 9], [5, 20], [1, 1]] {
                groups.connect(pair);
            }
            groups.weigh(costs);
            assert_eq!(groups.leaving().collect::<Vec<_>>(), [3, 7, 9]);
            let mut asked = Vec::new();
            groups.ask(|body| {
                asked.push(body);
                false
            });
            assert_eq!((asked, groups.leaving().count()), (vec![3, 7, 9], 3));
        }
        // One of them is enough, where the costs alone are not.
        groups.begin([4, 2, 8].into_iter());
        groups.connect([4, 2]);
        groups.weigh(|_| ([1e9, 0.9e9], true));
        assert_eq!(groups.leaving().count(), 0);
        groups.ask(|body| body == 4);
        assert_eq!(groups.leaving().collect::<Vec<_>>(), [2, 4]);
        // Costs are not taken over from before.
        groups.begin([7, 3].into_iter());
        groups.connect([3, 7]);
        groups.weigh(|_| ([1.0, 1.0], true));
        groups.ask(|_| true);
        assert_eq!(groups.leaving().count(), 0);
    }
}
