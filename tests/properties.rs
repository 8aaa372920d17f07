//! Random bodies, motions and histories: what must hold for all of them. Every property also counts
//! what happened in its scenes and fails if too little did.
//!
//! Inputs are the same in every run; see `common/runner.rs` for more of them, or others.
//!
//! One long file, because other test programs compile it whole with other trees
//! (`common/kinds.rs`).

mod common;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use common::dice::{Dice, Grain};
use common::kinds::{all_box, some_box};
use common::model::{Model, TOLERANCE};
use common::runner::{cases, check};
use common::scene::{BodySpec, PlanSpec};
use common::script::{self, Change, Params, Player, Script, Sizes, random_script};
use common::shapes::random_shape;
use kinetree::kinetic::event::EventKind;
use kinetree::math::Aabb;
use kinetree::motion::VertexFlightplan;
use kinetree::time::Span;
use kinetree::world::{Contact, ContactChange, Engine};
use proptest::strategy::Strategy;

const RIVALS: [Engine; 3] = [Engine::Interval, Engine::Refit, Engine::BruteForce];

/// Fails a property with a formatted reason.
macro_rules! ensure {
    ($holds:expr, $($reason:tt)+) => {
        if !$holds {
            return Err(format!($($reason)+));
        }
    };
}

#[path = "properties/fresh.rs"]
mod fresh;

fn histories(triangles: usize, steps: usize, changes: usize) -> impl Strategy<Value = Params> {
    script::histories(Sizes {
        bodies: 1..=4,
        triangles,
        keys: 9,
        steps,
        changes,
        grains: vec![Grain::Real, Grain::Lattice, Grain::Crooked],
        long: 0.2,
        curved: vec![0, 0, 60],
    })
}

/// What happened in all scenes of a property.
#[derive(Clone, Debug, Default)]
struct Census {
    scenes: usize,
    looks: usize,
    contacts: usize,
    checks: usize,
    renewals: u64,
    /// Changes of leaf slots (of planes, where all trees are a `BoxTree`), and boxes that met, at a
    /// moment at which another one changed or met too.
    ties: usize,
    events: BTreeMap<&'static str, usize>,
    changes: BTreeMap<&'static str, usize>,
}

impl Census {
    fn count_world(&mut self, player: &Player) {
        self.scenes += 1;
        self.renewals += player.world.stats().renewals;
        let mut previous = None;
        for event in player.world.log().events().unwrap_or_default() {
            let name = match event.kind {
                EventKind::Renewal => "renewal",
                EventKind::Leaf => "leaf",
                EventKind::Tree => "tree",
                EventKind::BoxesOverlap => "boxes meet",
                EventKind::LeavesSeparate => "leaves part",
                EventKind::ParentsSeparate => "fathers part",
                EventKind::FatBoxLeft => "region left",
                EventKind::BodiesMeet => "bodies meet",
                EventKind::BodiesSeparate => "bodies part",
                EventKind::TrianglesTouch | EventKind::TrianglesSeparate | EventKind::Window => "contact",
            };
            *self.events.entry(name).or_default() += 1;
            let tie = if all_box() { EventKind::Tree } else { EventKind::Leaf };
            if event.kind == tie || event.kind == EventKind::BoxesOverlap {
                self.ties += usize::from(previous == Some((event.moment, event.kind)));
                previous = Some((event.moment, event.kind));
            }
        }
    }

    fn count_change(&mut self, change: &Change) {
        let name = match change {
            Change::Plan { .. } => "plan",
            Change::Vertices { plans, .. } => {
                for (_, plan) in plans {
                    let name = match plan {
                        VertexFlightplan::Fixed { .. } => "vertex fixed",
                        VertexFlightplan::Velocity { .. } => "vertex velocity",
                        VertexFlightplan::Keyframes { .. } => "vertex keyframes",
                        VertexFlightplan::Ballistic { .. } => "vertex ballistic",
                        VertexFlightplan::Hermite { .. } => "vertex hermite",
                        VertexFlightplan::Polynomials { .. } => "vertex polynomials",
                    };
                    *self.changes.entry(name).or_default() += 1;
                }
                "vertices"
            }
            Change::Add(_) => "add",
            Change::Remove { .. } => "remove",
            Change::Watch { .. } => "watch",
        };
        *self.changes.entry(name).or_default() += 1;
    }

    /// Were the scenes worth looking at? `least` events of each kind for every hundred scenes.
    fn demand(&self, name: &str, least: usize) {
        println!("{name}: {self:?}");
        if self.scenes < 10 {
            return;
        }
        let enough = |count: usize| count * 100 >= least * self.scenes;
        // A BoxTree has fewer events, and its larger boxes meet and part less often.
        let share = 1 + usize::from(some_box()) + usize::from(all_box());
        let kinds = ["leaf", "tree", "boxes meet", "leaves part", "fathers part"];
        for &kind in &kinds[usize::from(all_box())..] {
            assert!(enough(share * self.events.get(kind).copied().unwrap_or(0)), "{name}: too few events: {kind}");
        }
        assert!(enough(self.ties), "{name}: too few ties");
        assert!(enough(self.contacts), "{name}: too few contacts");
        assert!(self.renewals > 0, "{name}: no renewal");
    }
}

/// Plays a history in a kinetic world, and calls `look` after every advance and every change.
fn play(
    script: &Script,
    census: &RefCell<Census>,
    mut look: impl FnMut(&mut Player, Option<&Change>) -> Result<(), String>,
) -> Result<Player, String> {
    let mut player = Player::new(script, Engine::Kinetic)?;
    player.advance(script.start)?;
    look(&mut player, None)?;
    for step in &script.steps {
        player.advance(step.time)?;
        look(&mut player, None)?;
        if let Some(change) = &step.change {
            player.apply(change)?;
            look(&mut player, Some(change))?;
            census.borrow_mut().count_change(change);
        }
    }
    census.borrow_mut().count_world(&player);
    Ok(player)
}

#[test]
fn bounds_hold_and_the_list_is_the_static_traversal() {
    let census = RefCell::new(Census::default());
    check("bounds and list", 60, &histories(60, 30, 50), |params| {
        let script = random_script(params)?;
        play(&script, &census, |player, _| {
            let report = player.world.audit();
            ensure!(report.is_clean(), "at {}: {report}", player.world.time());
            let mut census = census.borrow_mut();
            census.checks += report.checks;
            census.looks += 1;
            census.contacts += player.world.contacts().len();
            Ok(())
        })?;
        Ok(())
    });
    let census = census.into_inner();
    census.demand("bounds and list", 1000);
    assert!(census.checks > 1000 * census.scenes, "{} checks", census.checks);
}

#[test]
fn all_engines_agree_at_any_time() {
    let census = RefCell::new(Census::default());
    check("engines", 60, &histories(100, 30, 50), |params| {
        let script = random_script(params)?;
        let mut rivals = Vec::new();
        for engine in RIVALS {
            rivals.push((engine, Player::new(&script, engine)?));
        }
        play(&script, &census, |player, change| {
            let time = player.world.time();
            let mut census = census.borrow_mut();
            census.looks += 1;
            census.contacts += player.world.contacts().len();
            for (engine, rival) in &mut rivals {
                match change {
                    Some(change) => rival.apply(change)?,
                    None => rival.advance(time)?,
                }
                let (ours, theirs) = (player.world.contacts(), rival.world.contacts());
                ensure!(ours == theirs, "at {time} {engine:?}: {}", difference(ours, theirs));
                let (ours, theirs) = (player.world.contact_changes(), rival.world.contact_changes());
                ensure!(ours == theirs, "at {time} {engine:?}: changes {ours:?}, not {theirs:?}");
            }
            Ok(())
        })?;
        Ok(())
    });
    census.into_inner().demand("engines", 1000);
}

fn difference(ours: &[Contact], theirs: &[Contact]) -> String {
    let (ours, theirs): (BTreeSet<_>, BTreeSet<_>) = (ours.iter().collect(), theirs.iter().collect());
    let missing: Vec<_> = theirs.difference(&ours).collect();
    let surplus: Vec<_> = ours.difference(&theirs).collect();
    format!("kinetic misses {missing:?} and has {surplus:?} too much")
}

/// A host that reads the changes once after every advance knows the contacts.
#[test]
fn changes_of_contacts_add_up_to_contacts() {
    let census = RefCell::new(Census::default());
    check("contact changes", 60, &histories(60, 30, 50), |params| {
        let script = random_script(params)?;
        let mut known: BTreeSet<Contact> = BTreeSet::new();
        play(&script, &census, |player, _| {
            let mut census = census.borrow_mut();
            census.looks += 1;
            census.contacts += player.world.contacts().len();
            ensure!(
                player.world.contacts().is_sorted_by(|a, b| a < b),
                "contacts are not sorted, or one is there twice"
            );
            Ok(())
        })?;
        // Again with the host's habit: one reading per advance, whatever changed in between.
        let mut player = Player::new(&script, Engine::Kinetic)?;
        for step in &script.steps {
            player.advance(step.time)?;
            for change in player.world.contact_changes() {
                let news = match *change {
                    ContactChange::Began { contact, .. } => known.insert(contact),
                    ContactChange::Ended { contact, .. } => known.remove(&contact),
                    _ => unreachable!("{change:?}"),
                };
                ensure!(news, "at {}: {change:?} is no news", step.time);
            }
            let now: BTreeSet<Contact> = player.world.contacts().iter().copied().collect();
            ensure!(known == now, "at {}: the changes do not add up", step.time);
            if let Some(change) = &step.change {
                player.apply(change)?;
            }
        }
        Ok(())
    });
    // Pairs above leaves part less often where trees are wide (`wide_trees` runs this property
    // too).
    let is_wide = module_path!().starts_with("wide_trees");
    census.into_inner().demand("contact changes", if is_wide { 500 } else { 1000 });
}

/// The same log whether the host advances once, irregularly, or a thousand times; changes at the
/// same times.
#[test]
fn the_log_does_not_depend_on_the_steps() {
    let census = RefCell::new(Census::default());
    let (events, busy) = (RefCell::new(0), RefCell::new(0));
    check("steps", 40, &histories(40, 20, 30), |params| {
        let script = random_script(params)?;
        let irregular = play(&script, &census, |_, _| Ok(()))?;
        let mut once = Player::new(&script, Engine::Kinetic)?;
        let mut often = Player::new(&script, Engine::Kinetic)?;
        let small = (script.end - script.start) / 1000.0;
        for step in &script.steps {
            if let Some(change) = &step.change {
                once.advance(step.time)?;
                once.apply(change)?;
            }
            while often.world.time() + small < step.time {
                often.advance(often.world.time() + small)?;
            }
            often.advance(step.time)?;
            if let Some(change) = &step.change {
                often.apply(change)?;
            }
        }
        let last = script.steps.last().map_or(script.start, |step| step.time);
        once.advance(last)?;
        for (name, other) in [("once", &once), ("often", &often)] {
            let (log, its_log) = (irregular.world.log(), other.world.log());
            ensure!(log.events() == its_log.events(), "{name}: another log");
            ensure!(log.hash() == its_log.hash() && log.count() == its_log.count(), "{name}: another hash");
            ensure!(irregular.world.stats().events == other.world.stats().events, "{name}: other events");
            ensure!(irregular.world.contacts() == other.world.contacts(), "{name}: other contacts");
        }
        *events.borrow_mut() += irregular.world.log().count();
        *busy.borrow_mut() += usize::from(irregular.world.log().count() > 20);
        census.borrow_mut().contacts += irregular.world.contacts().len() + 10;
        Ok(())
    });
    println!("{} events, {} busy scenes", events.borrow(), busy.borrow());
    census.into_inner().demand("steps", 500);
}

/// Vertices are where the model says.
#[test]
fn positions_follow_the_flightplans() {
    let census = RefCell::new(Census::default());
    let compared = RefCell::new(0usize);
    check("positions", 60, &histories(30, 30, 50), |params| {
        let script = random_script(params)?;
        let model = RefCell::new(Model::new(&script));
        play(&script, &census, |player, change| {
            let time = player.world.time();
            if let Some(change) = change {
                model.borrow_mut().apply(change, time, |body, vertex| player.position(body, vertex));
            }
            for body in player.present() {
                let positions = player.world.positions(player.ids[body].expect("there"));
                let positions = positions.map_err(|error| error.to_string())?;
                let model = model.borrow();
                let truth = model.bodies[body].as_ref().expect("there");
                for (vertex, found) in positions.iter().enumerate() {
                    let vertex = vertex as u32;
                    let places = truth.places(vertex, time);
                    let near = |place: &[f64; 3]| (0..3).all(|i| (place[i] - found[i]).abs() <= TOLERANCE);
                    ensure!(
                        places.iter().any(near) || (truth.has_jumps() && truth.may_be(vertex, time, found)),
                        "at {time}: body {body}, vertex {vertex} is at {found:?}, not at {places:?}; {:?}",
                        truth.spec.plan
                    );
                    *compared.borrow_mut() += 1;
                }
            }
            Ok(())
        })?;
        Ok(())
    });
    assert!(compared.into_inner() > 100 * cases(60) as usize);
}

/// Box queries and rays against all triangles; a box around nothing but one vertex finds that
/// vertex's triangles, so every node above it holds it.
#[test]
fn queries_equal_a_search_of_all_triangles() {
    let census = RefCell::new(Census::default());
    let (found_boxes, found_rays) = (RefCell::new(0usize), RefCell::new(0usize));
    check("queries", 50, &histories(60, 20, 40), |params| {
        let script = random_script(params)?;
        let mut brute = Player::new(&script, Engine::BruteForce)?;
        let mut dice = Dice::new(params.seed, &[3]);
        play(&script, &census, |player, change| {
            match change {
                Some(change) => brute.apply(change)?,
                None => brute.advance(player.world.time())?,
            }
            census.borrow_mut().contacts += player.world.contacts().len();
            let mut triangles = Vec::new();
            for id in player.world.bodies() {
                let positions = player.world.positions(id).map_err(|error| error.to_string())?;
                let mesh = player.world.mesh(id).map_err(|error| error.to_string())?;
                for (number, corners) in mesh.triangles().iter().enumerate() {
                    triangles.push((id, number as u32, corners.map(|vertex| positions[vertex as usize])));
                }
            }
            let point = |dice: &mut Dice| -> [f64; 3] {
                if params.grain != Grain::Real || triangles.is_empty() || dice.percent(20) {
                    return std::array::from_fn(|_| f64::from(params.grain.coordinate(dice, 5)));
                }
                dice.pick(&triangles).2[dice.below(3)]
            };
            for _ in 0..6 {
                let (p, q) = (point(&mut dice), point(&mut dice));
                let bounds = if dice.percent(50) { Aabb::of_points([&p]) } else { Aabb::of_points([&p, &q]) };
                let meets = |corners: &[[f64; 3]; 3]| {
                    (0..3).all(|i| {
                        let low = corners.iter().map(|c| c[i]).fold(f64::INFINITY, f64::min);
                        let high = corners.iter().map(|c| c[i]).fold(f64::NEG_INFINITY, f64::max);
                        low <= bounds.max[i] && bounds.min[i] <= high
                    })
                };
                let expected: Vec<_> = triangles.iter().filter(|t| meets(&t.2)).map(|t| (t.0, t.1)).collect();
                let found = player.world.query_box(&bounds).0;
                let time = player.world.time();
                ensure!(found == expected, "at {time}: {bounds:?} holds {found:?}, not {expected:?}");
                *found_boxes.borrow_mut() += found.len();
                let direction = std::array::from_fn(|i| q[i] - p[i]);
                let reach = dice.pick(&[0.0, 0.5, 1.0, 10.0, f64::INFINITY]);
                let (hit, truth) =
                    (player.world.cast_ray(p, direction, reach).0, brute.world.cast_ray(p, direction, reach).0);
                ensure!(hit == truth, "at {time}: ray {p:?} {direction:?} {reach} meets {hit:?}, not {truth:?}");
                *found_rays.borrow_mut() += usize::from(hit.is_some());
            }
            Ok(())
        })?;
        Ok(())
    });
    let (boxes, rays) = (found_boxes.into_inner(), found_rays.into_inner());
    println!("{boxes} triangles found, {rays} rays met something");
    assert!(boxes > 100 * cases(50) as usize && rays > 10 * cases(50) as usize);
}

/// A body all of whose vertices share one velocity, or are moved alike from key to key, has no
/// event of its own, however long it flies; its separation list has.
#[test]
fn bodies_that_move_as_one_have_no_tree_events() {
    let list_events = RefCell::new(0u64);
    let inputs = (proptest::num::u64::ANY, 1usize..=100, 0usize..4);
    check("translation", 60, &inputs, |(seed, triangles, kind)| {
        let mut dice = Dice::new(seed, &[4]);
        let mut bodies = Vec::new();
        for _ in 0..2 {
            // Multiples of 1/16 with few digits: every sum below is exact.
            let (positions, triangles) = random_shape(&mut dice, triangles, Grain::Lattice);
            let velocity: [f32; 3] = std::array::from_fn(|_| dice.between(-16, 16) as f32 / 16.0);
            let span = Span { begin: f64::from(dice.between(-3, 0)), end: f64::INFINITY };
            let plan = match kind {
                0 => PlanSpec::Velocities {
                    span,
                    velocities: vec![velocity; positions.len()],
                    positions: positions.clone(),
                    outside: kinetree::motion::Outside::Hold,
                },
                1 => PlanSpec::Velocities {
                    span: Span { begin: span.begin, end: span.begin + 4.0 },
                    velocities: vec![velocity; positions.len()],
                    positions: positions.clone(),
                    outside: kinetree::motion::Outside::Loop,
                },
                _ => {
                    let times: Vec<f64> = (0..8).map(|key| span.begin + f64::from(key * (key + 1) / 2)).collect();
                    let mut moved = Vec::new();
                    for _ in &times {
                        let shift: [f32; 3] = std::array::from_fn(|_| dice.between(-64, 64) as f32 / 16.0);
                        moved
                            .extend(positions.iter().map(|p| -> [f32; 3] { std::array::from_fn(|i| p[i] + shift[i]) }));
                    }
                    let outside = dice.pick(&[kinetree::motion::Outside::Hold, kinetree::motion::Outside::Loop]);
                    PlanSpec::Keys { times, positions: moved, outside }
                }
            };
            let mut body = BodySpec::new((positions, triangles), plan);
            body.build.leaf_size = 1 + dice.below(16);
            bodies.push(body);
        }
        let script = Script { start: -1.0, end: 300.0, bodies, steps: Vec::new() };
        let mut player = Player::new(&script, Engine::Kinetic)?;
        for time in [0.5, 1.0, 3.0, 17.0, 64.0, 65.0, 129.0, 300.0] {
            player.advance(time)?;
            if kind == 3 && time == 3.0 {
                let velocity = [0.25, -0.5, 1.0];
                let plans = (0..script.bodies[0].vertex_count as u32)
                    .map(|vertex| (vertex, VertexFlightplan::Velocity { from: None, velocity }))
                    .collect();
                player.apply(&Change::Vertices { body: 0, plans })?;
            }
            let tree = player.world.stats().tree;
            ensure!(
                tree.leaf_events == 0 && tree.tree_events == 0 && tree.updates == 0,
                "at {time}: {} leaf and {} tree events",
                tree.leaf_events,
                tree.tree_events
            );
        }
        *list_events.borrow_mut() += player.world.log().count();
        Ok(())
    });
    let events = list_events.into_inner();
    println!("translation: {events} list events");
    assert!(events > 10 * u64::from(cases(60)), "{events} events of separation lists");
}
