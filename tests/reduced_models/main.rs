//! Reduced bodies: evaluation against an independent reference, proven deviations against sampled truth, every refusal.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_skins/mod.rs"]
mod reduced_skins;

/// What test drivers hand on to the driver they have as `inner`.
macro_rules! handed_on {
    () => {
        fn map_count(&self) -> usize {
            self.inner.map_count()
        }

        fn morph_count(&self) -> usize {
            self.inner.morph_count()
        }

        fn span(&self) -> Span {
            self.inner.span()
        }

        fn outside(&self) -> Outside {
            self.inner.outside()
        }

        fn centres(&self) -> &[[f64; 3]] {
            self.inner.centres()
        }
    };
}

mod bends;
mod bodies;
mod driver_check;
mod edges;
mod hosts_drivers;
mod morph_weights;
mod pose_times;
mod reference;
mod refusals;
mod skinning;
mod spherical;

use reduced_skins::{Flavour, Scene, distance, quaternion, rounds, scene, vector};
