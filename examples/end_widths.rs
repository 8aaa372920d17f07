//! How wide the enclosures of contact ends are, and how many contacts are undecided; the table of
//! docs/NUMERICS.md.
//!
//! `cargo run --release --features scenes --example end_widths [CASE]`

use kinetree::scenes::material::random_soup;
use kinetree::scenes::{Clip, Random};
use kinetree::{BodyDef, ContactMode, Engine, Flightplan, Mesh, World, WorldDef};

/// What is done to the keys of both soups, and of the second one.
#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    /// Factor of all coordinates, and what is added to them along x, metres.
    scale: f32,
    offset: f32,
    /// The first key, seconds.
    start: f64,
    /// By which part of a key interval the second body's keys come later.
    later: f64,
    /// Whether keys from the third on are appended while time goes by.
    streamed: bool,
    /// Whether from key to key each coordinate goes to its neighbour in `f32`, up or down, and the
    /// second body begins within three such steps of the first.
    ulps: bool,
}

const SOUP: Case = Case { name: "", scale: 1.0, offset: 0.0, start: 0.0, later: 0.0, streamed: false, ulps: false };

/// Each with equal keys of both bodies, and with different ones.
const CASES: [Case; 10] = [
    Case { name: "keys", ..SOUP },
    Case { name: "streamed keys", streamed: true, ..SOUP },
    Case { name: "offset 1e3 m", offset: 1e3, ..SOUP },
    Case { name: "offset 1e6 m", offset: 1e6, ..SOUP },
    Case { name: "scale 1e-6", scale: 1e-6, ..SOUP },
    Case { name: "scale 1e6", scale: 1e6, ..SOUP },
    Case { name: "from 1e3 s", start: 1e3, ..SOUP },
    Case { name: "from 1e6 s", start: 1e6, ..SOUP },
    Case { name: "velocities of one ulp", ulps: true, ..SOUP },
    Case { name: "of one ulp, from 1e6 s", ulps: true, start: 1e6, ..SOUP },
];

/// The key times and positions of a soup, key by key.
fn keys(case: &Case, clip: &Clip, is_second: bool) -> (Vec<f64>, Vec<Vec<[f32; 3]>>) {
    let length = clip.times[1] - clip.times[0];
    let later = if is_second { case.later * length } else { 0.0 };
    let times = clip.times.iter().map(|time| time + later + case.start).collect();
    let points = clip.positions.as_chunks::<3>().0;
    let place = |point: &[f32; 3]| {
        let [x, y, z] = point.map(|x| x * case.scale);
        [x + case.offset, y, z]
    };
    let mut all: Vec<Vec<[f32; 3]>> =
        points.chunks(clip.vertex_count).map(|key| key.iter().map(place).collect()).collect();
    if case.ulps {
        if is_second {
            let mut random = Random::new(all.len() as u64);
            for x in all[0].iter_mut().flatten() {
                let steps = (random.unit() * 7.0) as u32;
                *x = f32::from_bits((x.to_bits() + steps).saturating_sub(3));
            }
        }
        for key in 1..all.len() {
            let (before, turns) = (all[key - 1].clone(), all[key].clone());
            let next = |(x, turn): (f32, f32)| if turn > x { x.next_up() } else { x.next_down() };
            let moved = before.iter().zip(&turns).map(|(p, q)| [0, 1, 2].map(|axis| next((p[axis], q[axis]))));
            all[key] = moved.collect();
        }
    }
    (times, all)
}

fn body(case: &Case, clip: &Clip, is_second: bool) -> Result<BodyDef, kinetree::Error> {
    let (times, all) = keys(case, clip, is_second);
    let count = if case.streamed { 2 } else { times.len() };
    let plan = Flightplan::keyframes(times[..count].to_vec(), all[..count].concat());
    Ok(BodyDef::new(Mesh::new(clip.vertex_count, clip.triangles.clone())?, plan).self_contact(true))
}

/// Widths of all ends, seconds; contacts and how many of them are undecided.
#[derive(Default)]
struct Found {
    widths: Vec<f64>,
    contacts: usize,
    undecided: usize,
}

fn run(case: &Case, seed: u64, found: &mut Found) -> Result<(), kinetree::Error> {
    let second = if case.ulps { seed } else { seed + 500 };
    let mut clips = [random_soup(seed, 60, 8, 1.0), random_soup(second, 60, 8, 1.0)];
    if case.ulps {
        // Other ways from the same places.
        let first = 3 * clips[1].vertex_count;
        clips[1].positions[first..].reverse();
    }
    let (times, _) = keys(case, &clips[0], false);
    let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous).start(times[0]);
    let mut world = World::new(def)?;
    let mut ids = Vec::new();
    for (number, clip) in clips.iter().enumerate() {
        ids.push(world.add_body(body(case, clip, number == 1)?)?);
    }
    for key in 1..times.len() {
        if case.streamed && key + 1 < times.len() {
            for (number, clip) in clips.iter().enumerate() {
                let (times, all) = keys(case, clip, number == 1);
                world.extend_flightplan(ids[number], times[key + 1], &all[key + 1])?;
            }
        }
        world.advance_to(times[key])?;
        for change in world.contact_changes() {
            // What is there from the start has no begin.
            if change.time().hi > times[0] {
                found.widths.push(change.time().hi - change.time().lo);
            }
            found.contacts += usize::from(change.is_begin());
            found.undecided += usize::from(change.is_begin() && change.is_undecided());
        }
    }
    Ok(())
}

fn main() -> Result<(), kinetree::Error> {
    println!("| case | keys | ends | median | 99 % | widest | contacts | undecided |");
    println!("|---|---|---|---|---|---|---|---|");
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for case in CASES.into_iter().filter(|case| case.name.contains(&wanted)) {
        for (what, later) in [("equal", 0.0), ("different", 0.37)] {
            let case = Case { later, ..case };
            let mut found = Found::default();
            (0..20).try_for_each(|seed| run(&case, seed, &mut found))?;
            found.widths.sort_by(f64::total_cmp);
            let widths = &found.widths;
            let at = |share: f64| widths.get((share * (widths.len() as f64 - 1.0)) as usize).copied().unwrap_or(0.0);
            println!(
                "| {} | {what} | {} | {:.1e} s | {:.1e} s | {:.1e} s | {} | {} |",
                case.name,
                widths.len(),
                at(0.5),
                at(0.99),
                at(1.0),
                found.contacts,
                found.undecided
            );
        }
    }
    Ok(())
}
