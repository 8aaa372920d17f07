//! Scenes of whole coordinates: as pieces of linear motion for the oracle, and as bodies for the
//! library.

use std::sync::Arc;

use kinetree::BodyId;
use kinetree::mesh::{Mesh, Spheres};
use kinetree::motion::{Flightplan, Outside, Sphere, VertexFlightplan};
use kinetree::reduced::{MorphTarget, PoseKeys, ReducedBody, ReducedMesh};
use kinetree::world::{BodyDef, World};
use num_bigint::BigInt;
use num_rational::BigRational as Q;
use num_traits::{One, ToPrimitive, Zero};

pub(crate) type Units = [i64; 3];

pub(crate) fn exact(x: f64) -> Q {
    Q::from_float(x).expect("a finite number")
}

#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Fixed(Vec<Units>),
    Keys {
        times: Vec<f64>,
        places: Vec<Vec<Units>>,
        loops: bool,
        /// The first key alone is given at first; the others follow one by one.
        is_streamed: bool,
    },
    /// Units per second, from a time on; before it the body rests.
    Velocities {
        begin: f64,
        from: Vec<Units>,
        velocities: Vec<Units>,
    },
    /// Rows of maps of the rest positions.
    Rigid {
        times: Vec<f64>,
        maps: Vec<[[i64; 4]; 3]>,
        rest: Vec<Units>,
    },
    /// Weights of morph targets at keys, one list of displacements each.
    Morphs {
        times: Vec<f64>,
        weights: Vec<Vec<i64>>,
        rest: Vec<Units>,
        targets: Vec<Vec<Units>>,
        /// Whether boxes come from the weights.
        is_bounded: bool,
    },
    /// Keys, and plans of single vertices that replace them where the scene begins: velocities from
    /// there on, or keys.
    Own {
        times: Vec<f64>,
        places: Vec<Vec<Units>>,
        own: Vec<(u32, Plan)>,
    },
}

/// What a body is made of, in the library.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    Triangles,
    /// The third corner is the second, or all are one.
    Segments,
    /// All corners of a triangle are the centre. As many vertices more hold the radii, as their
    /// first coordinates.
    Spheres,
}

#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) shape: Shape,
    pub(crate) triangles: Vec<[u32; 3]>,
    pub(crate) plan: Plan,
    /// Triangles that share no corner are tested against each other.
    pub(crate) own: bool,
    /// Triangles that share corners too.
    pub(crate) neighbours: bool,
    /// Units.
    pub(crate) thickness: i64,
}

impl Body {
    pub(crate) fn new(triangles: Vec<[u32; 3]>, plan: Plan) -> Self {
        Self { shape: Shape::Triangles, triangles, plan, own: false, neighbours: false, thickness: 0 }
    }
}

impl Body {
    /// Per vertex, the first that rests at the same place.
    pub(crate) fn welded(&self) -> Vec<u32> {
        let rest = match &self.plan {
            Plan::Fixed(places) | Plan::Velocities { from: places, .. } => places.clone(),
            Plan::Own { places, .. } => places[0].clone(),
            plan => plan.keys().expect("keys").1.swap_remove(0),
        };
        rest.iter().map(|p| rest.iter().position(|q| p == q).expect("itself") as u32).collect()
    }
}

/// Bodies between two times, seconds. A unit is `scale` metres, and everything is shifted by
/// `offset` units.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) family: &'static str,
    pub(crate) bodies: Vec<Body>,
    pub(crate) begin: f64,
    pub(crate) end: f64,
    pub(crate) scale: f64,
    pub(crate) offset: i64,
}

/// Linear motion between two times.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) from: Q,
    pub(crate) to: Q,
    begin: Vec<[Q; 3]>,
    end: Vec<[Q; 3]>,
    /// The motion jumps where the piece begins; there the piece before it counts.
    pub(crate) jumps: bool,
    /// The motion jumps where the piece ends, at the first key of a loop; there the next piece counts.
    pub(crate) is_left: bool,
}

fn wide(points: &[Units]) -> Vec<[Q; 3]> {
    points.iter().map(|p| p.map(|x| Q::from_integer(BigInt::from(x)))).collect()
}

fn image(map: &[[i64; 4]; 3], p: &Units) -> Units {
    map.map(|row| row[0] * p[0] + row[1] * p[1] + row[2] * p[2] + row[3])
}

impl Piece {
    fn new(from: &Q, to: &Q, begin: &[Units], end: &[Units]) -> Self {
        let (from, to) = (from.clone(), to.clone());
        Self { from, to, begin: wide(begin), end: wide(end), jumps: false, is_left: false }
    }

    /// All positions at a time, units.
    pub(crate) fn places(&self, time: &Q) -> Vec<[Q; 3]> {
        if *time == self.from {
            return self.begin.clone();
        }
        if *time == self.to {
            return self.end.clone();
        }
        let s = (time - &self.from) / (&self.to - &self.from);
        let rest = Q::one() - &s;
        let place = |(p, q): (&[Q; 3], &[Q; 3])| std::array::from_fn(|k| &p[k] * &rest + &q[k] * &s);
        self.begin.iter().zip(&self.end).map(place).collect()
    }
}

impl Plan {
    /// The keys of a plan: times and positions.
    pub(crate) fn keys(&self) -> Option<(&[f64], Vec<Vec<Units>>)> {
        match self {
            Self::Keys { times, places, .. } => Some((times, places.clone())),
            Self::Rigid { times, maps, rest } => {
                Some((times, maps.iter().map(|map| rest.iter().map(|p| image(map, p)).collect()).collect()))
            }
            Self::Morphs { times, weights, rest, targets, .. } => {
                let moved = |weights: &Vec<i64>, vertex: usize| {
                    let by =
                        |k: usize| weights.iter().zip(targets).map(|(w, target)| w * target[vertex][k]).sum::<i64>();
                    [0, 1, 2].map(|k| rest[vertex][k] + by(k))
                };
                Some((times, weights.iter().map(|key| (0..rest.len()).map(|v| moved(key, v)).collect()).collect()))
            }
            _ => None,
        }
    }

    pub(crate) fn is_loop(&self) -> bool {
        matches!(self, Self::Keys { loops: true, .. })
    }

    fn vertices(&self) -> usize {
        match self {
            Self::Fixed(places) => places.len(),
            Self::Keys { places, .. } | Self::Own { places, .. } => places[0].len(),
            Self::Velocities { from, .. } => from.len(),
            Self::Rigid { rest, .. } | Self::Morphs { rest, .. } => rest.len(),
        }
    }

    /// The motion between two times.
    pub(crate) fn pieces(&self, begin: f64, end: f64) -> Vec<Piece> {
        let [begin, end] = [begin, end].map(exact);
        let mut pieces = match self {
            Self::Fixed(places) => vec![Piece::new(&begin, &end, places, places)],
            Self::Velocities { begin: since, from, velocities } => {
                let (since, way) = (exact(*since), wide(velocities));
                let mut piece = Piece::new(&since, &end, from, from);
                let passed = &end - &since;
                let last = |(p, v): (&[Q; 3], &[Q; 3])| std::array::from_fn(|k| &p[k] + &v[k] * &passed);
                piece.end = piece.begin.iter().zip(&way).map(last).collect();
                vec![Piece::new(&begin.clone().min(since.clone()), &since, from, from), piece]
            }
            Self::Own { times, places, own } => {
                let base =
                    Self::Keys { times: times.clone(), places: places.clone(), loops: false, is_streamed: false };
                with_own(&base, own, &begin, &end)
            }
            _ => self.key_pieces(&begin, &end),
        };
        pieces.retain(|piece| piece.to > begin && piece.from < end);
        pieces
    }

    fn key_pieces(&self, begin: &Q, end: &Q) -> Vec<Piece> {
        let (times, places) = self.keys().expect("keys");
        let mut pieces = Vec::new();
        let [first, last] = [times[0], times[times.len() - 1]].map(exact);
        let jumps = places[0] != places[places.len() - 1];
        let mut start = Q::zero();
        while self.is_loop() && &first + &start > *begin {
            start -= &last - &first;
        }
        loop {
            for key in 1..times.len() {
                let [from, to] = [times[key - 1], times[key]].map(|time| exact(time) + &start);
                let mut piece = Piece::new(&from, &to, &places[key - 1], &places[key]);
                piece.jumps = jumps && key == 1 && from != first;
                piece.is_left = jumps && key + 1 == times.len() && to == first;
                pieces.push(piece);
            }
            start += &last - &first;
            if !self.is_loop() || &first + &start >= *end {
                break;
            }
        }
        if !self.is_loop() && last < *end {
            pieces.push(Piece::new(&last, end, &places[places.len() - 1], &places[places.len() - 1]));
        }
        if !self.is_loop() && first > *begin {
            pieces.insert(0, Piece::new(begin, &first, &places[0], &places[0]));
        }
        pieces
    }
}

/// A motion in which some vertices have plans of their own.
fn with_own(base: &Plan, own: &[(u32, Plan)], begin: &Q, end: &Q) -> Vec<Piece> {
    let seconds = |time: &Q| time.to_f64().expect("a time");
    let all = |plan: &Plan| plan.pieces(seconds(begin), seconds(end));
    let (base, own): (_, Vec<_>) =
        (all(base), own.iter().map(|(vertex, plan)| (*vertex as usize, all(plan))).collect());
    let mut times: Vec<Q> =
        own.iter().flat_map(|(_, pieces)| pieces).chain(&base).map(|piece| piece.from.clone()).collect();
    times.retain(|time| time > begin);
    times.extend([begin.clone(), end.clone()]);
    times.sort();
    times.dedup();
    let window = |window: &[Q]| {
        let [from, to] = window else { unreachable!() };
        let now = |pieces: &[Piece]| {
            pieces.iter().find(|piece| piece.from <= *from && *to <= piece.to).expect("a piece at all times").clone()
        };
        let (mut piece, base) = (Piece::new(from, to, &[], &[]), now(&base));
        (piece.begin, piece.end) = (base.places(from), base.places(to));
        for (vertex, pieces) in &own {
            let one = now(pieces);
            piece.begin[*vertex] = one.places(from).swap_remove(0);
            piece.end[*vertex] = one.places(to).swap_remove(0);
        }
        piece
    };
    times.windows(2).map(window).collect()
}

impl Scene {
    pub(crate) fn length(&self, units: i64) -> f64 {
        assert_eq!(units as f64 as i64, units, "not an f64");
        units as f64 * self.scale
    }

    fn single(&self, units: i64) -> f32 {
        let length = self.length(units);
        assert_eq!(f64::from(length as f32), length, "not an f32");
        length as f32
    }

    fn point(&self, units: &Units) -> [f32; 3] {
        units.map(|x| self.single(x + self.offset))
    }

    fn points(&self, all: &[Units]) -> Vec<[f32; 3]> {
        all.iter().map(|p| self.point(p)).collect()
    }

    fn flightplan(&self, plan: &Plan) -> Flightplan {
        match plan {
            Plan::Fixed(places) => Flightplan::fixed(self.points(places)),
            Plan::Keys { times, places, loops, is_streamed } => {
                let count = if *is_streamed { 2 } else { times.len() };
                let positions = places[..count].iter().flat_map(|key| self.points(key)).collect();
                let outside = if *loops { Outside::Loop } else { Outside::Hold };
                Flightplan::keyframes(times[..count].to_vec(), positions).outside(outside)
            }
            Plan::Own { times, places, .. } => {
                let positions = places.iter().flat_map(|key| self.points(key)).collect();
                Flightplan::keyframes(times.clone(), positions)
            }
            Plan::Velocities { begin, from, velocities } => {
                let velocities = velocities.iter().map(|v| v.map(|x| self.single(x))).collect();
                Flightplan::velocities(*begin, self.points(from), velocities)
            }
            Plan::Rigid { times, maps, rest } => {
                let matrix = |map: &[[i64; 4]; 3]| {
                    let row = |k: usize| {
                        let [x, y, z, w] = map[k];
                        [x as f64, y as f64, z as f64, self.length(w + self.offset)]
                    };
                    let all = [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]];
                    std::array::from_fn(|entry| all[entry / 4][entry % 4])
                };
                let rest = rest.iter().map(|p| p.map(|x| self.length(x) as f32)).collect();
                Flightplan::rigid(times.clone(), maps.iter().map(matrix).collect(), rest)
            }
            Plan::Morphs { .. } => unreachable!("made of a reduced body"),
        }
    }

    fn def(&self, body: &Body) -> BodyDef {
        let vertices = body.plan.vertices();
        let mesh = match body.shape {
            Shape::Triangles => Mesh::new(vertices, body.triangles.clone()),
            Shape::Segments => {
                Mesh::segments(vertices, &body.triangles.iter().map(|t| [t[0], t[1]]).collect::<Vec<_>>())
            }
            Shape::Spheres => {
                let (times, places) = body.plan.keys().expect("keys");
                let plan =
                    Flightplan::spheres(times.to_vec(), places.iter().flat_map(|key| self.spheres(key)).collect());
                let outside = if body.plan.is_loop() { Outside::Loop } else { Outside::Hold };
                return BodyDef::new(Spheres::new(vertices / 2).expect("some"), plan.outside(outside));
            }
        };
        let mesh = mesh.expect("a good mesh");
        let Plan::Morphs { times, weights, rest, targets, is_bounded } = &body.plan else {
            return BodyDef::new(mesh, self.flightplan(&body.plan));
        };
        let dense = |target: &Vec<Units>| {
            let displacements: Vec<[f32; 3]> = target.iter().map(|p| p.map(|x| self.length(x) as f32)).collect();
            MorphTarget::dense(&displacements)
        };
        let reduced = ReducedMesh::morphed(mesh.clone(), self.points(rest), targets.iter().map(dense).collect());
        let weights = weights.iter().map(|key| key.iter().map(|&w| w as f64).collect()).collect();
        let driver = PoseKeys::weights(times, weights, Outside::Hold).expect("good weights");
        let reduced = ReducedBody::new(Arc::new(reduced.expect("a good body")), Arc::new(driver)).expect("they fit");
        let pieces = reduced.pieces_at(&[]).expect("few pieces");
        if *is_bounded {
            return BodyDef::bounded(mesh, reduced.sampler(pieces).expect("a good sampler"));
        }
        BodyDef::new(mesh, reduced.flightplan(pieces).expect("a good plan"))
    }

    fn spheres(&self, key: &[Units]) -> Vec<Sphere> {
        let (centres, radii) = key.split_at(key.len() / 2);
        let sphere = |(centre, radius): (&Units, &Units)| Sphere {
            centre: centre.map(|x| self.length(x + self.offset)),
            radius: self.length(radius[0]),
        };
        centres.iter().zip(radii).map(sphere).collect()
    }

    fn vertex_plan(&self, plan: &Plan) -> VertexFlightplan {
        match plan {
            Plan::Velocities { from, velocities, .. } => {
                let from = Some(from[0].map(|x| self.length(x + self.offset)));
                VertexFlightplan::Velocity { from, velocity: velocities[0].map(|x| self.length(x)) }
            }
            Plan::Keys { times, places, .. } => {
                let positions = places.iter().map(|key| self.point(&key[0])).collect();
                VertexFlightplan::Keyframes { times: times.clone(), positions, outside: Outside::Hold }
            }
            _ => unreachable!("no plan of a vertex"),
        }
    }

    /// Adds all bodies to a world that is where the scene begins, changed by the caller.
    pub(crate) fn populate(&self, world: &mut World, change: impl Fn(BodyDef) -> BodyDef) -> Vec<BodyId> {
        let add = |body: &Body| {
            let def = self.def(body).self_contact(body.own).neighbours(body.neighbours);
            let id = world.add_body(change(def.thickness(self.length(body.thickness)))).expect("a good body");
            if let Plan::Own { own, .. } = &body.plan {
                let plans: Vec<_> = own.iter().map(|(vertex, plan)| (*vertex, self.vertex_plan(plan))).collect();
                world.set_vertex_flightplans(id, &plans).expect("good plans");
            }
            id
        };
        self.bodies.iter().map(add).collect()
    }

    /// Advances a world, and gives it the keys that streams have by then; `read` is called after
    /// each advance.
    pub(crate) fn advance(
        &self,
        world: &mut World,
        ids: &[BodyId],
        given: &mut [usize],
        time: f64,
        mut read: impl FnMut(&World),
    ) {
        loop {
            // The next time at which some stream needs a key.
            let mut next = time;
            for (body, &count) in self.bodies.iter().zip(&*given) {
                if let Plan::Keys { times, is_streamed: true, .. } = &body.plan
                    && count < times.len()
                {
                    next = next.min(0.5 * (times[count - 2] + times[count - 1]));
                }
            }
            let next = next.max(world.time());
            world.advance_to(next).expect("a good time");
            read(world);
            let mut is_more = false;
            for (place, body) in self.bodies.iter().enumerate() {
                let Plan::Keys { times, places, is_streamed: true, .. } = &body.plan else { continue };
                let count = given[place];
                if count < times.len() && 0.5 * (times[count - 2] + times[count - 1]) <= next {
                    let positions = self.points(&places[count]);
                    world.extend_flightplan(ids[place], times[count], &positions).expect("a good key");
                    given[place] += 1;
                    is_more = true;
                }
            }
            if next >= time && !is_more {
                return;
            }
        }
    }
}
