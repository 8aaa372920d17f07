//! Plastic bodies: two cars meet nose to nose, and the host answers every blow by raising pose weights around it. For the world that
//! is another flightplan of spheres.
//!
//! `cargo run --release --example dents`

use std::error::Error;

use kinetree::mesh::{Mesh, Spheres};
use kinetree::proxy::{
    Cage, DistanceField, Faults, PackingDef, PoseMap, PoseTrack, Proxy, Resolution, RigidTrack, Solid, SphereClip,
};
use kinetree::scenes::{self, wrecks};
use kinetree::world::{BodyDef, ContactChange, ContactMode, World, WorldDef};

const FRAMES: f64 = 60.0;
/// Metres that pieces of turning spheres may leave their paths.
const TOLERANCE: f64 = 1e-3;

/// The spheres of a car in its five poses.
fn car() -> Result<Proxy, Box<dyn Error>> {
    let positions = |mesh: &scenes::Mesh| -> Vec<[f64; 3]> {
        mesh.positions.iter().map(|position| position.map(f64::from)).collect()
    };
    let rest = wrecks::car();
    let mesh = Mesh::new(rest.positions.len(), rest.triangles.clone())?;
    let (solid, _) = Solid::new(&mesh, &positions(&rest), Faults::Refuse)?;
    let mut examples = Vec::new();
    for (index, pose) in wrecks::car_poses().iter().enumerate() {
        examples.push(solid.example(index + 1, &mesh, &positions(pose))?);
    }
    let def = PackingDef { r_min: 0.1, r_max: 0.5, max_count: 114 };
    let packing = def.pack(&DistanceField::new(&solid, Resolution::CellsAlongLongest(64))?)?;
    let cage = Cage::around(&solid, 12)?;
    let cages: Result<Vec<_>, _> = examples.iter().map(|pose| cage.fit(&solid, pose)).collect();
    Ok(Proxy::new(&solid, &packing, def, &examples, PoseMap::Cage { cage: &cage, poses: &cages? })?)
}

/// A car on its way along x.
struct Driver {
    track: PoseTrack,
    times: Vec<f64>,
    places: Vec<[f64; 3]>,
    turn: [f64; 4],
    speed: f64,
}

impl Driver {
    fn clip(&self, proxy: &Proxy) -> Result<SphereClip, Box<dyn Error>> {
        // Prefetch as fast as now, for ten seconds.
        let (now, place) = (self.times[self.times.len() - 1], self.places[self.places.len() - 1]);
        let (mut times, mut places) = (self.times.clone(), self.places.clone());
        times.push(now + 10.0);
        places.push([place[0] + 10.0 * self.speed, place[1], place[2]]);
        let motion = RigidTrack::new(times, places, vec![self.turn; self.times.len() + 1])?;
        Ok(motion.compose(&proxy.keys(&self.track)?, TOLERANCE)?)
    }

    /// A blow at sphere `sphere`: what is near it goes part of the way to the crushed nose, and the car loses speed.
    fn hit(&mut self, proxy: &Proxy, sphere: usize, now: f64) -> Result<(), Box<dyn Error>> {
        let centre = proxy.pose(0).unwrap()[sphere].centre;
        let share = |site: u32| {
            let at = proxy.site(site).unwrap();
            0.35 * libm::exp(-(0..3).map(|k| (at[k] - centre[k]) * (at[k] - centre[k])).sum::<f64>())
        };
        let shares: Vec<f64> = (0..proxy.site_count() as u32).map(share).collect();
        self.track.raise(now, 0.05, 1, &shares)?;
        let (last, place) = (self.times[self.times.len() - 1], self.places[self.places.len() - 1]);
        if now > last {
            self.times.push(now);
            self.places.push([place[0] + (now - last) * self.speed, place[1], place[2]]);
        }
        self.speed *= 0.6;
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let proxy = car()?;
    let mut world = World::new(WorldDef::default().contacts(ContactMode::Continuous))?;
    let mut drivers = Vec::new();
    let mut ids = Vec::new();
    for (place, turn, speed) in
        [([-6.0, 0.0, 0.3], [0.0, 0.0, 0.0, 1.0], 10.0), ([6.0, 0.0, -0.3], [0.0, 1.0, 0.0, 0.0], -8.0)]
    {
        let track = PoseTrack::rest(proxy.site_count(), proxy.pose_count())?;
        let driver = Driver { track, times: vec![0.0], places: vec![place], turn, speed };
        let spheres = Spheres::new(proxy.sphere_count())?;
        ids.push(world.add_body(BodyDef::new(spheres, driver.clip(&proxy)?.flightplan()))?);
        drivers.push(driver);
    }
    println!("{} spheres per car", proxy.sphere_count());
    for frame in 0..=120 {
        let now = f64::from(frame) / FRAMES;
        world.advance_to(now)?;
        let first = world.contact_changes().iter().find(|change| change.is_begin()).map(ContactChange::contact);
        let begins = world.contact_changes().iter().filter(|change| change.is_begin()).count();
        let Some(contact) = first else { continue };
        for (index, driver) in drivers.iter_mut().enumerate() {
            let sphere = if contact.a == ids[index] { contact.triangle_a } else { contact.triangle_b };
            driver.hit(&proxy, sphere as usize, now)?;
            // What is shown now stays; what comes is new.
            world.set_flightplan(ids[index], driver.clip(&proxy)?.flightplan())?;
        }
        println!(
            "{now:.3} s: {begins:>2} pairs of spheres begin to touch, {:>3} touch; speeds now {:.2} and {:.2} m/s",
            world.contacts().len(),
            drivers[0].speed,
            drivers[1].speed
        );
    }
    let crushed = |driver: &Driver| -> Result<f64, Box<dyn Error>> {
        let nose = |time: f64| -> Result<f64, Box<dyn Error>> {
            let spheres = proxy.at(&driver.track, time)?;
            Ok(spheres.iter().map(|sphere| sphere.centre[0] + sphere.radius).fold(0.0, f64::max))
        };
        Ok(nose(0.0)? - nose(2.0)?)
    };
    println!("noses are shorter by {:.2} and {:.2} m", crushed(&drivers[0])?, crushed(&drivers[1])?);
    Ok(())
}
