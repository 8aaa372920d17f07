//! Continuous contacts found interval by interval (engine auto) against those of separation lists
//! (engine kinetic): the same contacts, with the same times, whatever is changed meanwhile.

use std::cell::RefCell;

use crate::common::dice::{Dice, Grain};
use crate::common::runner::check;
use crate::common::script::{Params, Player, Script, Sizes, histories, random_script};
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, Outside};
use kinetree::scenes::material::{folding_strip, random_soup};
use kinetree::world::{BodyDef, Contact, ContactChange, ContactMode, Engine, World, WorldDef};

/// What happened in all scenes.
#[derive(Clone, Copy, Debug, Default)]
struct Census {
    intervals: u64,
    changes: usize,
    begun: usize,
    compared: usize,
    nonempty: usize,
    inside: usize,
}

fn def(engine: Engine, start: f64) -> WorldDef {
    WorldDef::default().start(start).engine(engine).contacts(ContactMode::Continuous)
}

/// Changes in an order that does not depend on that of events of one moment. What touched first,
/// and whether that is decided, is left out where a contact begins because a plan was changed at
/// `since`: it is said of the window it was found in, on either side of that time.
fn sorted(changes: &[ContactChange], since: f64) -> Vec<ContactChange> {
    let mut changes = changes.to_vec();
    for change in &mut changes {
        if let ContactChange::Began { time, touch, undecided, .. } = change
            && time.lo == since
        {
            (*touch, *undecided) = (None, false);
        }
    }
    let key = |change: &ContactChange| {
        let time = change.time();
        (change.contact(), time.lo.to_bits() ^ (1 << 63), change.is_begin())
    };
    // A contact of no duration at the time of a change, which goes on all the same.
    let is_of_no_duration = |change: &ContactChange| match change {
        ContactChange::Ended { began, time, .. } => time.lo == since && *began == Some(*time),
        _ => false,
    };
    changes.retain(|change| !is_of_no_duration(change));
    changes.sort_by(|a, b| key(a).0.cmp(&key(b).0).then(key(a).1.cmp(&key(b).1)).then(key(b).2.cmp(&key(a).2)));
    changes.dedup();
    changes
}

/// Are both worlds' contacts and what changed since the last advance the same? Also at some times
/// just passed.
fn compare(worlds: [&World; 2], since: f64, dice: &mut Dice, census: &mut Census) -> Result<(), String> {
    let [auto, kinetic] = worlds;
    let now = auto.time();
    if auto.contacts() != kinetic.contacts() {
        return Err(format!("at {now}: {:?} by intervals, {:?} by lists", auto.contacts(), kinetic.contacts()));
    }
    let (found, expected) = (sorted(auto.contact_changes(), since), sorted(kinetic.contact_changes(), since));
    if found != expected {
        let only = |these: &[ContactChange], those: &[ContactChange]| {
            these.iter().filter(|change| !those.contains(change)).take(2).copied().collect::<Vec<_>>()
        };
        let (here, there) = (only(&found, &expected), only(&expected, &found));
        return Err(format!("from {since} to {now}: only by intervals {here:?}, only by lists {there:?}"));
    }
    if auto.ongoing_contacts() != kinetic.ongoing_contacts() {
        return Err(format!("at {now}: going on {:?}, {:?}", auto.ongoing_contacts(), kinetic.ongoing_contacts()));
    }
    census.compared += 1;
    census.begun += found.iter().filter(|change| change.is_begin()).count();
    census.nonempty += usize::from(!kinetic.contacts().is_empty());
    // Inside enclosures too, where an exact test tells.
    let ends = found.iter().map(|change| {
        let time = change.time();
        0.5 * time.lo + 0.5 * time.hi
    });
    let between = [dice.real(since, now.next_up()).clamp(since, now)];
    for time in ends.chain(between).filter(|time| (since..=now).contains(time)) {
        let both: [Vec<Contact>; 2] = worlds.map(|world| world.contacts_at(time).unwrap());
        if both[0] != both[1] {
            return Err(format!("just passed, at {time}: {:?} by intervals, {:?} by lists", both[0], both[1]));
        }
        census.inside += 1;
    }
    let audit = auto.audit();
    if audit.is_clean() { Ok(()) } else { Err(format!("at {now}: {audit}")) }
}

fn replay(script: &Script, seed: u64, census: &RefCell<Census>) -> Result<(), String> {
    let mut players = [Engine::Auto, Engine::Kinetic].map(|engine| Player::within(script, def(engine, script.start)));
    let [Ok(auto), Ok(kinetic)] = &mut players else { return Err(format!("{:?}", players.map(Result::err))) };
    let (mut dice, mut since) = (Dice::new(seed, &[7]), script.start);
    for step in &script.steps {
        auto.advance(step.time)?;
        kinetic.advance(step.time)?;
        compare([&auto.world, &kinetic.world], since, &mut dice, &mut census.borrow_mut())?;
        since = step.time;
        if let Some(change) = &step.change {
            auto.apply(change)?;
            kinetic.apply(change)?;
            census.borrow_mut().changes += 1;
            if auto.world.contacts() != kinetic.world.contacts() {
                return Err(format!("after {change:?}: {:?}, {:?}", auto.world.contacts(), kinetic.world.contacts()));
            }
        }
    }
    census.borrow_mut().intervals += auto.world.stats().engines.intervals;
    Ok(())
}

#[test]
fn random_histories_have_the_same_contacts_by_intervals_and_by_lists() {
    let sizes = Sizes {
        bodies: 1..=4,
        triangles: 24,
        keys: 9,
        steps: 16,
        changes: 30,
        grains: vec![Grain::Real, Grain::Lattice, Grain::Crooked],
        long: 0.2,
        curved: vec![0, 0, 0, 30],
    };
    let census = RefCell::new(Census::default());
    check("intervals_and_lists", 200, &histories(sizes), |params: Params| {
        replay(&random_script(params)?, params.seed, &census)
    });
    let census = census.into_inner();
    println!("{census:?}");
    let Census { intervals, changes, begun, compared, nonempty, inside } = census;
    assert!(compared > 1_000 && changes > 150 && intervals > 200, "{census:?}");
    assert!(begun > 250 && nonempty > 150 && inside > 1_000, "{census:?}");
}

/// Strips that fold onto themselves and each other, and soups, with key times of their own, loops,
/// thickness and self-contact.
#[test]
fn strips_and_soups_by_intervals_and_by_lists() {
    let (mut dice, mut census) = (Dice::new(3, &[]), Census::default());
    for round in 0..4_u64 {
        let clips = [folding_strip(30, 5), random_soup(round, 40, 4, 3.0), random_soup(100 + round, 40, 5, 3.0)];
        let looped = usize::try_from(round % 4).unwrap();
        let mut worlds = [Engine::Auto, Engine::Kinetic].map(|engine| World::new(def(engine, 0.0)).unwrap());
        for (place, clip) in clips.iter().enumerate() {
            let mesh = Mesh::new(clip.vertex_count, clip.triangles.clone()).unwrap();
            let positions = clip.positions.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect();
            let plan = Flightplan::keyframes(clip.times.clone(), positions);
            let plan = if place == looped && looped < 3 { plan.outside(Outside::Loop) } else { plan };
            let thickness = [0.0, 0.0, 0.02][usize::try_from(round % 3).unwrap()];
            let body = BodyDef::new(mesh, plan).self_contact(true).thickness(thickness);
            for world in &mut worlds {
                world.add_body(body.clone()).unwrap();
            }
        }
        let last = clips.iter().map(|clip| clip.times[clip.times.len() - 1]).fold(0.0, f64::max);
        let mut since = 0.0;
        for look in 1..=20 {
            let time = 1.6 * last * f64::from(look) / 20.0;
            worlds.iter_mut().for_each(|world| world.advance_to(time).unwrap());
            let [auto, kinetic] = &worlds;
            compare([auto, kinetic], since, &mut dice, &mut census)
                .unwrap_or_else(|why| panic!("round {round}: {why}"));
            since = time;
        }
        census.intervals += worlds[0].stats().engines.intervals;
    }
    println!("{census:?}");
    assert!(census.begun > 1_000 && census.nonempty > 50 && census.intervals > 100, "{census:?}");
}
