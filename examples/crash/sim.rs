//! Bodies with a sphere proxy or their triangles as collision shape of a rigid-body engine, dented where they are hit.
//!
//! Bodies are rigid for the engine. After every step the impulse of each contact is looked at; where it exceeds what the body
//! bears, the weights of an example pose are raised around the point of contact, for good, and the collision shape is made anew from the
//! blended spheres, or the blended mesh.

use std::error::Error;
use std::rc::Rc;

use kinetree::mesh::Mesh;
use kinetree::motion::Sphere;
use kinetree::proxy::{
    Cage, DistanceField, Faults, PackingDef, PoseMap, PoseTrack, Proxy, QualityReport, Resolution, RigidTrack, Solid,
    blend_vertices,
};
use kinetree::scenes::{self, wrecks};
use rapier3d::prelude::*;

/// Steps per second.
pub const RATE: f64 = 60.0;

/// What bodies collide as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// So many spheres per body.
    Spheres(usize),
    /// Their triangles, as a closed surface that pushes outwards.
    Triangles,
    /// Their triangles, each for itself, pushing to either side.
    Soup,
}

/// What a kind of body needs: its poses as meshes and as spheres.
pub struct Model {
    pub rest: Solid,
    pub poses: Vec<Solid>,
    pub proxy: Proxy,
    /// Vertices in every pose, the rest pose first.
    pub meshes: Vec<Vec<[f64; 3]>>,
    /// Per vertex, the place whose weights it takes.
    sites: Vec<u32>,
    /// Half the box at rest, metres.
    half: [f64; 3],
    mass: f64,
    /// Which pose a blow along +x, -x, ±z and ±y leads to.
    pose_of_side: [usize; 4],
}

impl Model {
    /// A car of 1,400 kg with `count` spheres.
    pub fn car(count: usize) -> Result<Rc<Self>, Box<dyn Error>> {
        Self::new(&wrecks::car(), &wrecks::car_poses(), count, 0.5, 14, 1_400.0, [1, 2, 3, 4])
    }

    /// A barrel of 60 kg with `count` spheres.
    pub fn barrel(count: usize) -> Result<Rc<Self>, Box<dyn Error>> {
        Self::new(&wrecks::barrel(), &wrecks::barrel_poses(), count, 0.2, 8, 60.0, [2, 3, 3, 1])
    }

    fn new(
        rest: &scenes::Mesh,
        poses: &[scenes::Mesh],
        count: usize,
        r_max: f64,
        cage_cells: u32,
        mass: f64,
        pose_of_side: [usize; 4],
    ) -> Result<Rc<Self>, Box<dyn Error>> {
        let wide = |mesh: &scenes::Mesh| -> Vec<[f64; 3]> {
            mesh.positions.iter().map(|position| position.map(f64::from)).collect()
        };
        let meshes: Vec<Vec<[f64; 3]>> = std::iter::once(wide(rest)).chain(poses.iter().map(wide)).collect();
        let mesh = Mesh::new(rest.positions.len(), rest.triangles.clone())?;
        let (solid, _) = Solid::new(&mesh, &meshes[0], Faults::Refuse)?;
        let examples: Result<Vec<Solid>, _> =
            (1..meshes.len()).map(|pose| solid.example(pose, &mesh, &meshes[pose])).collect();
        let examples = examples?;
        let field = DistanceField::new(&solid, Resolution::CellsAlongLongest(96))?;
        let def = PackingDef { r_min: 0.0, r_max, max_count: count };
        let packing = def.pack(&field)?;
        let cage = Cage::around(&solid, cage_cells)?;
        let cage_poses: Result<Vec<_>, _> = examples.iter().map(|pose| cage.fit(&solid, pose)).collect();
        let map = PoseMap::Cage { cage: &cage, poses: &cage_poses? };
        let proxy = Proxy::new(&solid, &packing, def, &examples, map)?;
        let bounds = solid.bounds();
        Ok(Rc::new(Self {
            sites: meshes[0].iter().map(|&vertex| proxy.nearest_site(vertex)).collect(),
            half: [0, 1, 2].map(|axis| 0.5 * (bounds.max[axis] - bounds.min[axis])),
            rest: solid,
            poses: examples,
            proxy,
            meshes,
            mass,
            pose_of_side,
        }))
    }

    /// The collision shape in a state of dents.
    fn shape(&self, kind: Shape, track: &PoseTrack, time: f64) -> Result<SharedShape, Box<dyn Error>> {
        match kind {
            Shape::Spheres(_) => {
                let spheres = self.proxy.at(track, time)?;
                let balls = spheres.iter().filter(|sphere| sphere.radius > 0.0).map(|sphere| {
                    (Pose::from_translation(vector(sphere.centre)), SharedShape::ball(sphere.radius as f32))
                });
                Ok(SharedShape::compound(balls.collect()))
            }
            Shape::Triangles | Shape::Soup => {
                let vertices = blend_vertices(&self.meshes, &self.sites, track, time)?;
                let vertices = vertices.into_iter().map(vector).collect();
                let triangles = self.rest.triangles().to_vec();
                let flags = if kind == Shape::Soup { TriMeshFlags::default() } else { TRIANGLES };
                Ok(SharedShape::trimesh_with_flags(vertices, triangles, flags)?)
            }
        }
    }
}

/// Closed surfaces facing outwards: contacts push out of the body, also across inner edges.
const TRIANGLES: TriMeshFlags = TriMeshFlags::ORIENTED.union(TriMeshFlags::FIX_INTERNAL_EDGES);

fn vector([x, y, z]: [f64; 3]) -> Vector {
    Vector::new(x as f32, y as f32, z as f32)
}

/// A body in motion, and what has become of it.
pub struct Dented {
    pub model: Rc<Model>,
    pub track: PoseTrack,
    body: RigidBodyHandle,
    collider: ColliderHandle,
    places: Vec<[f64; 3]>,
    turns: Vec<[f64; 4]>,
}

/// How long things took, nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    /// Steps of the rigid-body engine: collision detection and response.
    pub rigid: f64,
    /// Of these, its collision detection, by its own (wall) clock.
    pub collision: f64,
    /// Dents and new collision shapes.
    pub deforming: f64,
}

/// A fixed box.
pub struct Block {
    pub centre: [f64; 3],
    pub half: [f64; 3],
    /// Radians about z.
    pub tilt: f64,
}

/// A simulation.
pub struct Crash {
    pub blocks: Vec<Block>,
    pub bodies: Vec<Dented>,
    pub costs: Costs,
    /// Shapes that were made anew.
    pub dents: usize,
    /// Bodies that were awake, summed over the steps.
    pub awake: usize,
    physics: PhysicsWorld,
    shape: Shape,
    times: Vec<f64>,
    clock: fn() -> f64,
}

impl Crash {
    /// An empty world; `clock` gives nanoseconds.
    pub fn new(shape: Shape, clock: fn() -> f64) -> Self {
        let mut physics = PhysicsWorld::new();
        physics.gravity = Vector::new(0.0, -9.81, 0.0);
        physics.integration_parameters.dt = (1.0 / RATE) as f32;
        // The engine would sweep every fast body against what stands still, compounds ball by ball, and triangle meshes not at all.
        physics.integration_parameters.max_ccd_substeps = 0;
        Self {
            blocks: Vec::new(),
            bodies: Vec::new(),
            costs: Costs::default(),
            dents: 0,
            awake: 0,
            physics,
            shape,
            times: vec![0.0],
            clock,
        }
    }

    /// A fixed box, turned by `tilt` radians about z.
    pub fn add_block(&mut self, centre: [f64; 3], half: [f64; 3], tilt: f64) {
        let pose = Pose::new(vector(centre), Vector::new(0.0, 0.0, tilt as f32));
        let [x, y, z] = half.map(|x| x as f32);
        self.blocks.push(Block { centre, half, tilt });
        self.physics.insert(RigidBodyBuilder::fixed().pose(pose), ColliderBuilder::cuboid(x, y, z).friction(0.3));
    }

    /// A body at a place, turned by `yaw` radians about y, with a velocity.
    pub fn add_body(
        &mut self,
        model: &Rc<Model>,
        place: [f64; 3],
        yaw: f64,
        velocity: [f64; 3],
    ) -> Result<(), Box<dyn Error>> {
        let track = PoseTrack::rest(model.proxy.site_count(), model.proxy.pose_count())?;
        // Both kinds of shape weigh the same: the mass of a box, spread evenly.
        let [x, y, z] = model.half;
        let properties = MassProperties::from_cuboid((model.mass / (8.0 * x * y * z)) as f32, vector(model.half));
        let body = RigidBodyBuilder::dynamic()
            .pose(Pose::new(vector(place), Vector::new(0.0, yaw as f32, 0.0)))
            .linvel(vector(velocity))
            .additional_mass_properties(properties);
        let shape = ColliderBuilder::new(model.shape(self.shape, &track, 0.0)?).density(0.0).friction(0.3);
        let (body, collider) = self.physics.insert(body, shape);
        let mut dented = Dented { model: model.clone(), track, body, collider, places: Vec::new(), turns: Vec::new() };
        dented.record(&self.physics);
        self.bodies.push(dented);
        Ok(())
    }

    /// Lets no body fall asleep, so that all shapes have as many steps.
    pub fn keep_awake(&mut self) {
        for body in &self.bodies {
            *self.physics.bodies[body.body].activation_mut() = RigidBodyActivation::cannot_sleep();
        }
    }

    /// Simulates for some seconds.
    pub fn run(&mut self, seconds: f64) -> Result<(), Box<dyn Error>> {
        for _ in 0..(seconds * RATE).round() as u32 {
            let begin = (self.clock)();
            self.physics.step();
            let stepped = (self.clock)();
            self.costs.collision +=
                self.physics.physics_pipeline.counters.stages.collision_detection_time.time_ms() * 1e6;
            let time = self.times.len() as f64 / RATE;
            self.times.push(time);
            self.dent(time)?;
            self.bodies.iter_mut().for_each(|body| body.record(&self.physics));
            self.awake += self.physics.islands.active_bodies().count();
            self.costs.rigid += stepped - begin;
            self.costs.deforming += (self.clock)() - stepped;
        }
        Ok(())
    }

    /// Raises weights where a contact was harder than a body bears.
    fn dent(&mut self, time: f64) -> Result<(), Box<dyn Error>> {
        for body in &mut self.bodies {
            let mut blows: Vec<(usize, Vec<f64>)> = Vec::new();
            for pair in self.physics.narrow_phase.contact_pairs_with(body.collider) {
                let change = f64::from(pair.total_impulse_magnitude()) / body.model.mass;
                let Some((manifold, contact)) = pair.find_deepest_contact().filter(|_| change > BORNE) else {
                    continue;
                };
                let is_first = pair.collider1 == body.collider;
                let (local, sub) = if is_first {
                    (contact.local_p1, manifold.subshape_pos1())
                } else {
                    (contact.local_p2, manifold.subshape_pos2())
                };
                // Colliders sit at their body's origin.
                let point = sub.map_or(local, |sub| sub.transform_point(local));
                let point = [point.x, point.y, point.z].map(f64::from);
                blows.push(body.blow(point, change - BORNE));
            }
            // Blows of one step follow each other within half of it.
            let each = 0.5 / (RATE * blows.len().max(1) as f64);
            for (index, (pose, shares)) in blows.iter().enumerate() {
                body.track.raise(time + index as f64 * each, each, *pose, shares)?;
            }
            if !blows.is_empty() {
                let last = body.track.times()[body.track.times().len() - 1];
                let shape = body.model.shape(self.shape, &body.track, last)?;
                self.physics.colliders[body.collider].set_shape(shape);
                self.dents += 1;
            }
        }
        Ok(())
    }

    /// Where a body was at every step.
    pub fn motion(&self, body: usize) -> Result<RigidTrack, Box<dyn Error>> {
        let Dented { places, turns, .. } = &self.bodies[body];
        Ok(RigidTrack::new(self.times.clone(), places.clone(), turns.clone())?)
    }

    /// The vertices of a body in the world's frame at every step, in `f32` as keyframes have them.
    pub fn keyframes(&self, body: usize) -> Result<Vec<[f32; 3]>, Box<dyn Error>> {
        let dented = &self.bodies[body];
        let motion = self.motion(body)?;
        let mut all = Vec::new();
        for &time in &self.times {
            let vertices = dented.vertices(time)?;
            all.extend(vertices.into_iter().map(|vertex| motion.carry(vertex, time).map(|x| x as f32)));
        }
        Ok(all)
    }

    /// Times of the steps, seconds.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Errors of every body over time.
    pub fn quality(&self, limit: f64) -> Result<Vec<QualityReport>, Box<dyn Error>> {
        let times: Vec<f64> = self.times.iter().copied().step_by(6).collect();
        let mut reports = Vec::new();
        for (index, body) in self.bodies.iter().enumerate() {
            let Model { rest, poses, proxy, .. } = &*body.model;
            let mut report = proxy.quality_of_clip(rest, poses, &body.track, &times, limit)?;
            report.name = format!("body {}", index + 1);
            reports.push(report);
        }
        Ok(reports)
    }
}

/// Change of velocity a body bears without a dent, metres per second and step. A dent moves the surface under a contact, which pushes back in
/// the next step: what is borne must be more than that, or bodies at rest go on denting.
const BORNE: f64 = 2.0;

impl Dented {
    fn record(&mut self, physics: &PhysicsWorld) {
        let body = &physics.bodies[self.body];
        let (place, turn) = (body.translation(), body.rotation());
        self.places.push([place.x, place.y, place.z].map(f64::from));
        self.turns.push([turn.x, turn.y, turn.z, turn.w].map(f64::from));
    }

    /// The pose a blow at a point leads to, and how far each place goes there.
    fn blow(&self, point: [f64; 3], change: f64) -> (usize, Vec<f64>) {
        let Model { half, proxy, pose_of_side, .. } = &*self.model;
        let side = [0, 1, 2].map(|axis| (point[axis] / half[axis]).abs());
        let axis = (1..3).fold(0, |most, axis| if side[axis] > side[most] { axis } else { most });
        let pose = match axis {
            0 if point[0] > 0.0 => pose_of_side[0],
            0 => pose_of_side[1],
            1 => pose_of_side[3],
            _ => pose_of_side[2],
        };
        let reach = 0.45 * half[0].max(half[1]);
        let share = |site: u32| {
            let Some(at) = proxy.site(site) else { return 0.0 };
            let squared: f64 = (0..3).map(|k| (at[k] - point[k]) * (at[k] - point[k])).sum();
            (change / 6.0).min(0.6) * libm::exp(-squared / (reach * reach))
        };
        (pose, (0..proxy.site_count() as u32).map(share).collect())
    }

    /// The spheres in the body's frame at a time.
    pub fn spheres(&self, time: f64) -> Result<Vec<Sphere>, Box<dyn Error>> {
        Ok(self.model.proxy.at(&self.track, time)?)
    }

    /// The mesh in the body's frame at a time.
    pub fn vertices(&self, time: f64) -> Result<Vec<[f64; 3]>, Box<dyn Error>> {
        Ok(blend_vertices(&self.model.meshes, &self.model.sites, &self.track, time)?)
    }
}
