//! Numbers that do not exist, and data of another body, are answered or refused; nothing panics.

use std::sync::Arc;

use crate::common::dice::Dice;
use crate::reduced_support::Spinner;
use kinetree::bvh::{BuildParams, Builder, Hierarchy};
use kinetree::mesh::Primitives;
use kinetree::reduced::bounds::{
    BoundParams, BoundTree, Camera, Directions, Frame, Level, MovingBounds, PosedBounds, Rectangle, RestBoxes,
};
use kinetree::reduced::sphere_tree::{PosedSpheres, Sphere, SphereParams, SphereTree};
use kinetree::reduced::{
    Affine, Blend, Influences, MorphTarget, Pose, PoseKeys, ReducedBody, ReducedDef, ReducedError, ReducedMesh,
    WeightPolicy,
};
use kinetree::{Aabb, BodyDef, Flightplan, Mesh, Moment, Outside, Sampler, Side, Topology, World, WorldDef};

/// Numbers beyond all that exist here.
const NUMBERS: [u32; 3] = [1_000, u32::MAX - 1, u32::MAX];

/// A strip of triangles that many maps move.
fn strip(triangles: u32, maps: usize, blend: Blend) -> Arc<ReducedMesh> {
    let vertices = triangles as usize + 2;
    let rest: Vec<[f32; 3]> = (0..vertices).map(|k| [k as f32, (k % 2) as f32, 0.0]).collect();
    let lists =
        (0..vertices).map(|k| vec![((k % maps) as u32, 0.5), (((k + 1) % maps) as u32, 0.5)]).collect::<Vec<_>>();
    let influences = Influences::convex(maps, lists, WeightPolicy::Strict).unwrap();
    let mesh = Mesh::new(vertices, (0..triangles).map(|k| [k, k + 1, k + 2]).collect()).unwrap();
    let morphs = vec![MorphTarget::dense(&vec![[0.0, 0.0, 0.5]; vertices])];
    Arc::new(ReducedMesh::new(ReducedDef { mesh, rest, influences, morphs, blend }).unwrap())
}

fn body(mesh: &Arc<ReducedMesh>) -> Arc<ReducedBody> {
    let mut poses = vec![Pose::rest(mesh.map_count(), 1); 2];
    poses[1].maps[0] = Affine::from_parts([0.0, 0.0, 2.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
    let centres = vec![[0.0; 3]; mesh.map_count()];
    let driver = PoseKeys::new(&[0.0, 1.0], poses, centres, Outside::Hold).unwrap();
    Arc::new(ReducedBody::new(Arc::clone(mesh), Arc::new(driver)).unwrap())
}

fn is_everything(bounds: &Aabb) -> bool {
    bounds.min == [f64::NEG_INFINITY; 3] && bounds.max == [f64::INFINITY; 3]
}

#[test]
fn bounds_of_nodes_that_do_not_exist_have_no_limits() {
    let mesh = strip(40, 5, Blend::Linear);
    let tree = Arc::new(BoundTree::new(&mesh, BoundParams::default()));
    let frame = Frame::of_pose(&tree, &Pose::rest(5, 1)).unwrap();
    let axes = Directions::fourteen();
    let camera = Camera { x: [1.0, 0.0, 0.0, 0.0], y: [0.0, 1.0, 0.0, 0.0], w: [0.0, 0.0, 1.0, 10.0] };
    let body = body(&mesh);
    let moving = MovingBounds::new(Arc::clone(&tree), Arc::clone(&body), &body.pieces(1e-2).unwrap(), Level::Corner);
    let moving = moving.unwrap();
    let mut posed = PosedBounds::new(&tree, &mesh, Level::Corner, &Pose::rest(5, 1)).unwrap();
    let (at, mut boxes, mut extents) = (Moment::at(0.5), Vec::new(), Vec::new());
    for level in [Level::Corner, Level::Optimum] {
        for node in NUMBERS {
            assert!(is_everything(&tree.node_box(node, &frame, level)));
            assert!(is_everything(&tree.united_box(node, &frame, level, 2)));
            assert_eq!(tree.support(node, &frame, level, [1.0, 0.0, 0.0]), [f64::NEG_INFINITY, f64::INFINITY]);
            tree.polytope(node, &frame, level, &axes, &mut extents);
            assert_eq!(extents, vec![[f64::NEG_INFINITY, f64::INFINITY]; 7]);
            assert_eq!(tree.screen_rectangle(node, &frame, level, &camera), Rectangle::EVERYTHING);
            tree.node_boxes(&[0, node, 1], &frame, level, &mut boxes);
            assert!(is_everything(&boxes[1]) && boxes[0] == tree.node_box(0, &frame, level));
            moving.node_boxes(&[0, node, 1], at, &mut boxes);
            assert!(
                is_everything(&boxes[1]) && boxes[0] == moving.node_box(0, at) && boxes[2] == moving.node_box(1, at)
            );
            assert!(is_everything(&moving.node_box(node, at)) && is_everything(&posed.node_box(node)));
        }
    }
}

#[test]
fn frames_and_trees_of_other_bodies_are_refused_or_bound_nothing() {
    let meshes = [strip(40, 5, Blend::Linear), strip(90, 9, Blend::Linear), strip(10, 5, Blend::Linear)];
    let trees = meshes.each_ref().map(|mesh| BoundTree::new(mesh, BoundParams::default()));
    for (place, of) in trees.iter().enumerate() {
        let frame = Frame::of_pose(of, &Pose::rest(meshes[place].map_count(), 1)).unwrap();
        for (other, tree) in trees.iter().enumerate() {
            let mut boxes = Vec::new();
            tree.node_boxes(&[0], &frame, Level::Corner, &mut boxes);
            assert_eq!(is_everything(&boxes[0]), place != other);
            assert_eq!(is_everything(&tree.united_box(0, &frame, Level::Optimum, 1)), place != other);
        }
        assert_eq!(tree_over(&meshes[0], of), if place == 1 { Err(ReducedError::ForeignTree) } else { Ok(()) });
    }
    for blend in [Blend::Linear, Blend::Spherical { joints: vec![[0.0; 3]; 2] }] {
        let mesh = strip(12, 2, blend);
        let spinner = Spinner::of(&mut Dice::new(7, &[]), 2, 1, 1, 0.5, true);
        let body = ReducedBody::new(Arc::clone(&mesh), Arc::new(spinner)).unwrap();
        let own = Topology::build(mesh.mesh(), &places(&mesh), BuildParams::default());
        let sampler = body.sampler(body.pieces_at_rate(6.0).unwrap()).unwrap();
        assert!(Arc::clone(&sampler).boxes_over(trees[1].topology().clone()).is_none());
        let boxes = sampler.boxes_over(own).unwrap();
        for (key, node) in [(0, 1_000), (1_000, 0), (usize::MAX, u32::MAX)] {
            assert!(is_everything(&boxes.key_box(key, Side::At, node)));
        }
        assert!(!is_everything(&boxes.key_box(0, Side::At, 0)));
        let keys = |last| [(0, Side::After), (last, Side::At)];
        assert!(boxes.rounded_positions(keys(usize::MAX), 0.5, &[0], &mut [[0.0; 4]]).is_none());
        assert!(boxes.rounded_positions(keys(1), 0.5, &[14], &mut [[0.0; 4]]).is_none());
    }
}

fn tree_over(mesh: &ReducedMesh, tree: &BoundTree) -> Result<(), ReducedError> {
    BoundTree::over(mesh, tree.topology().clone(), RestBoxes::Oriented).map(|_| ())
}

fn places(mesh: &ReducedMesh) -> Vec<[f64; 3]> {
    mesh.rest_positions().iter().map(|place| place.map(f64::from)).collect()
}

#[test]
fn vertices_joint_sets_and_spheres_that_do_not_exist() {
    let mesh = strip(20, 3, Blend::Spherical { joints: vec![[0.0; 3], [1.0; 3], [2.0; 3]] });
    let (sets, pose) = (mesh.joint_sets().unwrap(), Pose::rest(3, 1));
    let tree = SphereTree::new(&mesh, SphereParams::default()).unwrap();
    let mut posed = PosedSpheres::new(&tree, &mesh, &pose).unwrap();
    let nodes = tree.node_count() as u32;
    for number in NUMBERS.into_iter().chain([22, nodes]) {
        let of = mesh.influences();
        if number >= 22 {
            assert!(of.of(number).len() == 0 && of.indices_of(number).is_empty() && of.weights_of(number).is_empty());
            assert_eq!((mesh.morphs_of(number).len(), sets.set_of(number), sets.mean_of(number)), (0, None, None));
            assert!(sets.joints_of(number).is_empty());
            let missing = ReducedError::NoSuchSet { set: number, sets: sets.count() };
            assert_eq!(sets.frame(number, &pose).unwrap_err(), missing);
            let missing = ReducedError::NoSuchTriangle { triangle: number, triangles: 20 };
            assert_eq!(posed.corners(number).unwrap_err(), missing);
        }
        if number >= nodes {
            assert!(tree.children(number).is_empty() && tree.triangles(number).is_empty() && tree.level(number) == 0);
            assert_eq!((tree.rest_sphere(number), posed.sphere(number)), (Sphere::EVERYTHING, Sphere::EVERYTHING));
            assert!(posed.refit(number) == Sphere::EVERYTHING && !posed.is_made(number));
        }
    }
}

/// Primitives of which some name vertices without a position.
struct Lists(Vec<[u32; 2]>);

impl Primitives for Lists {
    fn primitive_count(&self) -> usize {
        self.0.len()
    }

    fn points_of(&self, index: usize) -> &[u32] {
        &self.0[index]
    }
}

#[test]
fn trees_are_built_from_any_positions_and_answer_for_any_number() {
    for builder in [Builder::BinnedSurfaceArea, Builder::MedianSplit, Builder::CovarianceMedian] {
        let params = BuildParams { builder, leaf_size: 1, ..BuildParams::default() };
        let none = Topology::build(&Lists(Vec::new()), &[], params);
        assert!(!none.node(0).is_used() && !none.node(0).is_leaf() && none.primitives(0).is_empty());
        let tree = Topology::build(&Lists((0..9).map(|k| [k, k + 1]).collect()), &[[1.0; 3]; 4], params);
        let mut order = tree.order().to_vec();
        order.sort_unstable();
        assert_eq!(order, (0..9).collect::<Vec<_>>());
        assert_eq!(tree.leaves_of(9).len(), 1);
        for number in NUMBERS.into_iter().chain([tree.nodes().len() as u32]) {
            assert!(!tree.node(number).is_used() && tree.node(number).parent().is_none());
            assert!(tree.primitives(number).is_empty() && tree.leaf_points(number).is_empty());
            assert!(tree.leaves_of(number).is_empty());
        }
        let mut one = Topology::build(&Lists(vec![[0, 1]]), &[[0.0; 3]; 2], params);
        one.remove(0, 0, &Lists(vec![[0, 1]]), |_| [0.0; 3]);
        assert_eq!(one.primitives(0), [0]);
    }
}

/// A sampler that appends a wrong number of positions, and takes what was there away.
#[derive(Debug)]
struct Miscounting {
    appended: usize,
}

impl Sampler for Miscounting {
    fn vertex_count(&self) -> usize {
        3
    }

    fn rest_positions(&self) -> &[[f32; 3]] {
        &[[0.0; 3]; 3]
    }

    fn times(&self) -> &[f64] {
        &[0.0, 1.0]
    }

    fn jumps(&self) -> &[bool] {
        &[false; 2]
    }

    fn outside(&self) -> Outside {
        Outside::Hold
    }

    fn largest_coordinate(&self) -> f64 {
        2.0
    }

    fn largest_speed(&self) -> f64 {
        2.0
    }

    fn position(&self, key: usize, _: Side, vertex: u32) -> [f64; 3] {
        [key as f64, f64::from(vertex) - 1.0, 0.0]
    }

    fn positions(&self, _: usize, _: Side, _: &mut dyn Iterator<Item = u32>, out: &mut Vec<[f64; 3]>) {
        out.clear();
        out.resize(self.appended, [1.0; 3]);
    }
}

#[test]
fn a_sampler_that_miscounts_does_not_panic() {
    for appended in [0, 1, 9] {
        let plan = Flightplan::sampled(Arc::new(Miscounting { appended }));
        let mut world = World::new(WorldDef::new()).unwrap();
        let body = world.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).unwrap(), plan)).unwrap();
        for time in [0.0, 0.5, 1.0, 2.0] {
            world.advance_to(time).unwrap();
            let positions = world.positions(body).unwrap();
            assert_eq!(positions.len(), 3, "{appended} {time}");
            assert!(positions.as_flattened().iter().all(|x| x.abs() <= 2.0));
        }
    }
}
