//! Theorem 5: a BoxTree is not responsive. The worst case of one event, and of one change of a flightplan, beside the usual one.

use kinetree::bvh::{BuildParams, Builder, Width};
use kinetree::kinetic::TreeKind;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::stats::TreeStats;
use kinetree::world::{BodyDef, Engine, World, WorldDef};

/// Two ribbons along y, far from each other along x: only the root is divided along x. All vertices of the left ribbon compete for its
/// upper plane along x, and no division below makes fewer of them.
struct Ribbons {
    world: World,
    vertices: u32,
    triangles: usize,
}

impl Ribbons {
    /// Ribbons of some squares each. Vertex 1 has the largest x of the left one; vertex 3 is next.
    fn new(squares: u32, kind: TreeKind) -> Self {
        let length = squares as f32;
        let of_ribbon = 2 * (squares + 1);
        let place = |vertex: u32| {
            let (ribbon, place) = (vertex / of_ribbon, vertex % of_ribbon);
            let bump = match vertex {
                1 => 0.25,
                3 => 0.125,
                _ => 0.0,
            };
            [ribbon as f32 * 8.0 * length + 0.25 * (place % 2) as f32 + bump, (place / 2) as f32, 0.0]
        };
        let square = |square: u32| {
            let p = square / squares * of_ribbon + 2 * (square % squares);
            [[p, p + 1, p + 2], [p + 1, p + 3, p + 2]]
        };
        let triangles: Vec<[u32; 3]> = (0..2 * squares).flat_map(square).collect();
        let (count, vertices) = (triangles.len(), 2 * of_ribbon);
        let mesh = Mesh::new(vertices as usize, triangles).unwrap();
        let def = BodyDef::new(mesh, Flightplan::fixed((0..vertices).map(place).collect()));
        let build = BuildParams { builder: Builder::MedianSplit, leaf_size: 1, width: Width::Two };
        let mut world = World::new(WorldDef::default().engine(Engine::Kinetic)).unwrap();
        world.add_body(def.tree(kind).build(build)).unwrap();
        Self { world, vertices, triangles: count }
    }

    fn stats(&self) -> TreeStats {
        self.world.stats().tree
    }

    /// Lets a vertex move along x from now on; returns what that searched.
    fn push(&mut self, vertex: u32, speed: f64) -> TreeStats {
        let before = self.stats();
        let body = self.world.bodies().next().unwrap();
        let plan = VertexFlightplan::Velocity { from: None, velocity: [speed, 0.0, 0.0] };
        self.world.set_vertex_flightplans(body, &[(vertex, plan)]).unwrap();
        difference(self.stats(), before)
    }

    /// Advances by a second; returns what its events searched.
    fn second(&mut self) -> TreeStats {
        let before = self.stats();
        let time = self.world.time() + 1.0;
        self.world.advance_to(time).unwrap();
        difference(self.stats(), before)
    }
}

fn difference(mut after: TreeStats, before: TreeStats) -> TreeStats {
    after.tree_events -= before.tree_events;
    after.leaf_events -= before.leaf_events;
    after.candidates_searched -= before.candidates_searched;
    after.slots_replanned -= before.slots_replanned;
    after.certificates_searched -= before.certificates_searched;
    after
}

const SQUARES: [u32; 4] = [64, 256, 1024, 4096];

#[test]
fn one_event_of_a_box_tree_may_visit_a_share_of_all_candidates() {
    // Measured: an event and a change search half as many candidates as there are triangles, all vertices of a ribbon; a usual change
    // 4 to 7 · log2 m. The share does not fall as m grows by a factor of 64.
    for squares in SQUARES {
        let mut ribbons = Ribbons::new(squares, TreeKind::Box);
        let (m, vertices) = (ribbons.triangles as f64, u64::from(ribbons.vertices));
        // The usual case: vertices that win nothing move a little, and the median of what that searches.
        let mut usual: Vec<u64> = (0..64)
            .map(|place| ribbons.push(2 * (squares / 8 + place * squares / 128), 1e-6))
            .map(|searched| searched.candidates_searched)
            .collect();
        usual.sort_unstable();
        let median = usual[usual.len() / 2];
        // The winner of the plane turns back: all candidates are searched for the next to overtake.
        let replanned = ribbons.push(1, -1.0).candidates_searched;
        // It is overtaken within the second: so they are again, for the one after that.
        let event = ribbons.second();
        assert!(event.tree_events > 0 && event.tree_events < 40, "{squares} squares: {} events", event.tree_events);
        println!(
            "{m} triangles: usual change {median} candidates ({:.2} log2 m), worst change {replanned} ({:.2} m), {} events {} ({:.2} m)",
            median as f64 / m.log2(),
            replanned as f64 / m,
            event.tree_events,
            event.candidates_searched,
            event.candidates_searched as f64 / m,
        );
        // Theta(m): from below and from above.
        for searched in [replanned, event.candidates_searched] {
            assert!(4 * searched >= vertices, "{squares} squares: {searched} of {vertices}");
            assert!(searched <= 2 * vertices, "{squares} squares: {searched} of {vertices}");
        }
        assert!(median > 0 && median as f64 <= 12.0 * m.log2(), "{squares} squares: {median} candidates usually");
    }
}

/// The same motion in an AABB tree certifies O(log m) slots, of two candidates above the leaves: Theorem 1.
#[test]
fn the_same_event_of_an_aabb_tree_is_local() {
    for squares in SQUARES {
        let mut ribbons = Ribbons::new(squares, TreeKind::Aabb);
        let log = (ribbons.triangles as f64).log2();
        // The first change ends the rest of the body, and certifies all of it.
        ribbons.push(2 * (squares / 8), 1e-6);
        let replanned = ribbons.push(1, -1.0).slots_replanned;
        let event = ribbons.second();
        let events = event.leaf_events + event.tree_events;
        println!("{} triangles: {replanned} slots certified, {events} events", ribbons.triangles);
        assert!(events > 0 && replanned > 0 && replanned as f64 <= 25.0 * log, "{squares} squares: {replanned} slots");
        assert!(event.certificates_searched as f64 <= 10.0 * log, "{squares} squares: {}", event.certificates_searched);
    }
}
