//! Definitions, plans, meshes, logs and results come back from JSON and from bytes as they were;
//! what could not be is refused.

#![cfg(all(feature = "record", feature = "io"))]

mod common;

use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;

use common::shapes::{sheet, sphere};
use kinetree::geometry::{Surface, crossing, measure, separation};
use kinetree::incident::{IncidentBody, IncidentOptions, Thresholds, TriangleContact, find_incidents};
use kinetree::mesh::{Mesh, Patch, Patches, Spheres};
use kinetree::motion::{Flightplan, Outside, Sphere, VertexFlightplan};
use kinetree::narrow::{MovingTriangle, contact_intervals};
use kinetree::replay::StateHash;
use kinetree::stats::{BroadPhaseStats, EngineStats, ListStats, Stats, TreeStats};
use kinetree::time::{Moment, Side, Span};
use kinetree::*;

/// Reads a value back from JSON and from bytes: nothing of it, in words, may differ.
fn comes_back<T: Serialize + DeserializeOwned + Debug>(value: &T) -> T {
    let words = format!("{value:?}");
    let json = serde_json::to_string(value).unwrap_or_else(|error| panic!("{words}: {error}"));
    let read: T = serde_json::from_str(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
    assert_eq!(format!("{read:?}"), words);
    let bytes = postcard::to_stdvec(value).unwrap();
    let read: T = postcard::from_bytes(&bytes).unwrap_or_else(|error| panic!("{words}: {error}"));
    assert_eq!(format!("{read:?}"), words);
    read
}

/// The message of a value refused.
fn refusal<T: DeserializeOwned + Debug>(json: &str) -> String {
    serde_json::from_str::<T>(json).unwrap_err().to_string()
}

/// Compiles if all of them serialise.
macro_rules! all_serialise {
    ($($name:ty),* $(,)?) => {{
        fn is_stored<T: Serialize + DeserializeOwned>() -> &'static str {
            std::any::type_name::<T>()
        }
        [$(is_stored::<$name>()),*]
    }};
}

#[test]
fn every_definition_and_result_serialises() {
    let names = all_serialise![
        Aabb,
        AuditReport,
        BakeFormat,
        BakedClip,
        BakedContacts,
        BakedInterval,
        BodyDef,
        BodyId,
        kinetree::BodyPairChange,
        BodyShape,
        BuildParams,
        Builder,
        Candidate,
        ChangeId,
        Contact,
        ContactChange,
        ContactMode,
        kinetree::CutPair,
        kinetree::NearestPoint,
        kinetree::NodeBox,
        kinetree::Progress,
        Edit,
        Element,
        Engine,
        EngineStats,
        EventKind,
        EventLog,
        Fault,
        Filter,
        Flightplan,
        IgnoredContacts,
        LoggedEvent,
        Mesh,
        Moment,
        NamedEvent,
        NewVertex,
        NextEvent,
        OngoingContact,
        Outside,
        Patch,
        PatchSpan,
        Patches,
        RayHit,
        kinetree::TrialContact,
        RebuildPolicy,
        Side,
        Span,
        Sphere,
        Spheres,
        Stats,
        TimeEnclosure,
        TreeDef,
        TreeKind,
        VertexFlightplan,
        Visits,
        Width,
        WorldDef,
        WorldIdentity,
        WorldLimits,
        BroadPhaseStats,
        ListStats,
        TreeStats,
        StateHash,
        geometry::ClosestPoint,
        geometry::Crossing,
        geometry::CrossingCorner,
        geometry::CrossingShape,
        geometry::DeepestTime,
        geometry::Depth,
        geometry::Gap,
        geometry::Measure,
        geometry::Separation,
        geometry::Site,
        incident::Condition,
        incident::Incident,
        incident::PartLabel,
        incident::PartLabels,
        incident::PartNames,
        incident::Quantity,
        Thresholds,
        TriangleContact,
        narrow::ContactInterval,
        narrow::Enclosure,
        narrow::Feature,
        narrow::FirstTouch,
        narrow::IntervalStats,
        MovingTriangle,
        proxy::Coverage,
        proxy::Faults,
        proxy::GapDef,
        proxy::GapsFilled,
        proxy::PackingDef,
        proxy::PackingEnd,
        proxy::PackingFault,
        proxy::Repair,
        proxy::Resolution,
        reduced::Affine,
        reduced::Blend,
        reduced::Break,
        reduced::Channel,
        reduced::Clip,
        reduced::DerivativeBounds,
        reduced::Interpolation,
        reduced::Layer,
        reduced::MapDerivativeBounds,
        reduced::Mix,
        reduced::MorphTarget,
        reduced::Node,
        reduced::NodeTransform,
        reduced::Pose,
        reduced::PoseDerivativeBounds,
        reduced::Property,
        reduced::Repair,
        reduced::Track,
        reduced::WeightPolicy,
    ];
    // Public types at the root that are no errors, traits, borrowed views or structures stay in the
    // list above.
    let surface = include_str!("pinned/surface.txt");
    let is_left_out = |name: &str| {
        let structures = ["Hierarchy", "Topology", "TopologyNode", "World", "Snapshot", "PrimitiveAt", "Cancel"];
        let views = ["BodyView", "PairView", "Query", "Trial"];
        let traits = ["BoundedSampler", "KeyedBoxes", "NarrowPhase", "Sampler"];
        name.ends_with("Error") || structures.contains(&name) || traits.contains(&name) || views.contains(&name)
    };
    let types = surface.lines().filter(|line| line.starts_with(char::is_uppercase) && !line.contains([':', ' ']));
    for name in types.filter(|name| !is_left_out(name)) {
        assert!(names.iter().any(|stored| stored.ends_with(&format!("::{name}"))), "{name} does not serialise");
    }
}

fn plans() -> Vec<Flightplan> {
    let rest = || vec![[0.0, -0.0, 0.1], [1.0, 0.0, 1e-30], [0.0, 1.0, 3e30]];
    let keys = || [rest(), rest()].concat();
    let times = || vec![-0.1, 0.3];
    let ball = |radius| Sphere { centre: [0.1, 0.2, -0.3], radius };
    let turned = [0.0, -1.0, 0.0, 0.1, 1.0, 0.0, 0.0, 0.2, 0.0, 0.0, 1.0, 0.3, 0.0, 0.0, 0.0, 1.0];
    vec![
        Flightplan::fixed(rest()),
        Flightplan::keyframes(times(), keys()).outside(Outside::Loop),
        Flightplan::velocities(0.1, rest(), rest()).outside(Outside::Error),
        Flightplan::velocities_until(Span { begin: 0.1, end: 0.7 }, rest(), rest()),
        Flightplan::rigid(times(), vec![turned; 2], rest()),
        Flightplan::ballistic(0.1, rest(), rest(), [0.0, 0.1, -9.81]),
        Flightplan::accelerated(Span { begin: 0.0, end: f64::INFINITY }, rest(), rest(), rest()),
        Flightplan::hermite(times(), keys(), keys(), keys()),
        Flightplan::polynomials(times(), 1, vec![[0.1, 0.2, 0.3]; 6]),
        Flightplan::spheres(times(), vec![ball(0.5), ball(0.1), ball(0.25), ball(0.0)]),
        // Not good for any body: refused by the world, read as it was.
        Flightplan::keyframes(vec![], vec![[0.5; 3]]),
        Flightplan::polynomials(vec![0.0], 7, vec![]),
        Flightplan::spheres(vec![], vec![ball(-1.0)]),
    ]
}

#[test]
fn plans_come_back() {
    let plans = plans();
    assert!(plans.iter().all(|plan| !format!("{:?}", comes_back(plan)).is_empty()));
    let hermite = (vec![0.0, 1.0], vec![[0.1; 3]; 2]);
    for plan in [
        VertexFlightplan::Fixed { position: [0.1, -0.0, 1e300] },
        VertexFlightplan::Velocity { from: None, velocity: [0.1; 3] },
        VertexFlightplan::Ballistic { from: Some([0.3; 3]), velocity: [0.1; 3], acceleration: [0.0, 0.0, -9.81] },
        VertexFlightplan::Hermite {
            times: hermite.0.clone(),
            positions: hermite.1.clone(),
            in_tangents: hermite.1.clone(),
            out_tangents: hermite.1,
            outside: Outside::Error,
        },
        VertexFlightplan::Polynomials {
            times: hermite.0,
            degree: 0,
            coefficients: vec![[0.1; 3]],
            outside: Outside::Hold,
        },
    ] {
        comes_back(&plan);
        comes_back(&NewVertex::new([0.1; 3], plan).welded_to(3));
    }
    assert!(refusal::<Flightplan>(r#"{"kind": "Sampled", "outside": "hold"}"#).contains("unknown variant"));
    comes_back(&[Span::ALWAYS, Span { begin: 0.1, end: 0.2 }]);
    comes_back(&[Moment::at(0.1), Moment::after(-0.3), Moment::after(f64::INFINITY)]);
}

/// A mesh after an edit of a world.
fn edited() -> (Mesh, Edit) {
    let mut world = World::new(WorldDef::new()).unwrap();
    let (positions, triangles) = sheet(2, 2);
    let def = BodyDef::new(Mesh::new(positions.len(), triangles).unwrap(), Flightplan::fixed(positions));
    let body = world.add_body(def).unwrap();
    let mut edit = world.begin_edit(body).unwrap();
    let corner = edit.add_vertex(NewVertex::fixed([0.5; 3]).welded_to(1));
    edit.add_triangle([0, 1, corner]);
    edit.remove_triangle(0);
    edit.remove_triangle(1);
    edit.remove_vertex(0);
    assert!(world.apply_edit(edit.clone()).is_err());
    let mut edit = world.begin_edit(body).unwrap();
    let corner = edit.add_vertex(NewVertex::fixed([0.5; 3]).welded_to(1));
    edit.add_triangle([4, 1, corner]);
    edit.remove_triangle(0);
    edit.set_corners(2, [1, 2, 4]);
    world.apply_edit(edit.clone()).unwrap();
    (world.mesh(body).unwrap().clone(), edit)
}

#[test]
fn meshes_come_back_with_their_edits() {
    let (mesh, edit) = edited();
    let read = comes_back(&mesh);
    assert!(!read.has_triangle(0) && read.triangle_count() == mesh.triangle_count());
    comes_back(&edit);
    comes_back(&Mesh::points(3).unwrap());
    comes_back(&Spheres::new(7).unwrap());
    let patches = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3]).weights(vec![1.0, 0.1, 2.0, 1.0])]);
    comes_back(patches.as_ref().unwrap());
    comes_back(&BodyShape::from(patches.unwrap()));
}

#[test]
fn what_no_constructor_makes_is_refused() {
    let mesh = refusal::<Mesh>(r#"{"vertex_count": 3, "triangles": [[0, 1, 3]]}"#);
    assert!(mesh.starts_with("triangle 0 names vertex 3, but there are 3 vertices"), "{mesh}");
    assert!(refusal::<Mesh>(r#"{"vertex_count": 3, "triangles": []}"#).contains("no triangles"));
    let huge = r#"{"vertex_count": 4000000000, "triangles": [[0, 1, 2]]}"#;
    assert!(refusal::<Mesh>(huge).contains("are more than"), "{}", refusal::<Mesh>(huge));
    let edits = |removed: &str, vertices: &str, joined: &str| {
        refusal::<Mesh>(&format!(
            r#"{{"vertex_count": 4, "triangles": [[0, 1, 2], [0, 1, 3]], "edits": {{"removed_triangles": {removed},
            "removed_vertices": {vertices}, "joined": {joined}}}}}"#
        ))
    };
    let none = "[false, false, false, false]";
    for (found, expected) in [
        (edits("[2]", none, "[]"), "triangle 2 does not exist"),
        (edits("[0, 0]", none, "[]"), "triangle 0"),
        (edits("[0, 1]", none, "[]"), "no triangle would be left"),
        (edits("[]", "[true, false, false, false]", "[]"), "vertex 0 cannot be removed"),
        (edits("[0]", "[false, false, true, true]", "[]"), "vertex 3 cannot be removed: it is used by 1 corners"),
        (edits("[]", "[false]", "[]"), "vertex 1 does not exist"),
        (edits("[]", none, "[4]"), "vertex 4 does not exist"),
        (edits("[]", none, "[0, 0, 0, 0, 0]"), "vertex 4 does not exist"),
    ] {
        assert!(found.contains(expected), "{found}: {expected}");
    }
    assert!(refusal::<Spheres>("0").contains("no spheres"));
    let patch = r#"{"vertex_count": 3, "patches": [{"degrees": [1, 1], "counts": [2, 2], "control": [0, 1, 2, 3],
        "weights": [], "knots": [[0, 0, 1, 1], [0, 0, 1, 1]]}]}"#;
    assert!(refusal::<Patches>(patch).contains("vertex 3"), "{}", refusal::<Patches>(patch));
    let edit = r#"{"body": {"index": 0, "generation": 0}, "vertices": [], "mesh": {"base": [3, 1], "joined": [3],
        "added": [], "removed": [], "corners": [], "removed_vertices": []}}"#;
    assert!(refusal::<Edit>(edit).contains("one plan per new vertex"));
    assert!(
        refusal::<EventLog>(r#"{"hash": 1, "count": 0, "drained": [0, 0], "kept": []}"#)
            .contains("not those of its events")
    );
    let corner = r#"{"point": [0, 0, 0], "sites": ["Face", "Face"]}"#;
    let corners = [corner; 7].join(", ");
    let seven = format!(r#"{{"corners": [{corners}], "normals": [null, null]}}"#);
    assert!(refusal::<geometry::Crossing>(&seven).contains("at most six corners"));
    assert!(refusal::<Thresholds>("\"depth>2\"").contains("needs a unit"));
    assert!(refusal::<Engine>("\"grid\"").contains("unknown variant `grid`"));
}

#[test]
fn definitions_come_back_and_have_defaults() {
    for plan in plans() {
        let mut def = BodyDef::new(edited().0, plan).named("böse \"Hose\"\n").filter(Filter::new(6, u64::MAX));
        def.tree.rebuild = RebuildPolicy::Automatic { bound: 1.5 };
        let def = def.thickness(0.1).ignoring_contacts(IgnoredContacts::AtStart).engine(Engine::BruteForce);
        comes_back(&def.tree(TreeKind::Box).self_contact(true).neighbours(true));
    }
    let mut def = WorldDef::new().engine(Engine::Interval).keep_events(true).start(-0.1);
    def.limits = WorldLimits::NONE;
    comes_back(&def);
    let short: WorldDef = serde_json::from_str(r#"{"engine": "kinetic"}"#).unwrap();
    assert_eq!((short.engine, short.start, short.limits), (Engine::Kinetic, 0.0, WorldLimits::DEFAULT));
}

/// A ball of triangles that falls through a sheet, with continuous contacts and kept events.
fn fallen() -> (World, BodyId, BodyId) {
    let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous).keep_events(true);
    let mut world = World::new(def).unwrap();
    let mut add = |(positions, triangles): (Vec<[f32; 3]>, Vec<[u32; 3]>), fall: f32| {
        let low = positions.iter().map(|p| [p[0], p[1] - fall, p[2] - fall]);
        let keys = positions.iter().copied().chain(low).collect();
        let mesh = Mesh::new(positions.len(), triangles).unwrap();
        world.add_body(BodyDef::new(mesh, Flightplan::keyframes(vec![0.0, 2.0], keys))).unwrap()
    };
    let (floor, ball) = (add(sheet(4, 4), 0.0), add(sphere([2.1, 2.2, 2.3], 1.0, 1), 3.0));
    world.advance_to(0.9).unwrap();
    (world, floor, ball)
}

#[test]
fn results_come_back() {
    let (mut world, floor, ball) = fallen();
    world.advance_to(1.5).unwrap();
    assert!(!world.contacts().is_empty() && world.contact_changes().len() > 10);
    comes_back(&world.contacts().to_vec());
    comes_back(&world.contact_changes().to_vec());
    comes_back(&world.ongoing_contacts());
    comes_back(world.log());
    assert!(world.log().events().is_some_and(|events| events.len() > 10));
    // Drained in part: what is left fits count and hash since then.
    let hash = world.log().hash();
    let drained = world.drain_log();
    comes_back(&drained);
    drained.iter().for_each(|event| assert_eq!(comes_back(event).describe(), event.describe()));
    comes_back(&drained[0].describe().unwrap());
    assert_eq!(comes_back(world.log()).hash(), hash);
    world.advance_to(1.75).unwrap();
    assert!(!world.log().events().unwrap().is_empty() && world.log().hash() != hash);
    comes_back(world.log());
    let mut log = serde_json::to_value(world.log()).unwrap();
    log["drained"][1] = 0.into();
    assert!(refusal::<EventLog>(&log.to_string()).contains("not those of its events"));
    let mut nameless = serde_json::to_value(drained[0]).unwrap();
    nameless["bodies"] = serde_json::Value::Null;
    assert_eq!(serde_json::from_value::<LoggedEvent>(nameless).unwrap().describe(), None);
    comes_back(&world.stats());
    comes_back(&world.interval_stats());
    comes_back(&world.next_event());
    comes_back(&world.audit());
    comes_back(&world.identity(0.0, 1.0));
    comes_back(&world.candidates_between(floor, ball).unwrap());
    let (hit, visits) = world.cast_ray([2.0, 2.0, 9.0], [0.0, 0.0, -1.0], 100.0);
    comes_back(&hit.unwrap());
    comes_back(&visits);
    comes_back(&world.mesh(ball).unwrap().element(3).unwrap());
    let count = world.positions(ball).unwrap().len();
    let change = world.schedule_flightplan(ball, 1.9, Flightplan::fixed(vec![[0.0; 3]; count])).unwrap();
    comes_back(&change);
}

#[test]
fn geometry_comes_back() {
    let (world, floor, ball) = fallen();
    let surface = |body| {
        let positions = world.positions(body).unwrap();
        Surface::new(world.mesh(body).unwrap(), &positions).unwrap()
    };
    let pairs: Vec<[u32; 2]> =
        world.contacts().iter().map(|contact| [contact.triangle_a, contact.triangle_b]).collect();
    let (floor, ball) = (surface(floor), surface(ball));
    let found = measure(&floor, &ball, &pairs).unwrap().unwrap();
    assert!(found.depth.is_some() && found.length > 0.0);
    comes_back(&found);
    comes_back(&separation(&floor, &ball));
    comes_back(&ball.closest_point([0.1, 0.2, 0.3]).unwrap());
    let corners = |z: f64| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, -z]];
    comes_back(&crossing(&corners(0.0), &corners(0.25)));
    let moving = MovingTriangle { begin: corners(1.0), end: corners(-1.0) };
    let still = MovingTriangle { begin: corners(0.0), end: corners(0.0) };
    let (mut found, mut stats) = (Vec::new(), narrow::IntervalStats::default());
    contact_intervals(&moving, &still, &mut found, &mut stats);
    assert!(!found.is_empty());
    comes_back(&found);
    comes_back(&stats);
    comes_back(&moving);
    comes_back(&found[0].first_touch(&moving, &still));
}

#[test]
fn incidents_come_back() {
    let contact = TriangleContact::new([0, 1], [0, 0], 0.1, 0.2).open_at([true, false]);
    comes_back(&contact);
    let rest = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let triangles = [[0, 1, 2]];
    let body = IncidentBody::new(&triangles, &rest);
    let incidents = find_incidents(&[contact], &[body, body], &IncidentOptions::default()).unwrap();
    assert_eq!(incidents.len(), 1);
    comes_back(&incidents);
    comes_back(&"depth>2mm,frames>3,new".parse::<Thresholds>().unwrap());
    comes_back(&incident::PartLabel::new("sleeve", [4, 2, 3, 9, 3]));
    comes_back(&reduced::Affine::from_parts([0.1, 0.2, 0.3], [0.0, 0.6, 0.0, 0.8], [1.0, 2.0, 0.5]));
}
