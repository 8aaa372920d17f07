//! What the tests of checks share: files of checks, random scenes, differences of texts.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fmt::Write as _;
use std::ops::ControlFlow;

use kinetree::check::{CheckSettings, JsonWriter, check};
use kinetree::io::{Scene, read_scene};

use crate::io_support::{Folder, Random, pc2};

pub(crate) fn with(change: impl FnOnce(&mut CheckSettings)) -> CheckSettings {
    let mut settings = CheckSettings::default();
    change(&mut settings);
    settings
}

/// The file of a check that ends at the sample of a number, without counters.
pub(crate) fn file_until(scene: &Scene, settings: &CheckSettings, last: usize) -> Vec<u8> {
    let bodies =
        check(scene, &with(|of| of.span = settings.span.map(|[begin, _]| [begin; 2])), |_| ControlFlow::Continue(()));
    let mut writer = JsonWriter::new(Vec::new(), &bodies.unwrap().bodies).unwrap();
    let result = check(scene, settings, |sample| {
        writer.sample(sample.time, sample.contacts).unwrap();
        if sample.number == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    writer.finish(&result.unwrap(), false, false).unwrap()
}

pub(crate) fn file(scene: &Scene, settings: &CheckSettings) -> Vec<u8> {
    file_until(scene, settings, usize::MAX)
}

/// The first line in which two texts differ.
pub(crate) fn difference(one: &str, two: &str) -> Option<String> {
    let lines = one.lines().zip(two.lines()).find(|(one, two)| one != two);
    lines.map(|(one, two)| format!("\n{one}\n{two}")).or_else(|| (one != two).then(|| "length".to_owned()))
}

/// A sheet of `side` × `side` vertices, with the size of a cell.
fn sheet(side: usize, cell: f32) -> (String, Vec<[f32; 3]>) {
    let mut obj = String::new();
    let mut points = Vec::new();
    for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
        let point = [x as f32 * cell, y as f32 * cell, 0.0];
        points.push(point);
        let _ = writeln!(obj, "v {} {} {}", point[0], point[1], point[2]);
    }
    for (x, y) in (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| (x, y))) {
        let corner = y * side + x + 1;
        let _ = writeln!(obj, "f {corner} {} {}", corner + 1, corner + side);
        let _ = writeln!(obj, "f {} {} {}", corner + 1, corner + side + 1, corner + side);
    }
    (obj, points)
}

/// A random scene in which sheets wave through each other: equal or different keys, loops, parts
/// that rest, velocities, contacts of a body with itself, thickness; on a lattice, so that touches
/// fall on keys, or anywhere.
pub(crate) fn wave(folder: &Folder, seed: u64) -> Scene {
    wave_of(folder, seed, 3)
}

/// The same of sheets that have at least `least` × `least` vertices.
pub(crate) fn wave_of(folder: &Folder, seed: u64, least: usize) -> Scene {
    let mut random = Random::new(seed);
    let is_lattice = random.below(2) == 0;
    let number = |random: &mut Random| {
        if is_lattice {
            random.below(5) as f32 * 0.25 - 0.5
        } else {
            random.below(1 << 20) as f32 / (1 << 20) as f32 - 0.5
        }
    };
    let mut text = String::from("span = [0, 2]\nfps = 6\n");
    let bodies = 2 + random.below(3);
    for body in 0..bodies {
        let (obj, points) = sheet(least + random.below(3), 0.25);
        folder.write(&format!("{seed}/{body}.obj"), &obj);
        let _ = write!(text, "[[body]]\nname = \"b{body}\"\nmesh = \"{body}.obj\"\n");
        let kind = random.below(8);
        if kind == 0 {
            let _ = writeln!(text, "translate = [0, 0, {}]", 0.1 * number(&mut random));
        } else if kind == 1 {
            let height = 0.5 + number(&mut random);
            let _ =
                writeln!(text, "translate = [0.05, 0, {height}]\nvelocity = [0, {}, {}]", number(&mut random), -height);
        } else {
            let frames = 2 + random.below(6);
            let rests = random.below(points.len());
            let mut positions = Vec::new();
            for _ in 0..frames {
                for (vertex, point) in points.iter().enumerate() {
                    let z = if vertex < rests { 0.0 } else { number(&mut random) };
                    positions.extend([point[0] + 0.03 * body as f32, point[1], z]);
                }
            }
            folder.write(&format!("{seed}/{body}.pc2"), pc2(points.len() as i32, 0.0, 1.0, frames as i32, &positions));
            let fps = [2.0, 3.0, 3.0, 3.0, 2.7][random.below(5)];
            let outside = ["hold", "loop", "loop"][random.below(3)];
            let _ = writeln!(text, "motion = \"{body}.pc2\"\nfps = {fps}\noutside = \"{outside}\"");
        }
        if random.below(4) == 0 {
            let _ = writeln!(text, "self_contact = true");
        }
        if random.below(6) == 0 {
            let _ = writeln!(text, "thickness = 0.01");
        }
    }
    read_scene(folder.write(&format!("{seed}/scene.toml"), text)).unwrap()
}
