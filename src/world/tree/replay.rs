//! Baked trees of single bodies: what a clip knows of a body's boxes is read instead of refitted.
//!
//! A body with a baked clip reads the clip where it would be refitted otherwise, at times the clip
//! knows; elsewhere it is refitted. The clip belongs to the body's present motion and tree: it is
//! dropped when either is replaced or edited.

use crate::baked::BakedTree;
use crate::baked::clip::BakedTreeView;
use crate::motion::Motion;
use crate::time::{Moment, Side};
use crate::world::engine::Engine;

/// A body's baked tree.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Replay {
    tree: BakedTree,
    /// How far boxes are moved outward, metres; `None` if the body may be elsewhere than at the
    /// tree's time.
    slack: Option<f64>,
}

impl Replay {
    /// A clip of a body's motion and tree.
    pub(crate) fn new(tree: BakedTree) -> Self {
        Self { tree, slack: None }
    }

    /// Goes to a moment; returns whether the clip knows it.
    ///
    /// At the clip's first time the body may just have jumped there, and *after* its last it may
    /// jump away: these are not the clip's.
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

/// Whether a body that asked for an engine reads its baked clip: engines auto and refit do.
pub(crate) fn may_replay(requested_engine: Engine) -> bool {
    matches!(requested_engine, Engine::Auto | Engine::Refit)
}
