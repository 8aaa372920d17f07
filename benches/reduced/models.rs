//! The bodies that are measured.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kinetree::io::gltf::{GltfOptions, read_gltf};
use kinetree::mesh::Mesh;
use kinetree::motion::Outside;
use kinetree::reduced::{Blend, Driver, Influences, Mix, ReducedBody, ReducedDef, ReducedMesh, WeightPolicy};

/// A skin with its motion.
pub struct Skin {
    pub name: String,
    pub body: Arc<ReducedBody>,
}

/// A mesh as lists.
struct Parts {
    rest: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    lists: Vec<Vec<(u32, f64)>>,
}

/// The walking man, and the same with four and sixteen times as many triangles.
pub fn skins() -> Vec<Skin> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/skinned/CesiumMan.gltf");
    let Ok(model) = read_gltf(path, GltfOptions::default()) else { return Vec::new() };
    let rig = model.rig().expect("a rig");
    let mix = Mix::clip(&rig, 0, Outside::Hold).expect("a clip");
    let body = model.bodies(&rig, &mix).expect("bodies").remove(0).body;
    let driver = body.driver().clone();
    let source = body.mesh();
    let mut parts = Parts {
        rest: source.rest_positions().to_vec(),
        triangles: source.mesh().triangles().to_vec(),
        lists: (0..source.vertex_count() as u32).map(|vertex| source.influences().of(vertex).collect()).collect(),
    };
    (0..3)
        .map(|times| {
            if times > 0 {
                parts = divided(&parts);
            }
            skin(&parts, source.map_count(), driver.clone())
        })
        .collect()
}

fn skin(parts: &Parts, maps: usize, driver: Arc<dyn Driver>) -> Skin {
    let mesh = Mesh::new(parts.rest.len(), parts.triangles.clone()).expect("a mesh");
    let influences = Influences::convex(maps, parts.lists.iter().cloned(), WeightPolicy::Strict).expect("weights");
    let def = ReducedDef { mesh, rest: parts.rest.clone(), influences, morphs: Vec::new(), blend: Blend::Linear };
    let mesh = Arc::new(ReducedMesh::new(def).expect("a skin"));
    let name = format!("{:.1} k", mesh.vertex_count() as f64 / 1000.0);
    Skin { name, body: Arc::new(ReducedBody::new(mesh, driver).expect("a body")) }
}

/// Every triangle in four, at the middles of its sides; weights of middles are means.
fn divided(parts: &Parts) -> Parts {
    let (mut rest, mut lists) = (parts.rest.clone(), parts.lists.clone());
    let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut triangles = Vec::with_capacity(4 * parts.triangles.len());
    for &[a, b, c] in &parts.triangles {
        let mut middle = |p: u32, q: u32| {
            *middles.entry((p.min(q), p.max(q))).or_insert_with(|| {
                let (x, y) = (parts.rest[p as usize], parts.rest[q as usize]);
                rest.push(std::array::from_fn(|axis| 0.5 * (x[axis] + y[axis])));
                let mut list: BTreeMap<u32, f64> = BTreeMap::new();
                for &(joint, weight) in parts.lists[p as usize].iter().chain(&parts.lists[q as usize]) {
                    *list.entry(joint).or_default() += 0.5 * weight;
                }
                lists.push(list.into_iter().collect());
                rest.len() as u32 - 1
            })
        };
        let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    Parts { rest, triangles, lists }
}
