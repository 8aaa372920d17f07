//! What certificates of a list read: rows of keys, where bodies have them.

use crate::bvh::{BuildParams, Topology};
use crate::kinetic::box_pair::BoundPair;
use crate::kinetic::certificate::Bound;
use crate::kinetic::event::{EventLog, EventQueue};
use crate::kinetic::separation_list::SeparationList;
use crate::kinetic::{EventContext, KineticHierarchy, KineticTree, TreeContext, TreeKind};
use crate::math::Extent;
use crate::motion::{BoxTracks, KeyLayout, KeyTrack, Motion};
use crate::time::Moment;

use super::{END, parting};

#[test]
fn trees_of_bodies_with_keys_have_rows_of_the_same_bounds() {
    for kind in [TreeKind::Aabb, TreeKind::Box] {
        let (mesh, plan) = parting(8, 1);
        let motion = Motion::new(plan, mesh.vertex_count(), KeyLayout::VertexMajor).expect("a usable plan");
        let (mut queue, mut log, now) = (EventQueue::new(), EventLog::new(false), Moment::at(0.0));
        let mut positions = Vec::new();
        motion.positions(now, &mut positions);
        let topology = Topology::build(&mesh, &positions, BuildParams { leaf_size: 1, ..BuildParams::default() });
        let mut clock = EventContext { queue: &mut queue, log: &mut log, now };
        let mut changes = Vec::new();
        let tree = KineticTree::new(kind, topology, 0, &mut TreeContext::new(&motion, END, &mut clock, &mut changes));
        let view = tree.kinetic_view(&motion, motion.slack(now), END, now);
        let list = SeparationList::new((&view, &view), 1, &mut clock);
        for (number, pair) in list.pairs.iter() {
            let bounds = list.nodes(number as u32, (&view, &view));
            let tracks = bounds.tracks().expect("both have keys");
            for (side, tracks) in tracks.into_iter().enumerate() {
                for extent in Extent::ALL {
                    let row =
                        if side == 0 { bounds.bound_a(extent).row_at(0) } else { bounds.bound_b(extent).row_at(0) };
                    let piece = view.bound(pair.nodes[side], extent, Moment::at(0.0)).at(0.0);
                    assert_eq!((row, at_key(&tracks, extent, 0)), (Some(piece), piece), "{kind:?}");
                }
            }
        }
    }
}

fn at_key(tracks: &BoxTracks<'_>, extent: Extent, key: usize) -> f64 {
    match tracks {
        BoxTracks::Keys { rows, .. } => f64::from(rows[extent.index()][key]),
        BoxTracks::Constant(sides) => sides[extent.index()],
    }
}

/// The value of a bound's row at a key.
trait RowAt {
    fn row_at(&self, key: usize) -> Option<f64>;
}

impl<B: Bound> RowAt for B {
    fn row_at(&self, key: usize) -> Option<f64> {
        Some(match self.row()? {
            KeyTrack::Keys { row, .. } => f64::from(row[key]),
            KeyTrack::Constant(x) => x,
        })
    }
}
