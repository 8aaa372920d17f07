//! A world with default settings: what a host gets that asks for nothing.

use super::body::flightplan;
use super::contender::{Contender, Held, Work};
use crate::BodyId;
use crate::cli::Failure;
use crate::mesh::Mesh;
use crate::motion::VertexFlightplan;
use crate::scenes::GeneratedBody;
use crate::world::{BodyDef, World, WorldDef};

/// Two bodies in a world. Every step finds their contacts.
pub(super) struct DefaultWorld {
    world: World,
    ids: [BodyId; 2],
}

impl DefaultWorld {
    pub(super) fn new(bodies: &[GeneratedBody; 2]) -> Result<Self, Failure> {
        let mut world = World::new(WorldDef::default())?;
        let mut add = |body: &GeneratedBody, name: &str| -> Result<BodyId, Failure> {
            let mesh = Mesh::new(body.start_positions().len(), body.triangles().to_vec())?;
            Ok(world.add_body(BodyDef::new(mesh, flightplan(body)).named(name))?)
        };
        let ids = [add(&bodies[0], bodies[0].name())?, add(&bodies[1], bodies[1].name())?];
        Ok(Self { world, ids })
    }

    /// The world and its bodies, for pictures.
    pub(super) fn parts(&self) -> (&World, &[BodyId; 2]) {
        (&self.world, &self.ids)
    }
}

impl Contender for DefaultWorld {
    fn advance_to(&mut self, time: f64) -> Result<(), Failure> {
        Ok(self.world.advance_to(time)?)
    }

    fn check(&mut self, found: &mut Vec<(u32, u32)>) {
        found.extend(self.world.contacts().iter().map(|contact| (contact.triangle_a, contact.triangle_b)));
    }

    fn replan(&mut self, body: usize, plans: &[(u32, VertexFlightplan)]) -> Result<(), Failure> {
        Ok(self.world.set_vertex_flightplans(self.ids[body], plans)?)
    }

    fn is_incremental(&self) -> bool {
        true
    }

    /// Nothing: what an engine does depends on the frames per key interval.
    fn work(&self) -> Work {
        Work::default()
    }

    fn held(&self) -> Held {
        Held { listed: 0, bytes: self.world.stats().bytes }
    }
}
