//! Epochs of kinetic bodies that begin together, prepared a part in each advance before: first the
//! trees ([`crate::world::body::next_epoch`]), then the separation lists between them.
//!
//! A list is prepared where both bodies begin an epoch at the same moment, or one of them rests. Of
//! a body that moves on, the winners at that moment are not known before. Such a list is searched
//! when the epoch begins.

use crate::kinetic::EventContext;
use crate::time::Moment;
use crate::tuning::LIST_PAIRS_PER_NODE;
use crate::world::body::bodies::Bodies;
use crate::world::pair::Pairs;

impl Pairs {
    /// Prepares epochs that begin at a moment: one of `steps` equal shares of what remains, from
    /// `now` on, seconds. `indices` are those of the bodies, ascending. Nothing is begun for a
    /// single step: where the epoch begins it costs no more.
    pub(crate) fn prepare_epochs(&mut self, at: Moment, indices: &[u32], steps: f64, now: f64, bodies: &mut Bodies) {
        let mut nodes = 0;
        for &index in indices {
            let left = if steps > 1.0 { bodies.begin_next_epoch(index, at) } else { bodies.at(index).nodes_left(at) };
            nodes += left.unwrap_or(0);
        }
        let lists = self.take_lists(indices, bodies);
        let known = |index: u32, bodies: &Bodies| bodies.at(index).knows_epoch(at, now);
        let mut places = 0;
        for &number in &lists {
            let pair = &self[number];
            let will_be_known = |index: u32| indices.binary_search(&index).is_ok() || known(index, bodies);
            if will_be_known(pair.a) && will_be_known(pair.b) {
                places += pair.finder.list().map_or(0, |list| list.left_ahead(at));
            }
        }
        let mut share = ((nodes * LIST_PAIRS_PER_NODE + places) as f64 / steps).ceil() as usize;
        for &index in indices {
            let count = bodies.at(index).nodes_left(at).unwrap_or(0).min(share.div_ceil(LIST_PAIRS_PER_NODE));
            if count > 0 {
                bodies.at_mut(index).prepare_epoch(count);
                share = share.saturating_sub(count * LIST_PAIRS_PER_NODE);
            }
        }
        for &number in &lists {
            let [a, b] = [self[number].a, self[number].b];
            if share > 0 && known(a, bodies) && known(b, bodies) {
                share -= self.prepare_list(number, at, share, bodies);
            }
        }
        self.scratch.0.lists = lists;
    }

    /// Passes at most `most` places of a list before an epoch of its bodies; returns how many.
    fn prepare_list(&mut self, number: u32, at: Moment, most: usize, bodies: &mut Bodies) -> usize {
        let [a, b] = [self[number].a, self[number].b];
        if a != b
            && let Some(round) = bodies.at(a).next_round().cloned()
        {
            // Certificates between bodies are cheaper to search where both have the same round.
            bodies.at_mut(b).share_next_round(&round);
        }
        let exchange = |bodies: &mut Bodies| {
            bodies.at_mut(a).exchange_round(at);
            if a != b {
                bodies.at_mut(b).exchange_round(at);
            }
        };
        exchange(bodies);
        let pair = &mut self[number];
        let by = 0.5 * pair.distance;
        let views = [a, b].map(|index| bodies.at(index).kinetic_ahead(by, at));
        let mut count = 0;
        if let (Some(list), [Some(a), Some(b)]) = (pair.finder.list_mut(), views) {
            count = list.left_ahead(at).min(most);
            list.prepare_ahead(at, count, (&a, &b));
        }
        exchange(bodies);
        count
    }

    /// Certifies all bounds of bodies again that began an epoch now, or whose motion changed: in
    /// the broad phase, and in their separation lists, with what was found ahead. `indices` are
    /// ascending.
    pub(crate) fn certify_all(&mut self, indices: &[u32], bodies: &mut Bodies, clock: &mut EventContext<'_>) {
        for &index in indices {
            self.certify_in_broad_phase(index, bodies, clock);
        }
        let lists = self.take_lists(indices, bodies);
        for &number in &lists {
            let pair = &mut self.table[number];
            let views = pair.kinetic_view(bodies, clock.now);
            let sides = [pair.a, pair.b].map(|index| bodies.at(index));
            if let (Some(list), Some((a, b))) = (pair.finder.list_mut(), views) {
                let is_as_found = |side: usize, node, extent| sides[side].is_as_found(node, extent);
                self.certified_ahead += list.certify_all_as_found(is_as_found, (&a, &b), clock);
            }
        }
        self.scratch.0.lists = lists;
        for &index in indices {
            bodies.at_mut(index).next_epoch.slots.forget();
        }
    }

    /// The pairs with a list of some bodies, each once. They are given back to the buffers.
    fn take_lists(&mut self, indices: &[u32], bodies: &Bodies) -> Vec<u32> {
        let mut lists = std::mem::take(&mut self.scratch.0.lists);
        lists.clear();
        for &index in indices {
            lists.extend(bodies.at(index).pairs.iter().copied().filter(|&number| {
                let pair = &self[number];
                let is_first = pair.a == index || indices.binary_search(&pair.a).is_err();
                is_first && pair.finder.list().is_some()
            }));
        }
        lists
    }
}
