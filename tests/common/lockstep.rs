//! The same world under every engine, held side by side.

use kinetree::BodyId;
use kinetree::bvh::BuildParams;
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::world::{AdvanceError, BodyDef, Contact, Engine, World, WorldDef, WorldError};

use super::kinds::{own_engine, tree_kind, width};
use super::shapes::Shape;

/// All engines, the kinetic one first.
pub const ENGINES: [Engine; 4] = [Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];

/// One world per engine; every step compares their contacts.
pub struct Lockstep {
    worlds: Vec<World>,
}

impl Lockstep {
    pub fn new(start: f64) -> Self {
        let world = |engine| {
            World::new(WorldDef::default().start(start).engine(engine).keep_events(true)).expect("a usable start")
        };
        Self { worlds: ENGINES.map(world).into_iter().collect() }
    }

    /// The kinetic world.
    pub fn kinetic(&self) -> &World {
        &self.worlds[0]
    }

    /// Does the same to every world, and returns what all of them answered.
    pub fn all<T: PartialEq + std::fmt::Debug>(&mut self, mut act: impl FnMut(&mut World) -> T) -> T {
        let answer = act(&mut self.worlds[0]);
        for (engine, world) in ENGINES.iter().zip(&mut self.worlds).skip(1) {
            assert_eq!(act(world), answer, "{engine:?}");
        }
        self.compare();
        answer
    }

    pub fn add(&mut self, body: &BodyDef) -> BodyId {
        self.all(|world| world.add_body(body.clone())).expect("a good body")
    }

    /// Advances all worlds; how many contacts there are then.
    pub fn at(&mut self, time: f64) -> usize {
        self.all(|world| world.advance_to(time)).expect("a good time");
        self.contacts().len()
    }

    pub fn try_advance(&mut self, time: f64) -> Result<(), AdvanceError> {
        self.all(|world| world.advance_to(time))
    }

    /// Changes all worlds; how many contacts there are then.
    pub fn change(&mut self, mut act: impl FnMut(&mut World) -> Result<(), WorldError>) -> usize {
        self.all(|world| act(world)).expect("a good change");
        self.contacts().len()
    }

    pub fn contacts(&self) -> &[Contact] {
        self.kinetic().contacts()
    }

    fn compare(&self) {
        let time = self.kinetic().time();
        for (engine, world) in ENGINES.iter().zip(&self.worlds) {
            let (ours, theirs) = (self.kinetic().contacts(), world.contacts());
            if ours != theirs {
                let missing: Vec<_> = theirs.iter().filter(|c| !ours.contains(c)).collect();
                let surplus: Vec<_> = ours.iter().filter(|c| !theirs.contains(c)).collect();
                panic!("at {time} s, {engine:?}: kinetic misses {missing:?} and has {surplus:?} too much");
            }
        }
        for world in &self.worlds[..2] {
            let report = world.audit();
            assert!(report.is_clean(), "at {time} s: {report}");
        }
    }
}

/// A body of a shape and a motion.
pub fn body(shape: &Shape, motion: Flightplan) -> BodyDef {
    let mesh = Mesh::new(shape.0.len(), shape.1.clone()).expect("a valid mesh");
    let build = BuildParams { width: width(), ..BuildParams::default() };
    BodyDef::new(mesh, motion).build(build).tree(tree_kind(shape.1.len())).engine(own_engine(shape.1.len()))
}

/// A body that stays where its shape is.
pub fn standing(shape: &Shape) -> BodyDef {
    body(shape, Flightplan::fixed(shape.0.clone()))
}

/// Keyframes that move a shape as a whole, one shift per key.
pub fn shifted(shape: &Shape, times: &[f64], shifts: &[[f32; 3]]) -> Flightplan {
    let place = |shift: &[f32; 3]| {
        let shift = *shift;
        shape.0.iter().map(move |p| -> [f32; 3] { std::array::from_fn(|i| p[i] + shift[i]) })
    };
    Flightplan::keyframes(times.to_vec(), shifts.iter().flat_map(place).collect())
}
