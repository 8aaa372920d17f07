//! Which engines and kinetic trees the bodies of a test program have: the same batteries are compiled into several programs.

use kinetree::bvh::Width;
use kinetree::kinetic::TreeKind;
use kinetree::world::{ContactMode, Engine};

/// Every engine with contacts at times, and those with contacts over time.
pub const MODES: [(Engine, ContactMode); 7] = [
    (Engine::Auto, ContactMode::AtTimes),
    (Engine::Kinetic, ContactMode::AtTimes),
    (Engine::Interval, ContactMode::AtTimes),
    (Engine::Refit, ContactMode::AtTimes),
    (Engine::BruteForce, ContactMode::AtTimes),
    (Engine::Auto, ContactMode::Continuous),
    (Engine::Kinetic, ContactMode::Continuous),
];

/// The tree of a body with so many triangles: by the name of the test program.
pub fn tree_kind(triangles: usize) -> TreeKind {
    match env!("CARGO_CRATE_NAME") {
        "box_tree" => TreeKind::Box,
        "mixed_trees" if !triangles.is_multiple_of(2) => TreeKind::Box,
        _ => TreeKind::Aabb,
    }
}

/// The engine of a body with so many triangles: by the name of the test program.
pub fn own_engine(triangles: usize) -> Engine {
    match env!("CARGO_CRATE_NAME") {
        "engines" => [Engine::Interval, Engine::Kinetic, Engine::Refit, Engine::Refit, Engine::Interval, Engine::Refit]
            [triangles % 6],
        _ => Engine::Auto,
    }
}

/// The width of all trees that may be wide: by the name of the test program.
pub fn width() -> Width {
    match env!("CARGO_CRATE_NAME") {
        "wide_trees" => Width::Four,
        _ => Width::Two,
    }
}

/// Have some bodies a `BoxTree`?
pub fn some_box() -> bool {
    tree_kind(1) == TreeKind::Box
}

/// Have all bodies a `BoxTree`, which has no leaf events?
pub fn all_box() -> bool {
    tree_kind(0) == TreeKind::Box
}
