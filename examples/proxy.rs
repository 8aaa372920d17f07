//! Sphere proxies of a car and a barrel: errors in every pose and over a clip of dents, where they are largest, and a picture of mesh and
//! spheres.
//!
//! `cargo run --release --features report --example proxy -- [FOLDER]` prints the tables and writes `proxy.png`, `proxy-clip.svg` to FOLDER (default
//! `docs/figures`).

#[allow(dead_code, unreachable_pub, reason = "shared with other examples")]
mod raster;

use std::error::Error;
use std::path::{Path, PathBuf};

use kinetree::mesh::Mesh;
use kinetree::motion::Sphere;
use kinetree::proxy::{
    Cage, DistanceField, Faults, GapDef, GapsFilled, PackingDef, Plotted, PoseMap, PoseTrack, Proxy, Resolution, Solid,
    blend_vertices, plot, signed_distances,
};
use kinetree::scenes::{self, shapes, wrecks};
use raster::{Camera, Canvas, colour_of_error};

/// A body in all its poses, and its spheres.
struct Body {
    rest: Solid,
    poses: Vec<Solid>,
    meshes: Vec<Vec<[f64; 3]>>,
    cage: Cage,
    /// The cage in every example pose.
    cages: Vec<Vec<[f64; 3]>>,
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
        let field = DistanceField::new(&solid, Resolution::CellsAlongLongest(96))?;
        let def = PackingDef { r_min: 0.0, r_max, max_count: count };
        let packing = def.pack(&field)?;
        let cage = Cage::around(&solid, 14)?;
        let cages: Result<Vec<_>, _> = examples.iter().map(|pose| cage.fit(&solid, pose)).collect();
        let cages = cages?;
        let map = PoseMap::Cage { cage: &cage, poses: &cages };
        let proxy = Proxy::new(&solid, &packing, def, &examples, map)?;
        Ok(Self { rest: solid, poses: examples, meshes, cage, cages, proxy })
    }

    /// Fills what opens in the example poses with up to `count` spheres each, none smaller than `r_min` there.
    fn fill(&mut self, r_min: f64, count: usize) -> Result<GapsFilled, Box<dyn Error>> {
        let map = PoseMap::Cage { cage: &self.cage, poses: &self.cages };
        let def = GapDef { resolution: Resolution::CellsAlongLongest(96), r_min, max_count: count };
        let mut all = GapsFilled::default();
        for pose in 1..=self.poses.len() {
            let filled = self.proxy.fill_gaps(&self.rest, &self.poses, map, pose, def)?;
            all.added += filled.added;
            all.dropped += filled.dropped;
        }
        Ok(all)
    }

    /// How much of a dent each place takes: a bell of some radius around a point.
    fn bell(&self, centre: [f64; 3], radius: f64, share: f64) -> Vec<f64> {
        let at = |site: u32| {
            let point = self.proxy.site(site).unwrap();
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

    /// The vertices farthest from the spheres at rest, and the sphere nearest to each.
    fn print_worst(&self) {
        let spheres = self.proxy.pose(0).unwrap();
        let distances = signed_distances(&self.meshes[0], spheres);
        let mut order: Vec<usize> = (0..distances.len()).collect();
        order.sort_by(|&a, &b| distances[b].total_cmp(&distances[a]).then(a.cmp(&b)));
        let smallest = spheres.iter().map(|sphere| sphere.radius).fold(f64::INFINITY, f64::min);
        println!("smallest radius {smallest:.4} m; farthest vertices at rest:");
        for &vertex in order.iter().take(8) {
            let [x, y, z] = self.meshes[0][vertex];
            let gap = |sphere: &Sphere| signed_distances(&[[x, y, z]], std::slice::from_ref(sphere))[0];
            let nearest = spheres.iter().min_by(|a, b| gap(a).total_cmp(&gap(b))).map_or(0.0, |sphere| sphere.radius);
            println!(
                "  {vertex:>4} ({x:>6.2} {y:>6.2} {z:>6.2}) {:.4} m from a sphere of {nearest:.4} m",
                distances[vertex]
            );
        }
        println!();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "docs/figures".into()));
    std::fs::create_dir_all(&folder)?;
    let mut clips = Vec::new();
    for count in [320, 114, 66] {
        let mut car = Body::new(&wrecks::car(), &wrecks::car_poses(), count, 0.5)?;
        println!("car, {}", car.proxy.quality_of_poses(&car.rest, &car.poses, 0.15)?.text());
        car.print_worst();
        let times: Vec<f64> = (0..=25).map(|step| f64::from(step) / 10.0).collect();
        let mut clip = car.proxy.quality_of_clip(&car.rest, &car.poses, &car.dents()?, &times, 0.15)?;
        clip.name = format!("{count} spheres");
        clips.push(clip);
        if count == 114 {
            picture(&car, &folder)?;
            // What the example poses miss is filled there, and carried back.
            let filled = car.fill(0.1, 20)?;
            println!("gaps filled: {} spheres more, {} without a place at rest", filled.added, filled.dropped);
            println!("car, {}", car.proxy.quality_of_poses(&car.rest, &car.poses, 0.15)?.text());
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

/// Mesh left, red where it is far from the spheres (from 0.05 m, fully at 0.25 m), spheres right; at rest above, dented below.
fn picture(car: &Body, folder: &Path) -> Result<(), Box<dyn Error>> {
    // From far away, so that all four are seen alike; rows and columns lie in the picture's plane.
    let toward = nalgebra::Vector3::new(0.62, 0.62, 1.0).normalize();
    let right = nalgebra::Vector3::y().cross(&toward).normalize();
    let up = toward.cross(&right);
    let eye = toward * 60.0;
    let mut canvas = Canvas::new(Camera::new(eye.into(), [0.0; 3], [0.0, 1.0, 0.0], 3.35 / 60.0)?);
    let moved = |[x, y, z]: [f64; 3], column: f64, row: f64| -> [f64; 3] {
        (nalgebra::Vector3::new(x, y, z) + 2.65 * column * right + 1.62 * row * up).into()
    };
    let track = car.dents()?;
    let places: Vec<u32> = car.meshes[0].iter().map(|&vertex| car.proxy.nearest_site(vertex)).collect();
    let ball = shapes::icosphere(1_280, 1.0);
    for (time, row) in [(0.0, 1.0), (2.0, -1.0)] {
        let shown = blend_vertices(&car.meshes, &places, &track, time)?;
        let spheres = car.proxy.at(&track, time)?;
        let errors = signed_distances(&shown, &spheres);
        for corners in car.rest.triangles() {
            let error = corners.iter().map(|&vertex| errors[vertex as usize].abs()).sum::<f64>() / 3.0;
            let at = corners.map(|vertex| moved(shown[vertex as usize], -1.0, row));
            canvas.triangle(at, colour_of_error(error, 0.15));
        }
        for sphere in spheres.iter().filter(|sphere| sphere.radius > 0.0) {
            canvas.ball(&ball, Sphere { centre: moved(sphere.centre, 1.0, row), ..*sphere }, [0.98, 0.80, 0.28]);
        }
    }
    canvas.write(folder.join("proxy.png").to_str().ok_or("the folder's name is not text")?)
}
