//! A baked scene beside the scene it was baked for, ready to be asked.

use std::sync::Arc;

use super::make::parts;
use super::{BakedScene, BakedSceneError};
use crate::baked::BakedTree;
use crate::baked::clip::BakedTreeView;
use crate::id::BodyId;
use crate::io::Scene;
use crate::math::Aabb;
use crate::motion::Motion;
use crate::time::Moment;
use crate::world::{BakedContacts, Contact, Engine, IgnoredContacts, World, WorldDef};

/// A baked scene that was compared with the scene it is used for.
///
/// It holds a world with the scene's bodies, for names and motions and for exact answers at times
/// where a baked end is only known by an enclosure; that world's clock stands at the begin.
#[derive(Debug)]
pub struct OpenScene {
    begin: f64,
    end: f64,
    world: World,
    ids: Vec<BodyId>,
    names: Vec<String>,
    trees: Vec<Option<Replay>>,
    contacts: Option<BakedContacts>,
}

#[derive(Debug)]
struct Replay {
    tree: BakedTree,
    motion: Motion,
}

impl BakedScene {
    /// Compares the file with a scene and makes it ready. `ignored` is what it was baked with.
    /// O(keys × vertices), and one frame of contacts.
    ///
    /// # Errors
    /// A scene that cannot be run, or that is not the one baked: other bodies, motions, or rules of
    /// what is tested.
    pub fn open(self, scene: &Scene, ignored: IgnoredContacts) -> Result<OpenScene, BakedSceneError> {
        let Self { begin, end, identity, leaf_size, trees, contacts } = self;
        if scene.bodies.len() != trees.len() {
            return Err(BakedSceneError::BodyCount { expected: trees.len(), found: scene.bodies.len() });
        }
        // Looks at frames only, so no tree is kept up to date.
        let def = WorldDef { start: begin, engine: Engine::Refit, ..WorldDef::default() };
        let (world, ids) = scene.world(def, ignored)?;
        let found = world.identity(begin, end);
        let differs = identity.bodies.iter().zip(&found.bodies).position(|(expected, found)| expected != found);
        if let Some(place) = differs {
            return Err(BakedSceneError::OtherBody { body: scene.bodies[place].name.clone() });
        }
        if identity.rules != found.rules {
            return Err(BakedSceneError::OtherRules);
        }
        if let Some(contacts) = &contacts {
            contacts.fit(&world)?;
        }
        let mut replays = Vec::with_capacity(trees.len());
        for (place, (body, clip)) in scene.bodies.iter().zip(trees).enumerate() {
            let Some(clip) = clip else {
                replays.push(None);
                continue;
            };
            let (topology, motion) = parts(scene, place, begin, leaf_size)?;
            let tree = BakedTree::new(Arc::new(clip), topology, &motion)
                .map_err(|error| BakedSceneError::Tree { body: body.name.clone(), error })?;
            replays.push(Some(Replay { tree, motion }));
        }
        let names = scene.bodies.iter().map(|body| body.name.clone()).collect();
        Ok(OpenScene { begin, end, world, ids, names, trees: replays, contacts })
    }
}

impl OpenScene {
    /// First time, seconds.
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// Last time, seconds.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The names that contacts use for the scene's bodies, in the scene's order.
    pub fn ids(&self) -> &[BodyId] {
        &self.ids
    }

    /// The scene's bodies; the clock stands at the begin.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The contacts over time, unless they were left out.
    pub fn contacts(&self) -> Option<&BakedContacts> {
        self.contacts.as_ref()
    }

    /// All pairs of triangles that touch at a time, sorted: what a world with continuous contacts
    /// shows there, at the cost of looking them up. Times may be asked in any order. See
    /// [`BakedContacts::contacts_at`].
    ///
    /// # Errors
    /// A file without contacts, a time outside the span.
    pub fn contacts_at(&self, time: f64) -> Result<Vec<Contact>, BakedSceneError> {
        let contacts = self.contacts.as_ref().ok_or(BakedSceneError::NoContacts)?;
        Ok(contacts.contacts_at(time, &self.world)?)
    }

    /// All pairs of triangles that touch at a time, sorted, found below the baked trees by exact
    /// tests: the contacts that a world with discrete contacts has there. Times may be asked in any
    /// order.
    ///
    /// # Errors
    /// A body without a tree; a time outside the span or, where frames were baked, that is no
    /// frame's.
    pub fn contacts_by_trees(&mut self, time: f64) -> Result<Vec<Contact>, BakedSceneError> {
        self.seek(time)?;
        let at = Moment::at(time);
        let lives: Vec<BakedTreeView<'_>> = self
            .trees
            .iter()
            .flatten()
            .map(|replay| replay.tree.view(&replay.motion, replay.motion.slack(at)))
            .collect();
        Ok(self.world.contacts_below(&lives, time))
    }

    /// The box of everything in a body at a time, from its baked tree, metres.
    ///
    /// # Errors
    /// As [`OpenScene::contacts_by_trees`]; a body that does not exist.
    pub fn bounds_at(&mut self, body: usize, time: f64) -> Result<Aabb, BakedSceneError> {
        use crate::bvh::Hierarchy as _;
        let bodies = self.trees.len();
        let tree = self.trees.get_mut(body).ok_or(BakedSceneError::NoSuchBody { body, bodies })?;
        let Some(replay) = tree else {
            return Err(BakedSceneError::NoTree { body: self.names[body].clone() });
        };
        let failed = |error| BakedSceneError::Tree { body: self.names[body].clone(), error };
        replay.tree.seek(time).map_err(failed)?;
        let at = Moment::at(time);
        Ok(replay.tree.view(&replay.motion, replay.motion.slack(at)).node_box(0, at))
    }

    fn seek(&mut self, time: f64) -> Result<(), BakedSceneError> {
        for (replay, name) in self.trees.iter_mut().zip(&self.names) {
            let Some(replay) = replay else { return Err(BakedSceneError::NoTree { body: name.clone() }) };
            replay.tree.seek(time).map_err(|error| BakedSceneError::Tree { body: name.clone(), error })?;
        }
        Ok(())
    }
}
