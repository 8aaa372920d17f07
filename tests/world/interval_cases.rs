//! Contact intervals of small worlds against intervals written by hand.

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::world::{BodyDef, Contact, ContactChange, ContactMode, Engine, World, WorldDef};

type Points = Vec<[f32; 3]>;

/// Widest enclosure here, seconds: 2⁻⁵⁰ of the window's length and of the time, both at most 8, on either side.
const ENCLOSURE: f64 = 32.0 / 1_125_899_906_842_624.0;

const FLOOR: [[f32; 3]; 3] = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];

fn keyed(triangles: Vec<[u32; 3]>, times: &[f64], keys: &[Points]) -> BodyDef {
    let mesh = Mesh::new(keys[0].len(), triangles).unwrap();
    if keys.len() == 1 {
        return BodyDef::new(mesh, Flightplan::fixed(keys[0].clone()));
    }
    BodyDef::new(mesh, Flightplan::keyframes(times.to_vec(), keys.concat()))
}

fn triangle(times: &[f64], keys: &[[[f32; 3]; 3]]) -> BodyDef {
    let keys: Vec<Points> = keys.iter().map(|key| key.to_vec()).collect();
    keyed(vec![[0, 1, 2]], times, &keys)
}

fn shifted(points: &[[f32; 3]], by: [f32; 3]) -> Points {
    points.iter().map(|p| [0, 1, 2].map(|k| p[k] + by[k])).collect()
}

fn moved(points: [[f32; 3]; 3], by: [f32; 3]) -> [[f32; 3]; 3] {
    points.map(|p| [0, 1, 2].map(|k| p[k] + by[k]))
}

/// `cells` × `cells` unit squares in the plane z = 0, each cut along its rising diagonal.
fn grid(cells: u32) -> (Vec<[u32; 3]>, Points) {
    let row = cells + 1;
    let points = (0..row * row).map(|k| [(k % row) as f32, (k / row) as f32, 0.0]).collect();
    let squares = (0..cells * cells).map(|k| k / cells * row + k % cells);
    let triangles = squares.flat_map(|p| [[p, p + 1, p + row + 1], [p, p + row + 1, p + row]]);
    (triangles.collect(), points)
}

/// A contact's triangles, and from when to when, seconds; without end while it lasts.
type Interval = ((u32, u32), f64, Option<f64>);

/// Runs a world through `times` and returns all intervals, sorted; each enclosure must be tight.
fn intervals(defs: Vec<BodyDef>, times: &[f64]) -> Vec<Interval> {
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    for def in defs {
        world.add_body(def).unwrap();
    }
    let mut all: Vec<(Contact, f64, Option<f64>)> = Vec::new();
    for &time in times {
        world.advance_to(time).unwrap();
        for change in world.contact_changes() {
            let (time, undecided) = (change.time(), change.is_undecided());
            assert!(!undecided && time.lo <= time.hi && time.hi - time.lo < ENCLOSURE, "{change:?}");
            let middle = 0.5 * (time.lo + time.hi);
            if change.is_begin() {
                all.push((change.contact(), middle, None));
            } else {
                let open = all.iter_mut().find(|(contact, _, end)| *contact == change.contact() && end.is_none());
                open.expect("it began").2 = Some(middle);
            }
        }
        let on = all.iter().filter(|(_, _, end)| end.is_none()).count();
        assert_eq!(on, world.contacts().len(), "at {time}");
    }
    let mut all: Vec<Interval> = all.iter().map(|(c, b, e)| ((c.triangle_a, c.triangle_b), *b, *e)).collect();
    all.sort_by(|x, y| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)));
    all
}

/// The intervals, whichever way the host walks through time.
fn check(defs: &dyn Fn() -> Vec<BodyDef>, last: f64, expected: &[Interval]) {
    for steps in [1, 7, 64] {
        let times: Vec<f64> = (0..=steps).map(|step| last * f64::from(step) / f64::from(steps)).collect();
        let found = intervals(defs(), &times);
        assert_eq!(found.len(), expected.len(), "{steps} steps: {found:?}");
        for (one, two) in found.iter().zip(expected) {
            let near = |x: f64, y: f64| (x - y).abs() < 1e-13;
            let same_end = match (one.2, two.2) {
                (Some(x), Some(y)) => near(x, y),
                (None, None) => true,
                _ => false,
            };
            assert!(one.0 == two.0 && near(one.1, two.1) && same_end, "{steps} steps: {found:?}, not {expected:?}");
        }
    }
}

#[test]
fn cloth_that_lies_on_a_plane() {
    // Coplanar for the whole span, still at first, then sliding within the floor, then lifted.
    let (triangles, rest) = grid(2);
    let keys = [rest.clone(), rest.clone(), shifted(&rest, [-1.0, -1.0, 0.0]), shifted(&rest, [-1.0, -1.0, 1.0])];
    let wide = FLOOR.map(|p| p.map(|x| x * 16.0));
    let cloth = || keyed(triangles.clone(), &[0.0, 1.0, 2.0, 3.0], &keys);
    let expected: Vec<Interval> = (0..8).map(|k| ((k, 0), 0.0, Some(2.0))).collect();
    check(&|| vec![cloth(), triangle(&[0.0], &[wide])], 3.0, &expected);
}

#[test]
fn grids_that_slide_over_each_other_in_one_plane() {
    // One square (two triangles) slides over another from the side: from x = -2 to 2 in 4 s.
    let (triangles, rest) = grid(1);
    let still = || keyed(triangles.clone(), &[0.0], std::slice::from_ref(&rest));
    let slide = || {
        let keys = [shifted(&rest, [-2.0, 0.0, 0.0]), shifted(&rest, [2.0, 0.0, 0.0])];
        keyed(triangles.clone(), &[0.0, 4.0], &keys)
    };
    // Shift x = t − 2. Lower triangles are y <= x, upper ones y >= x, in the unit square. Equal ones meet while |x| <= 1; a
    // moving lower one meets a standing upper one while -1 <= x <= 0, and the other way round.
    let expected =
        [((0, 0), 1.0, Some(3.0)), ((0, 1), 1.0, Some(2.0)), ((1, 0), 2.0, Some(3.0)), ((1, 1), 1.0, Some(3.0))];
    check(&|| vec![slide(), still()], 4.0, &expected);
    // Bigger grids: the number of contacts at the end is what areas say.
    let (triangles, rest) = grid(3);
    let keys = [shifted(&rest, [-3.5, 0.25, 0.0]), shifted(&rest, [0.5, 0.25, 0.0])];
    let defs = vec![keyed(triangles.clone(), &[0.0, 1.0], &keys), keyed(triangles, &[0.0], &[rest])];
    let found = intervals(defs, &[0.0, 0.5, 1.0]);
    assert!(found.iter().all(|(_, begin, _)| *begin >= 0.125 - 1e-15), "{found:?}");
    assert!(found.len() > 60 && found.iter().any(|(_, _, end)| end.is_some()), "{}", found.len());
}

#[test]
fn touching_exactly_at_a_keyframe_and_parting_again() {
    let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    let bounce = || triangle(&[0.0, 1.0, 2.0, 3.0, 4.0], &[at(1.0), at(0.0), at(1.0), at(0.0), at(2.0)]);
    let expected = [((0, 0), 1.0, Some(1.0)), ((0, 0), 3.0, Some(3.0))];
    check(&|| vec![bounce(), triangle(&[0.0], &[FLOOR])], 4.0, &expected);
    // The host's times are the keys themselves.
    let found = intervals(vec![bounce(), triangle(&[0.0], &[FLOOR])], &[0.0, 1.0, 1.5, 3.0, 3.5]);
    assert_eq!(found, expected);
}

#[test]
fn contacts_that_end_exactly_at_a_query_time() {
    let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    let rising = triangle(&[0.0, 4.0], &[at(-1.0), at(1.0)]);
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    world.add_body(rising).unwrap();
    world.add_body(triangle(&[0.0], &[FLOOR])).unwrap();
    // Closed: at 2 s it still touches, and the end is told by the next advance.
    world.advance_to(2.0).unwrap();
    assert_eq!(world.contacts().len(), 1);
    // Inside the enclosure of its end the contact may still be reported, behind it not.
    world.advance_to(2.0 + ENCLOSURE).unwrap();
    assert_eq!(world.contacts().len(), 0);
    let Some(ContactChange::Ended { time, .. }) = world.contact_changes().first() else { panic!() };
    assert!(time.lo <= 2.0 && 2.0 <= time.hi);
}

#[test]
fn triangles_that_pass_edge_to_edge() {
    // In one plane, sharing an edge's line at 1 s only: the square's halves pushed together and apart.
    let left = [[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let right = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let come = || triangle(&[0.0, 1.0, 2.0], &[moved(right, [1.0, 0.0, 0.0]), right, moved(right, [1.0, 0.0, 0.0])]);
    check(&|| vec![triangle(&[0.0], &[left]), come()], 2.0, &[((0, 0), 1.0, Some(1.0))]);
    // Sliding along the common edge: from y = -2 to 2, the edges overlap while |y| <= 1.
    let along = || triangle(&[0.0, 4.0], &[moved(right, [0.0, -2.0, 0.0]), moved(right, [0.0, 2.0, 0.0])]);
    check(&|| vec![triangle(&[0.0], &[left]), along()], 4.0, &[((0, 0), 1.0, Some(3.0))]);
    // Crossing edges that pass through one another: touch from 1 s on while the blades cross.
    let blade = [[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    let top = [[0.0, -2.0, 1.0], [0.0, 2.0, 1.0], [0.0, 0.0, 2.0]];
    let fall = || triangle(&[0.0, 4.0], &[top, moved(top, [0.0, 0.0, -4.0])]);
    check(&|| vec![triangle(&[0.0], &[blade]), fall()], 4.0, &[((0, 0), 1.0, Some(3.0))]);
}

#[test]
fn a_single_point() {
    // Two vertices meet at 1 s, and part.
    let one = [[0.0, 0.0, 0.0], [-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]];
    let two = [[0.0, 0.0, 0.0], [1.0, -1.0, 0.5], [1.0, 1.0, 0.5]];
    let from = |x: f32| moved(two, [x, 0.0, 0.0]);
    let meet = || triangle(&[0.0, 1.0, 3.0], &[from(1.0), from(0.0), from(2.0)]);
    check(&|| vec![triangle(&[0.0], &[one]), meet()], 3.0, &[((0, 0), 1.0, Some(1.0))]);
}

#[test]
fn degenerate_triangles() {
    // A needle falls through the floor point first; a point falls through; a needle lies down in the floor's plane.
    let needle = |z: f32| [[0.0, 0.0, z], [0.0, 0.0, z + 2.0], [0.0, 0.0, z + 1.0]];
    let fall = || triangle(&[0.0, 4.0], &[needle(1.0), needle(-3.0)]);
    check(&|| vec![fall(), triangle(&[0.0], &[FLOOR])], 4.0, &[((0, 0), 1.0, Some(3.0))]);
    let point = |z: f32| [[0.5, 0.25, z]; 3];
    let drop = || triangle(&[0.0, 4.0], &[point(1.0), point(-3.0)]);
    check(&|| vec![drop(), triangle(&[0.0], &[FLOOR])], 4.0, &[((0, 0), 1.0, Some(1.0))]);
    let lying = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.25, 0.0, z]];
    let settle = || triangle(&[0.0, 1.0, 2.0, 3.0], &[lying(1.0), lying(0.0), lying(0.0), lying(-1.0)]);
    check(&|| vec![settle(), triangle(&[0.0], &[FLOOR])], 3.0, &[((0, 0), 1.0, Some(2.0))]);
}

#[test]
fn grazing_within_a_segment() {
    // In one plane: a vertex passes the floor's corner (4, -4) at 1 s on a straight line.
    let corner = [[4.0, -4.0, 0.0], [9.0, -4.0, 0.0], [9.0, -9.0, 0.0]];
    let pass = || triangle(&[0.0, 2.0], &[moved(corner, [1.0, 1.0, 0.0]), moved(corner, [-1.0, -1.0, 0.0])]);
    check(&|| vec![triangle(&[0.0], &[FLOOR]), pass()], 2.0, &[((0, 0), 1.0, Some(1.0))]);
    // An edge turns under another at height 1. Its ends are at y = -1 - t, z = 2t - 1 and y = 3 - t, z = 3 - 2t; where it
    // passes y = 0 its height is ((2t - 1)(3 - t) + (3 - 2t)(1 + t)) / 4 = 1 - (t - 1)²: a touch at 1 s.
    let lid = [[-4.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 0.0, 9.0]];
    let begin = [[0.0, -1.0, -1.0], [0.0, 3.0, 3.0], [0.0, 3.0, -9.0]];
    let end = [[0.0, -3.0, 3.0], [0.0, 1.0, -1.0], [0.0, 1.0, -9.0]];
    let turn = || triangle(&[0.0, 2.0], &[begin, end]);
    check(&|| vec![triangle(&[0.0], &[lid]), turn()], 2.0, &[((0, 0), 1.0, Some(1.0))]);
    let lower = || triangle(&[0.0, 2.0], &[begin, end].map(|t| moved(t, [0.0, 0.0, -0.000_001])));
    check(&|| vec![triangle(&[0.0], &[lid]), lower()], 2.0, &[]);
}

#[test]
fn one_contact_across_many_keys() {
    let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    let times: Vec<f64> = (0..=20).map(|k| f64::from(k) * 0.25).collect();
    let keys: Vec<_> =
        (0..=20).map(|k: i32| at(if k == 0 || k == 20 { 1.0 } else { -0.5 - (k % 3) as f32 * 0.125 })).collect();
    // Down from 1 to -0.625 in a quarter of a second; up from -0.625 to 1 in the last: k = 1 and 19 both have k % 3 = 1.
    let begin = 0.25 / 1.625;
    let expected = [((0, 0), begin, Some(5.0 - begin))];
    check(&|| vec![triangle(&times, &keys), triangle(&[0.0], &[FLOOR])], 5.0, &expected);
}

#[test]
fn a_loop_wraps() {
    let at = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z + 1.0], [0.0, 1.0, z + 1.0]];
    let floor = || triangle(&[0.0], &[FLOOR]);
    let looping = |keys: &[[[f32; 3]; 3]]| {
        let times: Vec<f64> = (0..keys.len()).map(|k| k as f64).collect();
        let plan = Flightplan::keyframes(times, keys.concat());
        BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan.outside(Outside::Loop))
    };
    // Ends where it begins: down at 0.5 s, up at 1.5 s, every 2 s.
    let smooth = || looping(&[at(0.5), at(-0.5), at(0.5)]);
    let expected: Vec<Interval> =
        (0..3).map(|k| ((0, 0), 2.0 * f64::from(k) + 0.5, Some(2.0 * f64::from(k) + 1.5))).collect();
    check(&|| vec![smooth(), floor()], 6.0, &expected);
    // In contact across the wrap: one interval for ever.
    let inside = || looping(&[at(-0.5), at(-0.25), at(-0.5)]);
    check(&|| vec![inside(), floor()], 6.0, &[((0, 0), 0.0, None)]);
    // Jumps from below to above at the wrap: touching at the wrap still, and from 0.5 s after it again.
    let jumping = || looping(&[at(0.5), at(-0.5)]);
    let expected: Vec<Interval> = (0..3).map(|k| ((0, 0), f64::from(k) + 0.5, Some(f64::from(k) + 1.0))).collect();
    check(&|| vec![jumping(), floor()], 3.25, &expected);
}

/// A vertex slides on a tilted face, exactly; the face's body has a key in between. What that key rounds must not part them.
#[test]
fn a_key_of_the_other_body_in_between() {
    let slope = [[-8.0, -8.0, -16.0], [8.0, -8.0, 0.0], [0.0, 8.0, 8.0]];
    let mut lost = Vec::new();
    for k in 1_u8..20 {
        let cut = f64::from(k) / 20.0;
        let tip = |x: f32, y: f32| [[x, y, x + y], [x, y, x + y + 2.0], [x + 0.5, y, x + y + 2.0]];
        let slide = triangle(&[0.0, 1.0], &[tip(0.25, -0.5), tip(1.0, 0.625)]);
        let found = intervals(vec![slide, triangle(&[0.0, cut, 1.0], &[slope; 3])], &[0.0, 0.5, 2.0]);
        if found != [((0, 0), 0.0, None)] {
            lost.push((cut, found));
        }
    }
    assert!(lost.is_empty(), "{lost:?}");
}

/// A body that rises by less than a rounding of `f64` in an interval, off a floor that it touches
/// at the start alone. Both ends of the interval are evaluated as at rest.
#[test]
fn what_rises_by_less_than_a_rounding_is_off_the_floor() {
    let place = |x: f32| vec![[x, 0.0, 1.0], [x + 1.0, 0.0, 1.0], [x, 1.0, 1.0]];
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    for rise in [0.0, 6.1e-17_f32, -6.1e-17] {
        let found = [Engine::Interval, Engine::Refit, Engine::BruteForce].map(|engine| {
            let mut world = World::new(WorldDef::default().engine(engine)).unwrap();
            world.add_body(BodyDef::new(mesh.clone(), Flightplan::fixed(place(0.0)))).unwrap();
            let rising = Flightplan::velocities(0.0, place(-0.25), vec![[0.5, 0.0, rise]; 3]);
            world.add_body(BodyDef::new(mesh.clone(), rising)).unwrap();
            let touches = |step: u16| {
                world.advance_to(0.005 * f64::from(step)).unwrap();
                world.contacts().len()
            };
            (1..=300).map(touches).collect::<Vec<_>>()
        });
        let expected = usize::from(rise == 0.0);
        assert!(found.iter().all(|touching| touching.iter().all(|&count| count == expected)), "{rise}: {found:?}");
    }
}
