//! Baked trees of single bodies: what a clip knows of a body's boxes is read instead of refitted.
//!
//! A body with a baked clip goes by it where it would be refitted otherwise, at times the clip knows; elsewhere it is refitted. The clip
//! belongs to the body's present motion and tree: whoever replaces or edits either takes it away.

use std::sync::Arc;

use crate::baked::clip::BakedTreeView;
use crate::baked::{BakeFormat, BakedClip, BakedTree};
use crate::id::BodyId;
use crate::motion::Motion;
use crate::time::{Moment, Side, Span};
use crate::world::{Body, Engine, Index, World, WorldError};

/// A body's baked tree.
#[derive(Debug)]
pub(crate) struct Replay {
    tree: BakedTree,
    /// How far boxes are moved outward, metres; `None` if the body may be elsewhere than at the tree's time.
    slack: Option<f64>,
}

impl Replay {
    /// Goes to a moment; says whether the clip knows it.
    ///
    /// At the clip's first time the body may just have jumped there, and *after* its last it may jump away: these are not the clip's.
    pub(crate) fn seek(&mut self, motion: &Motion, now: Moment) -> bool {
        let time = now.time();
        if self.slack.is_some() {
            return true;
        }
        let is_inside = self.tree.clip().begin() < time && now.side() == Side::At;
        self.slack = (is_inside && self.tree.seek(time).is_ok()).then(|| motion.slack(now));
        self.slack.is_some()
    }

    /// The body may be elsewhere than before.
    pub(crate) fn forget_place(&mut self) {
        self.slack = None;
    }

    /// The boxes, if the tree is where the body is.
    pub(crate) fn boxes<'a>(&'a self, motion: &'a Motion) -> Option<BakedTreeView<'a>> {
        Some(self.tree.view(motion, self.slack?))
    }

    /// Bytes held, the clip not included: it may belong to many.
    pub(crate) fn bytes(&self) -> usize {
        self.tree.bytes()
    }
}

impl World {
    /// Bakes the tree that a body has now, over a span of its motion, for [`World::set_baked`]: of this body, or of one that is added to
    /// another world with the same definition at the same time. `syncs` is the number of times from which far times are reached, besides
    /// the first.
    ///
    /// O(the body's keys in the span).
    ///
    /// # Errors
    /// A body that is not there or that is live; what [`BakedClip::bake`] refuses: motion that is not linear between keys, a jump within
    /// the span.
    pub fn bake(&self, id: BodyId, span: Span, format: BakeFormat, syncs: usize) -> Result<BakedClip, WorldError> {
        let body = self.body(id)?;
        let Index::Discrete(discrete) = &body.index else {
            return Err(WorldError::NotSwept { body: body.name.clone() });
        };
        let refused = |error| WorldError::Baked { body: body.name.clone(), error };
        BakedClip::bake(discrete.topology().clone(), &body.motion, span, format, syncs).map_err(refused)
    }

    /// Gives a body a baked clip of its motion, or takes it away.
    ///
    /// Engine auto then reads the clip where it would refit the body, engine baked wherever the clip knows the time asked for, that is
    /// after its first time, up to its last and, where frames were baked, at their times. Contacts are the same with it and without. The
    /// clip is dropped when the body is given another motion or edited.
    ///
    /// The clip is compared with the body's motion and tree, O(keys × vertices); its events are believed.
    ///
    /// # Errors
    /// A body that is not there or that is live; a clip of another motion or tree. The body keeps what it has.
    pub fn set_baked(&mut self, id: BodyId, clip: Option<Arc<BakedClip>>) -> Result<(), WorldError> {
        self.body(id)?;
        let Body { index, motion, name, .. } = self.bodies.at_mut(id.index());
        let Index::Discrete(discrete) = index else { return Err(WorldError::NotSwept { body: name.clone() }) };
        let replay = match clip {
            None => None,
            Some(clip) => {
                let tree = BakedTree::new(clip, discrete.topology().clone(), motion);
                let tree = tree.map_err(|error| WorldError::Baked { body: name.clone(), error })?;
                Some(Box::new(Replay { tree, slack: None }))
            }
        };
        discrete.replay = replay;
        Ok(())
    }
}

impl Body {
    /// Brings the baked tree to a moment, if the body has one, may go by it, and its clip knows the moment.
    pub(crate) fn replay(&mut self, now: Moment) -> bool {
        let Index::Discrete(discrete) = &mut self.index else { return false };
        discrete.replay(&self.motion, self.requested_engine, now)
    }
}

/// May a body that wishes for an engine go by its baked tree?
pub(crate) fn may_replay(requested_engine: Engine) -> bool {
    matches!(requested_engine, Engine::Auto | Engine::Baked)
}
