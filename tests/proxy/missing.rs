//! Numbers of poses, spheres, sites, keys and vertices that do not exist.

use kinetree::motion::Sphere;
use kinetree::proxy::{
    Cage, Coverage, DistanceField, Faults, HandleWeights, PackingDef, PoseMap, PoseTrack, Proxy, ProxyError,
    Resolution, Solid, SphereClip,
};

fn block() -> Solid {
    let places: Vec<[f64; 3]> = (0..8).map(|i| [0, 1, 2].map(|axis| f64::from(i >> axis & 1))).collect();
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = sides.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = kinetree::mesh::Mesh::new(8, triangles).unwrap();
    Solid::new(&mesh, &places, Faults::Refuse).unwrap().0
}

#[test]
fn what_does_not_exist_is_none() {
    let rest = block();
    assert!(rest.position(7).is_some() && rest.position(8).is_none() && rest.position(u32::MAX).is_none());
    let field = DistanceField::new(&rest, Resolution::CellsAlongLongest(12)).unwrap();
    let nodes = field.grid().node_count();
    assert!(field.depth(nodes - 1).is_some() && field.depth(nodes).is_none());
    let def = PackingDef { r_min: 0.1, r_max: 1.0, max_count: 20 };
    let packing = def.pack(&field).unwrap();
    let proxy = Proxy::new(&rest, &packing, def, std::slice::from_ref(&rest), PoseMap::Surface).unwrap();
    let spheres = proxy.sphere_count();
    assert!(spheres > 0 && proxy.pose(1).is_some_and(|pose| pose.len() == spheres));
    assert!(proxy.pose(2).is_none() && proxy.pose(usize::MAX).is_none());
    assert!(proxy.centres_outside(1).is_some() && proxy.centres_outside(2).is_none());
    let sites = proxy.site_count() as u32;
    assert!(proxy.site(sites - 1).is_some() && proxy.site(sites).is_none());
    assert!(proxy.site_of(spheres - 1).is_some() && proxy.site_of(spheres).is_none());

    let cage = Cage::around(&rest, 3).unwrap();
    let count = cage.vertex_count() as u32;
    assert!(cage.vertex(count - 1).is_some() && cage.vertex(count).is_none());
    let weights = HandleWeights::new(&cage, &[vec![0]]).unwrap();
    assert!(weights.at(count - 1).is_some_and(|own| own == [1.0]) && weights.at(count).is_none());

    let track = PoseTrack::new(vec![0.0, 1.0], 2, 2, vec![1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0]).unwrap();
    assert_eq!(track.at_key(1, 1), Some(&[0.0, 1.0][..]));
    assert!(track.at_key(2, 0).is_none() && track.at_key(0, 2).is_none());
    assert_eq!(track.at(0.5, 1), Some(vec![0.25, 0.75]));
    assert!(track.at(0.5, 2).is_none());
    let whole = PoseTrack::rest(1, 2).unwrap();
    assert!(whole.at(0.0, 99).is_some() && whole.at_key(0, 99).is_some() && whole.at_key(1, 0).is_none());
}

#[test]
fn clips_with_missing_spheres_have_none() {
    let ball = |x: f64| Sphere { centre: [x, 0.0, 0.0], radius: 1.0 };
    let clip = SphereClip { times: vec![0.0, 1.0], spheres: vec![vec![ball(0.0), ball(5.0)], vec![ball(2.0)]] };
    assert_eq!(clip.at(0, 0.5), Some(ball(1.0)));
    assert!(
        clip.bounds(0, 0.5).is_some_and(|bounds| bounds.contains(&[0.0; 3]) && !bounds.contains(&[-0.1, 0.0, 0.0]))
    );
    assert!(clip.at(1, 0.0).is_some() && clip.bounds(1, 0.0).is_some());
    assert!(clip.at(1, 0.5).is_none() && clip.bounds(1, 0.5).is_none());
    assert!(clip.at(2, 0.0).is_none() && clip.at(usize::MAX, f64::NAN).is_none());
    let empty = SphereClip::default();
    assert!(empty.at(0, 0.0).is_none() && empty.bounds(0, 0.0).is_none());
    let short = SphereClip { times: vec![0.0, 1.0], spheres: vec![vec![ball(0.0)]] };
    assert!(short.at(0, 0.0).is_some() && short.at(0, 0.5).is_none() && short.at(0, 2.0).is_none());
}

#[test]
fn coverage_refuses_vertices_that_do_not_exist() {
    let places = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let error = Coverage::measure(&places, &[[0, 1, 2], [0, 3, 1]], &[], 0.1).unwrap_err();
    assert_eq!(error, ProxyError::TriangleVertex { triangle: 1, vertex: 3, vertices: 3 });
    assert_eq!(error.to_string(), "triangle 1 names vertex 3, but there are 3");
    assert!(Coverage::measure(&places, &[[0, 1, 2]], &[], 0.1).is_ok());
}
