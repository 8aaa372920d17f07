//! The four measures of a kinetic structure as laws, on counts and not on time: compact, responsive, local, efficient
//! (Zachmann and Weller 2006, Theorems 1, 2, 5 and 6); what does not depend on the number of frames; and where the paper's
//! sentence that a kinetic tree never does more updates than a refit fails.
//!
//! Constants are about twice what is measured, and stand beside each law. `-- --nocapture` prints the counts.

mod box_tree;
mod parts;

use std::collections::BTreeSet;

use kinetree::bvh::BuildParams;
use kinetree::kinetic::{EventContext, TreeContext};
use kinetree::kinetic::{KineticTree, TreeKind};
use kinetree::math::Extent;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::scenes::GeneratedBody;
use kinetree::time::Moment;
use parts::{Alone, Couple, KINDS, SINGLE, dress, paper_scenes, plan_of, shirt, spheres, tablecloth, world};

#[test]
fn what_grows_or_moves_as_a_whole_causes_no_event() {
    // The paper's extreme example is a translation; an expansion keeps the order of all coordinates just as well.
    for kind in KINDS {
        for body in &spheres(2_000).bodies {
            let mut alone = Alone::new(plan_of(body), kind, SINGLE);
            alone.advance_to(60.0);
            assert_eq!(
                (alone.stats().leaf_events, alone.stats().tree_events, alone.queue.len()),
                (0, 0, 0),
                "{kind:?}"
            );
        }
    }
}

// Compact.

#[test]
fn certificates_per_node_are_at_most_six_and_two() {
    for (scene, end) in paper_scenes() {
        for kind in KINDS {
            let mut most = 0.0f64;
            let mut world = world(&scene, kind, SINGLE);
            for step in 0..=10 {
                world.advance_to(end * f64::from(step) / 10.0).unwrap();
                let stats = world.stats();
                let certificates = stats.certificates_per_node * stats.nodes as f64;
                // Two planes per inner node; those of the roots are counted apart.
                let allowed = match kind {
                    TreeKind::Aabb => 6 * stats.nodes,
                    TreeKind::Box => 2 * (stats.nodes - stats.bodies) / 2 + 6 * stats.bodies,
                };
                assert!(certificates <= allowed as f64, "{}, {kind:?}: {certificates} > {allowed}", scene.name);
                most = most.max(stats.certificates_per_node);
            }
            println!("{}, {kind:?}: at most {most:.2} certificates per node", scene.name);
            assert!(most > 0.05, "{}, {kind:?}: nothing is certified", scene.name);
        }
    }
}

// Responsive.

#[test]
fn an_event_moves_few_bounds() {
    // Theorem 1: O(log m) bounds move per event of an AABB tree, in the worst case; on the paper's scenes less than 3 do on
    // average, and hardly more than one in a BoxTree, whose planes are fewer.
    for (scene, end) in paper_scenes() {
        for (kind, most) in KINDS.into_iter().zip([3.0, 2.0]) {
            let mut world = world(&scene, kind, SINGLE);
            world.advance_to(end).unwrap();
            let tree = world.stats().tree;
            let events = tree.leaf_events + tree.tree_events;
            assert!(events > 50, "{}, {kind:?}: only {events} events", scene.name);
            let ratio = tree.updates as f64 / events as f64;
            println!("{}, {kind:?}: {ratio:.2} updates per event", scene.name);
            assert!(ratio <= most, "{}, {kind:?}: {ratio} updates per event", scene.name);
        }
    }
}

#[test]
fn one_event_moves_at_most_one_bound_per_level() {
    let scene = tablecloth(2_000, 12);
    for kind in KINDS {
        let mut alone = Alone::new(plan_of(&scene.bodies[0]), kind, SINGLE);
        let depth = alone.tree.topology().depth() as u64;
        let (mut events, mut most) = (0, 0);
        while let Some(event) = alone.queue.pop_until(Moment::at(11.0 / 30.0)) {
            let before = alone.stats().updates;
            let mut clock = EventContext { queue: &mut alone.queue, log: &mut alone.log, now: event.moment };
            let mut changes = Vec::new();
            let mut context = TreeContext::new(&alone.motion, alone.until, &mut clock, &mut changes);
            alone.tree.process(event, &mut context);
            most = most.max(alone.stats().updates - before);
            events += 1;
        }
        println!("{kind:?}: {events} events, at most {most} updates in one, {depth} levels");
        assert!(events > 500 && most > 1 && most <= depth, "{events} events, {most} updates, {depth} levels");
    }
}

// Local.

/// Most certificates of an AABB tree that one vertex takes part in: as a vertex of a leaf, as a winner or a loser above.
fn most_certificates_of_a_vertex(tree: &KineticTree, vertices: usize) -> usize {
    let topology = tree.topology();
    let mut counts = vec![0; vertices];
    for node in 0..topology.nodes().len() as u32 {
        let children = topology.node(node).children();
        topology.leaf_points(node).iter().for_each(|&vertex| counts[vertex as usize] += 6);
        for extent in Extent::ALL {
            let winners: BTreeSet<u32> = children.iter().filter_map(|&child| tree.winner(child, extent)).collect();
            winners.into_iter().for_each(|vertex| counts[vertex as usize] += 1);
        }
    }
    counts.into_iter().max().unwrap()
}

const LOCAL_SIZES: [usize; 4] = [2_000, 8_000, 32_000, 128_000];

#[test]
fn a_vertex_takes_part_in_o_log_m_certificates() {
    // At most 15 · log2 m. Thirty-six come from the six triangles around a vertex, so the factor falls with m: from 10 at 2k
    // triangles to 7 at 128k.
    const C: f64 = 15.0;
    let mut all = Vec::new();
    for triangles in LOCAL_SIZES {
        for scene in [spheres(triangles), dress(triangles, 2)] {
            let (mesh, plan) = plan_of(&scene.bodies[0]);
            let (vertices, m) = (mesh.vertex_count(), mesh.triangles().len() as f64);
            let alone = Alone::new((mesh, plan), TreeKind::Aabb, SINGLE);
            let most = most_certificates_of_a_vertex(&alone.tree, vertices);
            println!(
                "{}: {m} triangles, at most {most} certificates, {:.2} log2 m",
                scene.name,
                most as f64 / m.log2()
            );
            assert!(most as f64 <= C * m.log2(), "{}: {most} certificates", scene.name);
            // What the tree promises by its shape.
            assert!(most <= alone.tree.most_slots_per_vertex());
            all.push(most);
        }
    }
    assert!(all.iter().all(|&most| most > 36), "{all:?}");
}

#[test]
fn a_new_flightplan_certifies_o_log_m_bounds() {
    // Bounds certified again when one vertex turns round, the worst of 200 vertices: at most 25 · log2 m in an AABB tree, at most
    // 5 · log2 m in a BoxTree; half of that in the mean. Measured 6 to 12, and 2 to 3; falling with m.
    for (kind, c) in KINDS.into_iter().zip([25.0, 5.0]) {
        let mut means = Vec::new();
        for triangles in LOCAL_SIZES {
            let scene = spheres(triangles);
            let mut world = world(&scene, kind, SINGLE);
            let GeneratedBody::Moving(sphere) = &scene.bodies[0] else { panic!("it moves") };
            let id = world.bodies().next().unwrap();
            let (vertices, log) = (sphere.positions.len(), (sphere.triangles.len() as f64).log2());
            let (mut most, mut sum) = (0, 0);
            for turn in 0..200 {
                let vertex = turn * vertices / 200;
                let velocity = sphere.velocities[vertex].map(|x| -f64::from(x));
                let before = world.stats().tree.slots_replanned;
                let plan = VertexFlightplan::Velocity { from: None, velocity };
                world.set_vertex_flightplans(id, &[(vertex as u32, plan)]).unwrap();
                let cost = world.stats().tree.slots_replanned - before;
                most = most.max(cost);
                sum += cost;
            }
            let (worst, mean) = (most as f64 / log, sum as f64 / 200.0 / log);
            println!(
                "{}, {kind:?}: bounds certified again: at most {worst:.2} log2 m, mean {mean:.2} log2 m",
                scene.name
            );
            assert!(sum > 200 && worst <= c && mean <= 0.5 * c, "{kind:?}: {worst}, {mean}");
            means.push(mean);
        }
        assert!(means.last() <= means.first(), "{means:?}");
    }
}

// Efficient: Theorem 2.

#[test]
fn events_grow_like_n_log_n() {
    // Events of a key interval: at most 0.1 · n log2 n for AABB trees, 0.03 · n log2 n for BoxTrees, n triangles; and their ratio
    // to n log2 n does not grow by more than a half over a factor of 64 in n.
    for (kind, c) in KINDS.into_iter().zip([0.1, 0.03]) {
        let ratios: Vec<f64> = [2_000, 8_000, 32_000, 128_000]
            .into_iter()
            .map(|triangles| {
                let scene = dress(triangles, 3);
                let (mut events, mut n) = (0, 0.0);
                for body in &scene.bodies {
                    let mut alone = Alone::new(plan_of(body), kind, SINGLE);
                    alone.advance_to(2.0 / 30.0);
                    events += alone.stats().leaf_events + alone.stats().tree_events;
                    n += body.triangles().len() as f64;
                }
                let ratio = events as f64 / 2.0 / (n * n.log2());
                println!("{kind:?}, {n} triangles: {events} events in two intervals, {ratio:.4} n log2 n in one");
                assert!(events > 100 && ratio <= c, "{kind:?}: {ratio}");
                ratio
            })
            .collect();
        assert!(ratios[3] <= 1.5 * ratios[0], "{ratios:?}");
    }
}

#[test]
fn events_do_not_depend_on_the_number_of_frames() {
    let scenes = [(tablecloth(500, 13), 12), (shirt(2_000, 4), 3), (spheres(1_000), 90)];
    for (scene, intervals) in scenes {
        let end = f64::from(intervals) / 30.0;
        for kind in KINDS {
            let run = |frames: u32| {
                let mut world = world(&scene, kind, BuildParams::default());
                let mut contacts = 0;
                for frame in 1..=frames {
                    world.advance_to(end * f64::from(frame) / f64::from(frames)).unwrap();
                    contacts += world.contacts().len();
                }
                let stats = world.stats();
                assert!(contacts > 0, "{}: nothing touches", scene.name);
                (stats.events, stats.tree, stats.list, world.log().count(), world.log().hash())
            };
            let at_keys = run(intervals);
            assert!(at_keys.0 > 50, "{}, {kind:?}: only {} events", scene.name, at_keys.0);
            for frames in [1, 10 * intervals, 100 * intervals] {
                assert_eq!(run(frames), at_keys, "{}, {kind:?}, {frames} frames", scene.name);
            }
        }
    }
}

// The separation list: Theorem 6.

#[test]
fn a_separation_list_is_near_linear_on_cloth_and_counts_its_events() {
    // Members at most 8 per triangle of both bodies in leaves of one; one node in at most 8 · √n of them (the paper's bound is n).
    for (scene, end) in
        [(tablecloth(2_000, 24), 23.0 / 30.0), (shirt(6_000, 5), 4.0 / 30.0), (dress(6_000, 5), 4.0 / 30.0)]
    {
        let bodies = [plan_of(&scene.bodies[0]), plan_of(&scene.bodies[1])];
        let n = scene.triangle_count();
        let mut couple = Couple::new(bodies, TreeKind::Aabb, SINGLE);
        let (mut listed, mut most) = (0, 0);
        for step in 1..=8 {
            let time = end * f64::from(step) / 8.0 - 1e-7;
            couple.advance_to(time);
            couple.audit(time);
            listed = listed.max(couple.list.len());
            most = most.max(couple.list.most_members_per_node());
        }
        let stats = couple.list.stats();
        println!("{}: {n} triangles, {listed} members, most of one node {most}; {stats:?}", scene.name);
        for (what, count) in [
            ("met", stats.boxes_met),
            ("leaves parted", stats.leaves_separated),
            ("fathers parted", stats.parents_separated),
            ("witnesses replaced", stats.witnesses_replaced),
            ("bound changes", stats.bound_changes),
        ] {
            assert!(count > 0, "{}: {what} never happened", scene.name);
        }
        assert!(listed <= 8 * n, "{}: {listed} members of {n} triangles", scene.name);
        assert!(most as f64 <= 8.0 * (n as f64).sqrt(), "{}: a node in {most} members", scene.name);
        // Every inner pair has four children at most, and all members hang below inner pairs.
        assert!(stats.listed <= 3 * stats.inner + 1, "{stats:?}");
        // Efficient: events that leave the list as it is are fewer than twice those that change it.
        let outer = stats.boxes_met + stats.leaves_separated + stats.parents_separated;
        assert!(stats.witnesses_replaced <= 2 * outer, "{}: {stats:?}", scene.name);
        // A changed bound concerns at most the members of its node.
        let updates: u64 = couple.trees.iter().map(|tree| tree.stats().updates).sum();
        assert!(stats.bound_changes <= updates * most as u64, "{}: {stats:?}", scene.name);
    }
}

#[test]
fn the_worst_list_has_every_pair_and_every_node_as_often_as_the_other_body_has_nodes() {
    // Triangles of two fans around one point: all boxes overlap, always. Theorem 6: O(n²) members, O(n) per node.
    let fan = |triangles: u32, drift: f32| {
        let mut positions = Vec::new();
        for i in 0..triangles {
            let tilt = i as f32 / 64.0;
            positions.extend([[-1.0 - tilt, -1.0, -1.0], [1.0, 1.0 + tilt, 1.0], [0.5, -0.5, 1.0 + tilt]]);
        }
        let velocities = vec![[drift, 0.0, 0.0]; positions.len()];
        let mesh = Mesh::new(positions.len(), (0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
        (mesh, Flightplan::velocities(0.0, positions, velocities))
    };
    for kind in KINDS {
        let mut couple = Couple::new([fan(24, 0.0), fan(40, 0.125)], kind, SINGLE);
        couple.advance_to(1.0);
        couple.audit(1.0);
        let (a, b) = (couple.leaves(0), couple.leaves(1));
        assert_eq!((a, b), (24, 40));
        assert_eq!(couple.list.len(), a * b, "{kind:?}");
        assert_eq!(couple.list.stats().overlapping, a * b, "{kind:?}");
        assert_eq!(couple.list.most_members_per_node(), b, "{kind:?}");
    }
}

// Updates against the bottom-up refit.

#[test]
fn on_the_papers_scenes_no_frame_costs_more_updates_than_a_refit() {
    // One frame per key interval: the hardest for the kinetic trees.
    for (scene, end) in paper_scenes() {
        for kind in KINDS {
            let frames = (end * 30.0).round() as usize;
            let (mut most, mut refit, mut sum) = (0, 0, 0);
            let mut bodies: Vec<Alone> = scene
                .bodies
                .iter()
                .filter(|body| !matches!(body, GeneratedBody::Fixed(_)))
                .map(|body| Alone::new(plan_of(body), kind, SINGLE))
                .collect();
            for frame in 1..=frames {
                let mut updates = 0;
                refit = 0;
                for alone in &mut bodies {
                    let before = alone.stats().updates;
                    alone.advance_to(end * frame as f64 / frames as f64);
                    updates += alone.stats().updates - before;
                    refit += 6 * alone.nodes() as u64;
                }
                most = most.max(updates);
                sum += updates;
            }
            println!(
                "{}, {kind:?}: at most {most} updates in a frame, {sum} in all; refit {refit} per frame",
                scene.name
            );
            assert!(sum > 50, "{}, {kind:?}: {sum} updates", scene.name);
            assert!(most <= refit, "{}, {kind:?}: {most} updates in a frame, a refit has {refit}", scene.name);
        }
    }
}

#[test]
fn lines_tangent_to_a_parabola_cost_more_updates_in_one_frame_than_a_refit() {
    // "Conversely, the kinetic algorithm never performs more updates than the brute-force update" (§5) holds for a single event,
    // not for a frame: a host that looks only once per n log n events pays for them all. Vertex i moves along x, y and z as the
    // tangent of t² at s_i = i / 1024. The largest of some vertices at time t is the one whose s is nearest to t, so each of them
    // is the largest once: a slot over k vertices changes its winner k − 1 times from t = 0 to t = 1. The smallest is the one with
    // the largest s at first and with the smallest s in the end, and nobody else in between: once more.
    const TRIANGLES: u32 = 256;
    let vertices = 3 * TRIANGLES;
    let tangent = |i: u32| {
        // Scattered over the triangles; exact in f32.
        let s = ((i * 355) % vertices + 128) as f32 / 1024.0;
        ([-s * s; 3], [2.0 * s; 3])
    };
    let (positions, velocities) = (0..vertices).map(tangent).unzip();
    let mesh = Mesh::new(vertices as usize, (0..TRIANGLES).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
    let body = (mesh, Flightplan::velocities(0.0, positions, velocities));
    for kind in KINDS {
        let mut alone = Alone::new(body.clone(), kind, SINGLE);
        alone.advance_to(1.0);
        let updates = alone.stats().updates;
        let topology = alone.tree.topology();
        let refit = 6 * topology.nodes().len() as u64;
        println!("{kind:?}: {updates} updates in one frame, a refit has {refit}");
        match kind {
            TreeKind::Aabb => {
                // Vertices below each node; children come after their parents.
                let mut below = vec![0u64; topology.nodes().len()];
                for node in (0..below.len()).rev() {
                    let children = topology.node(node as u32).children().iter();
                    let in_leaf = 3 * topology.primitives(node as u32).len() as u64;
                    below[node] = in_leaf + children.map(|&child| below[child as usize]).sum::<u64>();
                }
                let expected = 3 * below.iter().sum::<u64>();
                assert_eq!(updates, expected);
                assert!(updates > 5 * refit);
            }
            // Fewer bounds, each as restless; still more than the refit's for enough triangles.
            TreeKind::Box => assert!(updates > refit),
        }
        // With enough frames the sentence is true again, and the number of updates is the same.
        let mut often = Alone::new(body.clone(), kind, SINGLE);
        (1..=100).for_each(|frame| often.advance_to(f64::from(frame) / 100.0));
        assert_eq!(often.stats().updates, updates);
        assert!(updates < 100 * refit);
    }
}
