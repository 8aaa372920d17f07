//! The bodies as the tests see them, and where their vertices truly are: exact interpolation of the stored numbers.

use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::scenes::{Clip, GeneratedBody};
use kinetree::world::BodyDef;
use num_bigint::BigInt;
use num_rational::BigRational as Q;

use crate::exact::rational;

#[derive(Clone)]
pub(crate) enum Motion {
    /// Key times, and positions key by key.
    Keys(Vec<f64>, Vec<[f32; 3]>),
    /// Positions at time 0, and velocities.
    Velocities(Vec<[f32; 3]>, Vec<[f32; 3]>),
}

/// A body: its triangles, its motion, and whether it is tested against itself.
#[derive(Clone)]
pub(crate) struct Body {
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) motion: Motion,
    pub(crate) own: bool,
    pub(crate) vertices: usize,
}

/// Positions at a time in f64, each coordinate off by at most `error`.
pub(crate) struct Rounded {
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) error: f64,
}

impl Body {
    pub(crate) fn keyed(triangles: Vec<[u32; 3]>, times: Vec<f64>, positions: Vec<[f32; 3]>, own: bool) -> Self {
        let vertices = positions.len() / times.len();
        Self { triangles, motion: Motion::Keys(times, positions), own, vertices }
    }

    pub(crate) fn fixed(triangles: Vec<[u32; 3]>, positions: Vec<[f32; 3]>) -> Self {
        Self::keyed(triangles, vec![0.0], positions, false)
    }

    pub(crate) fn clip(clip: &Clip, own: bool) -> Self {
        let positions = clip.positions.as_chunks::<3>().0.to_vec();
        Self::keyed(clip.triangles.clone(), clip.times.clone(), positions, own)
    }

    pub(crate) fn generated(body: &GeneratedBody, own: bool) -> Self {
        match body {
            GeneratedBody::Fixed(mesh) => Self::fixed(mesh.triangles.clone(), mesh.positions.clone()),
            GeneratedBody::Keyed(clip) => Self::clip(clip, own),
            GeneratedBody::Moving(body) => Self {
                triangles: body.triangles.clone(),
                vertices: body.positions.len(),
                motion: Motion::Velocities(body.positions.clone(), body.velocities.clone()),
                own,
            },
        }
    }

    pub(crate) fn def(&self) -> BodyDef {
        let mesh = Mesh::new(self.vertices, self.triangles.clone()).unwrap();
        let plan = match &self.motion {
            Motion::Keys(times, positions) if times.len() == 1 => Flightplan::fixed(positions.clone()),
            Motion::Keys(times, positions) => Flightplan::keyframes(times.clone(), positions.clone()),
            Motion::Velocities(positions, velocities) => {
                Flightplan::velocities(0.0, positions.clone(), velocities.clone())
            }
        };
        BodyDef::new(mesh, plan).self_contact(self.own)
    }

    /// The last key's time, if there are several.
    pub(crate) fn end(&self) -> Option<f64> {
        match &self.motion {
            Motion::Keys(times, _) if times.len() > 1 => times.last().copied(),
            _ => None,
        }
    }

    pub(crate) fn key_times(&self) -> &[f64] {
        match &self.motion {
            Motion::Keys(times, _) => times,
            Motion::Velocities(..) => &[],
        }
    }

    /// Position at rest, that is at the first key.
    pub(crate) fn rest(&self, vertex: u32) -> [f32; 3] {
        match &self.motion {
            Motion::Keys(_, positions) | Motion::Velocities(positions, _) => positions[vertex as usize],
        }
    }

    /// Do two triangles of the body share a corner, or corners stored apart at one place?
    pub(crate) fn are_kin(&self, first: u32, second: u32) -> bool {
        let corners = |triangle: u32| self.triangles[triangle as usize];
        corners(first).iter().any(|&p| corners(second).iter().any(|&q| p == q || self.rest(p) == self.rest(q)))
    }

    /// Keys around a time.
    fn around(times: &[f64], time: f64) -> (usize, usize) {
        let next = times.partition_point(|&key| key <= time);
        (next.saturating_sub(1), next.min(times.len() - 1))
    }

    pub(crate) fn rounded(&self, time: f64) -> Rounded {
        let mut largest = 0.0_f64;
        let mut note = |point: [f64; 3]| {
            largest = point.iter().fold(largest, |m, x| m.max(x.abs()));
            point
        };
        let points: Vec<[f64; 3]> = match &self.motion {
            Motion::Keys(times, positions) => {
                let (k, l) = Self::around(times, time);
                let part = if k == l { 0.0 } else { ((time - times[k]) / (times[l] - times[k])).clamp(0.0, 1.0) };
                let key = |k: usize| &positions[k * self.vertices..(k + 1) * self.vertices];
                let blend = |(p, q): (&[f32; 3], &[f32; 3])| {
                    let (p, q) = (note(p.map(f64::from)), note(q.map(f64::from)));
                    [0, 1, 2].map(|x| p[x] + (q[x] - p[x]) * part)
                };
                key(k).iter().zip(key(l)).map(blend).collect()
            }
            Motion::Velocities(positions, velocities) => {
                let along = |(p, v): (&[f32; 3], &[f32; 3])| {
                    let (p, way) = (note(p.map(f64::from)), note(v.map(|x| f64::from(x) * time)));
                    [0, 1, 2].map(|x| p[x] + way[x])
                };
                positions.iter().zip(velocities).map(along).collect()
            }
        };
        // The part has three roundings (the times' differences may cancel, but they are rounded once each), a blend four more
        // of at most twice the largest coordinate.
        Rounded { points, error: 32.0 * f64::EPSILON * largest }
    }

    /// A corner at a time, exactly: numerators over one positive denominator for the whole body.
    fn exact_vertex(&self, vertex: u32, time: &Q, at: f64) -> [Q; 3] {
        let vertex = vertex as usize;
        match &self.motion {
            Motion::Keys(times, positions) => {
                let (k, l) = Self::around(times, at);
                let point = |k: usize| positions[k * self.vertices + vertex].map(|x| rational(f64::from(x)));
                if k == l {
                    return point(k);
                }
                let (from, to) = (rational(times[k]), rational(times[l]));
                let part = (time - &from) / (&to - &from);
                let (p, q) = (point(k), point(l));
                [0, 1, 2].map(|x| &p[x] + (&q[x] - &p[x]) * &part)
            }
            Motion::Velocities(positions, velocities) => {
                let exact = |x: f32| rational(f64::from(x));
                let (p, v) = (positions[vertex], velocities[vertex]);
                [0, 1, 2].map(|x| exact(p[x]) + exact(v[x]) * time)
            }
        }
    }
}

/// Two triangles at a time, times one positive number that makes all coordinates integers.
pub(crate) fn exact_positions(bodies: [&Body; 2], triangles: [u32; 2], at: f64) -> [[[BigInt; 3]; 3]; 2] {
    let time = rational(at);
    let exact = [0, 1].map(|side| {
        bodies[side].triangles[triangles[side] as usize].map(|vertex| bodies[side].exact_vertex(vertex, &time, at))
    });
    let mut common = BigInt::from(1);
    for x in exact.iter().flatten().flatten() {
        // The reduced denominator of common / denominator is what common lacks.
        common *= Q::new(common.clone(), x.denom().clone()).denom();
    }
    exact.map(|triangle| triangle.map(|point| point.map(|x| x.numer() * (&common / x.denom()))))
}
