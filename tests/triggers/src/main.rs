//! Triggers and a moving platform of a rigid-body engine, driven by contacts with exact times.
//!
//! `cargo run --manifest-path tests/triggers/Cargo.toml` runs a scene at three step rates. A cart drives into a switch; from
//! that time on, a platform rises with a crate of the engine; where it meets a stop, it stays. Cart, switch, platform and
//! stop are bodies of [`World`]; platform and crate are bodies of Rapier. The program fails if a time is not the true one,
//! if the platform depends on the step rate, or if the crate does not stand on it.

use std::error::Error;

use kinetree::{BodyDef, BodyId, ContactMode, Flightplan, Mesh, World, WorldDef};
use rapier3d::prelude::*;

type Failure = Box<dyn Error>;

/// Metres per second: the cart along x, the platform along z.
const CART_SPEED: f64 = 1.3;
const RISE_SPEED: f64 = 0.5;
/// When the cart's front, which begins at x = −1.5 m, is at the switch, at 1 m; and when the platform's top, which begins at
/// 0.25 m, is at the stop, at 1 m. Seconds.
const SWITCHED: f64 = 2.5 / CART_SPEED;
const STOPPED: f64 = SWITCHED + 0.75 / RISE_SPEED;
const END: f64 = 5.0;
const HALF_CRATE: f32 = 0.25;

/// The corners of a box and its triangles, counter-clockwise seen from outside.
fn cuboid(low: [f32; 3], high: [f32; 3]) -> Result<(Mesh, Vec<[f32; 3]>), Failure> {
    let side = |corner: usize, axis: usize| if corner >> axis & 1 == 0 { low[axis] } else { high[axis] };
    let corners = (0..8).map(|corner| [0, 1, 2].map(|axis| side(corner, axis))).collect();
    let squares = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = squares.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok((Mesh::new(8, triangles)?, corners))
}

/// A box at a place, or along a straight way between two times.
fn moving(corners: Vec<[f32; 3]>, times: [f64; 2], shifts: [[f64; 3]; 2]) -> Flightplan {
    let transform = |[x, y, z]: [f64; 3]| [1.0, 0.0, 0.0, x, 0.0, 1.0, 0.0, y, 0.0, 0.0, 1.0, z, 0.0, 0.0, 0.0, 1.0];
    Flightplan::rigid(times.to_vec(), shifts.map(transform).to_vec(), corners)
}

/// The bodies whose motion is known.
struct Stage {
    world: World,
    cart: BodyId,
    switch: BodyId,
    platform: BodyId,
    stop: BodyId,
    rest: Vec<[f32; 3]>,
    switched: Option<f64>,
    stopped: Option<f64>,
}

impl Stage {
    fn new() -> Result<Self, Failure> {
        let mut world = World::new(WorldDef::new().contacts(ContactMode::Continuous))?;
        let mut add = |name: &str, low, high, way: [f64; 3]| -> Result<(BodyId, Vec<[f32; 3]>), Failure> {
            let (mesh, corners) = cuboid(low, high)?;
            let plan = moving(corners.clone(), [0.0, END], [[0.0; 3], way]);
            Ok((world.add_body(BodyDef::new(mesh, plan).named(name))?, corners))
        };
        let (cart, _) = add("cart", [-2.0, 3.0, 0.0], [-1.5, 4.0, 0.5], [CART_SPEED * END, 0.0, 0.0])?;
        let (switch, _) = add("switch", [1.0, 3.25, 0.25], [1.125, 3.75, 1.0], [0.0; 3])?;
        let (platform, rest) = add("platform", [-1.0, -1.0, 0.0], [1.0, 1.0, 0.25], [0.0; 3])?;
        let (stop, _) = add("stop", [0.75, 0.75, 1.0], [1.25, 1.25, 1.5], [0.0; 3])?;
        Ok(Self { world, cart, switch, platform, stop, rest, switched: None, stopped: None })
    }

    /// The platform's height, metres.
    fn height(&self) -> Result<f64, Failure> {
        Ok(self.world.positions(self.platform)?[0][2])
    }

    /// The time of the first contact of two bodies until a time.
    fn first(&self, a: BodyId, b: BodyId, until: f64) -> Result<Option<f64>, Failure> {
        Ok(self.world.first_contact(a, b, until)?.map(|contact| contact.time().hi))
    }

    /// Moves on to a time. Contacts on the way change the platform's plan at their own times, not at those of steps.
    fn advance(&mut self, to: f64) -> Result<(), Failure> {
        if self.switched.is_none()
            && let Some(time) = self.first(self.cart, self.switch, to)?
        {
            let up = vec![[0.0, 0.0, RISE_SPEED as f32]; self.rest.len()];
            let plan = Flightplan::velocities(time, self.rest.clone(), up);
            self.world.schedule_flightplan(self.platform, time, plan)?;
            self.switched = Some(time);
        }
        if let (Some(switched), None) = (self.switched, self.stopped)
            && let Some(time) = self.first(self.platform, self.stop, to)?
        {
            let height = [0.0, 0.0, RISE_SPEED * (time - switched)];
            self.world.schedule_flightplan(self.platform, time, moving(self.rest.clone(), [time, END], [height; 2]))?;
            self.stopped = Some(time);
        }
        self.world.advance_to(to)?;
        Ok(())
    }
}

/// Runs the scene; returns both times and the heights of platform and crate at the end.
fn run(rate: f64) -> Result<[f64; 4], Failure> {
    let mut stage = Stage::new()?;
    let mut physics = PhysicsWorld::new();
    physics.gravity = Vector::new(0.0, 0.0, -9.81);
    physics.integration_parameters.dt = (1.0 / rate) as f32;
    // The middle of the engine's box is half its height above the platform's lower side.
    let place = |height: f64| Vector::new(0.0, 0.0, height as f32 + 0.125);
    let platform = RigidBodyBuilder::kinematic_position_based().pose(Pose::from_translation(place(0.0)));
    let (platform, _) = physics.insert(platform, ColliderBuilder::cuboid(1.0, 1.0, 0.125));
    let load = RigidBodyBuilder::dynamic().pose(Pose::from_translation(Vector::new(0.0, 0.0, 0.25 + HALF_CRATE)));
    let (load, _) = physics.insert(load.can_sleep(false), ColliderBuilder::cuboid(HALF_CRATE, HALF_CRATE, HALF_CRATE));
    for step in 1..=(END * rate) as usize {
        stage.advance(step as f64 / rate)?;
        physics.bodies[platform].set_next_kinematic_translation(place(stage.height()?));
        physics.step();
    }
    let crate_height = f64::from(physics.bodies[load].position().translation.z);
    let [switched, stopped] = [stage.switched, stage.stopped].map(|time| time.unwrap_or(f64::NAN));
    Ok([switched, stopped, stage.height()?, crate_height])
}

fn main() -> Result<(), Failure> {
    for rate in [24.0, 30.0, 60.0] {
        let [switched, stopped, height, load] = run(rate)?;
        let late = (SWITCHED * rate).ceil() / rate - SWITCHED;
        println!(
            "{rate} steps a second: switched at {switched:.9} s, stopped at {stopped:.9} s, platform {height:.6} m, \
             crate {load:.3} m; a sensor would switch {:.1} ms late",
            1e3 * late
        );
        let differs = |found: f64, wanted: f64, tolerance: f64| !((found - wanted).abs() <= tolerance);
        if differs(switched, SWITCHED, 1e-9) || differs(stopped, STOPPED, 1e-9) {
            return Err(format!("the times are {SWITCHED} s and {STOPPED} s").into());
        }
        if differs(height, 0.75, 1e-9) {
            return Err(format!("the platform is {height} m high, not 0.75 m").into());
        }
        if differs(load, height + 0.25 + f64::from(HALF_CRATE), 0.01) {
            return Err(format!("the crate is at {load} m: it does not stand on the platform").into());
        }
    }
    Ok(())
}
