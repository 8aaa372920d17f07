//! What a world keeps, part by part.

use std::collections::BTreeMap;

use crate::world::World;
use crate::world::body::Index;

impl World {
    /// Bytes held, by part: names and bytes, by name. Meshes, motions, contacts at the clock's time
    /// and buffers of a step are not among them. The sum is that of [`World::stats`]. For
    /// benchmarks.
    ///
    /// | part | content |
    /// |---|---|
    /// | `tree shapes`, `order of sweeps` | nodes, triangles and vertices of leaves; the same in the order of sweeps |
    /// | `boxes at keys`, `points at keys` | of the present interval and of the next one |
    /// | `refitted trees`, `kinetic trees`, `on demand` | of bodies in these modes |
    /// | `fronts`, `leaf pairs`, `separation lists` | pairs of nodes of two bodies, or of one |
    /// | `gathered leaves`, `gathered triangles` | what finds candidates |
    /// | `candidates` | pairs of triangles of the present interval and of the next one |
    /// | `shared corners` | leaves of a body tested against itself |
    /// | `events` | the queue and the broad phase |
    /// | `continuous contacts` | leaf pairs decided, contacts that are on or to come; maps about |
    /// | `decided ahead` | of continuous contacts |
    /// | `spare` | of pairs of bodies that are not watched any more, for the next ones |
    ///
    /// Of on-demand bodies and kinetic ones with bounds the boxes and poses held at keys are among
    /// them; what several bodies share is counted with each.
    ///
    /// O(bodies + pairs + contacts over time).
    #[cfg_attr(not(feature = "unstable"), doc(hidden))]
    pub fn bytes_by_part(&self) -> Vec<(&'static str, usize)> {
        let mut parts: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut add = |name: &'static str, bytes: usize| *parts.entry(name).or_default() += bytes;
        add("events", self.clock.queue.bytes() + self.pairs.broad_phase.bytes());
        for (_, body) in self.bodies.iter() {
            match &body.index {
                Index::Kinetic(tree) => add("kinetic trees", tree.bytes()),
                Index::Discrete(discrete) => discrete.add_parts(&mut add),
                Index::OnDemand(on_demand) => add("on demand", on_demand.bytes()),
                Index::Brute => {}
            }
            add("kinetic trees", body.next_epoch.slots.bytes());
            if let Some(boxes) = &body.keys {
                body.next_keys.add_parts(boxes, &mut add);
            }
        }
        for (_, pair) in self.pairs.iter() {
            pair.finders().for_each(|finder| finder.add_parts(&mut add));
            add("continuous contacts", pair.continuous.as_ref().map_or(0, |continuous| continuous.bytes()));
            add("decided ahead", pair.ahead.0.as_ref().map_or(0, |ahead| ahead.bytes()));
        }
        add("spare", self.pairs.spare.0.bytes());
        parts.into_iter().filter(|&(_, bytes)| bytes > 0).collect()
    }
}
