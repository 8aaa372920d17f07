//! Cache of an on-demand body at a moment. Answers do not depend on the queries made before.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::bvh::KeyedBoxes;
use crate::limits;
use crate::math::{Aabb, f32_above};
use crate::motion::KeysAround;
use crate::refit::Bounds;
use crate::time::Side;
use crate::world::tree::on_demand::blocks::Blocks;

/// Boxes at keys, and blocks blended at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// Per node, its boxes at the keys that were asked for last.
    keyed: Vec<Keyed>,
    /// Counts motions, in the bits above those of keys.
    motions: u64,
    /// Which moment blended vertices are of.
    at: Option<KeysAround>,
    /// Counts moments; marks with it are of this one.
    stamp: u32,
    /// Whether no vertex can be blended at this moment.
    is_unknown: bool,
    margin: f32,
    /// Per node, its box, and of which moment it is; the same of vertices and their places.
    boxes: Vec<Bounds>,
    nodes: Vec<u32>,
    vertices: Vec<u32>,
    points: Vec<[f32; 4]>,
    fresh: Vec<u32>,
    places: Vec<[f32; 4]>,
}

/// [`Kept`] behind a lock: pairs of bodies are tested side by side.
#[derive(Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize), serde(from = "StoredKept"))]
pub(crate) struct SharedKept(#[cfg_attr(feature = "record", serde(serialize_with = "store"))] Mutex<Kept>);

/// What is stored of it: the moment, and whether vertices could be blended then. What was kept is
/// computed again.
#[cfg(feature = "record")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredKept {
    at: Option<KeysAround>,
    is_unknown: bool,
    margin: f32,
    /// As many zeros as there are, so that a length is that of bytes that are there.
    nodes: Vec<u8>,
    vertices: Vec<u8>,
}

#[cfg(feature = "record")]
fn store<S: serde::Serializer>(kept: &Mutex<Kept>, serializer: S) -> Result<S::Ok, S::Error> {
    let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
    let [nodes, vertices] = [&kept.nodes, &kept.vertices].map(|all| vec![0; all.len()]);
    let stored = StoredKept { at: kept.at, is_unknown: kept.is_unknown, margin: kept.margin, nodes, vertices };
    serde::Serialize::serialize(&stored, serializer)
}

#[cfg(feature = "record")]
impl From<StoredKept> for SharedKept {
    fn from(stored: StoredKept) -> Self {
        let StoredKept { at, is_unknown, margin, .. } = stored;
        let kept = Kept::new(stored.nodes.len(), stored.vertices.len());
        Self::new(Kept { at, stamp: 1, is_unknown, margin, ..kept })
    }
}

impl SharedKept {
    pub(crate) fn new(kept: Kept) -> Self {
        Self(Mutex::new(kept))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Kept> {
        // What is kept is computed again where it is not of the moment asked for.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clone for SharedKept {
    fn clone(&self) -> Self {
        Self::new(self.lock().clone())
    }
}

/// The lowest bit of the number of a motion: keys have numbers of 32 bits at most.
const MOTION: u64 = 1 << 40;

/// The boxes of a node at two keys.
#[derive(Clone, Copy, Debug)]
struct Keyed {
    /// Which keys, and of which motion; `u64::MAX` for none.
    keys: u64,
    begin: Aabb,
    end: Aabb,
}

impl Kept {
    pub(crate) fn new(nodes: usize, vertices: usize) -> Self {
        let unknown = Keyed { keys: u64::MAX, begin: Aabb::EMPTY, end: Aabb::EMPTY };
        Self {
            keyed: vec![unknown; nodes],
            motions: 0,
            at: None,
            stamp: 0,
            is_unknown: false,
            margin: 0.0,
            boxes: vec![Bounds::EMPTY; nodes],
            nodes: vec![0; nodes],
            vertices: vec![0; vertices],
            points: vec![[0.0; 4]; vertices],
            fresh: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The box of a node at the moment it was begun with.
    #[inline]
    pub(crate) fn bounds(&mut self, node: u32, at: &KeysAround, blocks: &Blocks, known: &dyn KeyedBoxes) -> &Bounds {
        if self.nodes[node as usize] != self.stamp {
            self.make(node, at, blocks, known);
        }
        &self.boxes[node as usize]
    }

    /// Makes the box of a node, and those of all others in its block.
    fn make(&mut self, node: u32, at: &KeysAround, blocks: &Blocks, known: &dyn KeyedBoxes) {
        if let Some(block) = blocks.above(node)
            && self.blend(blocks.vertices(block), at, known).is_some()
        {
            for &node in blocks.below(block) {
                self.nodes[node as usize] = self.stamp;
            }
            return blocks.bound(block, known.topology(), &self.points, self.margin, &mut self.boxes);
        }
        let bounds = self.between(node, at, known);
        let ([x, y, z], [p, q, r]) = (bounds.min.map(|x| (x as f32).next_down()), bounds.max.map(f32_above));
        self.boxes[node as usize] = Bounds([x, y, z, 0.0, -p, -q, -r, 0.0]);
        self.nodes[node as usize] = self.stamp;
    }

    /// The box of a node from its boxes at the keys around a moment.
    fn between(&mut self, node: u32, at: &KeysAround, known: &dyn KeyedBoxes) -> Aabb {
        let number = |(key, side): (usize, Side)| 2 * key as u64 + u64::from(side == Side::After);
        // Both are ends of one interval, or the same key twice.
        let keys = self.motions + 2 * number(at.first) + u64::from(at.first != at.last);
        let entry = &mut self.keyed[node as usize];
        if entry.keys != keys {
            let at_key = |(key, side): (usize, Side)| within(&known.key_box(key, side, node), at.most);
            let begin = at_key(at.first);
            let end = if at.first == at.last { begin } else { at_key(at.last) };
            *entry = Keyed { keys, begin, end };
        }
        between(&entry.begin, &entry.end, at.share)
    }

    /// Writes where vertices are; returns a margin. `None` where it is not known.
    pub(crate) fn positions(
        &mut self,
        vertices: &[u32],
        out: &mut [[f32; 4]],
        at: &KeysAround,
        known: &dyn KeyedBoxes,
    ) -> Option<f32> {
        self.blend(vertices, at, known)?;
        for (out, &vertex) in out.iter_mut().zip(vertices) {
            *out = self.points[vertex as usize];
        }
        Some(self.margin)
    }

    /// Drops the data of another moment. To be called before any query.
    pub(crate) fn begin(&mut self, at: &KeysAround) {
        if self.at == Some(*at) {
            return;
        }
        (self.at, self.is_unknown, self.margin) = (Some(*at), false, 0.0);
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.nodes.fill(0);
            self.vertices.fill(0);
            self.stamp = 1;
        }
    }

    /// Forgets the boxes at keys: the motion is another one. O(1), but for one call in 2²⁴.
    pub(crate) fn forget_keys(&mut self) {
        self.at = None;
        self.motions = self.motions.wrapping_add(MOTION);
        if self.motions == 0 {
            self.keyed.iter_mut().for_each(|entry| entry.keys = u64::MAX);
        }
    }

    /// Blends vertices, each once a moment.
    fn blend(&mut self, vertices: &[u32], at: &KeysAround, known: &dyn KeyedBoxes) -> Option<()> {
        let Self { stamp, vertices: stamps, fresh, places, points, .. } = self;
        if self.is_unknown {
            return None;
        }
        fresh.clear();
        for &vertex in vertices {
            if std::mem::replace(&mut stamps[vertex as usize], *stamp) != *stamp {
                fresh.push(vertex);
            }
        }
        if fresh.is_empty() {
            return Some(());
        }
        places.resize(fresh.len(), [0.0; 4]);
        let Some(margin) = rounded_positions(known, at, fresh, places) else {
            self.is_unknown = true;
            return None;
        };
        // The same for all vertices.
        self.margin = self.margin.max(margin);
        for (&vertex, place) in fresh.iter().zip(places) {
            points[vertex as usize] = *place;
        }
        Some(())
    }

    /// Whether vertices could be blended, as far as they were asked for.
    pub(crate) fn is_blended(&self) -> bool {
        !self.is_unknown
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.keyed.len() * size_of::<Keyed>()
            + (self.nodes.len() + self.vertices.len() + self.fresh.capacity()) * size_of::<u32>()
            + self.boxes.len() * size_of::<Bounds>()
            + (self.points.len() + self.places.capacity()) * size_of::<[f32; 4]>()
    }
}

/// Writes where vertices are at a moment, rounded; returns a margin, as
/// [`KeyedBoxes::rounded_positions`].
pub(crate) fn rounded_positions(
    known: &dyn KeyedBoxes,
    at: &KeysAround,
    vertices: &[u32],
    out: &mut [[f32; 4]],
) -> Option<f32> {
    let margin = known.rounded_positions([at.first, at.last], at.share, vertices, out)?;
    // What is evaluated is cut off at the stated reach. Cutting off moves nothing farther apart;
    // rounded upward the reach is off by less than a spacing of `f32` of coordinates that are cut
    // off.
    let most = f32_above(at.most);
    for place in out.iter_mut() {
        for x in &mut place[..3] {
            *x = x.clamp(-most, most);
        }
    }
    Some(margin)
}

/// The box of what is evaluated: coordinates beyond the stated reach are taken as that. Clamping
/// keeps order, so it keeps vertices inside.
fn within(bounds: &Aabb, most: f64) -> Aabb {
    // What is not a number says nothing.
    let low = |x: f64| if x.is_nan() { -most } else { x.clamp(-most, most) };
    let high = |x: f64| if x.is_nan() { most } else { x.clamp(-most, most) };
    Aabb { min: bounds.min.map(low), max: bounds.max.map(high) }
}

/// The box of everything that moves linearly from one box into another, at a share of the way;
/// rounded outward.
fn between(begin: &Aabb, end: &Aabb, share: f64) -> Aabb {
    let mut bounds = Aabb::EMPTY;
    for axis in 0..3 {
        let sides = [begin.min[axis], begin.max[axis], end.min[axis], end.max[axis]];
        let slack = limits::ROUNDING * sides.into_iter().fold(0.0, |most: f64, x| most.max(x.abs())) + limits::FLUSH;
        bounds.min[axis] = begin.min[axis] + (end.min[axis] - begin.min[axis]) * share - slack;
        bounds.max[axis] = begin.max[axis] + (end.max[axis] - begin.max[axis]) * share + slack;
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bvh::Topology;
    use crate::time::Span;

    /// All vertices are at the share of the way.
    #[derive(Debug)]
    struct Diagonal(Topology);

    impl KeyedBoxes for Diagonal {
        fn topology(&self) -> &Topology {
            &self.0
        }

        fn key_box(&self, key: usize, _: Side, _: u32) -> Aabb {
            Aabb::of_points([&[key as f64; 3]])
        }

        fn rounded_positions(
            &self,
            _: [(usize, Side); 2],
            part: f64,
            vertices: &[u32],
            out: &mut [[f32; 4]],
        ) -> Option<f32> {
            out[..vertices.len()].fill([part as f32, part as f32, part as f32, 0.0]);
            Some(1e-6)
        }

        fn bytes(&self) -> usize {
            0
        }
    }

    #[test]
    fn what_was_blended_is_forgotten_where_the_count_of_moments_begins_again() {
        let mesh = crate::mesh::Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let places = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let diagonal = Diagonal(Topology::build(&mesh, &places, crate::bvh::BuildParams::default()));
        let at = |share: f64| KeysAround {
            first: (0, Side::After),
            last: (1, Side::At),
            span: Span { begin: 0.0, end: 1.0 },
            share,
            most: 10.0,
        };
        let mut kept = Kept::new(1, 3);
        let blended = |kept: &mut Kept, share: f64| {
            let mut out = [[0.0; 4]; 3];
            kept.begin(&at(share));
            kept.positions(&[0, 1, 2], &mut out, &at(share), &diagonal).unwrap();
            out.map(|place| place[0])
        };
        assert_eq!(blended(&mut kept, 0.25), [0.25; 3]);
        let first = kept.stamp;
        kept.stamp = u32::MAX;
        assert_eq!(blended(&mut kept, 0.75), [0.75; 3]);
        assert_eq!(kept.stamp, first);
    }

    #[test]
    fn the_size_is_that_of_all_lists() {
        let per_node = size_of::<Keyed>() + size_of::<u32>() + size_of::<Bounds>();
        let per_vertex = size_of::<u32>() + size_of::<[f32; 4]>();
        assert_eq!(Kept::new(3, 5).bytes(), 3 * per_node + 5 * per_vertex);
    }

    #[test]
    fn sides_that_are_not_a_number_are_as_far_out_as_they_may_be() {
        let bounds = Aabb { min: [f64::NAN, -9.0, 0.5], max: [f64::NAN, 9.0, 1.0] };
        let clamped = within(&bounds, 4.0);
        assert_eq!((clamped.min, clamped.max), ([-4.0, -4.0, 0.5], [4.0, 4.0, 1.0]));
    }
}
