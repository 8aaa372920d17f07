//! The bodies that are measured.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::common::data::shared;
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
    let Some((mut parts, maps, driver)) = man() else { return Vec::new() };
    (0..3)
        .map(|times| {
            if times > 0 {
                parts = divided(&parts, |_| true);
            }
            skin(&parts, maps, driver.clone())
        })
        .collect()
}

/// The man with as many vertices as the bars are stated for: divided as above, then the longest of
/// all edges once more.
pub fn skins_of_the_bar() -> Vec<Skin> {
    let Some((mut parts, maps, driver)) = man() else { return Vec::new() };
    let mut skins = Vec::new();
    for vertices in [13_000, 54_000] {
        parts = divided(&parts, |_| true);
        skins.push(skin(&filled_up(&parts, vertices), maps, driver.clone()));
    }
    skins
}

/// The figure of the shared data, in its first clip: 13.4 k vertices, 31 joints.
pub fn makehuman() -> Option<Skin> {
    let model = read_gltf(shared("skinned/makehuman_cmu.glb")?, GltfOptions::default()).expect("a model");
    let rig = model.rig().expect("a rig");
    let mix = Mix::clip(&rig, 0, Outside::Hold).expect("a clip");
    let body = model.bodies(&rig, &mix).expect("bodies").into_iter().map(|body| body.body);
    let body = body.max_by_key(|body| body.mesh().vertex_count())?;
    Some(Skin { name: "makehuman".to_owned(), body: Arc::new(body) })
}

/// The walking man, how many maps move him, and how.
fn man() -> Option<(Parts, usize, Arc<dyn Driver>)> {
    let model = read_gltf(shared("skinned/CesiumMan.gltf")?, GltfOptions::default()).expect("a model");
    let rig = model.rig().expect("a rig");
    let mix = Mix::clip(&rig, 0, Outside::Hold).expect("a clip");
    let body = model.bodies(&rig, &mix).expect("bodies").remove(0).body;
    let source = body.mesh();
    let parts = Parts {
        rest: source.rest_positions().to_vec(),
        triangles: source.mesh().triangles().to_vec(),
        lists: (0..source.vertex_count() as u32).map(|vertex| source.influences().of(vertex).collect()).collect(),
    };
    Some((parts, source.map_count(), body.driver().clone()))
}

fn skin(parts: &Parts, maps: usize, driver: Arc<dyn Driver>) -> Skin {
    let mesh = Mesh::new(parts.rest.len(), parts.triangles.clone()).expect("a mesh");
    let influences = Influences::convex(maps, parts.lists.iter().cloned(), WeightPolicy::Strict).expect("weights");
    let def = ReducedDef { mesh, rest: parts.rest.clone(), influences, morphs: Vec::new(), blend: Blend::Linear };
    let mesh = Arc::new(ReducedMesh::new(def).expect("a skin"));
    let name = format!("{:.1} k", mesh.vertex_count() as f64 / 1000.0);
    Skin { name, body: Arc::new(ReducedBody::new(mesh, driver).expect("a body")) }
}

/// Divides the longest edges until there are `vertices` vertices.
fn filled_up(parts: &Parts, vertices: usize) -> Parts {
    let length = |&(p, q): &(u32, u32)| {
        let (x, y) = (parts.rest[p as usize], parts.rest[q as usize]);
        (0..3).map(|axis| (x[axis] - y[axis]).powi(2)).sum::<f32>()
    };
    let mut edges: Vec<(u32, u32)> = parts
        .triangles
        .iter()
        .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
        .map(|(p, q)| (p.min(q), p.max(q)))
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges.sort_by(|p, q| length(q).total_cmp(&length(p)));
    let longest: BTreeSet<(u32, u32)> = edges.into_iter().take(vertices.saturating_sub(parts.rest.len())).collect();
    divided(parts, |edge| longest.contains(&edge))
}

/// Every triangle divided at the middles of those of its sides that are to be; weights of middles
/// are means.
fn divided(parts: &Parts, is_divided: impl Fn((u32, u32)) -> bool) -> Parts {
    let (mut rest, mut lists) = (parts.rest.clone(), parts.lists.clone());
    let mut middles: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    let mut triangles = Vec::with_capacity(4 * parts.triangles.len());
    for &corners in &parts.triangles {
        let mut middle = |p: u32, q: u32| {
            let edge = (p.min(q), p.max(q));
            is_divided(edge).then(|| {
                *middles.entry(edge).or_insert_with(|| {
                    let (x, y) = (parts.rest[p as usize], parts.rest[q as usize]);
                    rest.push(std::array::from_fn(|axis| 0.5 * (x[axis] + y[axis])));
                    let mut list: BTreeMap<u32, f64> = BTreeMap::new();
                    for &(joint, weight) in parts.lists[p as usize].iter().chain(&parts.lists[q as usize]) {
                        *list.entry(joint).or_default() += 0.5 * weight;
                    }
                    lists.push(list.into_iter().collect());
                    rest.len() as u32 - 1
                })
            })
        };
        let [a, b, c] = corners;
        let sides = [middle(a, b), middle(b, c), middle(c, a)];
        // From a corner where whole and divided sides meet.
        let turn = (0..3).find(|&k| sides[k].is_some() && sides[(k + 2) % 3].is_none()).unwrap_or(0);
        let [a, b, c] = [0, 1, 2].map(|k| corners[(k + turn) % 3]);
        match [0, 1, 2].map(|k| sides[(k + turn) % 3]) {
            [Some(ab), Some(bc), Some(ca)] => triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]),
            [Some(ab), Some(bc), None] => triangles.extend([[a, ab, c], [ab, b, bc], [ab, bc, c]]),
            [Some(ab), None, _] => triangles.extend([[a, ab, c], [ab, b, c]]),
            _ => triangles.push([a, b, c]),
        }
    }
    Parts { rest, triangles, lists }
}
