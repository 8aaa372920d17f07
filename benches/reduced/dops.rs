//! Polytopes of 6, 14, 18 and 26 directions in queries, over rest boxes along the axes and oriented ones: Steinemann's table 4, whose right half
//! has oriented boxes and 14 directions. All combinations run through the same plain code, in `f64` and without a front of the last frame.

use kinetree::math::Aabb;
use kinetree::narrow::triangles_touch;
use kinetree::reduced::bounds::{BoundParams, BoundTree, Directions, Frame, Level, RestBoxes};
use kinetree::reduced::{Pose, ReducedMesh};

use super::balls::ball;
use super::common::{clock, heading};
use super::plain;
use super::rings::{self, Scene};

/// Frames of a scene.
const FRAMES: usize = 6;

/// The paper's totals of scenes 1 to 8, milliseconds: boxes in both states; oriented rest boxes and 14 directions.
const PAPER: [[f64; 2]; 8] = [
    [7.55, 10.64],
    [7.97, 12.53],
    [21.1, 28.74],
    [24.5, 33.85],
    [13.4, 14.17],
    [12.5, 18.42],
    [31.4, 34.89],
    [37.5, 49.99],
];

/// Two bodies and a triangle of each.
type Contact = (usize, usize, u32, u32);

/// What queries of one frame did.
#[derive(Clone, Copy, Default)]
struct Work {
    /// Polytopes bounded.
    made: u64,
    /// Pairs of nodes compared.
    compared: u64,
    /// Pairs of leaves whose polytopes overlap.
    leaves: u64,
    /// Vertices evaluated.
    vertices: u64,
}

/// A body with its polytopes and vertices in a pose, made when they are needed.
struct Posed<'a> {
    mesh: &'a ReducedMesh,
    tree: &'a BoundTree,
    directions: &'a Directions,
    frame: Frame,
    pose: Pose,
    /// Per node, the frame in which its polytope was bounded.
    stamps: Vec<u32>,
    extents: Vec<[f64; 2]>,
    scratch: Vec<[f64; 2]>,
    evaluated: Vec<u32>,
    positions: Vec<[f64; 3]>,
    point: Vec<[f64; 3]>,
    now: u32,
    work: Work,
}

impl<'a> Posed<'a> {
    fn new(mesh: &'a ReducedMesh, tree: &'a BoundTree, directions: &'a Directions, pose: &Pose) -> Self {
        let nodes = tree.topology().nodes().len();
        Self {
            mesh,
            tree,
            directions,
            frame: Frame::of_pose(tree, pose).expect("a pose"),
            pose: pose.clone(),
            stamps: vec![0; nodes],
            extents: vec![[0.0; 2]; nodes * directions.axes().len()],
            scratch: Vec::new(),
            evaluated: vec![0; mesh.vertex_count()],
            positions: vec![[0.0; 3]; mesh.vertex_count()],
            point: Vec::new(),
            now: 0,
            work: Work::default(),
        }
    }

    fn set_pose(&mut self, pose: &Pose) {
        self.frame.set_pose(self.tree, pose).expect("a pose");
        self.pose.clone_from(pose);
        self.now += 1;
        self.work = Work::default();
    }

    fn need(&mut self, node: u32) {
        if self.stamps[node as usize] == self.now {
            return;
        }
        self.stamps[node as usize] = self.now;
        self.work.made += 1;
        self.tree.polytope(node, &self.frame, Level::Corner, self.directions, &mut self.scratch);
        let count = self.scratch.len();
        self.extents[node as usize * count..][..count].copy_from_slice(&self.scratch);
    }

    fn polytope(&self, node: u32) -> &[[f64; 2]] {
        let count = self.directions.axes().len();
        &self.extents[node as usize * count..][..count]
    }

    fn corners(&mut self, triangle: u32) -> [[f64; 3]; 3] {
        self.mesh.mesh().triangles()[triangle as usize].map(|vertex| {
            let place = vertex as usize;
            if self.evaluated[place] != self.now {
                self.evaluated[place] = self.now;
                self.work.vertices += 1;
                self.mesh.evaluate(&self.pose, &[vertex], &mut self.point).expect("a vertex");
                self.positions[place] = self.point[0];
            }
            self.positions[place]
        })
    }
}

/// Appends the pairs of triangles that touch.
fn touching(a: &mut Posed<'_>, b: &mut Posed<'_>, found: &mut Vec<(u32, u32)>) {
    let (tree_a, tree_b) = (a.tree.topology(), b.tree.topology());
    let mut stack = vec![(0, 0)];
    while let Some((x, y)) = stack.pop() {
        a.need(x);
        b.need(y);
        a.work.compared += 1;
        if !Directions::overlap(a.polytope(x), b.polytope(y)) {
            continue;
        }
        match [tree_a.node(x).children(), tree_b.node(y).children()] {
            [[], []] => {
                a.work.leaves += 1;
                for &p in tree_a.primitives(x) {
                    let corners_p = a.corners(p);
                    for &q in tree_b.primitives(y) {
                        let corners_q = b.corners(q);
                        let meet = Aabb::of_points(&corners_p).overlaps(&Aabb::of_points(&corners_q));
                        if meet && triangles_touch(&corners_p, &corners_q) {
                            found.push((p, q));
                        }
                    }
                }
            }
            [[], below] => stack.extend(below.iter().map(|&y| (x, y))),
            [below, []] => stack.extend(below.iter().map(|&x| (x, y))),
            [left, right] => stack.extend(left.iter().flat_map(|&x| right.iter().map(move |&y| (x, y)))),
        }
    }
}

pub fn table() {
    heading(
        "polytopes in queries, per frame of a ring of six; one triangle in each leaf; paper: table 4",
        &[
            ("scene", 5),
            ("vertices", 8),
            ("nodes", 5),
            ("pairs", 6),
            ("rest", 8),
            ("directions", 10),
            ("made", 8),
            ("compared", 9),
            ("leaf pairs", 10),
            ("evaluated", 9),
            ("ms", 8),
            ("over boxes", 10),
            ("paper", 6),
        ],
    );
    for (number, scene) in rings::scenes().iter().take(PAPER.len()).enumerate() {
        measure(number, scene);
    }
}

fn measure(number: usize, scene: &Scene) {
    let ball = ball(scene.vertices, scene.nodes);
    let poses: Vec<Vec<Pose>> = (0..FRAMES).map(|frame| rings::poses(&ball, scene, frame)).collect();
    let mut expected: Option<Vec<Contact>> = None;
    let mut boxes = f64::NAN;
    let sets = [
        (6, Directions::six()),
        (14, Directions::fourteen()),
        (18, Directions::eighteen()),
        (26, Directions::twenty_six()),
    ];
    for (name, rest) in [("aligned", RestBoxes::Aligned), ("oriented", RestBoxes::Oriented)] {
        let params = BoundParams { tree: plain::TREE, boxes: rest, ..BoundParams::default() };
        let tree = BoundTree::new(&ball.mesh, params);
        for (count, directions) in &sets {
            let (work, spent, found) = run(&ball.mesh, &tree, directions, &poses);
            assert!(expected.get_or_insert_with(|| found.clone()) == &found, "contacts differ");
            if rest == RestBoxes::Aligned && *count == 6 {
                boxes = spent;
            }
            let paper = match (rest, count) {
                (RestBoxes::Aligned, 6) => "1".into(),
                (RestBoxes::Oriented, 14) => format!("{:.2}", PAPER[number][1] / PAPER[number][0]),
                _ => String::new(),
            };
            let each = |count: u64| count / FRAMES as u64;
            println!(
                "{:>5}  {:>8}  {:>5}  {:>6}  {name:>8}  {count:>10}  {:>8}  {:>9}  {:>10}  {:>9}  {spent:>8.2}  {:>10.2}  {paper:>6}",
                number + 1,
                ball.mesh.vertex_count(),
                ball.nodes.len(),
                found.len() / FRAMES,
                each(work.made),
                each(work.compared),
                each(work.leaves),
                each(work.vertices),
                spent / boxes
            );
        }
    }
}

/// Sums of counts, the median of milliseconds per frame, and all contacts.
fn run(
    mesh: &ReducedMesh,
    tree: &BoundTree,
    directions: &Directions,
    poses: &[Vec<Pose>],
) -> (Work, f64, Vec<Contact>) {
    let mut bodies: Vec<Posed<'_>> = poses[0].iter().map(|pose| Posed::new(mesh, tree, directions, pose)).collect();
    let (mut sum, mut times, mut all) = (Work::default(), Vec::new(), Vec::new());
    for poses in poses {
        let mut contacts = Vec::new();
        let ((), spent) = clock::time(|| {
            bodies.iter_mut().zip(poses).for_each(|(body, pose)| body.set_pose(pose));
            for b in 1..bodies.len() {
                let (left, right) = bodies.split_at_mut(b);
                for (a, body) in left.iter_mut().enumerate() {
                    let mut own = Vec::new();
                    touching(body, &mut right[0], &mut own);
                    contacts.extend(own.into_iter().map(|(p, q)| (a, b, p, q)));
                }
            }
        });
        times.push(spent / 1e6);
        contacts.sort_unstable();
        all.append(&mut contacts);
        for body in &bodies {
            sum.made += body.work.made;
            sum.compared += body.work.compared;
            sum.leaves += body.work.leaves;
            sum.vertices += body.work.vertices;
        }
    }
    times.sort_by(f64::total_cmp);
    (sum, times[times.len() / 2], all)
}
