//! Reading a separation list.

use super::{SeparationList, State};

impl SeparationList {
    /// The overlapping leaf pairs, as nodes of the two hierarchies, in no useful order.
    pub fn overlapping(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.overlapping.iter().map(|&pair| {
            let [a, b] = self.pairs[pair as usize].nodes;
            (a, b)
        })
    }

    /// Appends the leaf pairs that became overlapping since the last call to `out`; the first call
    /// gives all that overlap.
    pub fn take_met(&mut self, out: &mut Vec<(u32, u32)>) {
        if let Some(met) = &mut self.met {
            out.append(met);
        } else {
            out.extend(self.overlapping());
            self.met = Some(std::mem::take(&mut self.met_room));
        }
    }

    /// All members of the list: nodes of the two hierarchies, and whether they overlap. In no
    /// useful order.
    pub fn members(&self) -> impl Iterator<Item = (u32, u32, bool)> {
        self.pairs.iter().filter_map(|(_, pair)| match pair.state {
            State::Apart => Some((pair.nodes[0], pair.nodes[1], false)),
            State::Overlapping { .. } => Some((pair.nodes[0], pair.nodes[1], true)),
            State::Inner { .. } | State::Excluded => None,
        })
    }

    /// Most members one node of either hierarchy takes part in (Theorem 6: at most O(n)).
    pub fn most_members_per_node(&self) -> usize {
        let mut counts = [vec![0; self.heads[0].len()], vec![0; self.heads[1].len()]];
        for (a, b, _) in self.members() {
            counts[0][a as usize] += 1;
            counts[1][b as usize] += 1;
        }
        counts.iter().flatten().copied().max().unwrap_or(0)
    }
}
