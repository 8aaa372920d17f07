//! How things grow with the number of triangles: events, memory, and time per keyframe interval, which should be linear.

use std::fmt::Write as _;

use kinetree::baked::{BakeFormat, BakedClip};
use kinetree::bvh::Builder;
use kinetree::time::Span;

use crate::common::clock;
use crate::contender::Contender;
use crate::ours::Pairs;
use crate::report::{Spread, folder};
use crate::scene::{Part, Scene, scene};
use crate::svg::{Figure, Panel, Series};
use crate::trees::{Replayed, Trees};

/// Scenes by size.
const SIZES: [(&str, usize); 12] = [
    ("A", 2_000),
    ("A", 8_000),
    ("A", 16_000),
    ("A", 64_000),
    ("A", 200_000),
    ("A", 500_000),
    ("B", 2_000),
    ("B", 8_000),
    ("B", 32_000),
    ("B", 130_000),
    ("B", 260_000),
    ("B", 500_000),
];

/// Triangles in a leaf of baked trees.
const LEAF: usize = 8;

/// Intervals of each scene, the same for all sizes.
const INTERVALS: usize = 6;

#[derive(Clone, Debug)]
struct Grown {
    family: &'static str,
    /// Of bodies that move.
    triangles: usize,
    /// Per triangle and interval.
    events: f64,
    tree_bytes: f64,
    pair_bytes: f64,
    /// Nanoseconds per triangle and interval: boxes with their events; pairs with their candidates.
    tree_time: f64,
    pair_time: f64,
}

fn measure(family: &'static str, scene: &Scene) -> Grown {
    let moving = scene.actors().filter(|actor| !actor.is_fixed());
    let triangles = moving.map(|actor| actor.mesh.triangles().len()).sum::<usize>() as f64;
    let mut events = 0usize;
    for actor in scene.actors().filter(|actor| !actor.is_fixed()) {
        let topology = actor.topology(LEAF, Builder::default());
        let span = Span { begin: scene.times[0], end: scene.times[scene.intervals()] };
        let clip = BakedClip::bake(topology, &actor.motion, span, BakeFormat::Stamped, 0).expect("no jump");
        events += clip.event_count();
    }
    let mut trees = Trees::<Replayed<false>>::new(scene, 2);
    let mut pairs = Pairs::new(scene, false);
    let (mut tree_times, mut pair_times) = (Vec::new(), Vec::new());
    for interval in 0..scene.intervals() {
        let ((), time) = clock::time(|| {
            trees.key(scene, interval);
            scene.frames(interval, 2).for_each(|frame| trees.update(scene, &frame));
        });
        tree_times.push(time / triangles);
        let ((), time) = clock::time(|| {
            pairs.key(scene, interval);
            pairs.prepare(scene, interval);
        });
        pair_times.push(time / triangles);
    }
    Grown {
        family,
        triangles: triangles as usize,
        events: events as f64 / triangles / scene.intervals() as f64,
        tree_bytes: trees.bytes() as f64 / triangles,
        pair_bytes: pairs.bytes() as f64 / triangles,
        tree_time: Spread::of(&tree_times).median,
        pair_time: Spread::of(&pair_times).median,
    }
}

/// Measures, prints, and writes the plot if asked to.
pub fn run(is_quick: bool, is_written: bool, machine: &str) {
    let mut all = Vec::new();
    let mut text = format!(
        "{machine}\n\n| scene | triangles that move | events / triangle / interval | bytes / triangle: baked trees, pair windows | ns / triangle / interval: baked trees, pair windows |\n|---|---|---|---|---|\n"
    );
    for (family, triangles) in SIZES {
        let intervals = if is_quick { 2 } else { INTERVALS };
        let Some(scene) = scene(family, triangles, Part { intervals, from: 0.75 }) else { continue };
        let grown = measure(family, &scene);
        let line = format!(
            "| {family} | {} | {:.3} | {:.0}, {:.0} | {:.2}, {:.2} |",
            grown.triangles, grown.events, grown.tree_bytes, grown.pair_bytes, grown.tree_time, grown.pair_time
        );
        println!("{line}");
        let _ = writeln!(text, "{line}");
        all.push(grown);
    }
    if is_written {
        std::fs::write(folder().join("growth.md"), text).expect("a file that can be written");
        std::fs::write(folder().join("growth.svg"), figure(&all).svg()).expect("a file that can be written");
    }
}

/// A figure of a measured scene.
type Figured = fn(&Grown) -> f64;

fn figure(all: &[Grown]) -> Figure {
    let panel = |title: &str, label: &str, lines: &[(&str, usize, Figured)]| {
        let series = ["A", "B"].into_iter().enumerate().flat_map(|(place, family)| {
            lines.iter().map(move |&(name, look, value)| {
                let of_family = all.iter().filter(|grown| grown.family == family);
                Series {
                    name: format!("{family}{name}"),
                    points: of_family.map(|grown| (grown.triangles as f64, value(grown))).collect(),
                    look: 2 * place + look,
                    dashed: look == 1,
                }
            })
        });
        Panel {
            title: title.into(),
            x_label: "triangles that move".into(),
            y_label: label.into(),
            x_log: true,
            y_log: false,
            series: series.collect(),
        }
    };
    let panels = vec![
        panel(
            "events of baked trees",
            "events per triangle and interval",
            &[(", baked trees", 0, |grown| grown.events)],
        ),
        panel(
            "memory",
            "bytes per triangle",
            &[(", baked trees", 0, |grown| grown.tree_bytes), (", pair windows", 1, |grown| grown.pair_bytes)],
        ),
        panel(
            "time of an interval",
            "ns per triangle and interval",
            &[(", baked trees", 0, |grown| grown.tree_time), (", pair windows", 1, |grown| grown.pair_time)],
        ),
    ];
    Figure {
        title: "Growth with the number of triangles: level lines are linear growth".into(),
        caption: vec![
            "A: cloth on a table; B: dress and body. Leaves of 8 triangles; six intervals of the last third of each clip. Processor time of one thread, medians.".into(),
            "Made by cargo bench --bench versus_peers --features peers -- growth write; the figures are in growth.md.".into(),
        ],
        columns: 4,
        panels,
    }
}
