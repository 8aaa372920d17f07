//! Sphere proxies of a car and a barrel: errors in every pose and over a clip of dents, and a picture of mesh and spheres.
//!
//! `cargo run --release --example proxy -- [FOLDER]` prints the tables and writes `proxy.png`, `proxy-clip.svg` to FOLDER (default
//! `docs/figures`).

#[allow(dead_code, unreachable_pub, reason = "shared with other examples")]
mod raster;

use std::error::Error;
use std::path::PathBuf;

use kinetree::mesh::Mesh;
use kinetree::proxy::{
    Cage, DistanceField, Faults, PackingDef, Plotted, PoseMap, PoseTrack, Proxy, Resolution, Solid, blend_vertices,
    plot,
};
use kinetree::scenes::{self, shapes, wrecks};
use raster::{Camera, Canvas};

/// A body in all its poses, and its spheres.
struct Body {
    rest: Solid,
    poses: Vec<Solid>,
    meshes: Vec<Vec<[f64; 3]>>,
    proxy: Proxy,
}

impl Body {
    /// Packs no more than `count` spheres, none larger than `r_max`.
    fn new(rest: &scenes::Mesh, poses: &[scenes::Mesh], count: usize, r_max: f64) -> Result<Self, Box<dyn Error>> {
        let wide = |mesh: &scenes::Mesh| -> Vec<[f64; 3]> {
            mesh.positions.iter().map(|position| position.map(f64::from)).collect()
        };
        let meshes: Vec<Vec<[f64; 3]>> = std::iter::once(wide(rest)).chain(poses.iter().map(wide)).collect();
        let mesh = Mesh::new(rest.positions.len(), rest.triangles.clone())?;
        let (solid, _) = Solid::new(&mesh, &meshes[0], Faults::Refuse)?;
        let examples: Result<Vec<Solid>, _> =
            (1..meshes.len()).map(|pose| solid.example(pose, &mesh, &meshes[pose])).collect();
        let examples = examples?;
        let field = DistanceField::new(&solid, Resolution::CellsAlongLongest(80))?;
        let def = PackingDef { r_min: 0.0, r_max, max_count: count };
        let packing = def.pack(&field)?;
        let cage = Cage::around(&solid, 14)?;
        let cage_poses: Result<Vec<_>, _> = examples.iter().map(|pose| cage.fit(&solid, pose)).collect();
        let map = PoseMap::Cage { cage: &cage, poses: &cage_poses? };
        let proxy = Proxy::new(&solid, &packing, def, &examples, map)?;
        Ok(Self { rest: solid, poses: examples, meshes, proxy })
    }

    /// How much of a dent each place takes: a bell of some radius around a point.
    fn bell(&self, centre: [f64; 3], radius: f64, share: f64) -> Vec<f64> {
        let at = |site: u32| {
            let point = self.proxy.site(site);
            let squared: f64 = (0..3).map(|k| (point[k] - centre[k]) * (point[k] - centre[k])).sum();
            share * libm::exp(-squared / (radius * radius))
        };
        (0..self.proxy.site_count() as u32).map(at).collect()
    }

    /// Nose and flank dented, one after the other.
    fn dents(&self) -> Result<PoseTrack, Box<dyn Error>> {
        let mut track = PoseTrack::rest(self.proxy.site_count(), self.proxy.pose_count())?;
        track.raise(0.5, 0.5, 1, &self.bell([2.2, 0.0, 0.4], 1.4, 0.9))?;
        track.raise(1.5, 0.5, 3, &self.bell([-0.6, 0.0, 0.9], 1.2, 0.9))?;
        Ok(track)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/figures".into()));
    let mut clips = Vec::new();
    for count in [320, 114, 66] {
        let car = Body::new(&wrecks::car(), &wrecks::car_poses(), count, 0.5)?;
        println!("car, {}", car.proxy.quality_of_poses(&car.rest, &car.poses, 0.15)?.text());
        let times: Vec<f64> = (0..=25).map(|step| f64::from(step) / 10.0).collect();
        let mut clip = car.proxy.quality_of_clip(&car.rest, &car.poses, &car.dents()?, &times, 0.15)?;
        clip.name = format!("{count} spheres");
        clips.push(clip);
        if count == 114 {
            picture(&car, &folder)?;
        }
    }
    std::fs::write(
        folder.join("proxy-clip.svg"),
        plot("car: largest error over a clip of two dents", &clips, Plotted::Maximum),
    )?;
    for count in [200, 60, 25] {
        let barrel = Body::new(&wrecks::barrel(), &wrecks::barrel_poses(), count, 0.2)?;
        println!("barrel, {}", barrel.proxy.quality_of_poses(&barrel.rest, &barrel.poses, 0.03)?.text());
    }
    Ok(())
}

/// Mesh left, spheres right; at rest behind, dented in front.
fn picture(car: &Body, folder: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let light = [0.35, 0.8, 0.5];
    let track = car.dents()?;
    let places: Vec<u32> = car.meshes[0].iter().map(|&vertex| car.proxy.nearest_site(vertex)).collect();
    let ball = shapes::icosphere(320, 1.0);
    let mut canvas = Canvas::new(Camera::new([0.0, 9.0, 11.0], [0.0, -0.3, 0.2], [0.0, 1.0, 0.0], 0.30));
    for (time, z) in [(0.0, -2.0), (2.0, 2.0)] {
        let shown = blend_vertices(&car.meshes, &places, &track, time)?;
        for corners in car.rest.triangles() {
            let moved = |vertex: u32| {
                let [x, y, own] = shown[vertex as usize];
                [x - 3.0, y, own + z]
            };
            canvas.triangle(corners.map(moved), [0.45, 0.58, 0.72], light, 0.0);
        }
        for sphere in car.proxy.at(&track, time)? {
            let [x, y, own] = sphere.centre;
            for corners in &ball.triangles {
                let moved = |vertex: u32| {
                    let [i, j, k] = ball.positions[vertex as usize].map(|unit| sphere.radius * f64::from(unit));
                    [x + 3.0 + i, y + j, own + z + k]
                };
                canvas.triangle(corners.map(moved), [0.93, 0.76, 0.25], light, 0.1);
            }
        }
    }
    canvas.write(folder.join("proxy.png").to_str().ok_or("the folder's name is not text")?)
}
