//! Scene files with every kind of primitive and plan: their contacts are those of the same world made through the API.

use std::f64::consts::FRAC_PI_2;

use crate::io_support::Folder;
use kinetree::io::{Scene, SceneShape, read_scene};
use kinetree::{
    BodyDef, BodyId, Contact, ContactMode, Engine, Flightplan, IgnoredContacts, Mesh, Outside, Patch, Patches, Span,
    Sphere, Spheres, World, WorldDef,
};

fn def(contacts: ContactMode, engine: Engine) -> WorldDef {
    let mut def = WorldDef::new();
    (def.contacts, def.engine) = (contacts, engine);
    def
}

fn ball([x, y, z, radius]: [f64; 4]) -> Sphere {
    Sphere { centre: [x, y, z], radius }
}

/// The world of `fixtures/kinds/scene.toml`, without any reader.
fn by_hand(def: WorldDef) -> (World, Vec<BodyId>) {
    let mut world = World::new(def).unwrap();
    let mut ids = Vec::new();
    let mut add = |name: &str, body: BodyDef| ids.push(world.add_body(body.named(name)).unwrap());
    let until = |begin: f64, end: f64| Span { begin, end };
    let triangle = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();

    let square = vec![[-3.0, -3.0, 0.0], [3.0, -3.0, 0.0], [3.0, 3.0, 0.0], [-3.0, 3.0, 0.0]];
    let floor = Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    add("floor", BodyDef::new(floor, Flightplan::fixed(square)));

    let sparks = vec![[0.0, 0.0, 1.0], [0.5, 0.25, 1.5], [-0.5, 0.25, 2.0]];
    let up = vec![[0.25, 0.0, 1.0]; 3];
    let fall = Flightplan::ballistic_until(until(0.0, 2.0), sparks, up, [0.0, 0.0, -8.0]);
    add("sparks", BodyDef::new(Mesh::points(3).unwrap(), fall).thickness(0.25));

    let rope = vec![[-1.0, 0.5, 0.5], [0.0, 0.5, 0.75], [1.0, 0.5, 0.5]];
    let apart = vec![[-1.0, 0.0, 0.0], [0.0, 0.0, -2.0], [1.0, 0.0, 0.0]];
    let pull = Flightplan::velocities_until(until(0.25, 1.25), rope, apart);
    add("rope", BodyDef::new(Mesh::segments(3, &[[0, 1], [1, 2]]).unwrap(), pull));

    let grid = |i: i32, j: i32| [f64::from(2 * i), f64::from(2 * j), if i == 0 && j == 0 { 2.0 } else { 1.0 }];
    let net: Vec<[f64; 3]> = (-1..2).flat_map(|i| (-1..2).map(move |j| grid(i, j))).collect();
    let weights = vec![1.0, 1.0, 1.0, 1.0, 2.0, 1.0, 1.0, 1.0, 1.0];
    let patches = Patches::new(9, vec![Patch::bezier([2, 2], (0..9).collect()).weights(weights)]).unwrap();
    let mut terms = Vec::new();
    for [constant, linear, square, cube] in [[0.0, -3.0, 0.0, 1.0], [-2.0, 0.0, 3.0, -1.0]] {
        for [x, y, z] in &net {
            terms.extend([[*x, *y, z + constant], [0.0, 0.0, linear], [0.0, 0.0, square], [0.0, 0.0, cube]]);
        }
    }
    add("sheet", BodyDef::new(patches, Flightplan::polynomials(vec![0.0, 1.0, 2.0], 3, terms)));

    let wide = [[0.5, 1.0, 0.5, 0.375], [1.5, 1.0, 0.5, 0.375]];
    let tall = [[0.75, 1.0, 0.25, 0.375], [1.25, 1.0, 1.0, 0.25]];
    let poses = [wide, tall, wide].concat().into_iter().map(ball).collect();
    let blob = Flightplan::spheres(vec![0.0, 0.5, 1.0], poses).outside(Outside::Loop);
    add("blob", BodyDef::new(Spheres::new(2).unwrap(), blob).self_contact(true));

    let carried = [[-1.0, 0.0, 2.0, 0.5], [1.0, 0.0, 2.0, 0.25], [0.0, -1.0, 0.0, 0.5], [0.0, 1.0, 0.0, 0.25]];
    let carried = Flightplan::spheres(vec![0.0, 2.0], carried.into_iter().map(ball).collect());
    add("dumbbell", BodyDef::new(Spheres::new(2).unwrap(), carried));

    let bubble = vec![ball([-1.0, -1.0, 1.0, 0.25]), ball([-1.0, -1.0, 1.0, 1.5])];
    add("bubble", BodyDef::new(Spheres::new(1).unwrap(), Flightplan::spheres(vec![0.0, 2.0], bubble)));

    let at = |[a, b, c]: [f32; 3]| [[0.0, 0.0, a], [1.0, 0.0, b], [0.0, 1.0, c]];
    let along = |[a, b, c]: [f32; 3]| [[0.0, 0.0, a], [0.0, 0.0, b], [0.0, 0.0, c]];
    let keys = [at([1.0; 3]), at([-1.0, 0.5, 0.5]), at([1.0; 3])].concat();
    let arriving = [along([0.0; 3]), along([0.0, -1.0, 1.0]), along([2.0, 0.0, 0.0])].concat();
    let leaving = [along([-1.0, 0.0, 0.0]), along([0.0, -1.0, 1.0]), along([0.0; 3])].concat();
    add("flap", BodyDef::new(triangle(), Flightplan::hermite(vec![0.0, 1.0, 2.0], keys, arriving, leaving)));

    let corners = [([-1.0, 0.0, 1.0], -1.0, 0.25), ([-2.0, 0.0, 1.0], 1.0, -0.75), ([-1.0, 1.0, 1.0], -2.0, 1.0)];
    let terms = corners.iter().flat_map(|&(at, v, a)| [at, [0.0, 0.0, v], [0.0, 0.0, a]]).collect();
    add("wing", BodyDef::new(triangle(), Flightplan::polynomials(vec![0.0, 2.0], 2, terms)));

    let blade = |z: f32| [[2.0, -1.0, 1.0], [2.5, -1.0, z], [2.0, -2.0, z]];
    let beats = Flightplan::keyframes(vec![0.0, 0.5, 1.0], [blade(1.0), blade(-1.0), blade(1.0)].concat());
    add("blade", BodyDef::new(triangle(), beats.outside(Outside::Loop)));
    (world, ids)
}

fn kinds() -> Scene {
    read_scene("fixtures/kinds/scene.toml").unwrap()
}

/// Contacts by the numbers of bodies and primitives.
fn places(world: &World, ids: &[BodyId]) -> Vec<[u32; 4]> {
    let place = |body: BodyId| ids.iter().position(|&id| id == body).unwrap() as u32;
    let one = |contact: &Contact| [place(contact.a), place(contact.b), contact.triangle_a, contact.triangle_b];
    world.contacts().iter().map(one).collect()
}

#[test]
fn contacts_are_those_of_the_same_world_by_hand() {
    let scene = kinds();
    for (mode, engine) in [
        (ContactMode::AtTimes, Engine::Auto),
        (ContactMode::AtTimes, Engine::BruteForce),
        (ContactMode::Continuous, Engine::Auto),
    ] {
        let (mut read, read_ids) = scene.world(def(mode, engine), IgnoredContacts::None).unwrap();
        let (mut made, made_ids) = by_hand(def(mode, engine));
        let mut touching = vec![false; scene.bodies.len()];
        for step in 1..=160 {
            let time = f64::from(step) / 80.0;
            read.advance_to(time).unwrap();
            made.advance_to(time).unwrap();
            let found = places(&read, &read_ids);
            assert_eq!(found, places(&made, &made_ids), "{mode:?} {engine:?} at {time} s");
            for body in 0..scene.bodies.len() {
                let positions = [read.positions(read_ids[body]).unwrap(), made.positions(made_ids[body]).unwrap()];
                assert_eq!(positions[0], positions[1], "{} at {time} s", scene.bodies[body].name);
                let spheres = [read.spheres(read_ids[body]).unwrap(), made.spheres(made_ids[body]).unwrap()];
                assert_eq!(spheres[0], spheres[1], "{} at {time} s", scene.bodies[body].name);
            }
            found.iter().for_each(|[a, b, ..]| (touching[*a as usize], touching[*b as usize]) = (true, true));
        }
        let untouched: Vec<&str> =
            (0..touching.len()).filter(|&body| !touching[body]).map(|body| &*scene.bodies[body].name).collect();
        assert_eq!(untouched, ["sheet"], "each body but the patches touches another");
    }
}

#[test]
fn candidates_of_patches_are_those_of_the_same_world_by_hand() {
    let mut scene = kinds();
    scene.excluded.clear();
    let (mut read, read_ids) = scene.world(WorldDef::new(), IgnoredContacts::None).unwrap();
    let (mut made, made_ids) = by_hand(WorldDef::new());
    let sheet = read_ids[3];
    let mut most = 0;
    for step in 1..=40 {
        let time = f64::from(step) / 20.0;
        read.advance_to(time).unwrap();
        made.advance_to(time).unwrap();
        let places = |world: &World, ids: &[BodyId]| {
            let place = |body: BodyId| ids.iter().position(|&id| id == body).unwrap();
            world
                .candidates()
                .map(|found| (place(found.a), place(found.b), found.primitive_a, found.primitive_b))
                .collect::<Vec<_>>()
        };
        let found = places(&read, &read_ids);
        assert_eq!(found, places(&made, &made_ids), "at {time} s");
        most = most.max(found.len());
    }
    assert!(most > 3 && read.patches(sheet).unwrap().is_some());
    // A check refuses to be silent about them.
    let refused = kinetree::check::check(&scene, &kinetree::check::CheckSettings::default(), |_| {
        std::ops::ControlFlow::Continue(())
    })
    .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "body 'sheet' is made of patches, and what touches these is not tested here: a program that uses the library \
         decides it (World::candidates); exclude its pairs, here with 'floor', by [[exclude]]"
    );
}

#[test]
fn primitives_and_ends_of_motions() {
    let scene = kinds();
    let body = |name: &str| scene.bodies.iter().find(|body| body.name == name).unwrap();
    assert_eq!(body("sparks").mesh.triangles, [[0; 3], [1; 3], [2; 3]]);
    assert_eq!(body("rope").mesh.triangles, [[0, 1, 1], [1, 2, 2]]);
    assert!(matches!(&body("sheet").shape, SceneShape::Patches(patches) if patches.len() == 1));
    assert_eq!((&body("blob").shape, body("blob").mesh.triangles.len()), (&SceneShape::Spheres, 2));
    let ends = |name: &str| body(name).motion.times().to_vec();
    assert_eq!(ends("sparks"), [0.0, 2.0]);
    assert_eq!(ends("rope"), [0.25, 1.25]);
    assert_eq!(ends("wing"), [0.0, 2.0]);
    // Where vertices are at the last key, by hand.
    assert_eq!(body("sparks").vertices_at_key(1).unwrap()[0], [0.5, 0.0, -13.0]);
    assert_eq!(body("rope").vertices_at_key(1).unwrap()[1], [0.0, 0.5, -1.25]);
    assert_eq!(body("wing").vertices_at_key(1).unwrap(), [[-1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [-1.0, 1.0, 1.0]]);
    assert_eq!(body("flap").vertices_at_key(1).unwrap()[0], [0.0, 0.0, -1.0]);
    assert_eq!(body("sheet").vertices_at_key(2).unwrap()[4], [0.0, 0.0, 2.0]);
    assert_eq!(scene.sample_times().len(), 21);
}

/// A scene of one body, read.
fn read(folder: &Folder, keys: &str) -> Scene {
    read_scene(folder.write("s.toml", format!("span = [0, 4]\n[[body]]\nname = 'a'\n{keys}\n"))).unwrap()
}

#[test]
fn placements_apply_to_plans() {
    let folder = Folder::new();
    let place = "translate = [0, 0, 8]\nscale = 2\nrotate = { axis = [0, 0, 1], degrees = 90 }";
    let plans = [
        // Of positions: scaled and turned, as vertices of a mesh are.
        ("{ kind = 'keyframes', times = [0, 4], positions = [[[1, 0, 0]], [[3, 0, 0]]] }", [0.0, 4.0, 8.0]),
        (
            "{ kind = 'cubic', times = [0, 4], positions = [[[1, 0, 0]], [[3, 0, 0]]], in_tangents = [[[0, 0, 0]], [[0.5, 0, 0]]], \
             out_tangents = [[[0.5, 0, 0]], [[0, 0, 0]]] }",
            [0.0, 4.0, 8.0],
        ),
        ("{ kind = 'polynomials', times = [0, 4], coefficients = [[[[1, 0, 0], [0.5, 0, 0]]]] }", [0.0, 4.0, 8.0]),
        ("{ kind = 'polynomials', times = [0, 4], path = [[[0, 0, 0], [0.5, 0, 0]]] }", [0.0, 4.0, 8.0]),
        ("{ kind = 'placed', times = [0, 4], keys = [{}, { translate = [2, 0, 0] }] }", [0.0, 4.0, 8.0]),
        // Velocities and gravity are the scene's.
        ("{ kind = 'velocity', velocity = [0.5, 0, 0] }", [1.0, 2.0, 8.0]),
        ("{ kind = 'ballistic', velocity = [0.5, 0, 0], acceleration = [0, 0, -2] }", [1.0, 2.0, 4.0]),
    ];
    for (plan, expected) in plans {
        let scene = read(&folder, &format!("points = [[1, 0, 0]]\n{place}\nplan = {plan}"));
        let found = scene.positions_at(0, 2.0).unwrap();
        assert_eq!(found, [expected], "{plan}");
    }
    let scene = read(&folder, &format!("spheres = [[1, 0, 0, 0.5]]\n{place}"));
    let (world, ids) = scene.world(WorldDef::default(), IgnoredContacts::None).unwrap();
    assert_eq!(world.spheres(ids[0]).unwrap().unwrap(), [ball([0.0, 2.0, 8.0, 1.0])]);
}

#[test]
fn a_time_outside_of_the_keys_is_refused_with_the_span_of_all() {
    let folder = Folder::new();
    let keys = "0, 1, 2, 3, 4, 5, 6, 7, 8";
    let rows = "[[0, 0, 0]], [[1, 0, 0]], [[2, 0, 0]], [[3, 0, 0]], [[4, 0, 0]], [[5, 0, 0]], [[6, 0, 0]], [[7, 0, 0]], [[8, 0, 0]]";
    let plan = format!("{{ kind = 'keyframes', times = [{keys}], positions = [{rows}] }}");
    let scene = read(&folder, &format!("points = [[0, 0, 0]]\noutside = 'error'\nplan = {plan}"));
    let message = scene.positions_at(0, -0.5).unwrap_err().to_string();
    assert!(message.contains("from 0 s to 8 s"), "{message}");
    assert!(scene.positions_at(0, 8.5).is_err());
    assert_eq!(scene.positions_at(0, 5.5).unwrap(), [[5.5, 0.0, 0.0]]);
}

#[test]
fn spheres_follow_transforms_and_offsets() {
    let folder = Folder::new();
    let (sine, cosine) = FRAC_PI_2.sin_cos();
    assert!(cosine.abs() < 1e-15);
    let quarter = format!("[{cosine},{},0,4, {sine},{cosine},0,0, 0,0,1,0, 0,0,0,1]", -sine);
    folder.write(
        "turn.json",
        format!("{{\"frames\": [[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1], {quarter}], \"times\": [0, 1]}}"),
    );
    let keys = "spheres = [[1, 0, 0, 0.5]]\nmotion = 'turn.json'\noffset = 2\noutside = 'error'";
    let text = format!("span = [2, 3]\n[[body]]\nname = 'a'\n{keys}\n");
    let scene = read_scene(folder.write("s.toml", text)).unwrap();
    let mut def = WorldDef::new();
    def.start = 2.0;
    let (mut world, ids) = scene.world(def, IgnoredContacts::None).unwrap();
    let mut at = |time: f64| {
        world.advance_to(time).unwrap();
        world.spheres(ids[0]).unwrap().unwrap()[0]
    };
    assert_eq!(at(2.0), ball([1.0, 0.0, 0.0, 0.5]));
    let halfway = at(2.5);
    assert!((halfway.centre[0] - 2.5).abs() < 1e-12 && (halfway.centre[1] - 0.5).abs() < 1e-12);
    // Never smaller than the true radius.
    assert!(halfway.radius >= 0.5 && halfway.radius < 0.5 + 1e-12);
}

/// What the reader says of a body with these keys.
fn refusal(keys: &str) -> String {
    let folder = Folder::new();
    folder.write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("other.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    folder.write("one.obj", "v 1 2 3\n");
    folder.write("rope.json", "{\"positions\": [[0, 0, 0], [1, 0, 0]], \"segments\": [[0, 2]]}");
    folder.write("bare.json", "{\"positions\": [[0, 0, 0], [1, 0, 0]]}");
    folder.write("odd.json", "{\"positions\": [[0, 0, 0]], \"edges\": []}");
    folder.write("plan.json", "{\"kind\": \"velocity\", \"velocity\": [1, 0, NaN]}");
    folder.write("two.json", "{\"spheres\": [[0, 0, 0, 1], [2, 0, 0, 1]]}");
    let mesh = kinetree::io::read_mesh(folder.path("tri.obj")).unwrap().mesh;
    let ball = Sphere { centre: [0.0; 3], radius: 1.0 };
    let mut packed = kinetree::io::SphereFile::new(vec![kinetree::io::SpherePose::new("rest", vec![ball])]).unwrap();
    packed.mesh = Some(kinetree::io::MeshMark::new("tri.obj", &mesh));
    folder.write("packed.json", packed.to_json());
    let text = format!("[[body]]\nname = 'a'\n{keys}\n");
    let error = read_scene(folder.write("s.toml", &text)).expect_err(keys);
    assert_eq!(
        error.body(),
        if error.column().is_some() && error.file().ends_with("s.toml") { None } else { Some("a") }
    );
    folder.message(&error)
}

/// Compares the sentences of all cases, and lists all that differ.
fn agree<const N: usize>(cases: [(String, String); N]) {
    let other = |(keys, expected): (String, String)| {
        let found = refusal(&keys);
        (found != expected).then(|| format!("{keys}\n  found: {found}\n  instead of: {expected}\n"))
    };
    let differing: Vec<String> = cases.into_iter().filter_map(other).collect();
    assert!(differing.is_empty(), "{}", differing.concat());
}

#[test]
fn refusals_of_primitives() {
    let at = |line: usize, message: &str| format!("s.toml, line {line} (body \"a\"): {message}");
    let cases = [
        ("mesh = 'tri.obj'\npoints = [[0, 0, 0]]", at(4, "the body has both `mesh` and `points`; keep one of them")),
        ("points = [[0, 0, 0]]\nspheres = [[0, 0, 0, 1]]", at(4, "the body has both `points` and `spheres`; keep one of them")),
        ("points = []", at(3, "`points`: the cloud has no points")),
        ("points = [[0, 0, nan]]", at(1, "the motion cannot be used: key 0, vertex 0: z is NaN, which is not a usable coordinate")),
        ("segments = [[0, 1]]", at(3, "`segments` names vertices by number; add their `positions`, or name a JSON file that has both")),
        (
            "positions = [[0, 0, 0], [1, 0, 0]]\nsegments = [[0, 2]]",
            at(4, "`segments`: segment 0 names vertex 2, but there are 2 vertices"),
        ),
        ("positions = [[0, 0, 0]]\ntriangles = []", at(4, "`triangles`: the mesh has no triangles")),
        (
            "positions = [[0, 0, 0]]\nmesh = 'tri.obj'",
            at(3, "`positions` means nothing here: add `segments`, `triangles` or `patches` that name them, or call them `points`"),
        ),
        ("positions = [[0, 0, 0]]\npatches = []", at(4, "`patches`: there are no patches")),
        (
            "positions = [[0, 0, 0]]\npatches = [{ degrees = [1, 1], control = [0, 0, 0, 1] }]",
            at(4, "`patches`: patch 0 names vertex 1, but there are 1 vertices"),
        ),
        (
            "positions = [[0, 0, 0]]\npatches = [{ degrees = [1, 1], control = [0, 0, 0, 0], counts = [2, 2] }]",
            at(4, "`patches`: patch 0 needs both `counts` and `knots`, or neither for a Bézier patch"),
        ),
        ("segments = 'rope.json'", "rope.json (body \"a\"): `segments`: segment 0 names vertex 2, but there are 2 vertices".into()),
        ("segments = 'bare.json'", "bare.json (body \"a\"): the file has no `segments`".into()),
        (
            "patches = 'odd.json'",
            "odd.json, line 1, column 34 (body \"a\"): this is not a JSON file of primitives: unknown field `edges`, \
             expected one of `positions`, `segments`, `patches`; it must look like {\"positions\": [[x, y, z], …], \
             \"segments\": [[0, 1], …]}"
                .into(),
        ),
        ("spheres = []", at(3, "`spheres`: there are no spheres")),
        (
            "spheres = [[0, 0, 0, 1], [0, 0, 0, -0.5]]",
            at(3, "`spheres`: sphere 1: the radius is -0.5 m; it must be a number of metres, 0 or more"),
        ),
        ("spheres = [[0, 0, 0, nan]]", at(3, "`spheres`: sphere 0: the radius is NaN m; it must be a number of metres, 0 or more")),
        (
            "spheres = [[0, inf, 0, 1]]",
            at(3, "`spheres`: sphere 0: coordinate y of the centre is inf, which with the radius is beyond what can be used"),
        ),
        ("spheres = [[0, 0, 1]]", "s.toml, line 3, column 12: invalid length 3, expected an array of length 4".into()),
        (
            "spheres = [[0, 0, 0, 1]]\nscale = [1, 2, 1]",
            at(1, "the placement makes spheres longer along one axis than along another; scale them by one factor"),
        ),
        (
            "spheres = [[0, 0, 0, 1]]\nvelocity = [1, 0, 0]",
            at(4, "`velocity` cannot move spheres, as they move from key to key: use `plan`, or a motion of transforms (.json)"),
        ),
        (
            "spheres = [[0, 0, 0, 1]]\nmesh = 'tri.obj'",
            at(4, "a `mesh` beside `spheres` is compared with the one they were packed for, and numbers name none: remove `mesh`"),
        ),
        (
            "spheres = 'packed.json'\nmesh = 'other.obj'",
            at(
                4,
                "the spheres of packed.json were packed for another mesh: tri.obj of 3 vertices and 1 triangles, and this one \
                 has 3 and 1, but elsewhere; pack this mesh again",
            ),
        ),
        ("points = 'none.obj'", "none.obj (body \"a\"): there is no such file; check the path (in a scene file, paths start at the scene file's folder)".into()),
        ("points = 'one.obj'\nmotion = 'f_##.obj'", at(4, "a sequence of meshes moves bodies of `mesh` only; use a cache, transforms (.json) or `plan`")),
    ];
    agree(cases.map(|(keys, expected)| (keys.to_owned(), expected)));
    let folder = Folder::new();
    folder.write("one.obj", "v 1 2 3\n");
    assert_eq!(read(&folder, "points = 'one.obj'").bodies[0].mesh.positions, [[1.0, 2.0, 3.0]]);
}

#[test]
fn refusals_of_plans() {
    let at = |line: usize, message: &str| format!("s.toml, line {line} (body \"a\"): {message}");
    let point = "points = [[0, 0, 0]]";
    let cases = [
        (
            "velocity = [1, 0, 0]\nplan = { kind = 'velocity', velocity = [1, 0, 0] }",
            at(4, "the body has both `plan` and `velocity`; keep one of them"),
        ),
        (
            "fps = 24\nplan = { kind = 'velocity', velocity = [1, 0, 0] }",
            at(4, "`fps` means nothing here, because `plan` has times of its own: remove `fps`"),
        ),
        (
            "plan = { kind = 'velocity', velocity = [1, 0, 0] }\noutside = 'loop'",
            at(5, "`outside` means nothing here, because the plan has no end: add `end` to it, or remove `outside`"),
        ),
        (
            "plan = { kind = 'velocity' }",
            at(4, "a plan of kind \"velocity\" needs exactly one of `velocity` and `velocities`"),
        ),
        (
            "plan = { kind = 'ballistic', velocity = [0, 0, 0], accelerations = [] }",
            at(4, "`accelerations` has 0 vectors, but the body has 1 vertices"),
        ),
        (
            "plan = { kind = 'velocity', velocity = [1, 0, 0], begin = 2, end = 1 }",
            at(4, "the motion cannot be used: the motion ends at 1 s, before it begins at 2 s"),
        ),
        (
            "plan = { kind = 'keyframes', times = [], positions = [] }",
            at(4, "`times` is empty; at least one key is needed"),
        ),
        (
            "plan = { kind = 'keyframes', times = [0, 1], positions = [[[0, 0, 0]]] }",
            at(4, "`positions` has 1 entries, but `times` has 2; each key needs one"),
        ),
        (
            "plan = { kind = 'keyframes', times = [0, 1], positions = [[[0, 0, 0]], []] }",
            at(4, "`positions` has 0 entries in key 1, but there are 1 vertices"),
        ),
        (
            "plan = { kind = 'polynomials', times = [0, 1], path = [[[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]] }",
            at(4, "`path` has polynomials of 5 terms; 1 to 4 can be used: constant to cubic"),
        ),
        (
            "plan = { kind = 'polynomials', times = [0, 1, 2], path = [[[0, 0, 0]]] }",
            at(4, "`path` has 1 segments, but 3 times bound 2"),
        ),
        (
            "plan = { kind = 'placed', times = [0], keys = [{}], transforms = [] }",
            at(4, "a plan of kind \"placed\" needs exactly one of `transforms` and `keys`"),
        ),
        (
            "plan = { kind = 'placed', times = [0], keys = [{ scale = 0 }] }",
            at(4, "the scale along x is 0, which flattens the body; use a factor other than zero"),
        ),
        (
            "plan = { kind = 'poses', times = [0], poses = [0] }",
            at(4, "a plan of kind \"poses\" moves spheres, and the body has none; use another kind, or `spheres`"),
        ),
    ];
    agree(cases.map(|(keys, expected)| (format!("{point}\n{keys}"), expected)));
    let start = |keys: &str| {
        let message = refusal(&format!("{point}\n{keys}"));
        message.split(" at line").next().unwrap().to_owned()
    };
    let order = start("plan = { kind = 'keyframes', times = [1, 1], positions = [[[0, 0, 0]], [[0, 0, 0]]] }");
    assert!(order.starts_with("s.toml, line 4 (body \"a\"): `times` of the plan: "), "{order}");
    let jump = start("plan = { kind = 'polynomials', times = [0, 1, 2], path = [[[0, 0, 0]], [[1, 0, 0]]] }");
    assert!(jump.starts_with("s.toml, line 4 (body \"a\"): the motion cannot be used: "), "{jump}");
    let unknown = start("plan = { kind = 'hover' }");
    assert!(unknown.contains("unknown variant `hover`, expected one of `velocity`, `ballistic`"), "{unknown}");
    let key = start("plan = { kind = 'velocity', velocty = [1, 0, 0] }");
    assert!(key.contains("unknown field `velocty`"), "{key}");
    let json = refusal(&format!("{point}\nplan = 'plan.json'"));
    assert!(json.contains("plan.json, line 1") && json.contains("a number is NaN, which JSON does not have"), "{json}");
    let spheres = [
        (
            "spheres = 'two.json'\nplan = { kind = 'velocity', velocity = [1, 0, 0] }",
            at(
                4,
                "spheres cannot follow a plan of kind \"velocity\", as they move from key to key: use \"placed\", \"spheres\" or \
                 \"poses\"",
            ),
        ),
        (
            "spheres = 'two.json'\nplan = { kind = 'poses', times = [0, 1], poses = [0, 1] }",
            at(4, "`poses` names pose 1 at key 1, but the body has 1 (counted from 0)"),
        ),
        (
            "spheres = 'two.json'\nplan = { kind = 'spheres', times = [0], spheres = [[[0, 0, 0, 1]]] }",
            at(4, "`spheres` has 1 entries in key 0, but there are 2 spheres"),
        ),
        (
            "spheres = [[0, 0, 0, 1]]\nplan = { kind = 'placed', times = [0], keys = [{ scale = [1, 1, 2] }] }",
            at(
                4,
                "the transform of key 0 (counted from 0) makes spheres longer along one axis than along another; scale them by one factor",
            ),
        ),
        (
            "spheres = [[0, 0, 0, 1]]\nplan = { kind = 'spheres', times = [0], spheres = [[[0, 0, 0, -1]]] }",
            at(
                4,
                "the motion cannot be used: key 0, sphere 0: the radius is -1 m; it must be a number from 0 to 1.2676506002282294e30",
            ),
        ),
    ];
    agree(spheres.map(|(keys, expected)| (keys.to_owned(), expected)));
}
