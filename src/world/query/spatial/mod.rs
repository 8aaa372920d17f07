//! Spatial queries: rays, moving spheres, nearest points, overlaps; at the clock's time or at any
//! time that the motions know.
//!
//! | file | holds |
//! |---|---|
//! | `mod` | [`Query`]: which bodies, at which time; visits of boxes |
//! | `cast` | rays and moving spheres |
//! | `nearest` | the nearest point |
//! | `overlap` | balls, boxes and triangles |
//! | `hull` | turned boxes, capsules, convex hulls: casts and overlaps |
//! | `shapes` | the geometry of one triangle or ball |
//! | `convex` | the geometry of a hull and a triangle |
//! | `posed` | boxes at a time other than the clock's |

mod cast;
mod convex;
mod hull;
mod nearest;
mod overlap;
mod posed;
mod shapes;

pub use cast::RayHit;
pub use nearest::NearestPoint;

use crate::bvh::{Hierarchy, Topology, Visits, tight_boxes};
use crate::id::BodyId;
use crate::limits;
use crate::math::Aabb;
use crate::motion::Sphere;
use crate::time::Moment;
use crate::world::World;
use crate::world::body::Body;
use crate::world::def::Filter;
use crate::world::error::WorldError;
use posed::Posed;

/// Spatial queries of the bodies of a world: [`World::query`].
///
/// Points are `[f64; 3]`, or anything that converts into it: points and vectors of `glam`,
/// `nalgebra`, `cgmath`, `ultraviolet` and `mint` do.
///
/// Positions are metres, `f64`, those of the motions at the time of the query, rounded once. They
/// are queried as they are: thickness and pair rules do not matter. Bodies made of patches are
/// never found; [`World::ray_candidates`] and [`World::query_box`] give the spans for them. A query
/// with a number that is not finite, or beyond [`limits::MAX_COORDINATE`], finds nothing.
///
/// At the clock's time a query takes O(log triangles + found) per body near it; O(triangles) for
/// bodies without a tree that is up to date ([`World::query_box`]).
#[derive(Clone, Debug)]
pub struct Query<'a> {
    world: &'a World,
    filter: Option<Filter>,
    ignored: Vec<BodyId>,
    at: Moment,
    /// Bodies by index, at a time other than the clock's.
    posed: Option<Vec<Option<Posed<'a>>>>,
}

impl World {
    /// Returns a query of all bodies at the clock's time.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// // Picking with a ray from above; the floor is left out.
    /// let hit = world.query().ignoring(&[floor]).cast_ray([0.25, 0.25, 3.0], [0.0, 0.0, -1.0], 10.0);
    /// let hit = hit.expect("the ball is above the floor");
    /// assert_eq!((hit.body, hit.point, hit.normal), (ball, [0.25, 0.25, 1.0], Some([0.0, 0.0, 1.0])));
    /// // Half a second ahead, the ball is at half the height.
    /// let hit = world.query().at(0.5)?.cast_ray([0.25, 0.25, 3.0], [0.0, 0.0, -1.0], 10.0);
    /// assert_eq!(hit.map(|hit| hit.point), Some([0.25, 0.25, 0.5])); // Metres.
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn query(&self) -> Query<'_> {
        Query { world: self, filter: None, ignored: Vec::new(), at: self.clock.now, posed: None }
    }
}

impl<'a> Query<'a> {
    /// Finds only bodies whose filter and this one allow each other. After [`Query::at`], bodies
    /// that the filter before did not let through are not found where their motion does not reach
    /// that time.
    #[must_use]
    pub fn filter(mut self, filter: Filter) -> Self {
        self.filter = Some(filter);
        self
    }

    /// Leaves bodies out.
    #[must_use]
    pub fn ignoring(mut self, bodies: &[BodyId]) -> Self {
        self.ignored.extend_from_slice(bodies);
        self
    }

    /// Moves the query to another time, seconds, before or after the clock: to where the plans in
    /// force now place the bodies. Scheduled changes, and plans that were replaced, do not count.
    ///
    /// Evaluates all bodies that the filter lets through at once, O(vertices); further queries with
    /// the same value cost as at the clock's time.
    ///
    /// # Errors
    /// [`WorldError::BadTime`]; [`WorldError::OutsideSpan`] if the motion of a body that the filter
    /// lets through does not reach that time.
    pub fn at(mut self, time: f64) -> Result<Self, WorldError> {
        if !(time.abs() <= limits::MAX_TIME) {
            return Err(WorldError::BadTime { time });
        }
        (self.at, self.posed) = (Moment::at(time), None);
        if self.at == self.world.clock.now {
            return Ok(self);
        }
        let mut posed = Vec::new();
        for (id, body) in self.wanted() {
            if !body.epoch.allowed.contains(time) {
                return Err(WorldError::OutsideSpan { body: body.name.clone(), time, span: body.epoch.allowed });
            }
            posed.resize_with(id.index() as usize, || None);
            posed.push(Some(Posed::new(body, self.at)));
        }
        self.posed = Some(posed);
        Ok(self)
    }

    /// The bodies that are queried, by ascending index.
    fn bodies(&self) -> impl Iterator<Item = (BodyId, &'a Body)> {
        let time = self.at.time();
        self.wanted().filter(move |(_, body)| body.epoch.allowed.contains(time))
    }

    /// The bodies that are let through, by ascending index.
    fn wanted(&self) -> impl Iterator<Item = (BodyId, &'a Body)> {
        let world = self.world;
        let is_wanted = |id: BodyId, body: &Body| {
            body.shape.patches.is_none()
                && !self.ignored.contains(&id)
                && self.filter.is_none_or(|filter| filter.allows(body.rules.filter))
        };
        world.bodies.iter().filter(move |&(id, body)| is_wanted(id, body))
    }

    fn posed(&self, id: BodyId) -> Option<&Posed<'a>> {
        self.posed.as_ref()?.get(id.index() as usize)?.as_ref()
    }

    /// The corners of a triangle at the time of the query.
    fn corners(&self, (id, body): (BodyId, &Body), triangle: u32) -> [[f64; 3]; 3] {
        let corners = body.shape.mesh.triangles()[triangle as usize];
        match self.posed(id) {
            Some(posed) => corners.map(|vertex| posed.positions[vertex as usize]),
            None => corners.map(|vertex| body.motion.position(vertex, self.at)),
        }
    }

    /// A ball of a body made of spheres, at the time of the query.
    fn ball(&self, body: &Body, sphere: u32) -> Option<Sphere> {
        let spheres = body.spheres_at(self.at)?;
        Some(spheres.piece(sphere).at(spheres.time))
    }

    /// Visits the primitives of a body below boxes that `keep` keeps.
    fn visit(&self, (id, body): (BodyId, &Body), keep: impl Fn(&Aabb) -> bool, mut found: impl FnMut(u32)) -> Visits {
        if let Some(Posed { topology: Some(topology), boxes, .. }) = self.posed(id) {
            return posed::visit(topology, boxes, keep, |leaf| {
                topology.primitives(leaf).iter().copied().for_each(&mut found);
            });
        }
        if self.posed.is_none()
            && let Some(tree) = body.tree(self.at)
        {
            return tree.leaves_where(self.at, keep, |leaf| {
                tree.topology().primitives(leaf).iter().copied().for_each(&mut found);
            });
        }
        let count = body.primitive_count();
        (0..count as u32).filter(|&primitive| body.has_primitive(primitive)).for_each(found);
        Visits { nodes: 0, leaves: count }
    }
}

/// The smallest boxes of a body's tree at a moment.
pub(crate) fn tight_boxes_at(body: &Body, topology: &Topology, at: Moment) -> Vec<Aabb> {
    let mut positions = Vec::new();
    body.motion.positions(at, &mut positions);
    tight_boxes(topology, &positions)
}

/// A point within the range of the exact tests; `None` if a coordinate is not finite or too large.
fn usable(point: [f64; 3]) -> Option<[f64; 3]> {
    let is_usable = point.iter().all(|x| x.abs() <= limits::MAX_COORDINATE);
    is_usable.then(|| point.map(|x| if x.abs() < limits::FLUSH { 0.0 } else { x }))
}
