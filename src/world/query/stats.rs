//! Counters.

use crate::narrow::intervals::IntervalStats;
use crate::stats::{EngineStats, Stats};
use crate::world::World;
use crate::world::body::Index;
use crate::world::engine::Engine;
use crate::world::pair::finder::PairFinder;
use crate::world::tree::mode::{Mode, Reason};

impl World {
    /// Counters; see [`Stats`]. O(bodies + pairs + scheduled + contacts over time).
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(2.0)?;
    /// assert_eq!((world.stats().bodies, world.stats().triangles), (2, 2));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            events: self.clock.events,
            renewals: self.clock.renewals,
            scheduled: self.clock.queue.len(),
            next_scheduled: self.clock.next_due(),
            queue_operations: self.clock.queue.operations(),
            triangle_tests: self.pairs.triangle_tests,
            broad_phase: self.pairs.broad_phase.stats(),
            bodies_awake: self.bodies.awake,
            pairs_tested: self.pairs.tested,
            bodies: self.bodies.len(),
            pairs: self.pairs.len(),
            engines: self.engine_stats(),
            ..Stats::default()
        };
        for (_, body) in self.bodies.iter() {
            stats.triangles += body.shape.mesh.triangle_count();
            if let Index::Kinetic(tree) = &body.index {
                stats.tree += tree.stats();
                stats.nodes += tree.topology().node_count();
                // Asks for tables that are made when they are asked for: before their bytes are
                // counted.
                stats.most_slots_per_vertex = stats.most_slots_per_vertex.max(tree.most_slots_per_vertex());
            }
        }
        for (_, pair) in self.pairs.iter() {
            if let Some(list) = pair.finder.list() {
                stats.list += list.stats();
            }
        }
        stats.bytes = self.bytes_by_part().iter().map(|(_, bytes)| bytes).sum();
        let certificates = self.clock.queue.iter().filter(|(_, event)| event.kind.is_of_tree()).count();
        stats.certificates_per_node = certificates as f64 / stats.nodes.max(1) as f64;
        stats
    }

    /// How the pairs of triangles of continuous contacts were decided, over all pairs of bodies
    /// watched now.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// world.advance_to(1.0)?; // They touch.
    /// assert!(world.interval_stats().pairs > 0);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn interval_stats(&self) -> IntervalStats {
        let mut sum = IntervalStats::default();
        for (_, pair) in self.pairs.iter() {
            if let Some(continuous) = &pair.continuous {
                sum += continuous.stats;
            }
        }
        sum
    }

    /// Which engines the bodies have now.
    fn engine_stats(&self) -> EngineStats {
        let mut stats = EngineStats::default();
        for (_, body) in self.bodies.iter() {
            match &body.index {
                Index::Kinetic(tree) => {
                    stats.kinetic += 1;
                    stats.kinetic_bounded += usize::from(tree.as_bounded().is_some());
                    stats.kinetic_not_requested += usize::from(!matches!(body.requested_engine, Engine::Kinetic));
                }
                Index::Discrete(discrete) => {
                    match discrete.mode {
                        Mode::Interval => stats.interval += 1,
                        Mode::Refit => stats.refit += 1,
                        Mode::Baked => stats.baked += 1,
                    }
                    match discrete.reason.filter(|_| discrete.mode == Mode::Refit) {
                        Some(Reason::NotLinear) => stats.refit_not_linear += 1,
                        Some(Reason::FewFrames) => stats.refit_few_frames += 1,
                        Some(Reason::PlansReplaced) => stats.refit_plans_replaced += 1,
                        Some(Reason::Expensive) => stats.refit_intervals_expensive += 1,
                        None => {}
                    }
                    stats.intervals_entered += discrete.intervals.entered;
                    stats.intervals_prefetched += discrete.intervals.prefetched;
                }
                Index::OnDemand(on_demand) => {
                    stats.on_demand += 1;
                    stats.on_demand_whole += usize::from(on_demand.is_whole);
                }
                Index::Brute => stats.other += 1,
            }
        }
        stats.windows_decided_ahead = self.pairs.windows_decided_ahead;
        stats.pairs_certified_ahead = self.pairs.certified_ahead;
        for finder in self.pairs.iter().flat_map(|(_, pair)| pair.finders()) {
            let own = match finder {
                PairFinder::Interval(finder) => finder.stats(),
                PairFinder::Continuous(interval) => interval.stats(),
                _ => continue,
            };
            stats.intervals += own.intervals;
            stats.pairs_visited += own.visited;
            stats.leaf_pairs += own.listed;
        }
        stats
    }
}
