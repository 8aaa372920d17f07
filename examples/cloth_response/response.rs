//! Response: a step of the cloth that keeps every vertex outside of the body, and passes through
//! nothing where it can.
//!
//! 1. Short substeps ([`Response::relax`]) let gravity, wind and edges act. A vertex near the body
//!    moves with the closest point of its surface, and by less than its distance to it besides.
//!    What ends within a margin is put to the margin outside.
//! 2. The way from the begin of the step to its end is straight. Vertices that would be inside at
//!    the end of a substep are brought nearer to motion with the surface ([`BodyStep::clear_way`]).
//!    If one is still inside when the substeps had it outside, the step is divided ([`straight`]).
//! 3. A trial at a distance of 0 m finds triangles that would pass through. They are pushed apart.
//!    What remains is committed and counted.

use std::collections::BTreeSet;

use kinetree::{BodyId, TrialContact, World};

use crate::cloth::Cloth;
use crate::outside::{BodyStep, SUBSTEPS, Sewn, Span, Touch, part};
use crate::vector::{V, add, blend, closest, dot, length, lerp, limited, narrow, scale, sub, wide};
use crate::{MARGIN, RATE};

type Failure = Box<dyn std::error::Error>;

/// Seconds of a substep.
const DT: f64 = 1.0 / (RATE * SUBSTEPS as f64);
/// How often edges are projected in a substep.
const ITERATIONS: usize = 4;
/// Substeps between two at which points between the vertices are kept outside too.
const BETWEEN: usize = 5;
/// Farther from the body than this, a vertex is free, metres.
const REACH: f64 = 0.03;
/// The most that a vertex moves in a substep, metres.
const MOST_WAY: f64 = 0.02;
/// What a vertex may move along the surface, as a part of its distance.
const SLIDE: f64 = 0.9;
const FRICTION: f64 = 0.6;
/// By how much a pinched vertex may be deeper than in the substeps, metres.
const DEEPER: f64 = 0.001;
/// How often triangles that would pass through are pushed apart.
const PUSHES: usize = 4;

/// What steps needed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) trials: u64,
    /// Steps in which triangles touched, and those in which triangles began to.
    pub(crate) touching: u64,
    pub(crate) unresolved: u64,
    /// Steps of more than one straight way.
    pub(crate) divided: u64,
}

/// What the trials of a step found.
#[derive(Default)]
struct Found {
    touching: bool,
    unresolved: bool,
}

/// The ids of the two bodies.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) cloth: BodyId,
    pub(crate) body: BodyId,
}

/// The response of a cloth, and what it knows from the step before.
pub(crate) struct Response {
    pub(crate) scene: Scene,
    pub(crate) sewn: Sewn,
    /// How far each vertex is from the body, metres, or less.
    clear: Vec<f64>,
    pub(crate) effort: Effort,
}

impl Response {
    pub(crate) fn new(scene: Scene, sewn: Sewn, vertices: usize) -> Self {
        Self { scene, sewn, clear: vec![0.0; vertices], effort: Effort::default() }
    }

    /// One step of the cloth to the time `end`, committed. Returns positions at the ends of the
    /// straight ways, and which substep each is the end of.
    pub(crate) fn step(
        &mut self,
        world: &mut World,
        cloth: &mut Cloth,
        body: &BodyStep<'_>,
        wind: V,
        end: f64,
    ) -> Result<Vec<(usize, Vec<V>)>, Failure> {
        let mut from = cloth.positions.clone();
        let substeps = self.relax(cloth, body, wind)?;
        let (mut ways, mut found) = (Vec::new(), Found::default());
        let mut begin = 0;
        while begin < SUBSTEPS {
            let (span, to) = straight(cloth, body, begin, &from, &substeps)?;
            let time = end - DT * (SUBSTEPS - span.end) as f64;
            let (to, now) = self.commit(world, cloth, body, span, [&from, &to], time)?;
            world.advance_to(time)?;
            found = Found { touching: found.touching | now.touching, unresolved: found.unresolved | now.unresolved };
            ways.push((span.end, to.clone()));
            from = to;
            begin = span.end;
        }
        self.effort.touching += u64::from(found.touching);
        self.effort.unresolved += u64::from(found.unresolved);
        self.effort.divided += u64::from(ways.len() > 1);
        let moved = cloth.positions.iter().zip(&from).map(|(&a, &b)| length(sub(b, a)));
        self.clear.iter_mut().zip(moved).for_each(|(clear, way)| *clear -= way);
        cloth.positions = from;
        Ok(ways)
    }

    /// Substeps; then positions and velocities of the cloth are those of the end. Returns positions
    /// at the begin and at the end of each substep.
    fn relax(&mut self, cloth: &mut Cloth, body: &BodyStep<'_>, wind: V) -> Result<Vec<Vec<V>>, Failure> {
        let mut places = vec![cloth.positions.clone()];
        let body_way = body.longest_way() / SUBSTEPS as f64;
        // Closest points of the vertices near the body.
        let mut near: Vec<Option<Touch>> = vec![None; cloth.positions.len()];
        for vertex in (0..near.len()).filter(|&vertex| !cloth.is_pinned[vertex] && self.clear[vertex] <= REACH) {
            near[vertex] = Some(body.touch(0, cloth.positions[vertex])?);
        }
        for substep in 1..=SUBSTEPS {
            let mut to = cloth.predict(DT, wind);
            self.sewn.place(body, part(substep), &mut to);
            (0..ITERATIONS).for_each(|_| cloth.project(&mut to));
            if substep % BETWEEN == 0 {
                between(cloth, body, substep, &near, &mut to)?;
            }
            let mut contacts = Vec::new();
            for vertex in (0..to.len()).filter(|&vertex| !cloth.is_pinned[vertex]) {
                let from = cloth.positions[vertex];
                let (base, most) = match &near[vertex] {
                    Some(touch) => (add(from, body.way(touch, substep)), (SLIDE * touch.distance).min(MOST_WAY)),
                    None => (from, MOST_WAY),
                };
                to[vertex] = add(base, limited(sub(to[vertex], base), most));
                self.clear[vertex] -= length(sub(to[vertex], from)) + body_way;
                near[vertex] = None;
                if self.clear[vertex] < REACH {
                    let (touch, normal) = settle(body, substep, base, &mut to[vertex])?;
                    // A vertex that stays inside is tested again, however deep it is.
                    self.clear[vertex] = if normal.is_some() { touch.distance.min(REACH) } else { touch.distance };
                    near[vertex] = Some(touch);
                    contacts.extend(normal.map(|normal| (vertex, normal, scale(sub(base, from), 1.0 / DT))));
                }
            }
            cloth.moved_to(to, DT);
            contacts.iter().for_each(|&(vertex, normal, speed)| cloth.stop(vertex, normal, speed));
            places.push(cloth.positions.clone());
        }
        Ok(places)
    }

    /// Commits a straight way to an end near the one proposed, which it returns.
    fn commit(
        &mut self,
        world: &mut World,
        cloth: &Cloth,
        body: &BodyStep<'_>,
        span: Span,
        [from, to]: [&[V]; 2],
        time: f64,
    ) -> Result<(Vec<V>, Found), Failure> {
        let (mut to, mut last) = (to.to_vec(), Found::default());
        let mut trial = world.trial(self.scene.cloth, &rounded(&to), time)?;
        trial.set_distance(Some(0.0))?;
        for round in 0..=PUSHES {
            trial.correct(self.scene.cloth, &rounded(&to))?;
            self.effort.trials += 1;
            let found = trial.contacts()?;
            let begun = self.begun(found);
            if begun.is_empty() || round == PUSHES {
                let unresolved = found.iter().any(|told| !told.touches_at_start);
                last = Found { touching: !found.is_empty(), unresolved };
                break;
            }
            let before = to.clone();
            begun.iter().for_each(|told| self.apart(told, cloth, body, span, from, &mut to));
            clear_ways(cloth, body, span, from, &mut to, Some(&before))?;
        }
        trial.commit()?;
        Ok((to, last))
    }

    /// Contacts of triangles that touched nothing at the begin. Others touch since an earlier step;
    /// the substeps get them out.
    fn begun(&self, found: &[TrialContact]) -> Vec<TrialContact> {
        let tangled: BTreeSet<u32> =
            found.iter().filter(|told| told.touches_at_start).map(|told| self.of_cloth(told)).collect();
        found.iter().filter(|told| !tangled.contains(&self.of_cloth(told))).copied().collect()
    }

    /// The triangle of the cloth.
    fn of_cloth(&self, told: &TrialContact) -> u32 {
        if told.contact.a == self.scene.cloth { told.contact.triangle_a } else { told.contact.triangle_b }
    }

    /// Pushes the points that would come together back to the side on which they began.
    fn apart(&self, told: &TrialContact, cloth: &Cloth, body: &BodyStep<'_>, span: Span, from: &[V], to: &mut [V]) {
        let of_body =
            if told.contact.a == self.scene.cloth { told.contact.triangle_b } else { told.contact.triangle_a };
        let vertices = cloth.triangles[self.of_cloth(told) as usize].map(|vertex| vertex as usize);
        let sheet = |s: f64, to: &[V]| vertices.map(|vertex| lerp(from[vertex], to[vertex], s));
        let weights = closest(sheet(told.fraction, to), told.touch.point);
        let corners = |s: f64| body.corners(of_body, span.of_step(s));
        let on_body = closest(corners(told.fraction), told.touch.point);
        let gap = |s: f64, to: &[V]| sub(blend(sheet(s, to), weights), blend(corners(s), on_body));
        let normal = told.touch.normal;
        let normal = if dot(normal, gap(0.0, to)) < 0.0 { scale(normal, -1.0) } else { normal };
        let short = MARGIN - dot(normal, gap(1.0, to));
        if short > 0.0 {
            move_point(cloth, vertices, weights, scale(normal, short.min(0.5 * MARGIN)), to);
        }
    }
}

/// Puts a point to the margin outside if it is inside or nearer, with friction along the surface.
/// Returns its closest point, and the normal if it was moved. `base` is the point moved with the
/// surface: it stays there where the body leaves no room.
fn settle(body: &BodyStep<'_>, substep: usize, base: V, point: &mut V) -> Result<(Touch, Option<V>), Failure> {
    let touch = body.touch(substep, *point)?;
    let is_inside = body.surfaces[substep].is_inside(*point)?;
    if !is_inside && touch.distance >= MARGIN {
        return Ok((touch, None));
    }
    let normal = body.outward(substep, &touch, *point, is_inside);
    let depth = MARGIN + if is_inside { touch.distance } else { -touch.distance };
    let slide = sub(*point, base);
    let along = sub(slide, scale(normal, dot(slide, normal)));
    let slow = limited(along, FRICTION * depth);
    let foot = body.place(&touch, part(substep));
    let mut above = body.above(substep, sub(foot, slow), normal)?;
    if above.is_none() {
        above = body.above(substep, foot, normal)?;
    }
    let touch;
    (*point, touch) = above.map_or_else(|| Ok::<_, Failure>((base, body.touch(substep, base)?)), Ok)?;
    Ok((touch, Some(normal)))
}

/// Pushes middles of edges and of triangles near the body to the margin outside.
fn between(
    cloth: &Cloth,
    body: &BodyStep<'_>,
    substep: usize,
    near: &[Option<Touch>],
    to: &mut [V],
) -> Result<(), Failure> {
    for corners in &cloth.triangles {
        let [a, b, c] = corners.map(|vertex| vertex as usize);
        if [a, b, c].iter().all(|&vertex| near[vertex].is_none_or(|touch| touch.distance > REACH)) {
            continue;
        }
        // An edge belongs to two triangles, which list its ends in opposite orders.
        let edges = [[a, b, c], [b, c, a], [c, a, b]].into_iter().filter(|[i, j, _]| i < j);
        let points = edges.map(|vertices| (vertices, [0.5, 0.5, 0.0])).chain([([a, b, c], [1.0 / 3.0; 3])]);
        for (vertices, weights) in points {
            let point = blend(vertices.map(|vertex| to[vertex]), weights);
            let touch = body.touch(substep, point)?;
            if touch.distance >= REACH {
                continue;
            }
            let is_inside = body.surfaces[substep].is_inside(point)?;
            let depth = MARGIN + if is_inside { touch.distance } else { -touch.distance };
            if depth > 0.0 {
                let normal = body.outward(substep, &touch, point, is_inside);
                move_point(cloth, vertices, weights, scale(normal, depth), to);
            }
        }
    }
    Ok(())
}

/// Moves a point of a triangle by its vertices.
fn move_point(cloth: &Cloth, vertices: [usize; 3], weights: V, by: V, to: &mut [V]) {
    let free = vertices.map(|vertex| f64::from(u8::from(!cloth.is_pinned[vertex])));
    let sum: f64 = (0..3).map(|k| free[k] * weights[k] * weights[k]).sum();
    if sum > 1e-6 {
        (0..3).for_each(|k| to[vertices[k]] = add(to[vertices[k]], scale(by, free[k] * weights[k] / sum)));
    }
}

/// Straight ways from `from`: how far they reach, and their ends, rounded. They reach to the end of
/// the step, or half as far while one is worse than the substeps ([`is_worse`]).
fn straight(
    cloth: &Cloth,
    body: &BodyStep<'_>,
    begin: usize,
    from: &[V],
    substeps: &[Vec<V>],
) -> Result<(Span, Vec<V>), Failure> {
    let mut span = Span { begin, end: SUBSTEPS };
    loop {
        let mut to = substeps[span.end].clone();
        let inside = clear_ways(cloth, body, span, from, &mut to, None)?;
        if span.end == begin + 1 || !is_worse(body, span, &inside, [from, &to], substeps)? {
            return Ok((span, to));
        }
        span.end = begin + (span.end - begin) / 2;
    }
}

/// Whether the way of one of the vertices is inside the body at the end of a substep that had it
/// outside, or deeper than there.
fn is_worse(
    body: &BodyStep<'_>,
    span: Span,
    vertices: &[usize],
    [from, to]: [&[V]; 2],
    substeps: &[Vec<V>],
) -> Result<bool, Failure> {
    for substep in span.begin + 1..=span.end {
        for &vertex in vertices {
            let way = body.depth(substep, lerp(from[vertex], to[vertex], span.fraction(substep)))?;
            let before = body.depth(substep, substeps[substep][vertex])?;
            if way > 0.0 && (before == 0.0 || way > before + DEEPER) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Rounds positions; those to which the way would be inside the body are brought nearer to motion
/// with its surface, or stay as they were `before`. Returns those whose way is inside even so.
fn clear_ways(
    cloth: &Cloth,
    body: &BodyStep<'_>,
    span: Span,
    from: &[V],
    to: &mut [V],
    before: Option<&[V]>,
) -> Result<Vec<usize>, Failure> {
    let mut inside = Vec::new();
    for vertex in 0..to.len() {
        let other = before.map(|before| before[vertex]);
        if other == Some(to[vertex]) {
            continue;
        }
        let end = wide(narrow(to[vertex]));
        to[vertex] = end;
        if !cloth.is_pinned[vertex] {
            let is_outside;
            (to[vertex], is_outside) = body.clear_way(span, from[vertex], end, other)?;
            inside.extend((!is_outside).then_some(vertex));
        }
    }
    Ok(inside)
}

fn rounded(positions: &[V]) -> Vec<[f32; 3]> {
    positions.iter().map(|&place| narrow(place)).collect()
}
