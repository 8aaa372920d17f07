//! The picture of a proxy: the car's mesh and its spheres, at rest and with the nose crushed and the flank pushed in.
//!
//! `cd crash && cargo run --release --example picture -- [OUT.png]` (default `docs/figures/proxy.png`)

#[allow(dead_code, unreachable_pub, reason = "shared with other examples")]
#[path = "../../examples/raster/mod.rs"]
mod raster;

use kinetree::proxy::{PoseTrack, blend_vertices};
use kinetree::scenes::shapes;
use kinetree_crash::Model;
use raster::{Camera, Canvas};

const LIGHT: [f64; 3] = [0.35, 0.8, 0.5];
const RADIUS_COLOUR: [f64; 3] = [0.93, 0.76, 0.25];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args()
        .nth(1)
        .unwrap_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/figures/proxy.png").into());
    let model = Model::car(114)?;
    let (proxy, rest) = (&model.proxy, &model.rest);
    // Dents of 70 % at the nose's left and of 90 % at the flank, place by place.
    let mut track = PoseTrack::rest(proxy.site_count(), proxy.pose_count())?;
    let near = |site: u32, centre: [f64; 3], reach: f64| {
        let at = proxy.site(site);
        let squared: f64 = (0..3).map(|k| (at[k] - centre[k]) * (at[k] - centre[k])).sum();
        libm::exp(-squared / (reach * reach))
    };
    let sites = 0..proxy.site_count() as u32;
    let nose: Vec<f64> = sites.clone().map(|site| 0.9 * near(site, [2.2, 0.0, 0.4], 1.4)).collect();
    let flank: Vec<f64> = sites.map(|site| 0.9 * near(site, [-0.6, 0.0, 0.9], 1.2)).collect();
    track.raise(0.0, 1.0, 1, &nose)?;
    track.raise(1.0, 1.0, 3, &flank)?;

    let vertices = &model.meshes[0];
    let places: Vec<u32> = vertices.iter().map(|&vertex| proxy.nearest_site(vertex)).collect();
    let ball = shapes::icosphere(720, 1.0);
    let mut canvas = Canvas::new(Camera::new([3.6, 8.4, 11.5], [0.0, -0.3, 0.3], [0.0, 1.0, 0.0], 0.31));
    for (time, z) in [(0.0, -2.3), (2.0, 2.3)] {
        let shown = blend_vertices(&model.meshes, &places, &track, time)?;
        for corners in rest.triangles() {
            let moved = |vertex: u32| {
                let [x, y, own] = shown[vertex as usize];
                [x - 3.1, y, own + z]
            };
            canvas.triangle(corners.map(moved), [0.45, 0.58, 0.72], LIGHT, 0.0);
        }
        for sphere in proxy.at(&track, time)? {
            let [x, y, own] = sphere.centre;
            for corners in &ball.triangles {
                let moved = |vertex: u32| {
                    let unit = ball.positions[vertex as usize].map(f64::from);
                    [x + 3.1 + sphere.radius * unit[0], y + sphere.radius * unit[1], own + z + sphere.radius * unit[2]]
                };
                canvas.triangle(corners.map(moved), RADIUS_COLOUR, LIGHT, 0.1);
            }
        }
    }
    canvas.write(&out)
}
