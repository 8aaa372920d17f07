//! Random bodies that move linearly from key to key, and their boxes.

use kinetree::bvh::{BuildParams, Builder, Hierarchy, Topology, Width};
use kinetree::interval::IntervalBoxes;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, KeyLayout, Motion, Outside};
use kinetree::time::{Moment, Span};

use crate::dice::{Dice, Grain};
use crate::record::Record;

/// What bodies are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Triangles without common corners, of integers.
    LatticeSoup,
    /// The same of any numbers.
    Soup,
    /// A surface of integers; folds and flat parts.
    LatticeSheet,
    /// A surface of tenths.
    CrookedSheet,
    /// A surface of any numbers.
    Sheet,
    /// A surface a million metres away.
    FarSheet,
    /// A surface of about 2⁻⁶⁰ metres.
    TinySheet,
    /// A surface of about 2⁻¹⁴⁰ metres.
    SubnormalSheet,
    /// A surface in a plane, in which it moves.
    FlatSheet,
}

pub(crate) const KINDS: [Kind; 9] = [
    Kind::LatticeSoup,
    Kind::Soup,
    Kind::LatticeSheet,
    Kind::CrookedSheet,
    Kind::Sheet,
    Kind::FarSheet,
    Kind::TinySheet,
    Kind::SubnormalSheet,
    Kind::FlatSheet,
];

impl Kind {
    fn grain(self) -> Grain {
        match self {
            Self::LatticeSoup | Self::LatticeSheet => Grain::Lattice,
            Self::CrookedSheet => Grain::Crooked,
            _ => Grain::Real,
        }
    }

    /// The size of triangles.
    pub(crate) fn unit(self) -> f64 {
        match self {
            Self::TinySheet => crate::inputs::two(-60),
            Self::SubnormalSheet => crate::inputs::two(-140),
            _ => 1.0,
        }
    }

    /// A place as the kind has it, with other axes.
    fn placed(self, mut point: [f32; 3], turn: usize) -> [f32; 3] {
        point.rotate_right(turn);
        match self {
            Self::FarSheet => point.map(|x| x + 1e6),
            Self::TinySheet | Self::SubnormalSheet => point.map(|x| x * self.unit() as f32),
            _ => point,
        }
    }
}

/// A body and its boxes.
pub(crate) struct Body {
    pub(crate) mesh: Mesh,
    pub(crate) motion: Motion,
    pub(crate) topology: Topology,
    pub(crate) rest: Vec<[f32; 3]>,
    pub(crate) boxes: IntervalBoxes,
}

/// Triangles and the number of their vertices.
fn shape(dice: &mut Dice, kind: Kind, size: usize) -> (usize, Vec<[u32; 3]>) {
    if matches!(kind, Kind::LatticeSoup | Kind::Soup) {
        let count = 2 + dice.below(2 * size * size);
        return (3 * count, (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect());
    }
    let (columns, rows) = (1 + dice.below(size), 1 + dice.below(size));
    let vertex = |column: usize, row: usize| (column + row * (columns + 1)) as u32;
    let mut triangles = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let [p, q] = [vertex(column, row), vertex(column + 1, row)];
            let [r, s] = [vertex(column, row + 1), vertex(column + 1, row + 1)];
            triangles.extend([[p, q, r], [s, r, q]]);
        }
    }
    ((columns + 1) * (rows + 1), triangles)
}

/// Where the vertices of a body are at first.
fn places(dice: &mut Dice, kind: Kind, count: usize, columns: usize) -> Vec<[f32; 3]> {
    let grain = kind.grain();
    let coordinate = |dice: &mut Dice, range: i32| grain.coordinate(dice, range);
    if matches!(kind, Kind::LatticeSoup | Kind::Soup) {
        let mut all = Vec::new();
        for _ in 0..count / 3 {
            let middle: [f32; 3] = std::array::from_fn(|_| coordinate(dice, 3));
            for _ in 0..3 {
                all.push(middle.map(|x| x + coordinate(dice, 1)));
            }
        }
        return all;
    }
    let step = if grain == Grain::Crooked { 0.1 } else { 1.0 };
    (0..count)
        .map(|vertex| {
            let height = coordinate(dice, 1);
            let height = if kind == Kind::FlatSheet { 0.5 } else { height };
            [step * (vertex % columns) as f32, step * (vertex / columns) as f32, height]
        })
        .collect()
}

impl Body {
    pub(crate) fn new(dice: &mut Dice, kind: Kind, size: usize, turn: usize) -> Self {
        let (count, triangles) = shape(dice, kind, size);
        // Of a surface, the first triangle tells how many vertices a row has.
        let columns = triangles[0][2] as usize;
        let first = places(dice, kind, count, columns.max(1));
        let grain = kind.grain();
        let is_flat = kind == Kind::FlatSheet;
        let shift = |dice: &mut Dice| -> [f32; 3] {
            std::array::from_fn(|k| if is_flat && k == 2 { 0.0 } else { grain.coordinate(dice, 2) })
        };
        let plus = |p: &[f32; 3], q: [f32; 3]| [0, 1, 2].map(|k| p[k] + q[k]);
        let plan = match dice.below(8) {
            0 => Flightplan::fixed(first.iter().map(|&p| kind.placed(p, turn)).collect()),
            1 | 2 => {
                let rigid = shift(dice);
                let is_rigid = dice.percent(50);
                let speeds = first.iter().map(|_| if is_rigid { rigid } else { shift(dice) }.map(|x| 0.5 * x));
                let turned = |mut way: [f32; 3]| {
                    way.rotate_right(turn);
                    way.map(|x| x * kind.unit() as f32)
                };
                let speeds: Vec<[f32; 3]> = speeds.map(turned).collect();
                let positions = first.iter().map(|&p| kind.placed(p, turn)).collect();
                if dice.percent(50) {
                    Flightplan::velocities(0.0, positions, speeds)
                } else {
                    Flightplan::velocities_until(Span { begin: 0.0, end: 2.5 }, positions, speeds)
                }
            }
            _ => {
                let times = dice.pick(&[vec![0.0, 1.0, 2.0, 3.0], vec![0.0, 0.75, 2.0], vec![0.0, 2.0, 2.5, 4.0]]);
                let mut all = Vec::new();
                let mut now = first.clone();
                for _ in &times {
                    all.extend(now.iter().map(|&p| kind.placed(p, turn)));
                    let way = shift(dice);
                    match dice.below(4) {
                        0 => {}
                        1 => now.iter_mut().for_each(|p| *p = plus(p, way)),
                        2 => {
                            // One vertex alone.
                            let vertex = dice.below(now.len());
                            now[vertex] = plus(&now[vertex], way);
                        }
                        _ => now = first.iter().map(|p| plus(p, shift(dice))).collect(),
                    }
                }
                let outside = if dice.percent(25) { Outside::Loop } else { Outside::Hold };
                Flightplan::keyframes(times, all).outside(outside)
            }
        };
        let build = BuildParams {
            builder: dice.pick(&[Builder::MedianSplit, Builder::BinnedSurfaceArea, Builder::CovarianceMedian]),
            leaf_size: dice.pick(&[1, 1, 2, 4, 8, 9]),
            width: Width::Two,
        };
        Self::moving(plan, count, triangles, build)
    }

    pub(crate) fn moving(plan: Flightplan, count: usize, triangles: Vec<[u32; 3]>, build: BuildParams) -> Self {
        let mesh = Mesh::new(count, triangles).unwrap();
        let rest = plan.rest_positions(count).to_vec();
        let motion = Motion::new(plan, count, KeyLayout::KeyMajor).unwrap();
        let mut start = Vec::new();
        motion.positions(Moment::at(0.0), &mut start);
        let topology = Topology::build(&mesh, &start, build);
        let boxes = IntervalBoxes::over(topology.clone(), &motion, 0.0).unwrap();
        Self { mesh, motion, topology, rest, boxes }
    }

    pub(crate) fn positions(&self, at: Moment) -> Vec<[f64; 3]> {
        let mut positions = Vec::new();
        self.motion.positions(at, &mut positions);
        positions
    }

    /// Moves the boxes on and tells what they are; whether there is an interval.
    pub(crate) fn follow(&mut self, record: &mut Record, from: f64, until: f64) -> bool {
        let followed = self.boxes.follow(&self.motion, Moment::after(from), until);
        record.text(&format!("{followed:?}"));
        tell_boxes(record, &self.boxes, from);
        followed.is_ok()
    }
}

/// The interval of boxes, and all boxes at some moments.
pub(crate) fn tell_boxes(record: &mut Record, boxes: &IntervalBoxes, from: f64) {
    record.numbers(&[boxes.begin(), boxes.end(), boxes.slack()]);
    let end = if boxes.end().is_finite() { boxes.end() } else { from + 2.0 };
    let moments = [Moment::at(from), Moment::after(from), Moment::at(0.7 * from + 0.3 * end), Moment::at(end)];
    for at in moments.into_iter().chain([Moment::at(-1.0), Moment::at(100.0)]) {
        for node in 0..boxes.topology().node_count() as u32 {
            let bounds = boxes.node_box(node, at);
            record.numbers(&bounds.min);
            record.numbers(&bounds.max);
        }
    }
}
