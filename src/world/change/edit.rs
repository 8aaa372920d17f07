//! Edits of a body while the world runs: triangles and vertices come and go, triangles get other
//! corners.
//!
//! An edit is carried out at the clock's time, all of it or none of it. Triangles and vertices keep
//! their numbers for life; a number is never given twice ([`MeshEdit`]). So a contact that is named
//! before and after an edit is the same contact: one between triangles that are there before and
//! after and touch all the while goes on, also if they got other corners. Contacts of triangles
//! that go end, contacts of triangles that come and touch already begin, both at the clock's time.
//!
//! A vertex that comes is a point of its own, even if its rest position is that of another, unless
//! it is said to be welded to one: a cut doubles vertices, and its two sides share none at once.
//! Welded vertices are expected to move alike.
//!
//! Cost with kinetic AABB trees: O(log m) slots per triangle that comes or goes (amortised over
//! subtrees rebuilt for balance) and the pairs that change with them, O(vertices + triangles) once
//! for the first edit of a body. An edit of more than a quarter of the triangles rebuilds the whole
//! tree, as do all edits with other kinds of trees and other engines.

use crate::id::BodyId;
use crate::kinetic::aabb_tree::TreeChange;
use crate::mesh::MeshEdit;
use crate::motion::VertexFlightplan;
use crate::world::World;
use crate::world::body::{Body, Shape};
use crate::world::error::WorldError;
use crate::world::step::tree_changed::Touched;

/// A vertex to come.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NewVertex {
    /// Where it counts as being at rest, metres; also where it is if its plan does not say from
    /// where it leaves.
    pub rest: [f32; 3],
    /// Where it will be from now on.
    pub plan: VertexFlightplan,
    /// The vertex it is one point of the surface with, if any.
    pub welded_to: Option<u32>,
}

impl NewVertex {
    /// A vertex at a rest position, metres, that moves by a plan; a point of its own.
    ///
    /// ```
    /// use kinetree::{Engine, World, WorldDef};
    ///
    /// let world = World::new(WorldDef::new().engine(Engine::Kinetic).start(-0.5))?;
    /// assert_eq!((world.time(), world.contacts().len()), (-0.5, 0));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn new(rest: [f32; 3], plan: VertexFlightplan) -> Self {
        Self { rest, plan, welded_to: None }
    }

    /// Sets the vertex with which it is one point of the surface.
    #[must_use]
    pub fn welded_to(mut self, vertex: impl Into<Option<u32>>) -> Self {
        self.welded_to = vertex.into();
        self
    }

    /// A vertex that stays where it is, a point of its own.
    pub fn fixed(position: [f32; 3]) -> Self {
        Self { rest: position, plan: VertexFlightplan::Fixed { position: position.map(f64::from) }, welded_to: None }
    }
}

/// Changes of a body, carried out all at once by [`World::apply_edit`], or not at all.
#[derive(Clone, Debug)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "StoredEdit", into = "StoredEdit")
)]
pub struct Edit {
    body: BodyId,
    mesh: MeshEdit,
    vertices: Vec<([f32; 3], VertexFlightplan)>,
}

/// An edit as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
struct StoredEdit {
    body: BodyId,
    mesh: MeshEdit,
    vertices: Vec<([f32; 3], VertexFlightplan)>,
}

#[cfg(feature = "serde")]
impl From<Edit> for StoredEdit {
    fn from(Edit { body, mesh, vertices }: Edit) -> Self {
        Self { body, mesh, vertices }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<StoredEdit> for Edit {
    type Error = &'static str;

    /// Checks what no edit of a mesh does: that each new vertex has a plan.
    fn try_from(StoredEdit { body, mesh, vertices }: StoredEdit) -> Result<Self, Self::Error> {
        if mesh.joined().len() != vertices.len() {
            return Err("the edit has not one plan per new vertex");
        }
        Ok(Self { body, mesh, vertices })
    }
}

impl Edit {
    /// The body it is of.
    pub fn body(&self) -> BodyId {
        self.body
    }

    /// Adds a vertex; returns its number, which triangles of this edit may use.
    pub fn add_vertex(&mut self, vertex: NewVertex) -> u32 {
        self.vertices.push((vertex.rest, vertex.plan));
        self.mesh.add_vertex(vertex.welded_to)
    }

    /// Adds a triangle; returns its number.
    pub fn add_triangle(&mut self, corners: [u32; 3]) -> u32 {
        self.mesh.add_triangle(corners)
    }

    /// Takes a triangle out.
    pub fn remove_triangle(&mut self, triangle: u32) {
        self.mesh.remove_triangle(triangle);
    }

    /// Gives a triangle other corners; it stays the same triangle.
    pub fn set_corners(&mut self, triangle: u32, corners: [u32; 3]) {
        self.mesh.set_corners(triangle, corners);
    }

    /// Takes a vertex out that no triangle uses after the edit.
    pub fn remove_vertex(&mut self, vertex: u32) {
        self.mesh.remove_vertex(vertex);
    }
}

impl World {
    /// Begins an edit of a body; nothing changes before it is applied.
    ///
    /// # Errors
    /// [`WorldError::NoSuchBody`]; [`WorldError::MadeOfPatches`] and [`WorldError::MadeOfSpheres`],
    /// which cannot be edited.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::NewVertex;
    ///
    /// let mut edit = world.begin_edit(floor)?;
    /// let corner = edit.add_vertex(NewVertex::fixed([1.0, 1.0, 0.0])); // Metres.
    /// edit.add_triangle([1, corner, 2]);
    /// world.apply_edit(edit)?;
    /// assert_eq!(world.mesh(floor)?.triangle_count(), 2);
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn begin_edit(&self, body: BodyId) -> Result<Edit, WorldError> {
        let Body { shape: Shape { mesh, patches, .. }, name, motion, .. } = self.bodies.find(body)?;
        if patches.is_some() {
            return Err(WorldError::MadeOfPatches { body: name.clone() });
        }
        if motion.spheres().is_some() {
            return Err(WorldError::MadeOfSpheres { body: name.clone() });
        }
        let mesh = MeshEdit::new(mesh);
        Ok(Edit { body, mesh, vertices: Vec::new() })
    }

    /// Carries an edit out at the clock's time. For the cost see the module's text.
    ///
    /// # Errors
    /// [`WorldError::Edit`] with what is wrong; [`WorldError::ChangeScheduled`] if it takes out a
    /// vertex that is to get another plan later, or adds one to a body that is to get another plan
    /// as a whole; [`WorldError::Motion`] or [`WorldError::OutsideSpan`] for a plan that is not
    /// usable; [`WorldError::NoSuchBody`]. The world is as it was. [`WorldError::Limit`] beyond one
    /// of [`crate::world::WorldLimits`]: the edit is carried out, and contacts are those of before
    /// until the world is advanced within its bounds.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// let mut edit = world.begin_edit(floor)?;
    /// edit.remove_triangle(7);
    /// let refused = world.apply_edit(edit).unwrap_err();
    /// assert_eq!(refused.to_string(), "body 'floor': triangle 7 does not exist (or no longer)");
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn apply_edit(&mut self, edit: Edit) -> Result<(), WorldError> {
        self.check_edit(&edit)?;
        let now = self.clock.now;
        let Edit { body: id, mesh: edit, vertices } = edit;
        let index = id.index();
        if edit.len() == 0 {
            return Ok(());
        }
        self.leave_intervals(index);
        self.unregister(index);
        let body = self.bodies.at_mut(index);
        let refused = |body: &Body, error| WorldError::Motion { body: body.name.clone(), error };
        body.motion.grow(&vertices, now).map_err(|error| refused(body, error))?;
        let mut is_renewed = self.adopt_epoch(index);
        let touched = self.edit_index(index, &edit)?;
        let body = self.bodies.at_mut(index);
        body.motion.forget(edit.removed_vertices(), now);
        body.shape.rest.extend(vertices.iter().map(|&(rest, _)| rest));
        body.snapshot.grow(body.shape.mesh.vertex_count());
        body.epoch.allowed = body.motion.allowed_span();
        body.forget_motion(now);
        self.register(index);
        is_renewed |= self.adopt_epoch(index);
        if is_renewed {
            self.renew(index, now);
        }
        self.settle_edit(index, &touched)
    }

    fn check_edit(&self, edit: &Edit) -> Result<(), WorldError> {
        let body = self.bodies.find(edit.body)?;
        let name = || body.name.clone();
        body.shape.mesh.check_edit(&edit.mesh).map_err(|error| WorldError::Edit { body: name(), error })?;
        if let Some(time) = self.clock.schedule.in_the_way(edit.body, &edit.mesh) {
            return Err(WorldError::ChangeScheduled { body: name(), time });
        }
        let refused = |error| WorldError::Motion { body: name(), error };
        body.motion.check_growth(&edit.vertices, self.clock.now).map_err(refused)?;
        let (time, spans) = (self.clock.now.time(), edit.vertices.iter().map(|(_, plan)| plan.allowed_span()));
        if let Some(span) = spans.into_iter().find(|span| !span.contains(time)) {
            return Err(WorldError::OutsideSpan { body: name(), time, span });
        }
        Ok(())
    }

    /// Begins another epoch of a body if its motion does not fit into the present one; returns
    /// whether it did.
    fn adopt_epoch(&mut self, index: u32) -> bool {
        let body = self.bodies.at(index);
        let fits = body.epoch_end(self.clock.now).time() == body.epoch.end
            && body.motion.slack(self.clock.now) <= body.epoch.slack;
        if !fits {
            self.begin_epoch(index, self.clock.now);
        }
        !fits
    }

    /// Carries the edit of the mesh out, and changes the body's tree with it. Returns which nodes
    /// of the tree that touched, by number.
    fn edit_index(&mut self, index: u32, edit: &MeshEdit) -> Result<Touched, WorldError> {
        let now = self.clock.now;
        let mut tree_change = TreeChange::default();
        let outcome = self.bodies.edit_tree(index, edit, &mut tree_change, &mut self.clock.at(now));
        let has_tree = outcome.map_err(|error| WorldError::Edit { body: self.bodies.at(index).name.clone(), error })?;
        if !has_tree {
            self.rebuild_tree(index, now);
            return Ok(Touched::All);
        }
        self.update_after_tree_change(index, &tree_change, now);
        Ok(Touched::Nodes(tree_change.touched))
    }
}
