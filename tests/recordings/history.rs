//! Random calls of all kinds, as plain data: for worlds, and for worlds that are recorded.

use std::sync::Arc;

use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside, Sphere, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{BodyDef, ContactMode, Engine, NewVertex, World, WorldDef, WorldLimits};
use kinetree::{BakeFormat, BakedClip, BodyId, Patch, Patches, Spheres};

use super::common::dice::{Dice, Grain};
use super::common::scene::{Style, random_body, random_plan, random_vertex_plan};

pub(crate) const SPAN: Span = Span { begin: 0.0, end: 6.0 };

/// One world per engine and mode.
pub(crate) fn definitions() -> Vec<WorldDef> {
    let at_times = [Engine::Auto, Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce];
    let over_time = [Engine::Auto, Engine::Kinetic];
    let def = |engine, contacts| WorldDef::new().engine(engine).contacts(contacts);
    let mut definitions: Vec<WorldDef> = at_times.map(|engine| def(engine, ContactMode::AtTimes)).into();
    definitions.push(definitions[0].keep_events(true));
    definitions.extend(over_time.map(|engine| def(engine, ContactMode::Continuous).keep_events(true)));
    definitions
}

/// A call; bodies are places in the list of all bodies there ever were.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    Advance(f64),
    Seek(f64),
    Add(Box<BodyDef>),
    Remove(usize),
    Plan(usize, Flightplan),
    Vertices(usize, Vec<(u32, VertexFlightplan)>),
    Extend(usize, f64, Vec<[f32; 3]>),
    Schedule(usize, f64, Flightplan),
    ScheduleVertices(usize, f64, Vec<(u32, VertexFlightplan)>),
    Cancel(usize),
    Edit(usize, Vec<NewVertex>, Vec<[u32; 3]>, Vec<u32>),
    Watch(usize, usize, bool),
    Thickness(usize, usize, Option<f64>),
    Limits(WorldLimits),
    Baked(usize, Option<Arc<BakedClip>>),
    Rebuild(usize, f64),
}

/// Carries an action out on a [`World`] or a world that is recorded; returns what came of it, in words.
#[macro_export]
macro_rules! act {
    ($world:expr, $action:expr, $ids:expr, $changes:expr) => {{
        use $crate::history::Action;
        let told = |outcome: Result<String, String>| outcome.unwrap_or_else(|refused| refused);
        let id = |body: &usize| $ids[*body % $ids.len()];
        macro_rules! tell {
            ($result:expr) => {
                told($result.map(|done| format!("{done:?}")).map_err(|error| error.to_string()))
            };
        }
        match $action {
            Action::Advance(time) => tell!($world.advance_to(*time)),
            Action::Seek(time) => tell!($world.seek(*time)),
            Action::Add(def) => {
                let added = $world.add_body((**def).clone());
                if let Ok(id) = &added {
                    $ids.push(*id);
                }
                tell!(added)
            }
            Action::Remove(body) => tell!($world.remove_body(id(body))),
            Action::Plan(body, plan) => tell!($world.set_flightplan(id(body), plan.clone())),
            Action::Vertices(body, plans) => tell!($world.set_vertex_flightplans(id(body), plans)),
            Action::Extend(body, time, positions) => tell!($world.extend_flightplan(id(body), *time, positions)),
            Action::Schedule(body, at, plan) => {
                let change = $world.schedule_flightplan(id(body), *at, plan.clone());
                $changes.extend(change.as_ref().ok().copied());
                tell!(change)
            }
            Action::ScheduleVertices(body, at, plans) => {
                let change = $world.schedule_vertex_flightplans(id(body), *at, plans);
                $changes.extend(change.as_ref().ok().copied());
                tell!(change)
            }
            Action::Cancel(change) => match $changes.get(*change % $changes.len().max(1)) {
                Some(change) => format!("{:?}", $world.cancel_change(*change)),
                None => String::new(),
            },
            Action::Edit(body, vertices, added, removed) => match $world.begin_edit(id(body)) {
                Ok(mut edit) => {
                    vertices.iter().for_each(|vertex| {
                        edit.add_vertex(vertex.clone());
                    });
                    added.iter().for_each(|&corners| {
                        edit.add_triangle(corners);
                    });
                    removed.iter().for_each(|&triangle| edit.remove_triangle(triangle));
                    tell!($world.apply_edit(edit))
                }
                Err(error) => error.to_string(),
            },
            Action::Watch(a, b, watched) => tell!($world.set_pair_watched(id(a), id(b), *watched)),
            Action::Thickness(a, b, distance) => tell!($world.set_pair_thickness(id(a), id(b), *distance)),
            Action::Limits(limits) => format!("{:?}", $world.set_limits(*limits)),
            Action::Baked(body, clip) => tell!($world.set_baked(id(body), clip.clone())),
            Action::Rebuild(body, bound) => tell!($world.rebuild_degraded(id(body), *bound)),
        }
    }};
}

pub(crate) fn style(dice: &mut Dice) -> Style {
    let grain = dice.pick(&[Grain::Lattice, Grain::Crooked]);
    Style { grain, long: false, triangles: 10, keys: 5, curved: if dice.percent(30) { 40 } else { 0 } }
}

/// A body of any shape.
fn any_body(dice: &mut Dice, style: Style) -> BodyDef {
    let corner = |dice: &mut Dice| style.point(dice, 3);
    match dice.below(12) {
        0 => {
            let keys: Vec<[f32; 3]> = (0..8).map(|_| corner(dice)).collect();
            let sheet = Patches::new(4, vec![Patch::bezier([1, 1], vec![0, 1, 2, 3])]).unwrap();
            BodyDef::new(sheet, Flightplan::keyframes(vec![0.0, 6.0], keys)).named("patch")
        }
        1 => {
            let ball = |dice: &mut Dice| Sphere { centre: corner(dice).map(f64::from), radius: dice.real(0.1, 1.5) };
            let keys: Vec<Sphere> = (0..4).map(|_| ball(dice)).collect();
            BodyDef::new(Spheres::new(2).unwrap(), Flightplan::spheres(vec![0.0, 6.0], keys)).named("balls")
        }
        2 => {
            let points: Vec<[f32; 3]> = (0..6).map(|_| corner(dice)).collect();
            let plan = Flightplan::keyframes(vec![0.0, 6.0], points).outside(Outside::Hold);
            BodyDef::new(Mesh::points(3).unwrap(), plan).radius(0.25).named("cloud")
        }
        _ => {
            let body = random_body(dice, style, SPAN, 0);
            let def = body.definition("soup").self_contact(dice.percent(30));
            def.thickness(if dice.percent(20) { 0.1 } else { 0.0 })
        }
    }
}

/// The bodies that a history begins with.
pub(crate) fn first_actions(dice: &mut Dice, style: Style) -> Vec<Action> {
    (0..3).map(|_| Action::Add(Box::new(any_body(dice, style)))).collect()
}

/// A call that a host may make of a world at some time; some are refused.
pub(crate) fn next_action(dice: &mut Dice, style: Style, world: &World, ids: &[BodyId]) -> Action {
    let now = world.time();
    let body = dice.below(ids.len());
    let rest = || -> Vec<[f32; 3]> {
        let positions = world.positions(ids[body]).unwrap_or_else(|_| vec![[0.0; 3]; 3]);
        positions.iter().map(|p| p.map(|x| x as f32)).collect()
    };
    let window = Span { begin: now, end: 6.0 };
    let later = (now + dice.real(0.0, 0.8)).min(6.0);
    match dice.below(40) {
        0..=16 => Action::Advance(later),
        17 => Action::Seek(dice.real(-0.5, later)),
        18 => Action::Advance(dice.pick(&[f64::NAN, f64::INFINITY, now - 1.0, -0.0])),
        19 => Action::Add(Box::new(any_body(dice, style))),
        20 => Action::Remove(body),
        21 | 22 => Action::Plan(body, random_plan(dice, &rest(), style, window).flightplan()),
        23 => Action::Plan(body, Flightplan::fixed(vec![[f32::NAN; 3]; rest().len()])),
        24 | 25 => Action::Vertices(body, vec![(0, random_vertex_plan(dice, style, window))]),
        26 | 27 => {
            let moved = rest().iter().map(|p| [p[0] + 0.5, p[1], p[2] - 0.25]).collect();
            Action::Extend(body, 6.0 + dice.real(0.0, 2.0), moved)
        }
        28 | 29 => Action::Schedule(body, later, random_plan(dice, &rest(), style, window).flightplan()),
        30 => Action::ScheduleVertices(body, later, vec![(1, random_vertex_plan(dice, style, window))]),
        31 => Action::Cancel(dice.below(8)),
        32..=34 => any_edit(dice, style, world, ids, body),
        35 => Action::Watch(body, dice.below(ids.len()), dice.percent(50)),
        36 => Action::Thickness(body, dice.below(ids.len()), dice.pick(&[None, Some(0.25), Some(-1.0), Some(0.0)])),
        37 => {
            let mut limits = WorldLimits::DEFAULT;
            limits.contacts = dice.pick(&[2, 1 << 20]);
            Action::Limits(limits)
        }
        38 => {
            let clip = world.bake(ids[body], Span { begin: now, end: now + 1.0 }, BakeFormat::Stamped, 0);
            Action::Baked(body, clip.ok().map(Arc::new))
        }
        _ => Action::Rebuild(body, dice.pick(&[1.0, 1.5, 0.5])),
    }
}

fn any_edit(dice: &mut Dice, style: Style, world: &World, ids: &[BodyId], body: usize) -> Action {
    let Ok(mesh) = world.mesh(ids[body]) else { return Action::Rebuild(body, 2.0) };
    let new = mesh.vertex_count() as u32;
    let vertices = vec![NewVertex::fixed(style.point(dice, 3))];
    let removed = if dice.percent(50) { vec![dice.below(mesh.triangles().len().max(1)) as u32] } else { Vec::new() };
    Action::Edit(body, vertices, vec![[0, 1.min(new), new]], removed)
}
