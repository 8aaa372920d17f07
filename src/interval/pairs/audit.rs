//! Audit of pairs of leaves: the front covers every pair once, and pairs that are not listed are
//! apart.

use super::front::{Opening, SHARING};
use super::{IntervalPairs, PairedBoxes, Stage};
use crate::bvh::traverse::open;
use crate::bvh::{AuditReport, LeafRelation};

impl IntervalPairs {
    /// Checks, once the interval is prepared: the front meets every pair of leaves once, in the
    /// order of the traversal; pairs of nodes in it that are not listed are apart, along some axis
    /// at each of a few times; windows lie in the interval. The partners must be those of
    /// [`IntervalPairs::begin`], unchanged. O(front), and O(log degree) for each pair of leaves of
    /// one body.
    pub fn audit(&self, partners: &PairedBoxes<'_>) -> AuditReport {
        let mut report = AuditReport::default();
        report.check(self.stage == Stage::Ready, || "the interval is not prepared".into());
        if self.stage != Stage::Ready {
            return report;
        }
        let (a, b) = (partners.a, partners.b);
        let (mut next, mut listed) = (0, 0);
        let mut stack = vec![[0, 0]];
        while let Some(pair) = stack.pop() {
            let [x, y] = pair;
            let leaves = [a.layout.nodes[x as usize], b.layout.nodes[y as usize]];
            if let Some(&met) = self.front.get(next)
                && [met[0], met[1] & !SHARING] == pair
            {
                next += 1;
                let is_leaves = !open(&mut Opening::of(partners), pair, |_, _| {});
                let entry = self.pairs.get(listed).filter(|entry| is_leaves && [entry.a, entry.b] == leaves);
                listed += usize::from(entry.is_some());
                let is_sharing = met[1] & SHARING != 0;
                report
                    .check(!is_sharing || entry.is_some_and(|entry| (entry.enter, entry.leave) == (0.0, 1.0)), || {
                        format!("{leaves:?} share a corner and are not listed throughout")
                    });
                if let Some(entry) = entry {
                    report.check(0.0 <= entry.enter && entry.enter <= entry.leave && entry.leave <= 1.0, || {
                        format!("the window of {entry:?} is none")
                    });
                }
                if !is_sharing {
                    self.check_times(partners, pair, entry.map(|entry| (entry.enter, entry.leave)), &mut report);
                }
                continue;
            }
            if !open(&mut Opening::of(partners), pair, |_, pair| stack.push(pair)) {
                let relation =
                    partners.shared_vertices.map(|shared_vertices| shared_vertices.relation(leaves[0], leaves[1]));
                report.check(relation == Some(LeafRelation::Excluded), || {
                    format!("leaves {leaves:?} lie below no pair of the front")
                });
            }
        }
        report.check(next == self.front.len() && listed == self.pairs.len(), || {
            format!(
                "{next} of {} pairs of the front and {listed} of {} listed ones are met in order",
                self.front.len(),
                self.pairs.len()
            )
        });
        report
    }

    /// Where a window does not hold a time, the boxes are apart then.
    fn check_times(
        &self,
        partners: &PairedBoxes<'_>,
        [x, y]: [u32; 2],
        window: Option<(f32, f32)>,
        report: &mut AuditReport,
    ) {
        let [a0, a1] = self.cut[0].ends(partners.a).map(|boxes| boxes[x as usize].map(f64::from));
        let [b0, b1] = self.cut[1].ends(partners.b).map(|boxes| boxes[y as usize].map(f64::from));
        for s in [0.0, 0.125, 0.5, 0.875, 1.0] {
            let is_open = window.is_some_and(|(enter, leave)| f64::from(enter) <= s && s <= f64::from(leave));
            let at = |x: f64, y: f64| (1.0 - s) * x + s * y;
            let gap = (0..8).map(|lane| at(a0[lane] + b0[(lane + 4) % 8], a1[lane] + b1[(lane + 4) % 8]));
            report.check(is_open || gap.fold(f64::NEG_INFINITY, f64::max) > 0.0, || {
                format!("places {x} and {y} overlap at {s} and their window {window:?} does not say so")
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::{BuildParams, SharedVertices, Topology};
    use crate::interval::IntervalBoxes;
    use crate::interval::boxes::tests::between_keys;
    use crate::mesh::{Mesh, Seams};

    /// Triangles along x that sink by some metres in a second.
    fn row(count: usize, height: f32, sinks: f32) -> IntervalBoxes {
        let corner = |z: f32| move |v: usize| [(v / 3 + v % 3 % 2) as f32, (v % 3 / 2) as f32, z];
        let places = |z: f32| (0..3 * count).map(corner(z)).collect::<Vec<[f32; 3]>>();
        let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let mesh = Mesh::new(3 * count, triangles).unwrap();
        let start: Vec<[f64; 3]> = places(height).iter().map(|p| p.map(f64::from)).collect();
        let topology = Topology::build(&mesh, &start, BuildParams { leaf_size: 1, ..BuildParams::default() });
        IntervalBoxes::of_first_second(topology, &between_keys(places(height), places(height - sinks)))
    }

    #[test]
    fn what_is_corrupted_is_found() {
        let (floor, falling) = (row(8, 0.0, 0.0), row(8, 1.0, 2.0));
        let partners = PairedBoxes::between(&floor, &falling);
        let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
        leaf_pairs.begin(&partners).unwrap();
        leaf_pairs.prepare(&partners, usize::MAX);
        assert!(leaf_pairs.audit(&partners).is_clean() && leaf_pairs.pairs().len() > 8);
        let is_found = |corrupt: &dyn Fn(&mut IntervalPairs)| {
            let mut leaf_pairs = leaf_pairs.clone();
            corrupt(&mut leaf_pairs);
            !leaf_pairs.audit(&partners).is_clean()
        };
        assert!(is_found(&|leaf_pairs| leaf_pairs.front.truncate(3)));
        assert!(is_found(&|leaf_pairs| leaf_pairs.front.swap(1, 2)));
        assert!(is_found(&|leaf_pairs| leaf_pairs.pairs.truncate(3)));
        // More than the traversal meets, of one of both.
        assert!(is_found(&|leaf_pairs| leaf_pairs.front.push([0, 0])));
        assert!(is_found(&|leaf_pairs| leaf_pairs.pairs.push(leaf_pairs.pairs[0])));
        assert!(is_found(&|leaf_pairs| leaf_pairs.pairs[2].leave = 0.25));
        assert!(is_found(&|leaf_pairs| leaf_pairs.pairs[2].enter = 0.75));
        // They meet at one instant, which may be the whole window.
        let last = |leave: f32| {
            move |leaf_pairs: &mut IntervalPairs| {
                (leaf_pairs.pairs[2].enter, leaf_pairs.pairs[2].leave) = (0.5, leave);
            }
        };
        assert!(!is_found(&last(0.5)) && is_found(&last(0.5_f32.next_down())));
        // A front in the order of trees whose boxes had other sizes: it covers all, but not in the
        // order of the traversal.
        let mut other = falling.clone();
        other.girths = other.girths.iter().map(|girth| 100.0 * girth).collect();
        assert!(!leaf_pairs.audit(&PairedBoxes::between(&floor, &other)).is_clean());
    }

    /// Leaves that share a corner are never apart.
    #[test]
    fn leaves_that_share_a_corner_are_listed_throughout() {
        let places: Vec<[f32; 3]> = (0..18).map(|v| [(v / 2) as f32, (v % 2) as f32, 0.0]).collect();
        let start: Vec<[f64; 3]> = places.iter().map(|p| p.map(f64::from)).collect();
        let mesh = Mesh::new(18, (0..16).map(|t| [t, t + 1, t + 2]).collect()).unwrap();
        let topology = Topology::build(&mesh, &start, BuildParams { leaf_size: 4, ..BuildParams::default() });
        let shared_vertices = SharedVertices::new(&topology, &mesh, &Seams::none(18), true);
        let strip = IntervalBoxes::of_first_second(topology, &between_keys(places.clone(), places));
        let partners = PairedBoxes::within(&strip, &shared_vertices);
        let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
        leaf_pairs.begin(&partners).unwrap();
        leaf_pairs.prepare(&partners, usize::MAX);
        assert!(leaf_pairs.audit(&partners).is_clean());
        let place = leaf_pairs.sharing.iter().position(|&is_sharing| is_sharing).expect("leaves that share a corner");
        for (enter, leave) in [(0.0, 0.5), (0.5, 1.0)] {
            (leaf_pairs.pairs[place].enter, leaf_pairs.pairs[place].leave) = (enter, leave);
            let faults = leaf_pairs.audit(&partners).faults;
            assert!(faults.iter().any(|fault| fault.0.contains("share a corner")), "{faults:?}");
        }
    }

    #[test]
    fn room_is_taken_from_others_and_fronts_stay() {
        let (floor, falling, other) = (row(8, 0.0, 0.0), row(8, 1.0, 2.0), row(60, 1.0, 2.0));
        let prepared = |partners: &PairedBoxes<'_>| {
            let mut leaf_pairs = IntervalPairs::new(0.0).unwrap();
            leaf_pairs.begin(partners).unwrap();
            leaf_pairs.prepare(partners, usize::MAX);
            leaf_pairs
        };
        let (partners, larger) = (PairedBoxes::between(&floor, &falling), PairedBoxes::between(&floor, &other));
        let next = |leaf_pairs: &mut IntervalPairs| {
            leaf_pairs.begin(&partners).unwrap();
            leaf_pairs.prepare(&partners, usize::MAX);
            assert!(leaf_pairs.audit(&partners).is_clean(), "{}", leaf_pairs.audit(&partners));
            (leaf_pairs.front.clone(), leaf_pairs.pairs.len(), leaf_pairs.stats())
        };
        let expected = next(&mut prepared(&partners));
        assert!(expected.1 > 8 && expected.2.rebuilds == 1);
        // Lists of any size, on both sides, and what others have left in them.
        for sizes in 0..64 {
            let room = |place: u32| if sizes >> place & 1 == 1 { vec![[7, 7]; 500] } else { Vec::new() };
            let (mut own, mut from) = (prepared(&partners), prepared(&larger));
            (own.old_front, own.stack) = (room(0), Vec::with_capacity(room(1).len()));
            (from.old_front, from.stack) = (room(2), Vec::with_capacity(room(3).len()));
            own.front.reserve_exact(room(4).len());
            from.front.reserve_exact(room(5).len());
            let mut taken = own.clone();
            own.take_room(&mut from);
            assert_eq!(next(&mut own), expected, "{sizes}");
            taken.take_room_back(&mut from);
            assert_eq!(next(&mut taken), expected, "{sizes}");
            let (mut follower, mut known) = (from, prepared(&partners));
            known.old_front = room(0);
            follower.follow_front(&mut known);
            assert_eq!(next(&mut follower), expected, "{sizes}");
            assert_eq!(next(&mut known), expected, "{sizes}");
        }
    }
}
