//! Worlds asked at times inside the enclosure of a contact's begin or end: what is shown there must be the truth, at every f64
//! number, while the clock stands there and for times just passed. Expected values are written by hand.

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, VertexFlightplan};
use kinetree::world::{BodyDef, ContactChange, ContactMode, TimeEnclosure, World, WorldDef};
use num_rational::BigRational as Q;

const FLOOR: [[f32; 3]; 3] = [[-4.0, -4.0, 0.0], [4.0, -4.0, 0.0], [0.0, 4.0, 0.0]];

type Keys<'a> = &'a [(f64, [[f32; 3]; 3])];

fn triangle(keys: Keys<'_>, outside: Outside) -> BodyDef {
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let (times, points): (Vec<f64>, Vec<_>) = keys.iter().copied().unzip();
    if let [place] = points[..] {
        return BodyDef::new(mesh, Flightplan::fixed(place.to_vec()));
    }
    BodyDef::new(mesh, Flightplan::keyframes(times, points.concat()).outside(outside))
}

/// Stands on one corner, that high.
fn pointer(z: f32) -> [[f32; 3]; 3] {
    [[0.0, 0.0, z], [1.0, 0.0, z + 4.0], [0.0, 1.0, z + 4.0]]
}

fn world(defs: impl IntoIterator<Item = BodyDef>) -> World {
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous)).unwrap();
    for def in defs {
        world.add_body(def).unwrap();
    }
    world
}

fn exact(x: f64) -> Q {
    Q::from_float(x).unwrap()
}

fn fraction(numerator: i64, denominator: i64) -> Q {
    Q::new(numerator.into(), denominator.into())
}

/// All f64 numbers from one below an enclosure to one above.
fn around(time: TimeEnclosure) -> Vec<f64> {
    let mut all = vec![time.lo.next_down()];
    while all[all.len() - 1] <= time.hi {
        all.push(all[all.len() - 1].next_up());
    }
    all
}

/// Begins and ends told up to a time in one advance.
fn told(mut world: World, end: f64) -> (Vec<TimeEnclosure>, u64) {
    world.advance_to(end).unwrap();
    let time = |change: &ContactChange| {
        assert!(!change.is_undecided());
        change.time()
    };
    (world.contact_changes().iter().map(time).collect(), world.log().hash())
}

/// Asks everything at every time; `is_true` tells whether there is contact. Returns at how many times there is, and is not.
fn check(make: impl Fn() -> World, times: &[f64], end: f64, is_true: impl Fn(&Q) -> bool) -> (usize, usize) {
    let (mut there, mut behind) = (make(), make());
    behind.advance_to(end).unwrap();
    let mut counts = (0, 0);
    for &time in times {
        there.advance_to(time).unwrap();
        let is_on = is_true(&exact(time));
        assert_eq!(there.contacts().len(), usize::from(is_on), "at {time:?}");
        assert_eq!(there.contacts_at(time).unwrap().len(), usize::from(is_on), "at {time:?}");
        assert_eq!(behind.contacts_at(time).unwrap().len(), usize::from(is_on), "{time:?} just passed");
        counts = if is_on { (counts.0 + 1, counts.1) } else { (counts.0, counts.1 + 1) };
    }
    // Nothing that happens depends on who looks.
    there.advance_to(end).unwrap();
    assert_eq!((there.log().hash(), there.contacts()), (behind.log().hash(), behind.contacts()));
    counts
}

#[test]
fn a_begin_and_an_end_at_thirds() {
    for (from, length) in [(0.0, 1.0), (0.1, 0.7), (5.0, 8.0), (1e6, 3.0)] {
        let make = || {
            let keys = [(from, pointer(1.0)), (from + length, pointer(-2.0)), (from + 2.0 * length, pointer(1.0))];
            let def = WorldDef::default().contacts(ContactMode::Continuous).start(from);
            let mut world = World::new(def).unwrap();
            world.add_body(triangle(&keys, Outside::Hold)).unwrap();
            world.add_body(triangle(&[(0.0, FLOOR)], Outside::Hold)).unwrap();
            world
        };
        let [begin, middle, end] = [from, from + length, from + 2.0 * length].map(exact);
        let down = &begin + (&middle - &begin) * fraction(1, 3);
        let up = &middle + (&end - &middle) * fraction(2, 3);
        let (ends, _) = told(make(), from + 2.0 * length);
        assert_eq!(ends.len(), 2);
        let times: Vec<f64> = ends.iter().copied().flat_map(around).collect();
        let (on, off) = check(make, &times, from + 2.0 * length, |time| down <= *time && *time <= up);
        assert!(on >= 4 && off >= 4, "{on} {off}");
    }
}

#[test]
fn a_begin_is_told_once_and_shown_when_it_is_true() {
    let mut world = world([
        triangle(&[(0.0, pointer(1.0)), (1.0, pointer(-2.0))], Outside::Hold),
        triangle(&[(0.0, FLOOR)], Outside::Hold),
    ]);
    let (mut begins, mut shown, mut ongoing_only) = (0, 0, 0);
    let mut time = 1.0 / 3.0;
    (0..12).for_each(|_| time = f64::next_down(time));
    for _ in 0..24 {
        world.advance_to(time).unwrap();
        begins += world.contact_changes().len();
        assert_eq!(world.body_pair_changes().len(), world.contact_changes().len(), "{time:?}");
        let (is_ongoing, is_shown) = (!world.ongoing_contacts().is_empty(), !world.contacts().is_empty());
        assert_eq!(world.ongoing_contacts().iter().filter(|ongoing| ongoing.touching).count(), usize::from(is_shown));
        assert_eq!(is_ongoing, begins == 1);
        assert_eq!(is_shown, exact(time) >= fraction(1, 3), "{time:?}");
        shown += usize::from(is_shown);
        ongoing_only += usize::from(is_ongoing && !is_shown);
        // Asked again, nothing changes.
        world.advance_to(time).unwrap();
        assert_eq!((world.contact_changes().len(), !world.contacts().is_empty()), (0, is_shown));
        time = time.next_up();
    }
    assert!(begins == 1 && shown > 6 && ongoing_only >= 2, "{begins} {shown} {ongoing_only}");
}

#[test]
fn with_thickness_and_between_neighbours() {
    // Half a metre above, at a sixth of a second and again at a third times 2.5.
    let thick = || {
        let keys = [(0.0, pointer(1.0)), (1.0, pointer(-2.0))];
        world([triangle(&keys, Outside::Hold).thickness(0.5), triangle(&[(0.0, FLOOR)], Outside::Hold).thickness(0.5)])
    };
    let (ends, _) = told(thick(), 1.0);
    assert_eq!(ends.len(), 1);
    let (on, off) = check(thick, &around(ends[0]), 1.0, |time| *time >= fraction(1, 6));
    assert!(on > 2 && off > 2);
    // Two triangles with one common corner; the tip of the other comes down on the first.
    let neighbours = || {
        let mesh = Mesh::new(5, vec![[0, 1, 2], [0, 3, 4]]).unwrap();
        let key = |z: f32| [FLOOR.to_vec(), vec![[0.0, 0.0, z], [0.0, 1.0, z + 4.0]]].concat();
        let plan = Flightplan::keyframes(vec![0.0, 1.0], [key(1.0), key(-2.0)].concat());
        world([BodyDef::new(mesh, plan).self_contact(true).neighbours(true)])
    };
    let (ends, _) = told(neighbours(), 1.0);
    assert_eq!(ends.len(), 1);
    let (on, off) = check(neighbours, &around(ends[0]), 1.0, |time| *time >= fraction(1, 3));
    assert!(on > 2 && off > 2);
}

/// One corner leaves the floor a few units in the last place before another one reaches it: told as one contact, shown as two.
#[test]
fn an_end_and_a_begin_that_are_one() {
    // Neighbouring fractions, by Cassini: the first is smaller.
    let (leaves, reaches) = ((5_702_887_i32, 9_227_465_i32), (9_227_465_i32, 14_930_352_i32));
    let unit = 1.0 / 1_048_576.0;
    let z = |n: i32| n as f32 * unit;
    let place = |p: i32, q: i32| [[0.0, 0.0, z(p)], [1.0, 0.0, z(q)], [0.5, 1.0, 16.0]];
    let keys = [(5.0, place(-leaves.0, reaches.0)), (6.0, place(leaves.1 - leaves.0, reaches.0 - reaches.1))];
    let make = || world([triangle(&keys, Outside::Hold), triangle(&[(0.0, FLOOR)], Outside::Hold)]);
    let part = |(n, d): (i32, i32)| fraction(5, 1) + fraction(n.into(), d.into());
    let (end, begin) = (part(leaves), part(reaches));
    assert!(end < begin, "guard");
    let (changes, _) = told(make(), 6.0);
    assert_eq!(changes.len(), 1, "one contact, that was on from the start: {changes:?}");
    let mut time = 5.0 + 5_702_887.0 / 9_227_465.0;
    (0..24).for_each(|_| time = f64::next_down(time));
    let times: Vec<f64> = std::iter::successors(Some(time), |time| Some(time.next_up())).take(60).collect();
    let (on, off) = check(make, &times, 6.0, |time| *time <= end || begin <= *time);
    assert!(off >= 2 && on >= 40, "{on} {off}");
}

/// The same where a key of the floor cuts the way of the corners. If they are apart at the earliest
/// time that the begin may have, the contact that goes on is undecided.
#[test]
fn an_end_and_a_begin_that_are_one_in_a_window_that_is_cut() {
    let from = 3e6;
    let floor = |x: f32| FLOOR.map(|[a, b, c]| [a + x, b, c]);
    let floor = [(from, floor(0.0)), (from + 1.0, floor(0.25)), (from + 2.0, floor(0.0))];
    let leaves = (17_711_i32, 28_657_i32);
    let z = |n: i32| n as f32 / 16_384.0;
    let place = |p: i32, q: i32| [[0.0, 0.0, z(p)], [1.0, 0.0, z(q)], [0.5, 1.0, 16.0]];
    // Times are known up to 2.7 ns; the corners are apart for 3.9 ns, and for 1.5 ns.
    for (reaches, is_undecided) in [((10_946_i32, 17_711_i32), true), ((28_657, 46_368), false)] {
        let keys = [
            (from, place(-leaves.0, reaches.0)),
            (from + 2.0, place(leaves.1 - leaves.0, reaches.0 - reaches.1)),
            (from + 4.0, place(leaves.1, reaches.1)),
        ];
        let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous).start(from)).unwrap();
        world.add_body(triangle(&keys, Outside::Hold)).unwrap();
        world.add_body(triangle(&floor, Outside::Hold)).unwrap();
        world.advance_to(from + 4.0).unwrap();
        let changes = world.contact_changes();
        let marks: Vec<(bool, bool)> = changes.iter().map(|it| (it.is_begin(), it.is_undecided())).collect();
        assert_eq!(marks, [(true, false), (false, is_undecided)], "{changes:?}");
    }
}

/// At a key the tip is above the floor by less than what times tell: the contact goes on over the key, but not at it.
#[test]
fn apart_at_a_key_only() {
    let above = 1.0 / f32::from_bits(((60 + 127) << 23) as u32);
    let keys = [(0.0, pointer(-1.0)), (1.0, pointer(above)), (2.0, pointer(-1.0))];
    let make = || world([triangle(&keys, Outside::Hold), triangle(&[(0.0, FLOOR)], Outside::Hold)]);
    let times =
        [1.0_f64.next_down().next_down(), 1.0_f64.next_down(), 1.0, 1.0_f64.next_up(), 1.0_f64.next_up().next_up()];
    assert_eq!(check(make, &times, 2.0, |time| *time != fraction(1, 1)), (4, 1));
}

/// At the time of a jump the old positions count: the tip leaves the floor with the last instant of a cycle and starts the next below it.
#[test]
fn a_jump_into_contact() {
    let above = 1.0 / f32::from_bits(((60 + 127) << 23) as u32);
    let keys = [(0.0, pointer(-1.0)), (1.0, pointer(above))];
    let make = || world([triangle(&keys, Outside::Loop), triangle(&[(0.0, FLOOR)], Outside::Hold)]);
    let times = [1.0_f64.next_down(), 1.0, 1.0_f64.next_up(), 2.0_f64.next_down(), 2.0, 2.0_f64.next_up()];
    assert_eq!(check(make, &times, 2.5, |time| ![fraction(1, 1), fraction(2, 1)].contains(time)), (4, 2));
    // The other way round: from below to above.
    let keys = [(0.0, pointer(above)), (1.0, pointer(-1.0))];
    let make = || world([triangle(&keys, Outside::Loop), triangle(&[(0.0, FLOOR)], Outside::Hold)]);
    assert_eq!(check(make, &times, 2.5, |_| true), (6, 0));
    assert_eq!(make().contacts().len(), 0, "at the start nothing came before");
}

#[test]
fn a_plan_that_changes_inside_an_end() {
    let make = || {
        let keys = [(0.0, pointer(1.0)), (1.0, pointer(-2.0))];
        world([triangle(&keys, Outside::Hold), triangle(&[(0.0, FLOOR)], Outside::Hold)])
    };
    let (ends, _) = told(make(), 1.0);
    for change in around(ends[0]) {
        let mut world = make();
        world.advance_to(0.25).unwrap();
        world.advance_to(change).unwrap();
        let began = world.contact_changes().len();
        let is_true = exact(change) >= fraction(1, 3);
        assert_eq!(!world.contacts().is_empty(), is_true);
        // Lifted away at once.
        let body = world.bodies().next().unwrap();
        let lift = |v: u32, z: f64| (v, VertexFlightplan::Fixed { position: [f64::from(v), 0.0, z] });
        world.set_vertex_flightplans(body, &[lift(0, 5.0), lift(1, 6.0), lift(2, 6.0)]).unwrap();
        assert!(world.contacts().is_empty() && world.ongoing_contacts().is_empty());
        for time in around(ends[0]).into_iter().filter(|&time| time < change) {
            let said = world.contacts_at(time).unwrap().len();
            assert_eq!(said == 1, exact(time) >= fraction(1, 3), "{time:?} after a change at {change:?}");
        }
        world.advance_to(2.0).unwrap();
        assert_eq!(world.contact_changes().len(), began, "what was told ends");
        assert!(world.contacts().is_empty());
        // What the change ended is asked of the old plan.
        let said = world.contacts_at(change).unwrap().len();
        assert!(said == began || (said == 0 && !is_true), "{said}");
    }
}

/// Just before its end a contact's plan is replaced by one that ends it sooner: from then on the old plan does not count.
#[test]
fn a_plan_that_ends_a_contact_sooner() {
    let keys = [(0.0, pointer(-1.0)), (1.0, pointer(2.0))];
    let make = || world([triangle(&keys, Outside::Hold), triangle(&[(0.0, FLOOR)], Outside::Hold)]);
    let (ends, _) = told(make(), 1.0);
    let change = ends[ends.len() - 1].lo;
    assert!(exact(change.next_up().next_up()) < fraction(1, 3), "guard: the old plan ends later");
    let mut world = make();
    world.advance_to(change).unwrap();
    assert_eq!(world.contacts().len(), 1);
    let body = world.bodies().next().unwrap();
    let rise = |v: u32| (v, VertexFlightplan::Velocity { from: None, velocity: [0.0, 0.0, 1000.0] });
    world.set_vertex_flightplans(body, &[rise(0), rise(1), rise(2)]).unwrap();
    assert_eq!(world.contacts().len(), 1);
    for time in [change.next_up(), change.next_up().next_up()] {
        world.advance_to(time).unwrap();
        // Positions of the new plan are rounded, so it counts as touching up to the end of the enclosure.
        assert_eq!((world.contacts().len(), world.ongoing_contacts().len()), (1, 1), "{time:?}");
    }
    world.advance_to(2.0).unwrap();
    let seen = [change, change.next_up()].map(|time| world.contacts_at(time));
    assert!(seen[0].is_err(), "certified from the last advance on");
    assert!(world.contacts().is_empty() && world.ongoing_contacts().is_empty());
}
