//! Boxes of levels, separation lists, and drawings of them.

use std::collections::BTreeSet;

use kinetree::draw::{Colour, Draw, DrawOptions, Svg};
use kinetree::{BodyDef, BodyId, ContactMode, Engine, Flightplan, Mesh, Sphere, Spheres, World, WorldDef};

use crate::scene::{ENGINES, world};

#[test]
fn boxes_of_every_level_cover_the_body() {
    let mut winners = 0;
    for engine in ENGINES {
        let (mut world, ids) = world(engine, ContactMode::AtTimes, 2, 6);
        for time in [0.0, 0.3, 1.4, 2.0] {
            world.advance_to(time).unwrap();
            for &id in &ids {
                let body = world.body(id).unwrap();
                let positions = world.positions(id).unwrap();
                let used: BTreeSet<u32> = world.mesh(id).unwrap().triangles().iter().flatten().copied().collect();
                let levels = body.levels();
                assert_eq!(levels == 0, engine == Engine::BruteForce);
                for level in 0..levels + 2 {
                    let boxes = body.boxes(level);
                    for &vertex in &used {
                        let holds = |node: &kinetree::NodeBox| node.bounds.contains(&positions[vertex as usize]);
                        assert_eq!(levels > 0, boxes.iter().any(holds), "{engine}, level {level}, vertex {vertex}");
                    }
                    assert!(boxes.iter().all(|node| node.level == level || (node.is_leaf && node.level < level)));
                    let numbers: BTreeSet<u32> = boxes.iter().map(|node| node.node).collect();
                    assert_eq!(numbers.len(), boxes.len());
                    if level + 1 >= levels {
                        assert!(boxes.iter().all(|node| node.is_leaf));
                        assert_eq!(boxes, body.boxes(levels));
                    } else if level + 1 < levels {
                        assert!(boxes.iter().any(|node| !node.is_leaf));
                    }
                    for node in boxes {
                        let Some(own) = node.winners else { continue };
                        for (side, vertex) in own.into_iter().enumerate() {
                            let at = positions[vertex as usize][side / 2];
                            let bound = if side % 2 == 0 { node.bounds.min } else { node.bounds.max }[side / 2];
                            assert!((at - bound).abs() < 1e-5, "{engine}: {at} {bound}");
                            winners += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(winners > 500, "{winners}");
}

#[test]
fn cuts_hold_the_leaf_pairs_whose_boxes_overlap() {
    let (mut overlapping, mut apart) = (0, 0);
    let (mut world, ids) = world(Engine::Kinetic, ContactMode::AtTimes, 8, 6);
    for time in [0.1, 0.6, 1.1, 1.7] {
        world.advance_to(time).unwrap();
        for (place, &a) in ids.iter().enumerate() {
            for &b in &ids[place + 1..] {
                let leaves = [a, b].map(|id| world.body(id).unwrap().boxes(usize::MAX));
                let cut = world.pair(b, a).unwrap().cut();
                let mut expected = Vec::new();
                for x in &leaves[0] {
                    let meeting = leaves[1].iter().filter(|y| x.bounds.overlaps(&y.bounds));
                    expected.extend(meeting.map(|y| [x.node, y.node]));
                }
                expected.sort_unstable();
                let found: Vec<[u32; 2]> =
                    cut.iter().filter(|pair| pair.is_overlapping).map(|pair| pair.nodes).collect();
                assert_eq!(found, expected);
                for pair in &cut {
                    assert_eq!(pair.is_overlapping, pair.bounds[0].overlaps(&pair.bounds[1]));
                    apart += usize::from(!pair.is_overlapping);
                }
                overlapping += found.len();
            }
        }
    }
    assert!(overlapping > 30 && apart > 5, "{overlapping} {apart}");
}

/// Everything that is drawn.
#[derive(Default)]
struct Recorder {
    lines: Vec<[[f64; 3]; 2]>,
    triangles: Vec<[[f64; 3]; 3]>,
    texts: Vec<String>,
}

impl Draw for Recorder {
    fn line(&mut self, from: [f64; 3], to: [f64; 3], _: Colour) {
        self.lines.push([from, to]);
    }

    fn triangle(&mut self, corners: [[f64; 3]; 3], _: Colour) {
        self.triangles.push(corners);
    }

    fn text(&mut self, _: [f64; 3], text: &str, _: Colour) {
        self.texts.push(text.to_owned());
    }
}

fn drawn(world: &World, options: &DrawOptions) -> Recorder {
    let mut recorder = Recorder::default();
    world.draw(&mut recorder, options);
    recorder
}

#[test]
fn each_part_is_drawn_alone() {
    let (mut world, ids) = world(Engine::Kinetic, ContactMode::AtTimes, 0, 7);
    world.advance_to(0.3).unwrap();
    assert!(world.contacts().len() > 3, "{}", world.contacts().len());
    let nothing = drawn(&world, &DrawOptions::nothing());
    assert_eq!((nothing.lines.len(), nothing.triangles.len(), nothing.texts.len()), (0, 0, 0));
    let all: Vec<[[f64; 3]; 3]> = ids
        .iter()
        .flat_map(|&id| {
            let positions = world.positions(id).unwrap();
            let corners = world.mesh(id).unwrap().triangles().to_vec();
            corners.into_iter().map(move |corners| corners.map(|vertex| positions[vertex as usize]))
        })
        .collect();
    assert_eq!(drawn(&world, &DrawOptions::nothing().faces(true)).triangles, all);
    let edges = drawn(&world, &DrawOptions::nothing().edges(true)).lines;
    assert_eq!(edges.len(), 3 * all.len());
    let contacts = drawn(&world, &DrawOptions::nothing().contacts(true));
    let mut touching: BTreeSet<(BodyId, BodyId, BodyId, u32)> = BTreeSet::new();
    for contact in world.contacts() {
        touching.insert((contact.a, contact.b, contact.a, contact.triangle_a));
        touching.insert((contact.a, contact.b, contact.b, contact.triangle_b));
    }
    let own = world.contacts().iter().filter(|contact| contact.a == contact.b).count();
    assert!(contacts.triangles.len() >= touching.len() && contacts.triangles.len() <= touching.len() + 2 * own);
    assert!(!contacts.lines.is_empty() && contacts.lines.len() <= world.contacts().len());
    let normals = drawn(&world, &DrawOptions::nothing().normals(0.5)).lines;
    assert!(!normals.is_empty() && normals.len().is_multiple_of(3));
    for arrow in normals.chunks(3) {
        let [from, to] = arrow[0];
        assert!(((0..3).map(|k| (to[k] - from[k]).powi(2)).sum::<f64>().sqrt() - 0.5).abs() < 1e-12);
    }
    let nodes: usize = ids.iter().map(|&id| world.body(id).unwrap().boxes(1).len()).sum();
    assert_eq!(drawn(&world, &DrawOptions::nothing().boxes(1)).lines.len(), 12 * nodes);
    let mut list = 0;
    for (place, &a) in ids.iter().enumerate() {
        for &b in &ids[place..] {
            let cut = world.pair(a, b).unwrap().cut();
            list += cut.iter().map(|pair| if pair.is_overlapping { 24 } else { 1 }).sum::<usize>();
        }
    }
    assert!(list > 0);
    assert_eq!(drawn(&world, &DrawOptions::nothing().cut(true)).lines.len(), list);
    assert_eq!(drawn(&world, &DrawOptions::nothing().names(true)).texts, vec![String::new(); 7]);
}

#[test]
fn spheres_are_circles() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let keys = vec![Sphere { centre: [1.0, 2.0, 3.0], radius: 0.5 }, Sphere { centre: [0.0; 3], radius: 2.0 }];
    let def = BodyDef::new(Spheres::new(2).unwrap(), Flightplan::spheres(vec![0.0], keys));
    world.add_body(def).unwrap();
    let lines = drawn(&world, &DrawOptions::new()).lines;
    assert_eq!(lines.len(), 2 * 3 * 24);
    for (lines, centre, radius) in [(&lines[..72], [1.0, 2.0, 3.0], 0.5), (&lines[72..], [0.0; 3], 2.0)] {
        for point in lines.iter().flatten() {
            let distance = (0..3).map(|k| (point[k] - centre[k]).powi(2)).sum::<f64>().sqrt();
            assert!((distance - radius).abs() < 1e-12);
        }
    }
    // The triangle that one of them touches is marked.
    let corners = vec![[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]];
    let mesh = Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    world.add_body(BodyDef::new(mesh, Flightplan::fixed(corners))).unwrap();
    world.advance_to(0.0).unwrap();
    assert_eq!(world.contacts().len(), 1);
    let contacts = drawn(&world, &DrawOptions::nothing().contacts(true));
    assert_eq!(
        (contacts.triangles, contacts.lines.len()),
        (vec![[[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]]], 0)
    );
}

#[test]
fn pictures_hold_what_is_drawn_and_fit() {
    let mut world = World::new(WorldDef::new()).unwrap();
    let square = vec![[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 2.0, 0.0], [0.0, 2.0, 0.0]];
    let mesh = Mesh::new(4, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    world.add_body(BodyDef::new(mesh, Flightplan::fixed(square)).named("a<b&\u{1}c")).unwrap();
    let mut picture = Svg::new(200, 100).view([0.0, 0.0, 1.0], [0.0, 1.0, 0.0]);
    world.draw(&mut picture, &DrawOptions::new().faces(true).names(true));
    picture.line([f64::NAN; 3], [0.0; 3], [0; 4]);
    let text = picture.finish();
    assert!(text.starts_with("<svg") && text.ends_with("</svg>\n") && text.contains(">a&lt;b&amp; c</text>"));
    // Seen from above, four metres are 90 % of 200 pixels.
    assert!(text.contains("M10.0 95.0L190.0 95.0") && text.contains("L190.0 5.0"), "{text}");
    assert_eq!((text.matches("Z\"").count(), text.matches("stroke=").count()), (2, 5));
    assert_eq!(text, picture.finish());
    // A segment and a point are one line each.
    let thin = Mesh::new(3, vec![[0, 1, 1], [2, 2, 2]]).unwrap();
    let mut world = World::new(WorldDef::new()).unwrap();
    world.add_body(BodyDef::new(thin, Flightplan::fixed(vec![[0.0; 3], [1.0; 3], [2.0; 3]]))).unwrap();
    assert_eq!(drawn(&world, &DrawOptions::new()).lines, [[[0.0; 3], [1.0; 3]], [[2.0; 3], [2.0; 3]]]);
    assert!(!text.contains("NaN") && Svg::new(0, 0).finish().contains("width=\"1\""));
    // A picture of one point has no size.
    let mut point = Svg::new(10, 10);
    point.line([7.0; 3], [7.0; 3], [0; 4]);
    assert!(point.finish().contains("M5.0 5.0L5.0 5.0"));
    // Directions that give no view change nothing.
    let same = Svg::new(10, 10).view([0.0; 3], [0.0, 0.0, 1.0]).view([0.0, 0.0, 1.0], [0.0, 0.0, 2.0]);
    assert_eq!(format!("{same:?}"), format!("{:?}", Svg::new(10, 10)));
}
