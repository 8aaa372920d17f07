//! Edits of running worlds: random interleavings with advances and other changes, against brute
//! force and against worlds made from scratch.

mod common;
#[path = "edits/model.rs"]
mod model;

use std::collections::BTreeSet;

use kinetree::time::Span;
use kinetree::world::{Contact, ContactChange, ContactMode, Engine, World, WorldDef, WorldError};

use common::dice::{Dice, Grain};
use common::runner::cases;
use common::scene::{random_plan, random_vertex_plan};
use model::{Known, contacts, from_scratch, random_def, style};

/// What the random histories really had in them.
#[derive(Debug, Default)]
struct Premises {
    edits: usize,
    large_edits: usize,
    /// Contacts that ended because their triangle was taken out.
    ended_by_removal: usize,
    /// Contacts of triangles that an edit brought.
    began_by_addition: usize,
    /// Contacts that went on although a triangle got other corners.
    went_on: usize,
    self_contacts: usize,
    scheduled: usize,
    /// Edits refused because of scheduled changes.
    refused: usize,
    /// Subtrees rebuilt on the host's word.
    rebuilt: usize,
    /// Subtrees and trees rebuilt in all.
    rebuilt_in_all: u64,
    /// Continuous contacts that were on before and after an edit.
    kept: usize,
    compared: usize,
    nonempty: usize,
}

/// The same world under some engines.
struct Peers {
    worlds: Vec<World>,
    bodies: Vec<Known>,
    last_was_edit: bool,
    is_continuous: bool,
    /// Is the time so near an event, or so much in the scene exactly in touch, that rounding
    /// decides?
    is_near: bool,
    /// Unless it is `Real`, triangles share points, edges and planes: evaluated positions may lose
    /// or gain a contact of the exact motion.
    grain: Grain,
}

impl Peers {
    fn new(defs: &[WorldDef]) -> Self {
        Self {
            worlds: defs.iter().map(|&def| World::new(def).unwrap()).collect(),
            bodies: Vec::new(),
            last_was_edit: false,
            is_continuous: defs[0].contacts == ContactMode::Continuous,
            is_near: false,
            grain: Grain::Real,
        }
    }

    fn add(&mut self, dice: &mut Dice, style: common::scene::Style, window: Span) {
        let (def, self_contact) = random_def(dice, style, window);
        let ids: Vec<_> = self.worlds.iter_mut().map(|world| world.add_body(def.clone()).unwrap()).collect();
        assert!(ids.iter().all(|&id| id == ids[0]));
        self.bodies.push(Known::new(ids[0], def.shape.mesh().unwrap(), self_contact));
    }

    /// A random change of all worlds.
    fn change(&mut self, dice: &mut Dice, style: common::scene::Style, window: Span, premises: &mut Premises) {
        let kind = dice.below(100);
        self.last_was_edit = false;
        if self.bodies.is_empty() || kind < 8 {
            return self.add(dice, style, window);
        }
        let place = dice.below(self.bodies.len());
        let id = self.bodies[place].id;
        let positions = self.worlds[0].positions(id).unwrap();
        if kind < 14 {
            self.bodies.remove(place);
            self.worlds.iter_mut().for_each(|world| world.remove_body(id).unwrap());
        } else if kind < 20 {
            let rest: Vec<[f32; 3]> = positions.iter().map(|p| p.map(|x| x as f32)).collect();
            let plan = random_plan(dice, &rest, style, window);
            self.worlds.iter_mut().for_each(|world| world.set_flightplan(id, plan.flightplan()).unwrap());
        } else if kind < 35 {
            let vertices: Vec<u32> = self.bodies[place].vertices.iter().copied().collect();
            let chosen: BTreeSet<u32> = (0..=dice.below(4)).map(|_| dice.pick(&vertices)).collect();
            let plans: Vec<_> = chosen.into_iter().map(|v| (v, random_vertex_plan(dice, style, window))).collect();
            self.worlds.iter_mut().for_each(|world| world.set_vertex_flightplans(id, &plans).unwrap());
        } else if kind < 42 {
            // The same at a time to come.
            let is_near = self.is_near;
            let at = self.next_time(dice, window.end, 4);
            self.is_near = is_near;
            let window = Span { begin: at, ..window };
            let ids: BTreeSet<_> = if dice.percent(30) {
                let rest: Vec<[f32; 3]> = positions.iter().map(|p| p.map(|x| x as f32)).collect();
                let plan = random_plan(dice, &rest, style, window);
                let schedule = |world: &mut World| world.schedule_flightplan(id, at, plan.flightplan()).unwrap();
                self.worlds.iter_mut().map(schedule).collect()
            } else {
                let vertices: Vec<u32> = self.bodies[place].vertices.iter().copied().collect();
                let chosen: BTreeSet<u32> = (0..=dice.below(4)).map(|_| dice.pick(&vertices)).collect();
                let plans: Vec<_> = chosen.into_iter().map(|v| (v, random_vertex_plan(dice, style, window))).collect();
                let schedule = |world: &mut World| world.schedule_vertex_flightplans(id, at, &plans).unwrap();
                self.worlds.iter_mut().map(schedule).collect()
            };
            assert_eq!(ids.len(), 1);
            premises.scheduled += 1;
        } else if kind < 48 {
            premises.rebuilt += self.worlds[0].rebuild_degraded(id, 1.02).unwrap();
            self.last_was_edit = true;
        } else {
            let before: BTreeSet<Contact> = self.worlds[0].contacts().iter().copied().collect();
            let edit = self.bodies[place].random_edit(dice, style, window, &positions);
            self.last_was_edit = true;
            // Where a corner is doubled, triangles share a point at this instant, up to a rounding.
            self.is_near |= !edit.corners.is_empty() && self.is_continuous;
            let first_new = self.bodies[place].numbers[1];
            let outcomes: Vec<_> = self.worlds.iter_mut().map(|world| edit.apply(world, id)).collect();
            assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]));
            match &outcomes[0] {
                Ok(()) => {}
                Err(WorldError::ChangeScheduled { .. }) => {
                    premises.refused += 1;
                    return;
                }
                Err(error) => panic!("{error}: {edit:?}"),
            }
            self.bodies[place].follow(&edit);
            let after: BTreeSet<Contact> = self.worlds[0].contacts().iter().copied().collect();
            let touches = |contact: &Contact, triangle: &dyn Fn(u32) -> bool| {
                (contact.a == id && triangle(contact.triangle_a)) || (contact.b == id && triangle(contact.triangle_b))
            };
            let is_gone = |triangle: u32| edit.removed.contains(&triangle);
            let is_other = |triangle: u32| edit.corners.iter().any(|&(other, _)| other == triangle);
            assert!(!after.iter().any(|contact| touches(contact, &is_gone)));
            premises.edits += 1;
            premises.large_edits += usize::from(edit.removed.len() + edit.added.len() > 8);
            premises.ended_by_removal += before.iter().filter(|contact| touches(contact, &is_gone)).count();
            premises.began_by_addition += after.iter().filter(|contact| touches(contact, &|t| t >= first_new)).count();
            premises.went_on += after.intersection(&before).filter(|contact| touches(contact, &is_other)).count();
        }
    }

    fn compare(&self, premises: &mut Premises) {
        let kinetic = &self.worlds[0];
        let report = kinetic.audit();
        assert!(report.is_clean(), "at {} s: {report}", kinetic.time());
        // Within a rounding of an event, continuous contacts follow the exact motion, the others
        // the evaluated positions.
        let found = contacts(&self.bodies, kinetic);
        let agrees = |others: &BTreeSet<[u32; 4]>| self.is_near || found == *others;
        for world in &self.worlds[1..] {
            let others = contacts(&self.bodies, world);
            let (missing, surplus) = (others.difference(&found), found.difference(&others));
            let names: Vec<_> = missing.map(|c| ("missing", c)).chain(surplus.map(|c| ("surplus", c))).collect();
            assert!(agrees(&others), "at {} s: {names:?}", kinetic.time());
        }
        let engine = if premises.compared.is_multiple_of(2) { Engine::Kinetic } else { Engine::BruteForce };
        let fresh = from_scratch(&self.bodies, kinetic, engine);
        // The fresh world stands at evaluated positions.
        let agree = agrees(&fresh)
            || self.grain != Grain::Real
            || fresh.symmetric_difference(&found).all(|contact| self.share_a_place(contact));
        assert!(agree, "at {} s: {found:?}, {engine:?} from scratch {fresh:?}", kinetic.time());
        premises.compared += usize::from(!self.is_near);
        premises.nonempty += usize::from(!self.is_near && !found.is_empty());
        premises.self_contacts += found.iter().filter(|contact| contact[0] == contact[1]).count();
        for body in &self.bodies {
            let mesh = kinetic.mesh(body.id).unwrap();
            assert_eq!((mesh.triangle_count(), mesh.vertex_count()), (body.triangles.len(), body.numbers[0] as usize));
        }
    }

    /// Whether two triangles have corners at one evaluated position: they may touch there, or miss
    /// by a rounding.
    fn share_a_place(&self, &[a, b, p, q]: &[u32; 4]) -> bool {
        let corners = |body: u32, triangle: u32| {
            let (world, id) = (&self.worlds[0], self.bodies[body as usize].id);
            let positions = world.positions(id).unwrap();
            world.mesh(id).unwrap().triangles()[triangle as usize].map(|vertex| positions[vertex as usize])
        };
        let of_b = corners(b, q);
        corners(a, p).iter().any(|corner| of_b.contains(corner))
    }

    fn next_time(&mut self, dice: &mut Dice, end: f64, steps: usize) -> f64 {
        let now = self.worlds[0].time();
        let next = self.worlds[0].stats().next_scheduled.unwrap_or(now);
        let kind = dice.below(6);
        self.is_near = self.is_continuous && (1..=3).contains(&kind) || (kind == 0 && self.is_near);
        let time = match kind {
            0 => now,
            1 | 2 => next,
            3 => next.next_up(),
            _ => now + 2.0 * (end - now) / steps as f64 * dice.unit(),
        };
        time.clamp(now, end)
    }
}

fn history(seed: u64, defs: &[WorldDef], premises: &mut Premises) {
    let mut dice = Dice::new(seed, &[77]);
    let style = style(seed, [3, 12, 40][seed as usize % 3]);
    let window = Span { begin: 0.0, end: style.length() };
    let mut worlds = Peers::new(defs);
    for _ in 0..=dice.below(3) {
        worlds.add(&mut dice, style, window);
    }
    let steps = 12;
    let mut on = BTreeSet::new();
    let is_continuous = worlds.is_continuous;
    worlds.grain = style.grain;
    for step in 0..steps {
        let time = worlds.next_time(&mut dice, window.end, steps - step);
        worlds.worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
        worlds.is_near |= is_continuous && style.grain != Grain::Real;
        follow(&mut on, worlds.worlds[0].contact_changes(), is_continuous);
        worlds.compare(premises);
        let began = worlds.worlds[0].ongoing_contacts();
        let window = Span { begin: time, ..window };
        worlds.change(&mut dice, style, window, premises);
        // A new plan may turn a rounding later.
        let soon = worlds.worlds[0].stats().next_scheduled.is_some_and(|next| next < time + 1e-9);
        worlds.is_near |= is_continuous && (soon || style.grain != Grain::Real);
        worlds.compare(premises);
        // A contact that is on before and after an edit began when it began.
        let now = worlds.worlds[0].ongoing_contacts();
        let both = began.iter().filter(|old| now.iter().any(|new| new.contact == old.contact));
        for contact in both.filter(|_| worlds.last_was_edit && !worlds.is_near) {
            premises.kept += 1;
            let new = now.iter().find(|new| new.contact == contact.contact).unwrap();
            assert_eq!(new.began, contact.began, "{:?}", contact.contact);
        }
    }
    premises.rebuilt_in_all += worlds.worlds[0].stats().tree.subtrees_rebuilt;
}

/// Changes of continuous contacts, read once after every advance, must fit each other.
fn follow(on: &mut BTreeSet<Contact>, changes: &[ContactChange], is_continuous: bool) {
    if is_continuous {
        for change in changes {
            let contact = change.contact();
            let fits = if change.is_begin() { on.insert(contact) } else { on.remove(&contact) };
            assert!(fits, "{change:?} although it was {}", if change.is_begin() { "on" } else { "off" });
        }
    }
}

#[test]
fn random_edits_of_worlds_that_look_at_times() {
    let defs = [Engine::Kinetic, Engine::Interval, Engine::Refit, Engine::BruteForce]
        .map(|engine| WorldDef::default().engine(engine).keep_events(true));
    let mut premises = Premises::default();
    for seed in 0..u64::from(cases(80)) {
        history(seed, &defs, &mut premises);
    }
    let Premises { edits, large_edits, ended_by_removal, began_by_addition, went_on, nonempty, compared, .. } =
        premises;
    assert!(edits > compared / 5 && large_edits > edits / 20, "{premises:?}");
    assert!(ended_by_removal > edits / 4 && began_by_addition > edits / 4 && went_on > edits / 20, "{premises:?}");
    assert!(premises.scheduled > edits / 20 && premises.refused > 0 && premises.rebuilt > 2, "{premises:?}");
    assert!(nonempty > compared / 2 && premises.self_contacts > compared / 2, "{premises:?}");
}

#[test]
fn random_edits_of_worlds_with_continuous_contacts() {
    let kinetic = WorldDef::default().contacts(ContactMode::Continuous);
    let defs = [kinetic, WorldDef::default().engine(Engine::BruteForce)];
    let mut premises = Premises::default();
    for seed in 0..u64::from(cases(40)) {
        history(1002 + seed, &defs, &mut premises);
    }
    let Premises { edits, ended_by_removal, began_by_addition, went_on, nonempty, compared, .. } = premises;
    // Compared are only histories in which rounding does not decide.
    assert!(compared > 80 && nonempty > compared / 4 && premises.kept > 10, "{premises:?}");
    assert!(ended_by_removal > edits / 4 && began_by_addition > edits / 4 && went_on > edits / 20, "{premises:?}");
}
