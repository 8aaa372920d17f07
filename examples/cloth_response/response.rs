//! Response: a step of the cloth that passes through nothing, by trials.
//!
//! 1. Contacts of a trial within a margin become constraints: a point of the cloth stays on its side of a point of the body.
//! 2. Constraints and edges are projected in turn.
//! 3. A trial at a distance of 0 m finds what would pass through; these contacts are projected. Vertices that still pass
//!    through are carried along with the body, first alone, then with more and more of their neighbours.
//! 4. Only a proposal that passes through nothing is committed, unless none was found; that is counted.
//!
//! A fast step takes constraints from closest points ([`near`]) first, and contacts within the margin only if that fails.

use std::collections::BTreeSet;

use kinetree::geometry::Surface;
use kinetree::{BodyId, Trial, TrialContact, World};

use crate::cloth::Cloth;
use crate::near::near;
use crate::vector::{V, add, blend, closest, dot, length, lerp, narrow, scale, sub, wide};

type Failure = Box<dyn std::error::Error>;

const MARGIN_ROUNDS: usize = 2;
const ITERATIONS: usize = 12;
const REPAIRS: usize = 8;
const FRICTION: f64 = 0.6;

/// The body over a step.
pub(crate) struct BodyStep<'a> {
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) begin: &'a [V],
    pub(crate) end: &'a [V],
    /// At the begin.
    pub(crate) surface: &'a Surface,
    /// At the end.
    pub(crate) ahead: &'a Surface,
    /// That of the cloth, for queries.
    pub(crate) sheet: &'a mut Surface,
}

impl BodyStep<'_> {
    pub(crate) fn corners(&self, triangle: u32, s: f64) -> [V; 3] {
        self.triangles[triangle as usize].map(|vertex| lerp(self.begin[vertex as usize], self.end[vertex as usize], s))
    }

    /// How the body moves at its point closest to a point.
    pub(crate) fn carried(&self, point: V) -> Result<V, Failure> {
        let found = self.surface.closest_point(point)?;
        let weights = closest(self.corners(found.triangle, 0.0), found.point);
        let [begin, end] = [0.0, 1.0].map(|s| blend(self.corners(found.triangle, s), weights));
        Ok(sub(end, begin))
    }
}

/// Where a point of the body at the end is at the begin, and at the end.
pub(crate) fn closest_pair(body: &BodyStep<'_>, triangle: u32, point: V) -> [V; 2] {
    let weights = closest(body.corners(triangle, 1.0), point);
    [0.0, 1.0].map(|s| blend(body.corners(triangle, s), weights))
}

/// A point of a cloth triangle that stays beyond a plane, which the body carries.
pub(crate) struct Constraint {
    pub(crate) vertices: [usize; 3],
    pub(crate) weights: V,
    pub(crate) normal: V,
    /// The body's point at the end, and how it got there.
    pub(crate) target: V,
    pub(crate) way: V,
}

/// What steps needed so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub(crate) trials: u64,
    /// Steps that needed contacts at the margin.
    pub(crate) exact: u64,
    pub(crate) carried: u64,
    pub(crate) unresolved: u64,
    /// Whether cloth touched the body at the begin of the last step, or was left in it.
    is_tangled: bool,
}

/// The ids of the two bodies, and from which distance they push, metres.
#[derive(Clone, Copy)]
pub(crate) struct Scene {
    pub(crate) cloth: BodyId,
    pub(crate) body: BodyId,
    pub(crate) margin: f64,
    /// Whether constraints come from closest points first.
    pub(crate) is_fast: bool,
}

fn rounded(positions: &[V]) -> Vec<[f32; 3]> {
    positions.iter().map(|&place| narrow(place)).collect()
}

/// One step of the cloth, committed; returns where it ends.
pub(crate) fn step(
    world: &mut World,
    scene: Scene,
    cloth: &Cloth,
    body: &mut BodyStep<'_>,
    mut proposed: Vec<V>,
    end: f64,
    effort: &mut Effort,
) -> Result<Vec<V>, Failure> {
    let predicted = proposed.clone();
    let is_inside = if scene.is_fast && effort.is_tangled {
        cloth.positions.iter().map(|&place| body.surface.is_inside(place)).collect::<Result<Vec<_>, _>>()?
    } else {
        vec![false; proposed.len()]
    };
    effort.is_tangled = false;
    let mut constraints = Vec::new();
    if scene.is_fast {
        for _ in 0..MARGIN_ROUNDS {
            constraints.append(&mut near(scene, cloth, body, &proposed, &is_inside)?);
            project(&constraints, scene, cloth, &mut proposed);
        }
    }
    let mut trial = world.trial(scene.cloth, &rounded(&proposed), end)?;
    if !scene.is_fast || !repair(&mut trial, scene, cloth, body, &mut proposed, &mut constraints, effort)? {
        effort.exact += 1;
        proposed = predicted;
        constraints = within_margin(&mut trial, scene, cloth, body, &mut proposed, effort)?;
        if !repair(&mut trial, scene, cloth, body, &mut proposed, &mut constraints, effort)? {
            carry(&mut trial, scene, cloth, body, &mut proposed, effort)?;
        }
    }
    effort.unresolved += u64::from(effort.is_tangled);
    trial.commit()?;
    Ok(proposed.into_iter().map(|place| wide(narrow(place))).collect())
}

/// Projects edges and constraints in turn.
fn project(constraints: &[Constraint], scene: Scene, cloth: &Cloth, proposed: &mut [V]) {
    for _ in 0..ITERATIONS {
        cloth.project(proposed);
        push(constraints, cloth, scene.margin, proposed);
    }
}

/// Makes constraints of all contacts of a trial within the margin, and projects them.
fn within_margin(
    trial: &mut Trial<'_>,
    scene: Scene,
    cloth: &Cloth,
    body: &BodyStep<'_>,
    proposed: &mut [V],
    effort: &mut Effort,
) -> Result<Vec<Constraint>, Failure> {
    let mut constraints = Vec::new();
    trial.set_distance(None)?;
    for round in 0..MARGIN_ROUNDS {
        trial.correct(scene.cloth, &rounded(proposed))?;
        effort.trials += 1;
        // What touches at the start does so in every round.
        let told = trial.contacts()?.iter().filter(|told| round == 0 || !told.touches_at_start);
        constraints.extend(told.map(|told| constraint(told, scene, cloth, body, proposed)));
        project(&constraints, scene, cloth, proposed);
    }
    Ok(constraints)
}

/// Projects what would pass through; returns whether nothing does any more.
fn repair(
    trial: &mut Trial<'_>,
    scene: Scene,
    cloth: &Cloth,
    body: &BodyStep<'_>,
    proposed: &mut [V],
    constraints: &mut Vec<Constraint>,
    effort: &mut Effort,
) -> Result<bool, Failure> {
    trial.set_distance(Some(0.0))?;
    for _ in 0..REPAIRS {
        let offending = offending(trial, scene, proposed, effort)?;
        if offending.is_empty() {
            return Ok(true);
        }
        constraints.extend(offending.iter().map(|told| constraint(told, scene, cloth, body, proposed)));
        for _ in 0..ITERATIONS {
            push(constraints, cloth, scene.margin, proposed);
        }
    }
    Ok(offending(trial, scene, proposed, effort)?.is_empty())
}

/// Contacts of cloth that would pass through the body. Triangles that touch it at the begin are left out: an earlier step
/// was unresolved, and they must get out.
fn offending(
    trial: &mut Trial<'_>,
    scene: Scene,
    proposed: &[V],
    effort: &mut Effort,
) -> Result<Vec<TrialContact>, Failure> {
    trial.correct(scene.cloth, &rounded(proposed))?;
    effort.trials += 1;
    let found = trial.contacts()?;
    let tangled: BTreeSet<u32> =
        found.iter().filter(|told| told.touches_at_start).map(|told| of_cloth(told, scene)).collect();
    effort.is_tangled |= !tangled.is_empty();
    Ok(found.iter().filter(|told| !tangled.contains(&of_cloth(told, scene))).copied().collect())
}

/// The triangle of the cloth.
fn of_cloth(told: &TrialContact, scene: Scene) -> u32 {
    if told.contact.a == scene.cloth { told.contact.triangle_a } else { told.contact.triangle_b }
}

/// Lets the body carry vertices that would pass through it, and more and more of their neighbours.
fn carry(
    trial: &mut Trial<'_>,
    scene: Scene,
    cloth: &Cloth,
    body: &BodyStep<'_>,
    proposed: &mut [V],
    effort: &mut Effort,
) -> Result<(), Failure> {
    let mut is_carried = vec![false; proposed.len()];
    for round in 0.. {
        let offending = offending(trial, scene, proposed, effort)?;
        if offending.is_empty() {
            break;
        }
        if is_carried.iter().all(|&carried| carried) || round == 72 {
            effort.is_tangled = true;
            break;
        }
        let before = is_carried.clone();
        for told in &offending {
            cloth.triangles[of_cloth(told, scene) as usize]
                .iter()
                .for_each(|&vertex| is_carried[vertex as usize] = true);
        }
        if is_carried == before || round > 3 {
            for corners in &cloth.triangles {
                if corners.iter().any(|&vertex| before[vertex as usize]) {
                    corners.iter().for_each(|&vertex| is_carried[vertex as usize] = true);
                }
            }
        }
        for vertex in (0..proposed.len()).filter(|&vertex| is_carried[vertex] && !before[vertex]) {
            proposed[vertex] = add(cloth.positions[vertex], body.carried(cloth.positions[vertex])?);
            effort.carried += 1;
        }
    }
    Ok(())
}

/// A contact as a constraint: the points that come near each other stay on their sides.
fn constraint(told: &TrialContact, scene: Scene, cloth: &Cloth, body: &BodyStep<'_>, proposed: &[V]) -> Constraint {
    let is_cloth_first = told.contact.a == scene.cloth;
    let (of_cloth, of_body) = if is_cloth_first {
        (told.contact.triangle_a, told.contact.triangle_b)
    } else {
        (told.contact.triangle_b, told.contact.triangle_a)
    };
    let vertices = cloth.triangles[of_cloth as usize].map(|vertex| vertex as usize);
    let sheet = |s: f64| vertices.map(|vertex| lerp(cloth.positions[vertex], proposed[vertex], s));
    // A point of the contact, and the points of both triangles nearest to it.
    let weights = closest(sheet(told.fraction), told.touch.point);
    let on_cloth = blend(sheet(told.fraction), weights);
    let on_body = closest(body.corners(of_body, told.fraction), on_cloth);
    let gap = sub(on_cloth, blend(body.corners(of_body, told.fraction), on_body));
    let [from, target] = [0.0, 1.0].map(|s| blend(body.corners(of_body, s), on_body));
    let before = sub(blend(sheet(0.0), weights), from);
    let normal = if length(gap) > 1e-3 * scene.margin {
        scale(gap, 1.0 / length(gap))
    } else {
        // They touch: the side is that of the start.
        let normal = told.touch.normal;
        if dot(normal, before) < 0.0 { scale(normal, -1.0) } else { normal }
    };
    Constraint { vertices, weights, normal, target, way: sub(target, from) }
}

/// Projects constraints one after the other, with friction.
fn push(constraints: &[Constraint], cloth: &Cloth, margin: f64, proposed: &mut [V]) {
    for Constraint { vertices, weights, normal, target, way } in constraints {
        let place = blend(vertices.map(|vertex| proposed[vertex]), *weights);
        let short = margin - dot(*normal, sub(place, *target));
        if short <= 0.0 {
            continue;
        }
        let start = blend(vertices.map(|vertex| cloth.positions[vertex]), *weights);
        let slide = sub(sub(place, start), *way);
        let along = sub(slide, scale(*normal, dot(slide, *normal)));
        let slow = if length(along) > 0.0 { (FRICTION * short / length(along)).min(1.0) } else { 0.0 };
        let by = sub(scale(*normal, short), scale(along, slow));
        let free = vertices.map(|vertex| f64::from(u8::from(!cloth.is_pinned[vertex])));
        let sum: f64 = (0..3).map(|k| free[k] * weights[k] * weights[k]).sum();
        if sum < 1e-6 {
            continue;
        }
        for k in 0..3 {
            proposed[vertices[k]] = add(proposed[vertices[k]], scale(by, free[k] * weights[k] / sum));
        }
    }
}
