//! Where streamed vertices are, and which triangles touch, once more: shares nothing with the library but the numbers given.

use kinetree::reduced::{Affine, Pose, ReducedMesh};

/// The poses that were handed over: time, pose on arrival, pose on departure.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script(pub(crate) Vec<(f64, Pose, Pose)>);

/// Positions at a key are rounded to `f32`.
fn at_key(mesh: &ReducedMesh, pose: &Pose) -> Vec<[f64; 3]> {
    skinned(mesh, pose).into_iter().map(|place| place.map(|x| f64::from(x as f32))).collect()
}

impl Script {
    /// The positions of all vertices at a time, on arrival where the body jumps.
    pub(crate) fn positions(&self, mesh: &ReducedMesh, time: f64) -> Vec<[f64; 3]> {
        let next = self.0.iter().position(|(key, ..)| *key >= time);
        match next {
            None => at_key(mesh, &self.0[self.0.len() - 1].2),
            Some(0) => at_key(mesh, &self.0[0].1),
            Some(next) => {
                let ((begin, _, from), (end, to, _)) = (&self.0[next - 1], &self.0[next]);
                let s = (time - begin) / (end - begin);
                let (a, b) = (at_key(mesh, from), at_key(mesh, to));
                a.iter().zip(b).map(|(a, b)| std::array::from_fn(|i| a[i] * (1.0 - s) + b[i] * s)).collect()
            }
        }
    }

    /// Cuts the motion at a time, as a stream does that has no moving morph weights there. Returns the last pose.
    pub(crate) fn cut(&mut self, time: f64) -> Pose {
        let left = self.0.iter().filter(|(key, ..)| *key <= time).count().max(1);
        let next = self.0.get(left).cloned();
        self.0.truncate(left);
        let (begin, _, from) = self.0[left - 1].clone();
        let pose = match next {
            Some((end, to, _)) if begin < time => {
                let s = (time - begin) / (end - begin);
                let row = |a: [f64; 4], b: [f64; 4]| std::array::from_fn(|i| a[i] * (1.0 - s) + b[i] * s);
                let map = |a: &Affine, b: &Affine| {
                    let (a, b) = (a.rows(), b.rows());
                    Affine::from_rows(std::array::from_fn(|i| row(a[i], b[i])))
                };
                let maps = from.maps.iter().zip(&to.maps).map(|(a, b)| map(a, b)).collect();
                Pose { maps, morphs: from.morphs }
            }
            _ => from,
        };
        if begin < time {
            self.0.push((time, pose.clone(), pose.clone()));
        } else {
            // A jump at that time is given up.
            let last = self.0.len() - 1;
            self.0[last].2 = self.0[last].1.clone();
            return self.0[last].1.clone();
        }
        pose
    }
}

/// Linear blend skinning, by rows of 3 × 4 matrices.
pub(crate) fn skinned(mesh: &ReducedMesh, pose: &Pose) -> Vec<[f64; 3]> {
    (0..mesh.vertex_count() as u32)
        .map(|vertex| {
            let mut rest = mesh.rest_positions()[vertex as usize].map(f64::from);
            for (morph, delta) in mesh.morphs_of(vertex) {
                (0..3).for_each(|axis| rest[axis] += pose.morphs[morph as usize] * f64::from(delta[axis]));
            }
            let mut place = [0.0; 3];
            for (map, weight) in mesh.influences().of(vertex) {
                let rows = pose.maps[map as usize].rows();
                for axis in 0..3 {
                    let image = (0..3).map(|i| rows[axis][i] * rest[i]).sum::<f64>() + rows[axis][3];
                    place[axis] += weight * image;
                }
            }
            place
        })
        .collect()
}

fn volume([a, b, c, d]: [[f64; 3]; 4]) -> f64 {
    let [u, v, w] = [b, c, d].map(|p| -> [f64; 3] { std::array::from_fn(|i| p[i] - a[i]) });
    u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0])
}

/// Below this volume (six times that of a tetrahedron, m³) a sign is not certain.
const UNSURE: f64 = 1e-9;

/// Whether two triangles meet; `None` if that is not certain in `f64`.
///
/// Two triangles in general position meet if and only if an edge of one of them crosses the other.
pub(crate) fn meet(a: [[f64; 3]; 3], b: [[f64; 3]; 3]) -> Option<bool> {
    let mut is_sure = true;
    for (edges, face) in [(a, b), (b, a)] {
        for i in 0..3 {
            let (p, q) = (edges[i], edges[(i + 1) % 3]);
            let [x, y, z] = face;
            let [over, under] = [p, q].map(|end| volume([x, y, z, end]));
            let sides = [volume([p, q, x, y]), volume([p, q, y, z]), volume([p, q, z, x])];
            is_sure &= [over, under].iter().chain(&sides).all(|volume| volume.abs() > UNSURE);
            let crosses =
                over * under < 0.0 && (sides.iter().all(|side| *side > 0.0) || sides.iter().all(|side| *side < 0.0));
            if crosses && is_sure {
                return Some(true);
            }
        }
    }
    is_sure.then_some(false)
}
