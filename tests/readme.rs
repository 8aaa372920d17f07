//! The loop of the README is compiled and run.

use kinetree::motion::VertexFlightplan;
use kinetree::{BodyDef, Flightplan, Mesh, World, WorldDef};

/// A clock that goes on by thirtieths of a second, and after a second tells none.
struct Renderer(std::cell::Cell<u32>);

impl Renderer {
    fn time(&self) -> f64 {
        self.0.set(self.0.get() + 1);
        if self.0.get() <= 30 { f64::from(self.0.get()) / 30.0 } else { f64::NAN }
    }
}

/// A host that holds a vertex at a place.
struct Host([f64; 3]);

impl Host {
    fn plan(&self) -> VertexFlightplan {
        VertexFlightplan::Fixed { position: self.0 }
    }
}

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
const TURNED: [f64; 16] = [0.0, -1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 1.0];
const UPRIGHT: [f64; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0];

#[rustfmt::skip]
#[allow(unused_variables, clippy::never_loop)]
fn host(renderer: &Renderer, host: &Host) -> Result<(), kinetree::Error> {
    let (vertex_count, triangles, vertex) = (3, vec![[0, 1, 2]], 0);
    let (key_times, positions) = (vec![0.0, 1.0], [TRIANGLE, TRIANGLE].concat());
    let ball_mesh = Mesh::new(vertex_count, triangles.clone())?;
    let (times, transforms, rest) = (vec![0.0, 1.0], vec![UPRIGHT, TURNED], TRIANGLE.to_vec());
    // README: begin
    let mut world = World::new(WorldDef::new())?; // engine auto; contacts at the times advanced to
    let mesh = Mesh::new(vertex_count, triangles)?;
    let cloth = world.add_body(BodyDef::new(mesh, Flightplan::keyframes(key_times, positions)))?;
    world.add_body(BodyDef::new(ball_mesh, Flightplan::rigid(times, transforms, rest)).named("ball"))?;
    loop {
        world.advance_to(renderer.time())?; // seconds; then finds the triangles that touch at this time
        for contact in world.contacts() { /* touching now: a, triangle_a, b, triangle_b */ }
        for change in world.body_pair_changes() { /* two bodies begin or cease to touch */ }
        for change in world.contact_changes() { /* the same for triangles */ }
        world.set_vertex_flightplans(cloth, &[(vertex, host.plan())])?; // plans may change at any time
    }
    // README: end
}

#[test]
fn the_loop_of_the_readme_runs_until_there_is_no_time() {
    let renderer = Renderer(std::cell::Cell::new(0));
    let error = host(&renderer, &Host([0.0, 0.0, 0.5])).expect_err("the clock stops after a second");
    assert!(error.to_string().contains("NaN"), "{error}");
    assert_eq!(renderer.0.get(), 31);
}

#[test]
fn the_readme_shows_this_loop() {
    let source = include_str!("readme.rs");
    let (_, rest) = source.split_once("// README: begin\n").expect("a begin");
    let (shown, _) = rest.split_once("    // README: end").expect("an end");
    let shown: String = shown.lines().map(|line| line.strip_prefix("    ").unwrap_or(line).to_owned() + "\n").collect();
    let readme = include_str!("../README.md");
    let (_, block) = readme.split_once("```rust,ignore\n").expect("a block of code");
    let (block, _) = block.split_once("```").expect("its end");
    assert_eq!(block, shown);
    // "The host loop in ten lines."
    assert!(block.lines().count() <= 11, "{} lines", block.lines().count());
}
