//! Random histories of a world: when it is looked at, and what is changed. Written once, then
//! replayed in other worlds.

use std::ops::RangeInclusive;

use kinetree::BodyId;
use kinetree::motion::VertexFlightplan;
use kinetree::time::Span;
use kinetree::world::{Engine, World, WorldDef};
use proptest::strategy::Strategy;

use super::dice::{Dice, Grain};
use super::scene::{BodySpec, PlanSpec, Style, random_body, random_plan, random_vertex_plan};

/// From what a history is made; small numbers give small histories.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    pub seed: u64,
    pub bodies: usize,
    pub triangles: usize,
    pub keys: usize,
    pub steps: usize,
    /// How many steps of a hundred also change something.
    pub changes: usize,
    pub grain: Grain,
    pub long: bool,
    /// How many plans of a hundred are curved.
    pub curved: usize,
}

/// How large and how varied histories are.
#[derive(Clone, Debug)]
pub struct Sizes {
    pub bodies: RangeInclusive<usize>,
    /// At most; at least one.
    pub triangles: usize,
    /// At most; at least one.
    pub keys: usize,
    /// At most; at least one.
    pub steps: usize,
    /// At most; see [`Params::changes`].
    pub changes: usize,
    pub grains: Vec<Grain>,
    /// How often a history is long.
    pub long: f64,
    /// One of these is chosen; see [`Params::curved`].
    pub curved: Vec<usize>,
}

/// Histories of some sizes.
pub fn histories(sizes: Sizes) -> impl Strategy<Value = Params> {
    (
        proptest::num::u64::ANY,
        sizes.bodies,
        1..=sizes.triangles,
        1..=sizes.keys,
        1..=sizes.steps,
        0..=sizes.changes,
        proptest::sample::select(sizes.grains),
        proptest::bool::weighted(sizes.long),
        proptest::sample::select(sizes.curved),
    )
        .prop_map(|(seed, bodies, triangles, keys, steps, changes, grain, long, curved)| Params {
            seed,
            bodies,
            triangles,
            keys,
            steps,
            changes,
            grain,
            long,
            curved,
        })
}

/// A change of a world; bodies are places in the roster of all bodies there ever were.
#[derive(Clone, Debug)]
pub enum Change {
    Plan { body: usize, plan: PlanSpec },
    Vertices { body: usize, plans: Vec<(u32, VertexFlightplan)> },
    Add(Box<BodySpec>),
    Remove { body: usize },
    Watch { a: usize, b: usize, watched: bool },
}

/// A look at the world, and a change after it.
#[derive(Clone, Debug)]
pub struct Step {
    pub time: f64,
    pub change: Option<Change>,
}

/// A history.
#[derive(Clone, Debug)]
pub struct Script {
    pub start: f64,
    pub end: f64,
    pub bodies: Vec<BodySpec>,
    pub steps: Vec<Step>,
}

/// A world that lives through a history.
pub struct Player {
    pub world: World,
    /// By place in the roster; `None` once removed.
    pub ids: Vec<Option<BodyId>>,
}

impl Player {
    /// The world at the start of a history.
    pub fn new(script: &Script, engine: Engine) -> Result<Self, String> {
        Self::within(script, WorldDef::default().start(script.start).engine(engine).keep_events(true))
    }

    /// A world so defined at the start of a history.
    pub fn within(script: &Script, def: WorldDef) -> Result<Self, String> {
        let mut player = Self { world: World::new(def).map_err(|error| error.to_string())?, ids: Vec::new() };
        for body in &script.bodies {
            player.add(body)?;
        }
        Ok(player)
    }

    pub fn advance(&mut self, time: f64) -> Result<(), String> {
        self.world.advance_to(time).map_err(|error| format!("advance to {time}: {error}"))
    }

    pub fn apply(&mut self, change: &Change) -> Result<(), String> {
        let id = |body: usize| self.ids[body].expect("a body that is there");
        let done = match change {
            Change::Plan { body, plan } => self.world.set_flightplan(id(*body), plan.flightplan()),
            Change::Vertices { body, plans } => self.world.set_vertex_flightplans(id(*body), plans),
            Change::Add(body) => return self.add(body),
            Change::Remove { body } => {
                let done = self.world.remove_body(id(*body));
                self.ids[*body] = None;
                done
            }
            Change::Watch { a, b, watched } => self.world.set_pair_watched(id(*a), id(*b), *watched),
        };
        done.map_err(|error| format!("{change:?}: {error}"))
    }

    fn add(&mut self, body: &BodySpec) -> Result<(), String> {
        let ignored: Vec<BodyId> = body.ignored.iter().filter_map(|&other| self.ids[other]).collect();
        let definition = body.definition(&format!("body {}", self.ids.len())).ignoring(&ignored);
        let id = self.world.add_body(definition).map_err(|error| format!("add: {error}"))?;
        self.ids.push(Some(id));
        Ok(())
    }

    /// Contacts by places in the roster, lower place first: what worlds with other ids can be
    /// compared by.
    pub fn contacts(&self) -> Vec<[u32; 4]> {
        let place = |id: BodyId| self.ids.iter().position(|&other| other == Some(id)).expect("a known body") as u32;
        let mut contacts: Vec<[u32; 4]> = self
            .world
            .contacts()
            .iter()
            .map(|c| {
                let (a, b) = (place(c.a), place(c.b));
                if a < b { [a, b, c.triangle_a, c.triangle_b] } else { [b, a, c.triangle_b, c.triangle_a] }
            })
            .collect();
        contacts.sort_unstable();
        contacts
    }

    /// Where a vertex of a body is now.
    pub fn position(&self, body: usize, vertex: u32) -> [f64; 3] {
        let id = self.ids[body].expect("a body that is there");
        self.world.positions(id).expect("its positions")[vertex as usize]
    }

    /// Places of the bodies that are there.
    pub fn present(&self) -> Vec<usize> {
        (0..self.ids.len()).filter(|&body| self.ids[body].is_some()).collect()
    }
}

/// Makes up a history. A kinetic world goes ahead, so that looks and changes also fall on its event
/// times.
pub fn random_script(params: Params) -> Result<Script, String> {
    let Params { seed, grain, long, .. } = params;
    let style = Style { grain, long, triangles: params.triangles, keys: params.keys, curved: params.curved };
    let mut dice = Dice::new(seed, &[0]);
    let origin = if grain == Grain::Crooked { dice.pick(&[0.0, 1e3, 1e6]) } else { 0.0 };
    let start = grain.later(&mut dice, origin, -3.0, 3.0);
    let end = start + style.length();
    let mut script = Script { start, end, bodies: Vec::new(), steps: Vec::new() };
    let window = Span { begin: start, end };
    for place in 0..params.bodies {
        script.bodies.push(random_body(&mut Dice::new(seed, &[1, place as u64]), style, window, place));
    }
    let mut scout = Player::new(&script, Engine::Kinetic)?;
    let mut roster = script.bodies.clone();
    for step in 0..params.steps {
        let mut dice = Dice::new(seed, &[2, step as u64]);
        let now = scout.world.time();
        let time = next_time(&mut dice, &scout, &roster, params, end).clamp(now, end);
        scout.advance(time)?;
        let change = dice
            .percent(params.changes)
            .then(|| random_change(&mut dice, &scout, &roster, style, Span { begin: time, end }))
            .flatten();
        if let Some(change) = &change {
            scout.apply(change)?;
            match change {
                Change::Add(body) => roster.push((**body).clone()),
                Change::Plan { body, plan } => roster[*body].plan = plan.clone(),
                _ => {}
            }
        }
        script.steps.push(Step { time, change });
    }
    Ok(script)
}

fn next_time(dice: &mut Dice, scout: &Player, roster: &[BodySpec], params: Params, end: f64) -> f64 {
    let now = scout.world.time();
    let next = scout.world.stats().next_scheduled.unwrap_or(now);
    let stride = 2.0 * (end - now) / (params.steps as f64).max(1.0);
    match dice.below(8) {
        0 => now,
        1 => {
            let turns = scout.present().into_iter().flat_map(|body| roster[body].plan.turns());
            let turns: Vec<f64> = turns.filter(|&time| time > now && time <= end).collect();
            if turns.is_empty() { now } else { dice.pick(&turns) }
        }
        2 | 3 => next,
        4 => next.next_up(),
        5 => 0.5 * (now + next),
        _ if dice.percent(30) => params.grain.later(dice, now, 0.0, 1.0),
        _ => now + stride * dice.unit(),
    }
}

fn random_change(dice: &mut Dice, scout: &Player, roster: &[BodySpec], style: Style, window: Span) -> Option<Change> {
    let present = scout.present();
    let kind = dice.below(100);
    if present.is_empty() || kind < 15 {
        return Some(Change::Add(Box::new(random_body(dice, style, window, roster.len()))));
    }
    let body = dice.pick(&present);
    if kind < 30 {
        return Some(Change::Remove { body });
    }
    if kind < 45 {
        let b = dice.pick(&present);
        return (b != body).then(|| Change::Watch { a: body, b, watched: dice.percent(60) });
    }
    if kind < 65 {
        let rest = scout.world.positions(scout.ids[body]?).ok()?;
        let rest: Vec<[f32; 3]> = rest.iter().map(|p| p.map(|x| x as f32)).collect();
        return Some(Change::Plan { body, plan: random_plan(dice, &rest, style, window) });
    }
    let vertices = roster[body].vertex_count;
    let count = if dice.percent(60) { 1 + dice.below(3) } else { 1 + dice.below(vertices) };
    let mut plans = Vec::new();
    for _ in 0..count {
        let vertex = dice.below(vertices) as u32;
        if plans.iter().all(|&(other, _)| other != vertex) {
            plans.push((vertex, random_vertex_plan(dice, style, window)));
        }
    }
    Some(Change::Vertices { body, plans })
}
