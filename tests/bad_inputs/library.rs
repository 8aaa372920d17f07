//! Bad input of the library.

use kinetree::{
    BodyDef, BodyId, ContactMode, Engine, Flightplan, Mesh, Outside, Patch, Patches, Sphere, Spheres, VertexFlightplan,
    World, WorldDef, WorldLimits,
};

use super::{Row, refused};

const TRIANGLE: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
const IDENTITY: [f64; 16] = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

fn mesh() -> Mesh {
    Mesh::new(3, vec![[0, 1, 2]]).unwrap()
}

fn flag(motion: Flightplan) -> BodyDef {
    BodyDef::new(mesh(), motion).named("flag")
}

fn still() -> Flightplan {
    Flightplan::fixed(TRIANGLE.to_vec())
}

/// Six positions, one of them changed.
fn keys(place: usize, axis: usize, value: f32) -> Vec<[f32; 3]> {
    let mut positions = [TRIANGLE, TRIANGLE].concat();
    positions[place][axis] = value;
    positions
}

fn turned(entry: usize, value: f64) -> [f64; 16] {
    let mut transform = IDENTITY;
    transform[entry] = value;
    transform
}

/// The row of a motion that no world takes; the world is as it was.
fn plan(input: &'static str, motion: Flightplan) -> Row {
    let mut world = World::new(WorldDef::new()).unwrap();
    let row = refused(input, world.add_body(flag(motion)));
    assert!(world.bodies().count() == 0 || row.message.starts_with(super::ACCEPTED), "{input}");
    row
}

pub(crate) fn meshes_and_motions() -> Vec<Row> {
    let six = || keys(0, 0, 0.0);
    let three = || TRIANGLE.to_vec();
    let still = || vec![[0.0; 3]; 3];
    let moving = |times: Vec<f64>| Flightplan::keyframes(times, six());
    vec![
        refused("a mesh without triangles", Mesh::new(3, Vec::new())),
        refused("a triangle of a vertex that is not there", Mesh::new(3, vec![[0, 1, 3]])),
        refused("more vertices than indices can name", Mesh::new(400_000_000, vec![[0, 1, 2]])),
        refused("a cloud without points", Mesh::points(0)),
        refused("no segments", Mesh::segments(3, &[])),
        refused("a segment of a vertex that is not there", Mesh::segments(3, &[[0, 1], [1, 7]])),
        refused("a body of spheres without spheres", Spheres::new(0)),
        refused("a body of patches without patches", Patches::new(3, Vec::new())),
        refused("a patch of degree 0", Patches::new(4, vec![Patch::bezier([0, 1], vec![0, 1])])),
        refused("a patch with too few control points", Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2])])),
        refused(
            "a patch of a vertex that is not there",
            Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 4])]),
        ),
        refused("a weight of 0", Patches::new(4, vec![bilinear().weights(vec![1.0, 1.0, 0.0, 1.0])])),
        plan("keyframes without keys", Flightplan::keyframes(Vec::new(), Vec::new())),
        plan("fewer positions than keys × vertices", Flightplan::keyframes(vec![0.0, 1.0], three())),
        plan("positions for more vertices", Flightplan::fixed(vec![[0.0; 3]; 4])),
        plan("equal key times", moving(vec![1.0, 1.0])),
        plan("key times that go back", moving(vec![1.0, 0.5])),
        plan("a key time that is not a number", moving(vec![0.0, f64::NAN])),
        plan("a key time without end", moving(vec![0.0, f64::INFINITY])),
        plan("a key time beyond the range", moving(vec![0.0, 2e12])),
        plan("a coordinate that is not a number", Flightplan::keyframes(vec![0.0, 1.0], keys(4, 2, f32::NAN))),
        plan("a coordinate beyond the range", Flightplan::keyframes(vec![0.0, 1.0], keys(4, 1, 1.3e30))),
        plan("a loop that is too short", moving(vec![0.0, 1e-4]).outside(Outside::Loop)),
        plan("fewer velocities than vertices", Flightplan::velocities(0.0, three(), vec![[0.0; 3]; 2])),
        plan("a velocity that is not a number", Flightplan::velocities(0.0, three(), vec![[0.0, f32::NAN, 0.0]; 3])),
        plan("a velocity beyond the range", Flightplan::velocities(0.0, three(), vec![[2e18, 0.0, 0.0]; 3])),
        plan("a velocity field from no time", Flightplan::velocities(f64::NAN, three(), still())),
        plan(
            "an acceleration that is not a number",
            Flightplan::ballistic(0.0, three(), still(), [0.0, 0.0, f32::NAN]),
        ),
        plan("fewer transforms than keys", Flightplan::rigid(vec![0.0, 1.0], vec![IDENTITY], three())),
        plan("a transform that is not a number", Flightplan::rigid(vec![0.0], vec![turned(3, f64::NAN)], three())),
        plan("a transform with another last row", Flightplan::rigid(vec![0.0], vec![turned(12, 0.5)], three())),
        plan("fewer tangents than positions", Flightplan::hermite(vec![0.0, 1.0], six(), six(), vec![[0.0; 3]; 5])),
        plan("polynomials of one time", Flightplan::polynomials(vec![0.0], 1, Vec::new())),
        plan("polynomials of degree 4", Flightplan::polynomials(vec![0.0, 1.0], 4, vec![[0.0; 3]; 15])),
        plan("fewer coefficients than needed", Flightplan::polynomials(vec![0.0, 1.0], 2, vec![[0.0; 3]; 8])),
        plan("spheres for triangles", Flightplan::spheres(vec![0.0], vec![ball(1.0); 3])),
        spheres("triangles for spheres", Flightplan::fixed(vec![[0.0; 3]; 1])),
        spheres("fewer spheres than there are", Flightplan::spheres(vec![0.0], Vec::new())),
        spheres("a radius below 0", Flightplan::spheres(vec![0.0], vec![ball(-1.0)])),
        spheres("a radius that is not a number", Flightplan::spheres(vec![0.0], vec![ball(f64::NAN)])),
    ]
}

fn ball(radius: f64) -> Sphere {
    Sphere { centre: [0.0; 3], radius }
}

fn bilinear() -> Patch {
    Patch::bezier([1, 1], vec![0, 1, 2, 3])
}

fn spheres(input: &'static str, motion: Flightplan) -> Row {
    let mut world = World::new(WorldDef::new()).unwrap();
    refused(input, world.add_body(BodyDef::new(Spheres::new(1).unwrap(), motion).named("beads")))
}

/// A world of two bodies at 0 s.
fn two() -> (World, BodyId, BodyId) {
    let mut world = World::new(WorldDef::new()).unwrap();
    let one = world.add_body(flag(Flightplan::keyframes(vec![0.0, 1.0], keys(0, 0, 0.0)))).unwrap();
    let two = world.add_body(BodyDef::new(mesh(), still()).named("pole")).unwrap();
    (world, one, two)
}

/// A call that is refused, and leaves the log and the positions as they were.
fn call<T: std::fmt::Debug, E: std::error::Error>(
    input: &'static str,
    act: impl FnOnce(&mut World, BodyId, BodyId) -> Result<T, E>,
) -> Row {
    let (mut world, one, two) = two();
    let before = (world.time(), world.log().hash(), world.positions(one), world.positions(two));
    let row = refused(input, act(&mut world, one, two));
    let after = (world.time(), world.log().hash(), world.positions(one), world.positions(two));
    assert!(after == before || row.message.starts_with(super::ACCEPTED), "{input}");
    if !row.message.starts_with(super::ACCEPTED) {
        assert!(world.advance_to(0.5).is_ok(), "{input}: the world goes on");
    }
    row
}

pub(crate) fn calls_of_a_world() -> Vec<Row> {
    let fixed = |at: f64| VertexFlightplan::Fixed { position: [at; 3] };
    vec![
        refused("a start that is not a number", World::new(WorldDef::new().start(f64::NAN))),
        refused("a start beyond the range", World::new(WorldDef::new().start(1e300))),
        refused(
            "continuous contacts of an engine that has none",
            World::new(WorldDef::new().engine(Engine::Refit).contacts(ContactMode::Continuous)),
        ),
        call("a body that was removed", |world, one, _| {
            let mut other = world.clone();
            other.remove_body(one).unwrap();
            other.positions(one)
        }),
        call("a body of another world", |_, one, two| {
            let _ = one;
            World::new(WorldDef::new()).unwrap().remove_body(two)
        }),
        call("advancing back", |world, _, _| world.clone().advance_to(-1.0)),
        call("advancing to no time", |world, _, _| world.advance_to(f64::NAN)),
        call("advancing beyond the range", |world, _, _| world.advance_to(1e13)),
        call("a plan for other vertices", |world, one, _| {
            world.set_flightplan(one, Flightplan::fixed(vec![[0.0; 3]; 2]))
        }),
        call("a plan of a vertex that is not there", |world, one, _| {
            world.set_vertex_flightplans(one, &[(0, fixed(1.0)), (9, fixed(1.0))])
        }),
        call("two plans of one vertex", |world, one, _| {
            world.set_vertex_flightplans(one, &[(1, fixed(1.0)), (1, fixed(2.0))])
        }),
        call("a vertex at no place", |world, one, _| world.set_vertex_flightplans(one, &[(1, fixed(f64::NAN))])),
        call("a further key for a velocity field", |world, one, _| {
            let mut other = world.clone();
            other.set_flightplan(one, Flightplan::velocities(0.0, TRIANGLE.to_vec(), vec![[0.0; 3]; 3]))?;
            other.extend_flightplan(one, 2.0, &TRIANGLE)
        }),
        call("a further key before the last", |world, one, _| world.extend_flightplan(one, 0.5, &TRIANGLE)),
        call("a further key of other vertices", |world, one, _| world.extend_flightplan(one, 2.0, &TRIANGLE[..2])),
        call("a thickness below 0", |world, _, _| world.add_body(flag(still()).thickness(-0.1))),
        call("a thickness that is not a number", |world, _, _| world.add_body(flag(still()).thickness(f64::NAN))),
        call("a thickness of a pair that is not a number", |world, one, two| {
            world.set_pair_thickness(one, two, Some(f64::NAN))
        }),
        call("a change at a time that has passed", |world, one, _| world.schedule_flightplan(one, -1.0, still())),
        call("contacts at a time that is not known", |world, _, _| world.contacts_at(7.0)),
        call("contacts at no time", |world, _, _| world.contacts_at(f64::NAN)),
        call("more contacts than the world's bound", |world, _, _| {
            let mut limits = WorldLimits::DEFAULT;
            limits.contacts = 0;
            let mut other = world.clone();
            other.set_limits(limits);
            other.advance_to(0.25)
        }),
        call("an edit that removes all triangles", |world, one, _| {
            let mut edit = world.begin_edit(one)?;
            edit.remove_triangle(0);
            world.apply_edit(edit)
        }),
        call("an edit of a triangle that is not there", |world, one, _| {
            let mut edit = world.begin_edit(one)?;
            edit.remove_triangle(4);
            world.apply_edit(edit)
        }),
        call("an edit that removes a corner", |world, one, _| {
            let mut edit = world.begin_edit(one)?;
            edit.remove_vertex(1);
            world.apply_edit(edit)
        }),
    ]
}

pub(crate) fn predicates_and_models() -> Vec<Row> {
    use kinetree::geometry::Surface;
    use kinetree::incident::Thresholds;
    let at = |value: f64| [[value, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    vec![
        refused("a surface with a vertex at no place", Surface::new(&mesh(), &at(f64::NAN))),
        refused("a surface with too few positions", Surface::new(&mesh(), &at(0.0)[..2])),
        refused("a gate without conditions", "".parse::<Thresholds>()),
        refused("a gate with an unknown measure", "dept>2mm".parse::<Thresholds>()),
        refused("a gate without a unit", "depth>2".parse::<Thresholds>()),
        refused("a gate with a wrong unit", "depth>2s".parse::<Thresholds>()),
        refused("a gate with a negative limit", "frames>-3".parse::<Thresholds>()),
    ]
}
