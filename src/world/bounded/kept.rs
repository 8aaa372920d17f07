//! What is known of a bounded body at a moment: a memory, not a state. Answers do not depend on who asked before.

use super::blocks::Blocks;
use crate::baseline::Bounds;
use crate::kds::KeyedBoxes;
use crate::math::Aabb;
use crate::motion::KeysAround;
use crate::time::Side;

/// Boxes at keys, and blocks blended at a moment.
#[derive(Debug)]
pub(super) struct Kept {
    /// Per node, its boxes at the keys that were asked for last.
    keyed: Vec<Keyed>,
    /// Which moment blended vertices are of.
    at: Option<KeysAround>,
    /// Counts moments; marks with it are of this one.
    stamp: u32,
    /// Can nothing be blended at this moment?
    is_unknown: bool,
    margin: f32,
    /// Per block and vertex, of which moment it is.
    blocks: Vec<u32>,
    vertices: Vec<u32>,
    /// Per node, its box, and per vertex, its place.
    boxes: Vec<Bounds>,
    points: Vec<[f32; 4]>,
    fresh: Vec<u32>,
    places: Vec<[f32; 4]>,
}

/// The boxes of a node at two keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keyed {
    /// Which keys; `u64::MAX` for none.
    keys: u64,
    pub(super) begin: Aabb,
    pub(super) end: Aabb,
}

impl Kept {
    pub(super) fn new(nodes: usize, blocks: usize, vertices: usize) -> Self {
        let unknown = Keyed { keys: u64::MAX, begin: Aabb::EMPTY, end: Aabb::EMPTY };
        Self {
            keyed: vec![unknown; nodes],
            at: None,
            stamp: 0,
            is_unknown: false,
            margin: 0.0,
            blocks: vec![0; blocks],
            vertices: vec![0; vertices],
            boxes: vec![Bounds::EMPTY; nodes],
            points: vec![[0.0; 4]; vertices],
            fresh: Vec::new(),
            places: Vec::new(),
        }
    }

    /// The boxes of a node at the keys around a moment.
    pub(super) fn keyed(&mut self, node: u32, at: &KeysAround, known: &dyn KeyedBoxes) -> &Keyed {
        let number = |(key, side): (usize, Side)| 2 * key as u64 + u64::from(side == Side::After);
        // Both are ends of one interval, or the same key twice.
        let keys = 2 * number(at.first) + u64::from(at.first != at.last);
        let entry = &mut self.keyed[node as usize];
        if entry.keys != keys {
            let at_key = |(key, side): (usize, Side)| within(&known.key_box(key, side, node), at.most);
            let begin = at_key(at.first);
            let end = if at.first == at.last { begin } else { at_key(at.last) };
            *entry = Keyed { keys, begin, end };
        }
        entry
    }

    /// The box of a node in a block; `None` where it is not known.
    pub(super) fn below(
        &mut self,
        (node, block): (u32, usize),
        at: &KeysAround,
        blocks: &Blocks,
        known: &dyn KeyedBoxes,
    ) -> Option<Aabb> {
        self.begin(at);
        if self.blocks[block] != self.stamp {
            self.blend(blocks.vertices(block), at, known)?;
            self.blocks[block] = self.stamp;
            blocks.bound(block, known.topology(), &self.points, self.margin, &mut self.boxes);
        }
        let [x, y, z, _, p, q, r, _] = self.boxes[node as usize].0.map(f64::from);
        Some(Aabb { min: [x, y, z], max: [-p, -q, -r] })
    }

    /// Writes where vertices are; returns a margin. `None` where it is not known.
    pub(super) fn positions(
        &mut self,
        vertices: &[u32],
        out: &mut [[f32; 4]],
        at: &KeysAround,
        known: &dyn KeyedBoxes,
    ) -> Option<f32> {
        self.begin(at);
        self.blend(vertices, at, known)?;
        for (out, &vertex) in out.iter_mut().zip(vertices) {
            *out = self.points[vertex as usize];
        }
        Some(self.margin)
    }

    /// Forgets what was blended at another moment.
    fn begin(&mut self, at: &KeysAround) {
        if self.at == Some(*at) {
            return;
        }
        (self.at, self.is_unknown, self.margin) = (Some(*at), false, 0.0);
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.blocks.fill(0);
            self.vertices.fill(0);
            self.stamp = 1;
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

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.keyed.len() * size_of::<Keyed>()
            + (self.blocks.len() + self.vertices.len() + self.fresh.capacity()) * size_of::<u32>()
            + self.boxes.len() * size_of::<Bounds>()
            + (self.points.len() + self.places.capacity()) * size_of::<[f32; 4]>()
    }
}

/// Writes where vertices are at a moment, rounded; returns a margin, as [`KeyedBoxes::rounded_positions`].
pub(super) fn rounded_positions(
    known: &dyn KeyedBoxes,
    at: &KeysAround,
    vertices: &[u32],
    out: &mut [[f32; 4]],
) -> Option<f32> {
    let margin = known.rounded_positions([at.first, at.last], at.share, vertices, out)?;
    // What is evaluated is cut off at the stated reach. Cutting off moves nothing farther apart; rounded upward the reach is off by less than
    // a spacing of `f32` of coordinates that are cut off.
    let most = (at.most as f32).next_up();
    for place in out.iter_mut() {
        for x in &mut place[..3] {
            *x = x.clamp(-most, most);
        }
    }
    Some(margin)
}

/// The box of what is evaluated: coordinates beyond the stated reach are taken as that. Clamping keeps order, so it keeps vertices inside.
fn within(bounds: &Aabb, most: f64) -> Aabb {
    // What is not a number says nothing.
    let low = |x: f64| if x.is_nan() { -most } else { x.clamp(-most, most) };
    let high = |x: f64| if x.is_nan() { most } else { x.clamp(-most, most) };
    Aabb { min: bounds.min.map(low), max: bounds.max.map(high) }
}
