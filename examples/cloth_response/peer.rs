//! The same cloth over the same body as soft bodies of Rapier: all vertices of the body are
//! kinematic.

use std::time::Instant;

use kinetree::Mesh;
use kinetree::geometry::Surface;
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, SoftBodyBuilder, SoftBodyHandle, Vector};

use crate::body::Mover;
use crate::cloth::Cloth;
use crate::tally::Tally;
use crate::vector::{V, add, sub, wide};
use crate::{MARGIN, RATE, Start};

type Failure = Box<dyn std::error::Error>;

/// The mass of the cloth, kilograms.
const MASS: f32 = 0.75;

fn vector([x, y, z]: V) -> Vector {
    Vector::new(x as f32, y as f32, z as f32)
}

fn positions(physics: &PhysicsWorld, handle: SoftBodyHandle) -> Vec<V> {
    let body = &physics.soft_bodies[handle];
    let place = |particle| {
        let place = body.particle_position(particle);
        [place.x, place.y, place.z].map(f64::from)
    };
    (0..body.num_particles()).map(place).collect()
}

/// Runs one seed with the engine's own settings; returns a row of the table.
pub(crate) fn run(mover: &Mover, seed: u64, seconds: f64, samples: usize) -> Result<String, Failure> {
    let Start { phase, cloth, wind, top } = Start::new(mover, seed)?;
    let begin: Vec<V> = mover.at(0, phase).into_iter().map(wide).collect();
    let mesh = Mesh::new(begin.len(), mover.triangles.clone())?;
    let mut tally = Tally::new(Surface::new(&mesh, &begin)?, cloth.positions.len(), samples);
    let mut physics = PhysicsWorld::new();
    physics.integration_parameters.dt = (1.0 / RATE) as f32;
    physics.gravity = Vector::new(wind[0] as f32, -9.81, wind[2] as f32);

    let rubbing = || ColliderBuilder::ball(0.01).friction(0.6);
    let figure = SoftBodyBuilder::trimesh(begin.iter().copied().map(vector).collect(), mover.triangles.clone());
    let figure = figure.ok_or("a body without triangles")?.shape_matching(false).oriented(true);
    let all = 0..begin.len() as u32;
    let figure =
        figure.pinned_particles(all).particle_radius(MARGIN as f32).surface_collider(rubbing()).can_sleep(false);
    let figure = physics.insert_soft_body(figure);
    let sheet = physics.insert_soft_body(sheet(&cloth).surface_collider(rubbing()));

    let began = Instant::now();
    let mut elapsed = 0.0;
    let (mut body_from, mut cloth_from) = (begin, cloth.positions.clone());
    let steps = (seconds * RATE).round() as usize;
    for step in 1..=steps {
        let body_to: Vec<V> = mover.at(step, phase).into_iter().map(wide).collect();
        let start = began.elapsed().as_secs_f64();
        for (vertex, &to) in body_to.iter().enumerate() {
            physics.soft_bodies[figure].set_particle_kinematic_target(vertex, vector(to));
        }
        // Sewn vertices move as the highest vertex of the body does.
        let way = sub(body_to[top], body_from[top]);
        for vertex in (0..cloth.positions.len()).filter(|&vertex| cloth.is_pinned[vertex]) {
            let to = vector(add(cloth_from[vertex], way));
            physics.soft_bodies[sheet].set_particle_kinematic_target(vertex, to);
        }
        physics.step();
        elapsed += began.elapsed().as_secs_f64() - start;
        let cloth_to = positions(&physics, sheet);
        let ways = [(0.0, cloth_from), (1.0, cloth_to)];
        tally.step([&body_from, &body_to], &ways)?;
        let [_, (_, cloth_to)] = ways;
        (body_from, cloth_from) = (body_to, cloth_to);
    }
    let each = 1e3 * elapsed / steps.max(1) as f64;
    Ok(format!("{seed} | rapier | {seconds:.1} | {} | | | | {each:.1} |", tally.columns()))
}

fn sheet(cloth: &Cloth) -> SoftBodyBuilder {
    let pinned = (0..cloth.positions.len() as u32).filter(|&vertex| cloth.is_pinned[vertex as usize]);
    let [threads, bends] = cloth.threads();
    SoftBodyBuilder::new(cloth.positions.iter().copied().map(vector).collect())
        .edges(threads)
        .bend_edges(bends)
        .surface(cloth.triangles.clone())
        .pinned_particles(pinned)
        .mass(MASS)
        .linear_damping(1.0)
        .particle_radius(MARGIN as f32)
        .can_sleep(false)
}
