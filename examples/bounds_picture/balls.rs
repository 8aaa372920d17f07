//! Furrowed balls that simulation nodes pull and bend, and six of them on a ring: the meshless bodies of pictures and of the bench `reduced`.

use kinetree::reduced::{Affine, Blend, Meshless, Pose, ReducedDef, ReducedMesh};
use kinetree::scenes::shapes;

pub struct Ball {
    pub mesh: ReducedMesh,
    /// Pulled and bent, more and more.
    pub poses: Vec<Pose>,
    pub nodes: Vec<[f64; 3]>,
    meshless: Meshless,
}

impl Ball {
    /// Pulled and bent, so far.
    pub fn pose(&self, s: f64) -> Pose {
        let mut pose = Pose::default();
        self.meshless.pose(&pulled(&self.nodes, s), &mut pose).expect("displacements");
        pose
    }

    /// Body number `body` of a scene at a place, metres: it turns about its own axis, and is pulled and bent in a rhythm of its own.
    pub fn placed(&self, place: [f64; 3], body: usize, frame: usize) -> Pose {
        let phase = frame as f64 / 12.0 + 0.7 * body as f64;
        let mut pose = self.pose(0.18 * (1.0 + libm::sin(phase)));
        let half = 0.5 * (0.4 * phase + body as f64);
        let turn = [0.0, 0.0, libm::sin(half), libm::cos(half)];
        let place = Affine::from_parts(place, turn, [1.0; 3]);
        pose.maps.iter_mut().for_each(|map| *map = place.after(map));
        pose
    }
}

/// Where six bodies on a ring are, so far from its middle.
pub fn ring(distance: f64) -> Vec<[f64; 3]> {
    (0..6)
        .map(|body| {
            let angle = f64::from(body) * std::f64::consts::FRAC_PI_3;
            [distance * libm::cos(angle), distance * libm::sin(angle), 0.0]
        })
        .collect()
}

fn pulled(nodes: &[[f64; 3]], s: f64) -> Vec<[f64; 3]> {
    let pull = |&[x, y, z]: &[f64; 3]| {
        [s * x.max(0.0).powi(2), 0.3 * s * libm::sin(2.0 * x + z), 0.25 * s * x * y - 0.2 * s * z]
    };
    nodes.iter().map(pull).collect()
}

fn furrow([x, y, z]: [f64; 3]) -> f64 {
    let length = (x * x + y * y + z * z).sqrt();
    let (u, v, w) = (x / length, y / length, z / length);
    1.0 + 0.05 * libm::sin(14.0 * u + 3.0 * libm::sin(9.0 * v)) * libm::cos(12.0 * w + 2.0 * libm::sin(8.0 * u))
}

/// A ball of about `vertices` vertices with about `wanted` nodes on a lattice inside, pulled and
/// bent.
pub fn ball(vertices: usize, wanted: usize) -> Ball {
    let shape = shapes::icosphere(2 * vertices, 1.0);
    let rest: Vec<[f32; 3]> =
        shape.positions.iter().map(|&p| p.map(|x| (f64::from(x) * furrow(p.map(f64::from))) as f32)).collect();
    // The lattice whose points within the ball come nearest to the number wanted.
    let lattice = |step: f64| {
        let count = (1.0 / step).ceil() as i32 + 1;
        let mut places = Vec::new();
        for i in -count..=count {
            for j in -count..=count {
                for k in -count..=count {
                    let place = [f64::from(i) * step, f64::from(j) * step, f64::from(k) * step];
                    if place.iter().map(|x| x * x).sum::<f64>() <= 1.0 {
                        places.push(place);
                    }
                }
            }
        }
        places
    };
    let mut step = 0.6;
    while lattice(step).len() < wanted {
        step *= 0.99;
    }
    let mut nodes = lattice(step);
    // Nodes farthest from the centre go first, if there are too many.
    nodes.sort_by(|a, b| a.iter().map(|x| x * x).sum::<f64>().total_cmp(&b.iter().map(|x| x * x).sum()));
    nodes.truncate(wanted);
    let mut support = 1.8 * step;
    let (meshless, influences) = loop {
        let made = Meshless::new(nodes.clone(), support).and_then(|m| m.influences(&rest).map(|i| (m, i)));
        match made {
            Ok(made) => break made,
            Err(_) => support *= 1.05,
        }
    };
    let poses = (0..8)
        .map(|k| {
            let mut pose = Pose::default();
            meshless.pose(&pulled(&nodes, f64::from(k + 1) / 8.0), &mut pose).expect("displacements");
            pose
        })
        .collect();
    let mesh = kinetree::mesh::Mesh::new(rest.len(), shape.triangles).expect("a ball");
    let def = ReducedDef { mesh, rest, influences, morphs: Vec::new(), blend: Blend::Linear };
    Ball { mesh: ReducedMesh::new(def).expect("a body"), poses, nodes, meshless }
}
