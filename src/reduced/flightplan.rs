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

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::bounds::{Between, Blended, BoundTree, Ends, Frame, Level, RestBoxes};
use super::key_cache::KeyCache;
use super::sphere_tree::{SphereFrame, SphereTree};
use super::{Blend, Pieces, Pose, PoseTimes, ReducedBody, ReducedError};
use crate::bvh::{BoundedSampler, KeyedBoxes, Topology};
use crate::bytes::Fingerprint;
use crate::limits;
use crate::math::Aabb;
use crate::motion::{Flightplan, Outside, Sampler};
use crate::time::{Moment, NEVER, Side};

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
    poses: KeyCache<Pose>,
    /// Of the mesh, once it was asked for.
    mesh_fingerprint: OnceLock<u64>,
}

impl PosedPieces {
    /// The side of a key as far as it matters: only jumps have two poses.
    fn side(&self, key: usize, side: Side) -> Side {
        if side == Side::After && self.keys.jumps()[key] { Side::After } else { Side::At }
    }

    fn pose(&self, key: usize, side: Side) -> Arc<Pose> {
        let side = self.side(key, side);
        self.poses.get((key, side), || {
            let at = match side {
                Side::At => self.keys.moments()[key],
                Side::After => Moment::after(self.keys.times()[key]),
            };
            let mut pose = Pose::default();
            self.body.pose(at, &mut pose);
            pose
        })
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
        rounded(self.body.mesh().position(&self.pose(key, side), vertex))
    }

    fn positions(&self, key: usize, side: Side, vertices: &mut dyn Iterator<Item = u32>, out: &mut Vec<[f64; 3]>) {
        let pose = self.pose(key, side);
        out.extend(vertices.map(|vertex| rounded(self.body.mesh().position(&pose, vertex))));
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
}

/// Coordinates rounded to the nearest `f32`, metres, as stored keyframes.
fn rounded(position: [f64; 3]) -> [f64; 3] {
    position.map(|x| f64::from(x as f32))
}

/// The least `f32` at or above a number.
fn rounded_up(x: f64) -> f64 {
    let near = x as f32;
    f64::from(if f64::from(near) < x { near.next_up() } else { near })
}

/// A box with sides rounded outward to `f32`: it holds a rounded point if it held the point, since
/// rounding keeps order.
fn rounded_outward(bounds: &Aabb) -> Aabb {
    Aabb { min: bounds.min.map(|x| -rounded_up(-x)), max: bounds.max.map(rounded_up) }
}

impl BoundedSampler for PosedPieces {
    fn boxes_over(self: Arc<Self>, topology: Topology) -> Option<Box<dyn KeyedBoxes>> {
        let mesh = self.body.mesh();
        if !topology.fits(mesh.vertex_count()) {
            return None;
        }
        let keys = self.keys.times().len();
        if let Blend::Spherical { .. } = mesh.blend() {
            let tree = SphereTree::over(mesh, &topology);
            return Some(Box::new(PosedBalls { motion: self, topology, tree, frames: KeyCache::new(keys) }));
        }
        let tree = BoundTree::over(mesh, topology, RestBoxes::Aligned).ok()?;
        // The optimum pays if vertices have many influences.
        let vertices = mesh.vertex_count().max(1);
        let count: usize = (0..vertices as u32).map(|vertex| mesh.influences().indices_of(vertex).len()).sum();
        let level = if count > MANY * vertices { Level::Optimum } else { Level::Corner };
        Some(Box::new(PosedBoxes {
            motion: self,
            tree,
            level,
            frames: KeyCache::new(keys),
            blended: OnceLock::new(),
            last: Mutex::default(),
        }))
    }
}

/// Influences per vertex above which nodes are bounded by the optimum: skins have four or fewer.
const MANY: usize = 4;

/// Boxes of a body's nodes at its key times. Frames are computed on demand; the last ones are kept.
#[derive(Debug)]
struct PosedBoxes {
    motion: Arc<PosedPieces>,
    tree: BoundTree,
    level: Level,
    /// Per key and side, a frame; `None` for a pose without bounds.
    frames: KeyCache<Option<Frame>>,
    /// Blends vertices in `f32`; created on demand.
    blended: OnceLock<Blended>,
    /// The keys of the last blend, with its shared data. A cache, not a state.
    last: Mutex<Option<Last>>,
}

type Keys = [(usize, Side); 2];

/// Keys, the interpolation parameter, and the data that all vertices share.
type Last = (Keys, f64, Option<Arc<Between>>);

impl PosedBoxes {
    /// The data for blending vertices between keys; `None` if no bound is known.
    fn between(&self, blended: &Blended, keys: Keys, part: f64) -> Option<Arc<Between>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, _, between)) = last.as_ref().filter(|(own, at, _)| (*own, *at) == (keys, part)) {
            return between.clone();
        }
        let [from, to] = keys.map(|(key, side)| self.motion.pose(key, side));
        let between = blended.prepare(&self.tree, Ends { from: &from, to: &to, part }).map(Arc::new);
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
        let made = self.frames.get((key, side), || Frame::of_pose(&self.tree, &self.motion.pose(key, side)).ok());
        match &*made {
            Some(frame) => rounded_outward(&self.tree.node_box(node, frame, self.level)),
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
        let blended = self.blended.get_or_init(|| Blended::new(self.motion.body.mesh()));
        let between = self.between(blended, keys, part)?;
        Some(blended.positions(&between, vertices, out))
    }

    fn bytes(&self) -> usize {
        let blended = self.blended.get().map_or(0, Blended::bytes);
        self.tree.bytes() + self.frames.bytes(|frame| frame.as_ref().map_or(0, Frame::bytes)) + blended
    }
}

/// Boxes under spherical blending: around the spheres of a node's joint sets. Frames are computed
/// on demand; the last ones are kept.
#[derive(Debug)]
struct PosedBalls {
    motion: Arc<PosedPieces>,
    topology: Topology,
    tree: SphereTree,
    /// As in [`PosedBoxes`].
    frames: KeyCache<Option<SphereFrame>>,
}

impl KeyedBoxes for PosedBalls {
    fn topology(&self) -> &Topology {
        &self.topology
    }

    fn key_box(&self, key: usize, side: Side, node: u32) -> Aabb {
        let mesh = self.motion.body.mesh();
        if key >= self.motion.keys.times().len() || node as usize >= self.tree.node_count() {
            return Aabb::EVERYTHING;
        }
        let side = self.motion.side(key, side);
        let made = self.frames.get((key, side), || {
            let mut frame = SphereFrame::default();
            frame.set_pose(&self.tree, mesh, &self.motion.pose(key, side)).ok()?;
            Some(frame)
        });
        match &*made {
            Some(frame) => rounded_outward(&frame.bounds(&self.tree, mesh, node)),
            None => Aabb::EVERYTHING,
        }
    }

    fn bytes(&self) -> usize {
        self.topology.bytes() + self.tree.bytes() + self.frames.bytes(|_| 0)
    }
}

impl ReducedBody {
    /// Creates a plan whose vertices move linearly between the ends of pieces and are skinned on
    /// demand. Positions at these ends are rounded to `f32`, as by [`ReducedBody::keyframes`].
    /// O(pieces × maps) here, and nothing per vertex; under spherical blending O(pieces ×
    /// vertices).
    ///
    /// # Errors
    /// Coordinates beyond [`limits::MAX_COORDINATE`]; maps that are not rigid at some end under
    /// spherical blending.
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
        let mut reach = pieces.reach();
        if matches!(self.mesh().blend(), Blend::Spherical { .. }) || pieces.count() == 0 {
            reach = self.measured(&pieces)?;
        }
        self.sampler_of(PoseTimes::new(&pieces), reach, None, self.driver().outside())
    }

    /// Creates the sampler of a motion between key times, as [`ReducedBody::sampler`]. `rest` holds
    /// the positions by which seams are welded, metres, one per vertex; without, those of the mesh
    /// at rest. `outside` is the motion before the first time and after the last.
    ///
    /// # Errors
    /// As [`ReducedBody::flightplan`]; not as many positions as vertices; spherical blending, whose
    /// speed has no known bound.
    pub fn sampler_at(
        &self,
        times: PoseTimes,
        rest: Option<Arc<[[f32; 3]]>>,
        outside: Outside,
    ) -> Result<Arc<dyn BoundedSampler>, ReducedError> {
        if let Some(rest) = rest.as_ref().filter(|rest| rest.len() != self.mesh().vertex_count()) {
            return Err(ReducedError::RestCount { expected: self.mesh().vertex_count(), found: rest.len() });
        }
        let mut reach = times.reach();
        if let [moment] = times.moments() {
            let mut pose = Pose::default();
            self.pose(*moment, &mut pose);
            let mut positions = Vec::new();
            self.mesh().evaluate_all(&pose, &mut positions)?;
            reach = (positions.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs())), 0.0);
        }
        self.sampler_of(times, reach, rest, outside)
    }

    fn sampler_of(
        &self,
        keys: PoseTimes,
        (coordinate, speed): (f64, f64),
        rest: Option<Arc<[[f32; 3]]>>,
        outside: Outside,
    ) -> Result<Arc<dyn BoundedSampler>, ReducedError> {
        if !(coordinate <= limits::MAX_COORDINATE && speed <= limits::MAX_SPEED) {
            return Err(ReducedError::TooFar { coordinate, speed });
        }
        // Evaluated coordinates may exceed the proven bound by a rounding.
        let coordinate = rounded_up(coordinate * (1.0 + limits::EVALUATION_ROUNDING));
        // Both ends of a way are rounded.
        let lengths = keys.times().windows(2).map(|pair| pair[1] - pair[0]);
        let off = f64::from(f32::EPSILON) * coordinate + f64::from(f32::MIN_POSITIVE);
        let speed = lengths.reduce(f64::min).map_or(speed, |shortest| (speed + off / shortest).min(limits::MAX_SPEED));
        let (body, poses) = (self.clone(), KeyCache::new(keys.times().len()));
        let mesh_fingerprint = OnceLock::new();
        Ok(Arc::new(PosedPieces { body, keys, rest, outside, coordinate, speed, poses, mesh_fingerprint }))
    }

    /// Creates a plan of stored keyframes at the ends of pieces. O(pieces × vertices) memory and
    /// time. Positions are rounded to `f32`, which changes a coordinate by up to 2⁻²⁴ of itself.
    ///
    /// # Errors
    /// A jump, which keyframes cannot represent; coordinates beyond [`limits::MAX_COORDINATE`];
    /// more numbers than can be stored.
    pub fn keyframes(&self, pieces: &Pieces) -> Result<Flightplan, ReducedError> {
        if let Some(key) = pieces.jumps().iter().position(|&jump| jump) {
            return Err(ReducedError::Jump { time: pieces.times()[key] });
        }
        let count = pieces.times().len().saturating_mul(self.mesh().vertex_count());
        if count > limits::MAX_INDEX {
            return Err(ReducedError::TooLarge { what: "keyframed positions", count });
        }
        let mut positions: Vec<[f32; 3]> = Vec::with_capacity(count);
        for key in 0..pieces.times().len() {
            for position in self.at_end(pieces, key, Side::At)? {
                if let Some(&value) = position.iter().find(|x| !(x.abs() <= limits::MAX_COORDINATE)) {
                    return Err(ReducedError::TooFar { coordinate: value.abs(), speed: 0.0 });
                }
                positions.push(position.map(|x| x as f32));
            }
        }
        Ok(Flightplan::keyframes(pieces.times().to_vec(), positions).outside(self.driver().outside()))
    }

    /// The positions of all vertices at an end of a piece.
    fn at_end(&self, pieces: &Pieces, key: usize, side: Side) -> Result<Vec<[f64; 3]>, ReducedError> {
        let time = pieces.times()[key];
        let at = if key == 0 || side == Side::After { Moment::after(time) } else { Moment::at(time) };
        let mut pose = Pose::default();
        self.pose(at, &mut pose);
        let mut positions = Vec::new();
        self.mesh().evaluate_all(&pose, &mut positions)?;
        Ok(positions)
    }

    /// Largest coordinate at ends of pieces and largest speed between them, measured on all
    /// vertices.
    fn measured(&self, pieces: &Pieces) -> Result<(f64, f64), ReducedError> {
        let largest = |positions: &[[f64; 3]]| positions.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
        let mut before = self.at_end(pieces, 0, Side::After)?;
        let (mut coordinate, mut speed) = (largest(&before), 0.0f64);
        for key in 1..pieces.times().len() {
            let after = self.at_end(pieces, key, Side::At)?;
            let steps = before.iter().flatten().zip(after.iter().flatten());
            let step = steps.fold(0.0, |most: f64, (a, b)| most.max((b - a).abs()));
            speed = speed.max(step / (pieces.times()[key] - pieces.times()[key - 1]));
            coordinate = coordinate.max(largest(&after));
            before = if pieces.jumps()[key] { self.at_end(pieces, key, Side::After)? } else { after };
            coordinate = coordinate.max(largest(&before));
        }
        Ok((coordinate, speed * (1.0 + limits::EVALUATION_ROUNDING)))
    }
}
