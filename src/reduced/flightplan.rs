//! Reduced bodies as flightplans for a world.
//!
//! In each form vertices move linearly between the ends of pieces, and contacts are those of that
//! motion, exactly. Positions at ends are rounded to `f32` in each form, so contacts of all forms
//! are the same. Exact tests of such positions also take a fraction of the time.
//!
//! True vertices are within the pieces' deviation of that motion, and a rounding to `f32`: 2⁻²⁴ of
//! each coordinate. A host that needs every contact of the true motion thickens the body by twice
//! that distance (`BodyDef::thickness`), and gets contacts up to that distance early.
//!
//! | | stored | cost of an evaluation |
//! |---|---|---|
//! | [`ReducedBody::flightplan`] | the poses of the last `tuning::KEPT_KEYS` queried piece ends | skins one vertex, twice |
//! | [`ReducedBody::sampler`] | the same, and boxes of a tree's nodes from the parameters | the same, near other bodies only |
//! | [`ReducedBody::keyframes`] | every vertex at every piece end, in `f32` | reads two numbers |
//!
//! Kinetic trees search their certificates over many pieces; use keyframes for them, and poses for
//! refitted trees and single queries.

use std::any::Any;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::bounds::{Between, Blended, BoundTree, Ends, Frame, Level, RestBoxes};
use super::key_cache::KeyCache;
use super::sphere_tree::{SphereFrame, SphereTree};
use super::spherical::SetFrames;
use super::{Blend, Pieces, Pose, PoseTimes, ReducedBody, ReducedError};
use crate::bvh::{BoundedSampler, KeyedBoxes, Topology};
use crate::bytes::Fingerprint;
use crate::limits;
use crate::math::{Aabb, f32_at_least};
use crate::motion::{Flightplan, Outside, Sampler};
use crate::time::{Moment, NEVER, Side};
use crate::tuning;

/// A reduced body evaluated at key times. Poses are computed on demand; the last ones are kept.
#[derive(Debug)]
struct PosedPieces {
    body: ReducedBody,
    keys: PoseTimes,
    /// Positions by which seams are welded, metres; without, those of the mesh at rest.
    rest: Option<Arc<[[f32; 3]]>>,
    outside: Outside,
    coordinate: f64,
    speed: f64,
    poses: KeyCache<Posed>,
    /// Of the mesh, once it was asked for.
    mesh_fingerprint: OnceLock<u64>,
}

/// A pose with what its joint sets have in common.
#[derive(Debug)]
struct Posed {
    pose: Pose,
    frames: SetFrames,
}

impl Posed {
    /// Bytes beyond itself.
    fn bytes(&self) -> usize {
        self.pose.bytes() + self.frames.bytes()
    }
}

impl PosedPieces {
    /// Bytes of the poses held.
    fn bytes(&self) -> usize {
        self.poses.bytes(Posed::bytes)
    }

    /// The side of a key as far as it matters: only jumps have two poses.
    fn side(&self, key: usize, side: Side) -> Side {
        if side == Side::After && self.keys.jumps()[key] { Side::After } else { Side::At }
    }

    fn pose(&self, key: usize, side: Side) -> Arc<Posed> {
        let side = self.side(key, side);
        self.poses.get((key, side), || {
            let at = match side {
                Side::At => self.keys.moments()[key],
                Side::After => Moment::after(self.keys.times()[key]),
            };
            let mut pose = Pose::default();
            self.body.pose(at, &mut pose);
            Posed { pose, frames: self.body.mesh().frames() }
        })
    }

    /// Another motion, if it is of the same mesh.
    fn of_same_mesh(&self, sampler: &Arc<dyn Sampler>) -> Option<Arc<Self>> {
        let sampler: Arc<dyn Any + Send + Sync> = Arc::<dyn Sampler>::clone(sampler);
        let motion = sampler.downcast::<Self>().ok()?;
        Arc::ptr_eq(self.body.mesh(), motion.body.mesh()).then_some(motion)
    }

    /// The last key at or before a time; `None` if all are later, or the motion loops.
    fn key_before(&self, time: f64) -> Option<usize> {
        if self.outside == Outside::Loop {
            return None;
        }
        self.keys.times().partition_point(|&key| key <= time).checked_sub(1)
    }

    /// Whether a key is the same as one of another motion: time and poses on both sides.
    fn has_key(&self, key: usize, other: &Self, other_key: usize) -> bool {
        let is_same = |side| self.pose(key, side).pose == other.pose(other_key, side).pose;
        self.keys.times()[key] == other.keys.times()[other_key] && is_same(Side::At) && is_same(Side::After)
    }
}

impl Sampler for PosedPieces {
    fn vertex_count(&self) -> usize {
        self.body.mesh().vertex_count()
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        self.rest.as_deref().unwrap_or_else(|| self.body.mesh().rest_positions())
    }

    fn times(&self) -> &[f64] {
        self.keys.times()
    }

    fn jumps(&self) -> &[bool] {
        self.keys.jumps()
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn largest_coordinate(&self) -> f64 {
        self.coordinate
    }

    fn largest_speed(&self) -> f64 {
        self.speed
    }

    fn position(&self, key: usize, side: Side, vertex: u32) -> [f64; 3] {
        let Posed { pose, frames } = &*self.pose(key, side);
        rounded(self.body.mesh().position_in(pose, frames, vertex))
    }

    fn positions(&self, key: usize, side: Side, vertices: &mut dyn Iterator<Item = u32>, out: &mut Vec<[f64; 3]>) {
        let Posed { pose, frames } = &*self.pose(key, side);
        out.extend(vertices.map(|vertex| rounded(self.body.mesh().position_in(pose, frames, vertex))));
    }

    fn fingerprint(&self, begin: f64, end: f64) -> Option<u64> {
        let mut hash = Fingerprint::new();
        hash.word(*self.mesh_fingerprint.get_or_init(|| self.body.mesh().fingerprint()));
        hash.word(match self.outside {
            Outside::Hold | Outside::Error => 0,
            Outside::Loop => 1,
        });
        // All of a loop, as any time may be any of its times.
        let [begin, end] = if self.outside == Outside::Loop { [-NEVER, NEVER] } else { [begin, end] };
        self.keys.add_to([begin, end], &self.body, &mut hash);
        Some(hash.value())
    }

    /// O(maps) per key that agrees, of at most `tuning::PIECES_PER_EPOCH`.
    fn agrees_until(&self, other: &dyn Sampler, from: f64) -> f64 {
        let other: &dyn Any = other;
        let Some(other) = other.downcast_ref::<Self>() else { return from };
        let (Some(mut key), Some(mut other_key)) = (self.key_before(from), other.key_before(from)) else { return from };
        if !Arc::ptr_eq(self.body.mesh(), other.body.mesh()) {
            return from;
        }
        let counts = [self, other].map(|motion| motion.keys.times().len());
        let mut until = from;
        for _ in 0..=tuning::PIECES_PER_EPOCH {
            if !self.has_key(key, other, other_key) {
                return until;
            }
            until = until.max(self.keys.times()[key]);
            (key, other_key) = (key + 1, other_key + 1);
            match (key < counts[0], other_key < counts[1]) {
                (true, true) => {}
                (false, false) => return NEVER,
                _ => return until,
            }
        }
        until
    }
}

impl BoundedSampler for PosedPieces {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let mesh = self.body.mesh();
        if !topology.fits(mesh.vertex_count()) {
            return None;
        }
        if let Blend::Spherical { .. } = mesh.blend() {
            let tree = SphereTree::over(mesh, &topology);
            return Some(Box::new(PosedBalls::new(self, Arc::new((topology, tree)))));
        }
        let is_over = |tree: &BoundTree| tree.topology().is_same_as(&topology);
        let make = || BoundTree::over(mesh, topology.clone(), RestBoxes::Aligned).ok();
        let tree = mesh.shared().get(BOUND_TREE, is_over, make)?;
        // The optimum pays if vertices have many influences.
        let vertices = mesh.vertex_count().max(1);
        let count: usize = (0..vertices as u32).map(|vertex| mesh.influences().indices_of(vertex).len()).sum();
        let level = if count > MANY * vertices { Level::Optimum } else { Level::Corner };
        Some(Box::new(PosedBoxes::new(self, tree, level, Arc::default())))
    }
}

/// The slots of what bodies over one mesh share.
const BOUND_TREE: usize = 0;
const BLENDED: usize = 1;

/// Influences per vertex above which nodes are bounded by the optimum: skins have four or fewer.
const MANY: usize = 4;

/// Boxes of a body's nodes at its key times. Frames are computed on demand; the last ones are kept.
#[derive(Debug)]
struct PosedBoxes {
    motion: Arc<PosedPieces>,
    tree: Arc<BoundTree>,
    level: Level,
    /// Per key and side, a frame; `None` for a pose without bounds.
    frames: KeyCache<Option<Frame>>,
    /// Blends vertices in `f32`; created on demand.
    blended: Arc<OnceLock<Option<Arc<Blended>>>>,
    /// The keys of the last blend, with its shared data. A cache, not a state.
    last: Mutex<Option<Last>>,
}

type Keys = [(usize, Side); 2];

/// Keys, the interpolation parameter, and the data that all vertices share.
type Last = (Keys, f64, Option<Arc<Between>>);

impl PosedBoxes {
    fn new(
        motion: Arc<PosedPieces>,
        tree: Arc<BoundTree>,
        level: Level,
        blended: Arc<OnceLock<Option<Arc<Blended>>>>,
    ) -> Self {
        let frames = KeyCache::new(motion.keys.times().len());
        Self { motion, tree, level, frames, blended, last: Mutex::default() }
    }

    /// The data for blending vertices between keys; `None` if no bound is known.
    fn between(&self, blended: &Blended, keys: Keys, part: f64) -> Option<Arc<Between>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, between)) = last.as_ref().filter(|(own, at, _)| (*own, *at) == (keys, part)) {
            return between.clone();
        }
        let [from, to] = keys.map(|(key, side)| self.motion.pose(key, side));
        let between = blended.prepare(&self.tree, Ends { from: &from.pose, to: &to.pose, part }).map(Arc::new);
        *last = Some((keys, part, between.clone()));
        between
    }
}

impl KeyedBoxes for PosedBoxes {
    fn topology(&self) -> &Topology {
        self.tree.topology()
    }

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        if key >= self.motion.keys.times().len() {
            return Aabb::EVERYTHING;
        }
        let side = self.motion.side(key, side);
        let made = self.frames.get((key, side), || Frame::of_pose(&self.tree, &self.motion.pose(key, side).pose).ok());
        match &*made {
            Some(frame) => self.tree.node_box(node, frame, self.level).rounded_outward(),
            None => Aabb::EVERYTHING,
        }
    }

    fn rounded_positions(&self, keys: Keys, part: f64, vertices: &[u32], out: &mut [[f32; 4]]) -> Option<f32> {
        let vertex_count = self.motion.body.mesh().vertex_count();
        let is_known = keys.iter().all(|&(key, _)| key < self.motion.keys.times().len())
            && vertices.iter().all(|&vertex| (vertex as usize) < vertex_count);
        if !is_known {
            return None;
        }
        let mesh = self.motion.body.mesh();
        let make = || mesh.shared().get(BLENDED, |_| true, || Some(Blended::new(mesh)));
        let blended = self.blended.get_or_init(make).as_ref()?;
        let between = self.between(blended, keys, part)?;
        Some(blended.positions(&between, vertices, out))
    }

    fn for_motion(&self, sampler: &Arc<dyn Sampler>) -> Option<Box<dyn KeyedBoxes>> {
        let motion = self.motion.of_same_mesh(sampler)?;
        Some(Box::new(Self::new(motion, Arc::clone(&self.tree), self.level, Arc::clone(&self.blended))))
    }

    fn bytes(&self) -> usize {
        let blended = self.blended.get().and_then(Option::as_ref).map_or(0, |blended| blended.bytes());
        let frames = self.frames.bytes(|frame| frame.as_ref().map_or(0, Frame::bytes));
        self.motion.bytes() + self.tree.bytes() + frames + blended
    }
}

/// Boxes under spherical blending: around the spheres of a node's joint sets. Frames are computed
/// on demand; the last ones are kept.
#[derive(Debug)]
struct PosedBalls {
    motion: Arc<PosedPieces>,
    /// With the tree that the spheres are of.
    tree: Arc<(Topology, SphereTree)>,
    /// As in [`PosedBoxes`].
    frames: KeyCache<Option<SphereFrame>>,
}

impl PosedBalls {
    fn new(motion: Arc<PosedPieces>, tree: Arc<(Topology, SphereTree)>) -> Self {
        let frames = KeyCache::new(motion.keys.times().len());
        Self { motion, tree, frames }
    }
}

impl KeyedBoxes for PosedBalls {
    fn topology(&self) -> &Topology {
        &self.tree.0
    }

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        let (mesh, tree) = (self.motion.body.mesh(), &self.tree.1);
        if key >= self.motion.keys.times().len() || node as usize >= tree.node_count() {
            return Aabb::EVERYTHING;
        }
        let side = self.motion.side(key, side);
        let made = self.frames.get((key, side), || {
            let mut frame = SphereFrame::default();
            frame.set_pose(tree, mesh, &self.motion.pose(key, side).pose).ok()?;
            Some(frame)
        });
        match &*made {
            Some(frame) => frame.bounds(tree, mesh, node).rounded_outward(),
            None => Aabb::EVERYTHING,
        }
    }

    fn for_motion(&self, sampler: &Arc<dyn Sampler>) -> Option<Box<dyn KeyedBoxes>> {
        Some(Box::new(Self::new(self.motion.of_same_mesh(sampler)?, Arc::clone(&self.tree))))
    }

    fn bytes(&self) -> usize {
        self.motion.bytes()
            + self.tree.0.bytes()
            + self.tree.1.bytes()
            + self.frames.bytes(|frame| frame.as_ref().map_or(0, SphereFrame::bytes))
    }
}

impl ReducedBody {
    /// Creates a plan whose vertices move linearly between the ends of pieces and are skinned on
    /// demand. Positions at these ends are rounded to `f32`, as by [`ReducedBody::keyframes`].
    /// O(pieces × maps) here, and nothing per vertex; O(pieces × vertices) where spherical blending
    /// has no known bound of its speed.
    ///
    /// # Errors
    /// Coordinates beyond [`limits::MAX_COORDINATE`]; under spherical blending, maps that shear,
    /// mirror or scale unevenly at some end.
    pub fn flightplan(&self, pieces: Pieces) -> Result<Flightplan, ReducedError> {
        Ok(Flightplan::sampled(self.sampler(pieces)?))
    }

    /// Creates the same motion with boxes from the parameters: for on-demand bodies
    /// (`BodyDef::bounded`), of which a world evaluates only the parts near other bodies. Under
    /// spherical blending boxes are made around spheres ([`super::sphere_tree`]), and are looser.
    ///
    /// # Errors
    /// As [`ReducedBody::flightplan`].
    ///
    /// ```
    /// # use std::sync::Arc;
    /// use kinetree::reduced::{Affine, Blend, Influences, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy};
    /// use kinetree::{Mesh, Outside};
    /// # let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// # let influences = Influences::convex(1, vec![vec![(0, 1.0)]; 3], WeightPolicy::default())?;
    /// # let def = ReducedDef { mesh: Mesh::new(3, vec![[0, 1, 2]])?, rest, influences, morphs: vec![], blend: Blend::Linear };
    /// # let mesh = Arc::new(ReducedMesh::new(def)?);
    /// # let lifted = Pose { maps: vec![Affine::from_parts([0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3])], morphs: vec![] };
    /// # let driver = PoseKeys::new(&[0.0, 1.0], vec![Pose::rest(1, 0), lifted], vec![[0.0; 3]], Outside::Hold)?;
    /// use kinetree::{BodyDef, World, WorldDef};
    ///
    /// let body = ReducedBody::new(mesh, Arc::new(driver))?;
    /// let sampler = body.sampler(body.pieces(1e-3)?)?; // Within 1 mm of the blended motion.
    /// let mut world = World::new(WorldDef::new())?;
    /// world.add_body(BodyDef::bounded(body.mesh().mesh().clone(), sampler).named("skin"))?;
    /// world.advance_to(0.5)?;
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    #[expect(clippy::needless_pass_by_value, reason = "a caller has no further use for them")]
    pub fn sampler(&self, pieces: Pieces) -> Result<Arc<dyn BoundedSampler>, ReducedError> {
        let times = PoseTimes::new(&pieces);
        let reach = self.reach_of(&times)?;
        self.sampler_of(times, reach, None, self.driver().outside())
    }

    /// Creates the sampler of a motion between key times, as [`ReducedBody::sampler`]. `rest` holds
    /// the positions by which seams are welded, metres, one per vertex; without, those of the mesh
    /// at rest. `outside` is the motion before the first time and after the last.
    ///
    /// # Errors
    /// As [`ReducedBody::flightplan`]; not as many positions as vertices.
    pub fn sampler_at(
        &self,
        times: PoseTimes,
        rest: Option<Arc<[[f32; 3]]>>,
        outside: Outside,
    ) -> Result<Arc<dyn BoundedSampler>, ReducedError> {
        if let Some(rest) = rest.as_ref().filter(|rest| rest.len() != self.mesh().vertex_count()) {
            return Err(ReducedError::RestCount { expected: self.mesh().vertex_count(), found: rest.len() });
        }
        let reach = self.reach_of(&times)?;
        self.sampler_of(times, reach, rest, outside)
    }

    /// Bounds on coordinates and speed between keys: measured on all vertices where motion has no
    /// known bound under spherical blending, and for a single key.
    fn reach_of(&self, times: &PoseTimes) -> Result<(f64, f64), ReducedError> {
        let (coordinate, speed) = times.reach();
        let is_known = coordinate <= limits::MAX_COORDINATE && speed <= limits::MAX_SPEED;
        let is_measured = matches!(self.mesh().blend(), Blend::Spherical { .. }) && !is_known;
        if is_measured || times.times().len() == 1 { self.measured_reach(times) } else { Ok((coordinate, speed)) }
    }

    pub(super) fn sampler_of(
        &self,
        keys: PoseTimes,
        (coordinate, speed): (f64, f64),
        rest: Option<Arc<[[f32; 3]]>>,
        outside: Outside,
    ) -> Result<Arc<dyn BoundedSampler>, ReducedError> {
        if !(coordinate <= limits::MAX_COORDINATE && speed <= limits::MAX_SPEED) {
            return Err(ReducedError::TooFar { coordinate, speed });
        }
        Ok(self.posed_pieces(keys, (coordinate, speed), rest, outside))
    }

    /// As [`ReducedBody::sampler_at`], with checked bounds on coordinates and speed.
    pub(super) fn posed_pieces(
        &self,
        keys: PoseTimes,
        (coordinate, speed): (f64, f64),
        rest: Option<Arc<[[f32; 3]]>>,
        outside: Outside,
    ) -> Arc<dyn BoundedSampler> {
        // Evaluated coordinates may exceed the proven bound by a rounding.
        let coordinate = f64::from(f32_at_least(coordinate * (1.0 + limits::EVALUATION_ROUNDING)));
        // Both ends of a way are rounded.
        let lengths = keys.times().windows(2).map(|pair| pair[1] - pair[0]);
        let off = f64::from(f32::EPSILON) * coordinate + f64::from(f32::MIN_POSITIVE);
        let speed = lengths.reduce(f64::min).map_or(speed, |shortest| (speed + off / shortest).min(limits::MAX_SPEED));
        let (body, poses) = (self.clone(), KeyCache::new(keys.times().len()));
        let mesh_fingerprint = OnceLock::new();
        Arc::new(PosedPieces { body, keys, rest, outside, coordinate, speed, poses, mesh_fingerprint })
    }
}

/// Coordinates rounded to the nearest `f32`, metres, as stored keyframes.
fn rounded(position: [f64; 3]) -> [f64; 3] {
    position.map(|x| f64::from(x as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::Mesh;
    use crate::reduced::{Affine, PoseKeys, ReducedMesh};

    #[test]
    fn models_placed_elsewhere_share_their_bounds() {
        let rest = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        let mesh = Arc::new(ReducedMesh::morphed(mesh, rest, Vec::new()).unwrap());
        let keys = PoseKeys::new(&[0.0, 1.0], vec![Pose::rest(1, 0); 2], vec![[0.0; 3]], Outside::Hold).unwrap();
        let body = ReducedBody::new(Arc::clone(&mesh), Arc::new(keys)).unwrap();
        let topology = || {
            let positions: Vec<[f64; 3]> = mesh.rest_positions().iter().map(|p| p.map(f64::from)).collect();
            Topology::build(mesh.mesh(), &positions, crate::bvh::BuildParams::default())
        };
        let boxes_at = |x: f64| {
            let map = Affine::from_parts([x, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
            let placed = body.placed(map).unwrap();
            placed.sampler(placed.pieces(1e-3).unwrap()).unwrap().boxes_over(topology()).unwrap()
        };
        let boxes = [boxes_at(0.0), boxes_at(5.0)];
        let tree = mesh.shared().get::<BoundTree>(BOUND_TREE, |_| true, || None).unwrap();
        assert_eq!(Arc::strong_count(&tree), 3);
        let [near, far] = boxes.map(|boxes| boxes.key_box(0, Side::At, 0));
        assert!(near.max[0] < 2.0 && far.min[0] > 4.0);
    }
}
