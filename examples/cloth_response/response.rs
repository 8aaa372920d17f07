//! Response: a step of the cloth that keeps every vertex outside of the body, and passes through nothing where it can.
//!
//! 1. Short substeps ([`relax`]) let gravity, wind and edges act. A vertex near the body moves with the closest point of its
//!    surface, and by less than its distance to it besides. What ends within a margin is put to the margin outside.
//! 2. The way from the begin of the step to its end is straight. Vertices that would be inside at a sample are brought
//!    nearer to motion with the surface ([`BodyStep::clear_way`]).
//! 3. A trial at a distance of 0 m finds triangles that would pass through. They are pushed apart, then carried by the body.
//!    What remains is committed and counted.

use std::collections::BTreeSet;

use kinetree::{BodyId, TrialContact, World};

use crate::cloth::Cloth;
use crate::outside::{BodyStep, Sewn, Touch, part};
use crate::vector::{V, add, blend, closest, dot, length, lerp, limited, narrow, scale, sub, wide};
use crate::{MARGIN, RATE, SAMPLES};

type Failure = Box<dyn std::error::Error>;

/// Seconds of a substep; there is one for each sample.
const DT: f64 = 1.0 / (RATE * SAMPLES as f64);
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
/// Rounds of trials that push triangles apart, and those that let the body carry them.
const PUSHES: usize = 4;
const CARRIES: usize = 4;

/// What steps needed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) trials: u64,
    pub(crate) carried: u64,
    /// Steps in which triangles touched, and those in which triangles began to.
    pub(crate) touching: u64,
    pub(crate) unresolved: u64,
}

/// The ids of the two bodies.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) cloth: BodyId,
    pub(crate) body: BodyId,
}

fn rounded(positions: &[V]) -> Vec<[f32; 3]> {
    positions.iter().map(|&place| narrow(place)).collect()
}

/// How far each vertex is from the body, metres, or less.
pub(crate) struct Clear(Vec<f64>);

impl Clear {
    /// Nothing is known of so many vertices.
    pub(crate) fn unknown(vertices: usize) -> Self {
        Self(vec![0.0; vertices])
    }
}

/// Substeps of a step; positions and velocities of the cloth are those of its end.
pub(crate) fn relax(
    cloth: &mut Cloth,
    body: &BodyStep<'_>,
    sewn: &Sewn,
    wind: V,
    Clear(clear): &mut Clear,
) -> Result<(), Failure> {
    let ways = body.begin.iter().zip(body.end).map(|(&a, &b)| length(sub(b, a)));
    let body_way = ways.fold(0.0, f64::max) / SAMPLES as f64;
    let mut near = vec![None; cloth.positions.len()];
    for vertex in (0..near.len()).filter(|&vertex| !cloth.is_pinned[vertex]) {
        if clear[vertex] > REACH {
            continue;
        }
        near[vertex] = Some(body.touch(0, cloth.positions[vertex])?);
    }
    for sample in 1..=SAMPLES {
        let mut to = cloth.predict(DT, wind);
        sewn.place(body, part(sample), &mut to);
        for _ in 0..ITERATIONS {
            cloth.project(&mut to);
        }
        if sample % BETWEEN == 0 {
            between(cloth, body, sample, &near, &mut to)?;
        }
        let mut contacts = Vec::new();
        for vertex in (0..to.len()).filter(|&vertex| !cloth.is_pinned[vertex]) {
            let from = cloth.positions[vertex];
            let carried = near[vertex].map(|touch: Touch| {
                let [before, after] = [sample - 1, sample].map(|sample| body.place(&touch, part(sample)));
                (add(from, sub(after, before)), SLIDE * touch.distance)
            });
            let (base, most) = carried.unwrap_or((from, MOST_WAY));
            to[vertex] = add(base, limited(sub(to[vertex], base), most.min(MOST_WAY)));
            clear[vertex] -= length(sub(to[vertex], from)) + body_way;
            near[vertex] = None;
            if clear[vertex] < REACH {
                let (touch, normal) = settle(body, sample, base, &mut to[vertex])?;
                // One that stays inside is looked at again.
                clear[vertex] = if normal.is_some() { touch.distance.min(REACH) } else { touch.distance };
                near[vertex] = Some(touch);
                contacts.extend(normal.map(|normal| (vertex, normal, scale(sub(base, from), 1.0 / DT))));
            }
        }
        cloth.moved_to(to, DT);
        contacts.iter().for_each(|&(vertex, normal, speed)| cloth.stop(vertex, normal, speed));
    }
    Ok(())
}

/// Puts a point to the margin outside if it is inside or nearer, with friction along the surface. Returns its closest point,
/// and the normal if it was moved. `base` is the point moved with the surface: it stays there where the body leaves no room.
fn settle(body: &BodyStep<'_>, sample: usize, base: V, point: &mut V) -> Result<(Touch, Option<V>), Failure> {
    let touch = body.touch(sample, *point)?;
    let is_inside = body.surfaces[sample].is_inside(*point)?;
    if !is_inside && touch.distance >= MARGIN {
        return Ok((touch, None));
    }
    let normal = body.outward(sample, &touch, *point, is_inside);
    let depth = MARGIN + if is_inside { touch.distance } else { -touch.distance };
    let slide = sub(*point, base);
    let along = sub(slide, scale(normal, dot(slide, normal)));
    let slow = limited(along, FRICTION * depth);
    let foot = body.place(&touch, part(sample));
    let mut above = body.above(sample, sub(foot, slow), normal)?;
    if above.is_none() {
        above = body.above(sample, foot, normal)?;
    }
    let touch;
    (*point, touch) = above.map_or_else(|| Ok::<_, Failure>((base, body.touch(sample, base)?)), Ok)?;
    Ok((touch, Some(normal)))
}

/// Pushes middles of edges and of triangles near the body to the margin outside.
fn between(
    cloth: &Cloth,
    body: &BodyStep<'_>,
    sample: usize,
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
            let touch = body.touch(sample, point)?;
            if touch.distance >= REACH {
                continue;
            }
            let is_inside = body.surfaces[sample].is_inside(point)?;
            let depth = MARGIN + if is_inside { touch.distance } else { -touch.distance };
            if depth > 0.0 {
                let normal = body.outward(sample, &touch, point, is_inside);
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

/// Makes the end of the step one to which the way is clear, and commits it. `from` is where the step began.
pub(crate) fn commit(
    world: &mut World,
    scene: Scene,
    cloth: &mut Cloth,
    body: &BodyStep<'_>,
    from: &[V],
    end: f64,
    Clear(clear): &mut Clear,
    effort: &mut Effort,
) -> Result<(), Failure> {
    let mut to = cloth.positions.clone();
    let mut checked = vec![[f64::NAN; 3]; to.len()];
    clear_ways(cloth, body, from, &mut to, &mut checked)?;
    let mut trial = world.trial(scene.cloth, &rounded(&to), end)?;
    trial.set_distance(Some(0.0))?;
    let mut is_carried = vec![false; to.len()];
    for round in 0..=PUSHES + CARRIES {
        trial.correct(scene.cloth, &rounded(&to))?;
        effort.trials += 1;
        let found = trial.contacts()?;
        // Triangles that touch since an earlier step must get out: they are left to the substeps.
        let tangled: BTreeSet<u32> =
            found.iter().filter(|told| told.touches_at_start).map(|told| of_cloth(told, scene)).collect();
        let begun: Vec<TrialContact> =
            found.iter().filter(|told| !tangled.contains(&of_cloth(told, scene))).copied().collect();
        if begun.is_empty() || round == PUSHES + CARRIES {
            effort.touching += u64::from(!found.is_empty());
            effort.unresolved += u64::from(found.iter().any(|told| !told.touches_at_start));
            break;
        }
        if round < PUSHES {
            begun.iter().for_each(|told| apart(told, scene, cloth, body, from, &mut to));
        } else {
            for vertex in begun.iter().flat_map(|told| cloth.triangles[of_cloth(told, scene) as usize]) {
                is_carried[vertex as usize] = true;
            }
            for vertex in (0..to.len()).filter(|&vertex| is_carried[vertex] && !cloth.is_pinned[vertex]) {
                to[vertex] = body.carried(from[vertex])?;
                effort.carried += 1;
            }
        }
        clear_ways(cloth, body, from, &mut to, &mut checked)?;
    }
    trial.commit()?;
    clear.iter_mut().zip(&cloth.positions).zip(&to).for_each(|((clear, &a), &b)| *clear -= length(sub(b, a)));
    cloth.positions = to;
    Ok(())
}

/// Rounds positions; those to which the way would be inside the body are brought nearer to motion with its surface.
/// `checked` holds the results of the round before.
fn clear_ways(cloth: &Cloth, body: &BodyStep<'_>, from: &[V], to: &mut [V], checked: &mut [V]) -> Result<(), Failure> {
    for (vertex, checked) in checked.iter_mut().enumerate().filter(|(vertex, checked)| to[*vertex] != **checked) {
        let rounded = wide(narrow(to[vertex]));
        let is_first = checked[0].is_nan();
        *checked = if cloth.is_pinned[vertex] {
            rounded
        } else {
            body.clear_way(from[vertex], rounded, (!is_first).then_some(*checked))?
        };
    }
    to.copy_from_slice(checked);
    Ok(())
}

/// The triangle of the cloth.
fn of_cloth(told: &TrialContact, scene: Scene) -> u32 {
    if told.contact.a == scene.cloth { told.contact.triangle_a } else { told.contact.triangle_b }
}

/// Pushes the points that would come together back to the side on which they began.
fn apart(told: &TrialContact, scene: Scene, cloth: &Cloth, body: &BodyStep<'_>, from: &[V], to: &mut [V]) {
    let of_body = if told.contact.a == scene.cloth { told.contact.triangle_b } else { told.contact.triangle_a };
    let vertices = cloth.triangles[of_cloth(told, scene) as usize].map(|vertex| vertex as usize);
    let sheet = |s: f64, to: &[V]| vertices.map(|vertex| lerp(from[vertex], to[vertex], s));
    let weights = closest(sheet(told.fraction, to), told.touch.point);
    let on_body = closest(body.corners(of_body, told.fraction), told.touch.point);
    let gap = |s: f64, to: &[V]| sub(blend(sheet(s, to), weights), blend(body.corners(of_body, s), on_body));
    let normal = told.touch.normal;
    let normal = if dot(normal, gap(0.0, to)) < 0.0 { scale(normal, -1.0) } else { normal };
    let short = MARGIN - dot(normal, gap(1.0, to));
    if short > 0.0 {
        move_point(cloth, vertices, weights, scale(normal, short.min(0.5 * MARGIN)), to);
    }
}
