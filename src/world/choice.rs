//! Which engine a body has.
//!
//! A body has an engine of its own ([`super::BodyDef::engine`]) or that of its world. An engine that cannot take a body hands it on:
//!
//! | asked for | cannot take | which goes to |
//! |---|---|---|
//! | window | patches, BoxTrees | live |
//! | window | curves, vertices with plans of their own, loops before their first key | refit |
//!
//! Bodies of different engines meet in one world: pairs of live bodies have a separation list, all others are found at the times asked
//! for. Contacts never depend on any of this, only the cost does.

use super::primitives::Parts;
use super::{Body, ContactMode, Engine, Index, World, WorldError};
use crate::baseline::{Grid, RefitTree};
use crate::kds::{BuildParams, Topology, TreeKind};
use crate::mesh::{Mesh, Patches};
use crate::motion::{Layout, Motion};
use crate::time::Moment;
use crate::timeline::KeyBoxes;

/// A body that is to get something that finds its parts.
pub(super) struct Ground<'a> {
    pub(super) mesh: &'a Mesh,
    pub(super) patches: Option<&'a Patches>,
    pub(super) motion: &'a Motion,
    pub(super) build: BuildParams,
}

impl World {
    /// What a body is meant to have that wishes for an engine; bodies of worlds of engine grid and brute have no choice.
    pub(super) fn wish(&self, name: &str, own: Engine) -> Result<Engine, WorldError> {
        let engine = match (self.engine, own) {
            (Engine::Grid | Engine::Brute, _) | (_, Engine::Auto) => self.engine,
            (_, Engine::Grid | Engine::Brute) => {
                return Err(WorldError::EngineOfWorlds { body: name.to_owned(), engine: own });
            }
            _ => own,
        };
        if self.contact_mode == ContactMode::Continuous && !matches!(engine, Engine::Auto | Engine::Live) {
            return Err(WorldError::NeedsLive { engine });
        }
        Ok(engine)
    }

    /// How the keys of a body lie in memory.
    pub(super) fn layout(&self, wish: Engine) -> Layout {
        match wish {
            Engine::Auto | Engine::Live => Layout::ByVertex,
            Engine::Window | Engine::Refit | Engine::Grid | Engine::Brute => Layout::ByKey,
        }
    }
}

/// Is a body live for good?
pub(super) fn must_be_live(wish: Engine, has_patches: bool, tree: TreeKind) -> bool {
    match wish {
        Engine::Auto | Engine::Live => true,
        Engine::Window => has_patches || tree == TreeKind::Box,
        Engine::Refit | Engine::Grid | Engine::Brute => false,
    }
}

/// What finds the parts of a body that is not live, at a moment; the window's boxes are up to date there.
pub(super) fn unlive_index(wish: Engine, ground: &Ground<'_>, positions: &[[f64; 3]], at: Moment) -> Index {
    let Ground { mesh, patches, motion, build, .. } = *ground;
    let topology = || Topology::build(&Parts::of(mesh, patches), positions, build.binary());
    match wish {
        // These know triangles only: of patches all spans are looked at.
        Engine::Refit | Engine::Grid if patches.is_some() => Index::Brute,
        Engine::Grid => Index::Grid(Grid::default()),
        Engine::Brute => Index::Brute,
        Engine::Window => match KeyBoxes::over(topology(), motion, at.time()) {
            Ok(boxes) => Index::Window(boxes),
            Err(_) => Index::Refit(RefitTree::new(topology(), mesh, positions)),
        },
        Engine::Auto | Engine::Live | Engine::Refit => Index::Refit(RefitTree::new(topology(), mesh, positions)),
    }
}

impl Body {
    /// The motion is another one than before: where the engine cannot take it, another takes its place, and where the one wished for
    /// can take it again, that comes back. Live bodies stay live.
    pub(super) fn adopt_motion(&mut self, now: Moment) {
        let is_fit = KeyBoxes::check(&self.motion, now.time()).is_ok();
        match &mut self.index {
            Index::Window(boxes) if is_fit => boxes.forget(),
            Index::Window(_) => self.plant(now),
            Index::Refit(_) if is_fit && self.wish == Engine::Window => self.plant(now),
            _ => {}
        }
    }

    /// Brings the boxes of a window up to date.
    pub(super) fn follow(&mut self, now: Moment) {
        if let Index::Window(boxes) = &mut self.index {
            // A motion that boxes cannot follow is not given to them.
            let followed = boxes.follow(&self.motion, now.time());
            debug_assert!(followed.is_ok(), "{followed:?}");
        }
    }

    /// Builds its tree anew from where it is at a moment; not for live bodies.
    pub(super) fn plant(&mut self, now: Moment) {
        let mut positions = Vec::new();
        self.motion.positions(now, &mut positions);
        let Self { mesh, patches, motion, build, .. } = &*self;
        let ground = Ground { mesh, patches: patches.as_ref(), motion, build: *build };
        self.index = unlive_index(self.wish, &ground, &positions, now);
        self.is_prepared = false;
    }
}
