//! Reduced bodies whose vertices have whole places at every key: maps are quarter turns and whole
//! translations, morph weights 0 and 1. The model computes the places of keys from them; between
//! keys it knows the body by these alone, as it knows any other.

use std::sync::Arc;

use kinetree::bvh::BoundedSampler;
use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::{
    Affine, Blend, Break, DerivativeBounds, Driver, Influences, MapDerivativeBounds, MorphTarget, Pose,
    PoseDerivativeBounds, PoseKeys, PoseStream, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy,
};
use kinetree::time::{Moment, Side, Span};

use super::motion::{Beyond, Keys, Units};
use super::scene::{Frame, Over, outside, point, seconds, times};
use super::source::Source;

/// How a host makes keys.
#[derive(Clone, Debug)]
pub(crate) enum Maker {
    /// Vertex by vertex.
    Sampler,
    /// The same, with boxes of its own.
    Bounded,
    Reduced(Reduced),
}

/// `quarters` quarter turns about `axis`, then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct WholeMap {
    axis: usize,
    quarters: usize,
    translation: Units,
}

impl WholeMap {
    fn turn(&self, mut point: Units) -> Units {
        let (one, two) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        for _ in 0..self.quarters {
            (point[one], point[two]) = (-point[two], point[one]);
        }
        point
    }

    fn apply(&self, point: Units) -> Units {
        let turned = self.turn(point);
        std::array::from_fn(|k| turned[k] + self.translation[k])
    }

    /// In metres; rest positions are shifted by the frame's offset.
    fn affine(&self, frame: Frame) -> Affine {
        let columns = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|unit| self.turn(unit));
        let offset = self.turn([frame.offset; 3]);
        Affine::from_rows(std::array::from_fn(|row| {
            let shift = frame.length(self.translation[row] + frame.offset - offset[row]);
            [columns[0][row] as f64, columns[1][row] as f64, columns[2][row] as f64, shift]
        }))
    }
}

#[derive(Clone, Debug, PartialEq)]
struct WholePose {
    maps: Vec<WholeMap>,
    morph: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Route {
    Keys,
    Driver,
    Stream,
}

/// What a mesh and its poses may be.
#[derive(Clone, Copy, Debug)]
struct Kind {
    /// Vertices that follow two maps: all maps of a pose turn alike, by even translations.
    are_shared: bool,
    is_spherical: bool,
    is_combination: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    mesh: Arc<ReducedMesh>,
    pub(crate) rest: Vec<Units>,
    /// Per vertex, maps with their weights, in halves.
    weights: Vec<Vec<(u32, i64)>>,
    morphs: Vec<Vec<Units>>,
    kind: Kind,
    route: Route,
    pub(crate) is_bounded: bool,
    arrive: Vec<WholePose>,
    leave: Vec<WholePose>,
}

/// The maps of a mesh.
const MAPS: usize = 2;

impl Reduced {
    /// A body that moves from key to key; over the mesh of another one if there is one.
    pub(crate) fn new(source: &mut Source, over: &Over, now: i64) -> (Keys, Self) {
        let mut body = match over.reduced.filter(|_| source.percent(70)) {
            Some(old) => old.clone(),
            None => Self::of_shape(source, over),
        };
        body.route = source.pick(&[Route::Keys, Route::Driver, Route::Stream]);
        body.is_bounded = source.percent(80);
        let (times, mut beyond) = times(source, now);
        if body.route == Route::Stream {
            beyond = Beyond::Hold;
        }
        body.arrive = times.iter().map(|_| body.pose(source)).collect();
        body.leave.clone_from(&body.arrive);
        for key in 1..times.len() - 1 {
            if body.route != Route::Keys && source.percent(40) {
                body.leave[key] = body.pose(source);
            }
        }
        (body.keys(times, beyond), body)
    }

    fn of_shape(source: &mut Source, over: &Over) -> Self {
        let kind = Kind {
            are_shared: source.percent(40),
            is_spherical: source.percent(30),
            is_combination: source.percent(20),
        };
        let kind = Kind { is_combination: kind.is_combination && !kind.is_spherical, ..kind };
        let weights = over.rest.iter().map(|_| match source.below(4) {
            0 | 1 => vec![(0, 2)],
            2 => vec![(1, 2)],
            _ if kind.is_combination => vec![(0, 4), (1, -2)],
            _ if kind.are_shared => vec![(0, 1), (1, 1)],
            _ => vec![(1, 2)],
        });
        let weights: Vec<Vec<(u32, i64)>> = weights.collect();
        let displacement = |source: &mut Source| if source.percent(50) { point(source) } else { [0; 3] };
        let targets = source.below(3);
        let morphs: Vec<Vec<Units>> =
            (0..targets).map(|_| over.rest.iter().map(|_| displacement(source)).collect()).collect();
        let halves = weights.iter().map(|list| list.iter().map(|&(map, w)| (map, w as f64 / 2.0)).collect());
        let influences = if kind.is_combination {
            Influences::combination(MAPS, halves)
        } else {
            Influences::convex(MAPS, halves, WeightPolicy::default())
        };
        let blend = match kind {
            Kind { is_combination: true, .. } => Blend::Combination,
            Kind { is_spherical: true, .. } => Blend::Spherical { joints: vec![over.frame.wide([1, 0, 0]); MAPS] },
            _ => Blend::Linear,
        };
        let target = |deltas: &Vec<Units>| {
            MorphTarget::dense(&deltas.iter().map(|d| d.map(|x| over.frame.length(x) as f32)).collect::<Vec<_>>())
        };
        let def = ReducedDef {
            mesh: Mesh::new(over.rest.len(), over.triangles.to_vec()).expect("a good mesh"),
            rest: over.rest.iter().map(|&p| over.frame.point(p)).collect(),
            influences: influences.expect("good weights"),
            morphs: morphs.iter().map(target).collect(),
            blend,
        };
        Self {
            mesh: Arc::new(ReducedMesh::new(def).expect("a good reduced mesh")),
            rest: over.rest.to_vec(),
            weights,
            morphs,
            kind,
            route: Route::Keys,
            is_bounded: true,
            arrive: Vec::new(),
            leave: Vec::new(),
        }
    }

    fn pose(&self, source: &mut Source) -> WholePose {
        let turn = (source.below(3), if source.percent(50) { source.below(4) } else { 0 });
        let common = point(source);
        let maps = (0..MAPS).map(|map| {
            let parts = map > 0 && source.percent(30);
            let (axis, quarters) =
                if parts && !self.kind.are_shared { (source.below(3), source.below(4)) } else { turn };
            let translation = if parts { point(source) } else { common };
            let translation = translation.map(|x| if self.kind.are_shared { 2 * x } else { x });
            WholeMap { axis, quarters, translation }
        });
        let maps = maps.collect();
        let morph = source.below(self.morphs.len() + 1).checked_sub(1);
        WholePose { maps, morph }
    }

    fn places(&self, pose: &WholePose) -> Vec<Units> {
        let place = |(vertex, &rest): (usize, &Units)| {
            let delta = pose.morph.map_or([0; 3], |morph| self.morphs[morph][vertex]);
            let from: Units = std::array::from_fn(|k| rest[k] + delta[k]);
            let mut doubled = [0; 3];
            for &(map, weight) in &self.weights[vertex] {
                let to = pose.maps[map as usize].apply(from);
                (0..3).for_each(|k| doubled[k] += weight * to[k]);
            }
            assert!(doubled.iter().all(|x| x % 2 == 0), "a whole place");
            doubled.map(|x| x / 2)
        };
        self.rest.iter().enumerate().map(place).collect()
    }

    fn keys(&self, times: Vec<i64>, beyond: Beyond) -> Keys {
        let places = |poses: &[WholePose]| poses.iter().map(|pose| self.places(pose)).collect();
        let leave = if self.arrive == self.leave { Vec::new() } else { places(&self.leave) };
        Keys { times, arrive: places(&self.arrive), leave, beyond }
    }

    /// One pose more, at a tick after the last one; `None` for loops.
    pub(crate) fn extended(&self, source: &mut Source, keys: &Keys, now: i64, at: i64) -> Option<(Keys, Self)> {
        let (mut body, mut times) = (self.clone(), keys.times.clone());
        if keys.beyond == Beyond::Loop {
            return None;
        }
        let last = self.arrive[self.arrive.len() - 1].clone();
        let added = [(now, last), (at, self.pose(source))];
        for (time, pose) in added.into_iter().filter(|&(time, _)| time > keys.times[keys.times.len() - 1]) {
            times.push(time);
            body.arrive.push(pose.clone());
            body.leave.push(pose);
        }
        Some((body.keys(times, keys.beyond), body))
    }

    /// What the library is given.
    pub(crate) fn sampler(&self, keys: &Keys, frame: Frame) -> Arc<dyn BoundedSampler> {
        let times: Vec<f64> = keys.times.iter().map(|&time| seconds(time)).collect();
        let pose = |pose: &WholePose| Pose {
            maps: pose.maps.iter().map(|map| map.affine(frame)).collect(),
            morphs: (0..self.morphs.len()).map(|morph| f64::from(u8::from(pose.morph == Some(morph)))).collect(),
        };
        let arrive: Vec<Pose> = self.arrive.iter().map(pose).collect();
        let centres = vec![frame.wide([0, 1, 0]); MAPS];
        let driver: Arc<dyn Driver> = match self.route {
            Route::Keys => Arc::new(PoseKeys::new(&times, arrive, centres, outside(keys.beyond)).expect("good poses")),
            Route::Driver => {
                let leave: Vec<Pose> = self.leave.iter().map(pose).collect();
                let breaks = (0..times.len()).map(|key| Break { time: times[key], is_jump: arrive[key] != leave[key] });
                Arc::new(Host { breaks: breaks.collect(), arrive, leave, centres, outside: outside(keys.beyond) })
            }
            Route::Stream => {
                let mut stream =
                    PoseStream::new(Arc::clone(&self.mesh), times[0], arrive[0].clone()).expect("a good pose");
                for key in 1..times.len() {
                    stream.extend(times[0], times[key], arrive[key].clone()).expect("a good pose");
                    if self.arrive[key] != self.leave[key] {
                        stream.jump(times[0], times[key], pose(&self.leave[key])).expect("a good pose");
                    }
                }
                return stream.sampler();
            }
        };
        let body = ReducedBody::new(Arc::clone(&self.mesh), driver).expect("a good body");
        body.sampler(body.pieces_at(&[]).expect("few pieces")).expect("within bounds")
    }
}

/// A host's driver: linear between poses, with jumps.
#[derive(Debug)]
struct Host {
    breaks: Vec<Break>,
    arrive: Vec<Pose>,
    leave: Vec<Pose>,
    centres: Vec<[f64; 3]>,
    outside: Outside,
}

impl Host {
    fn last(&self) -> usize {
        self.breaks.len() - 1
    }

    /// The key after which a time lies, and how far it is to the next, 0 to 1.
    fn part(&self, time: f64) -> (usize, f64) {
        let key = self.breaks.partition_point(|key| key.time <= time).clamp(1, self.last().max(1)) - 1;
        if key == self.last() {
            return (key, 0.0);
        }
        let (from, to) = (self.breaks[key].time, self.breaks[key + 1].time);
        (key, ((time - from) / (to - from)).clamp(0.0, 1.0))
    }
}

/// A bound with some room for rounding.
fn linear(sizes: [f64; 2], change: f64, length: f64) -> DerivativeBounds {
    let room = 1.0 + 1e-9;
    DerivativeBounds { size: sizes[0].max(sizes[1]) * room, rate: change / length * room, bend: 0.0 }
}

fn length_of(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Driver for Host {
    fn map_count(&self) -> usize {
        MAPS
    }

    fn morph_count(&self) -> usize {
        self.arrive[0].morphs.len()
    }

    fn span(&self) -> Span {
        Span { begin: self.breaks[0].time, end: self.breaks[self.last()].time }
    }

    fn outside(&self) -> Outside {
        self.outside
    }

    fn pose(&self, at: Moment, pose: &mut Pose) {
        let (mut time, span) = (at.time(), self.span());
        if self.outside == Outside::Loop && !(span.begin..=span.end).contains(&time) {
            time = span.begin + (time - span.begin).rem_euclid(span.end - span.begin);
        }
        if let Some(key) = self.breaks.iter().position(|key| key.time == time) {
            pose.clone_from(if at.side() == Side::After { &self.leave[key] } else { &self.arrive[key] });
            return;
        }
        let (key, part) = self.part(time);
        let (from, to) = (&self.leave[key], &self.arrive[(key + 1).min(self.last())]);
        pose.maps = from.maps.iter().zip(&to.maps).map(|(one, two)| one.between(two, part)).collect();
        pose.morphs = from.morphs.iter().zip(&to.morphs).map(|(one, two)| one + part * (two - one)).collect();
    }

    fn breaks(&self) -> &[Break] {
        &self.breaks
    }

    fn centres(&self) -> &[[f64; 3]] {
        &self.centres
    }

    fn bends(&self, piece: Span, bends: &mut PoseDerivativeBounds) {
        bends.reset(self.map_count(), self.morph_count());
        let (key, _) = self.part(0.5 * (piece.begin + piece.end));
        let next = (key + 1).min(self.last());
        let (from, to) = (&self.leave[key], &self.arrive[next]);
        let length = if next == key { 1.0 } else { self.breaks[next].time - self.breaks[key].time };
        for (map, (one, two)) in from.maps.iter().zip(&to.maps).enumerate() {
            let sizes = [one, two].map(|map| length_of(map.linear.iter().copied()));
            let turned = length_of((two.linear - one.linear).iter().copied());
            let places = [one, two].map(|affine| affine.point(self.centres[map]));
            let moved = length_of((0..3).map(|k| places[1][k] - places[0][k]));
            bends.maps[map] = MapDerivativeBounds {
                linear: linear(sizes, turned, length),
                centre: linear(places.map(length_of), moved, length),
            };
        }
        for (morph, (one, two)) in from.morphs.iter().zip(&to.morphs).enumerate() {
            bends.morphs[morph] = linear([one.abs(), two.abs()], (two - one).abs(), length);
        }
    }
}
