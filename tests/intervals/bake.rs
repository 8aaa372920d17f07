//! Baked clips replay the winners of a whole clip, and refuse what is not theirs.

use std::sync::Arc;

use kinetree::baked::{BakeError, BakeFormat, BakedClip, BakedTree};
use kinetree::bvh::{Hierarchy, Topology};
use kinetree::math::Extent;
use kinetree::motion::{Flightplan, KeyLayout, Motion, Outside};
use kinetree::time::{Moment, Span};

use crate::common::dice::{Dice, Grain};
use crate::common::runner::cases;
use crate::common::scene::{BodySpec, PlanSpec};
use crate::rival::{Body, brute_boxes, positions};
use crate::window::{bake, smooth};

/// The end of all clips, seconds.
const END: f64 = 5.0;

const FORMATS: [BakeFormat; 3] =
    [BakeFormat::Frames { per_second: 24.0 }, BakeFormat::Frames { per_second: 7.3 }, BakeFormat::Stamped];

/// A random body that moves and does not jump.
fn moving(seed: u64, grain: Grain) -> Option<(BodySpec, Body)> {
    let (spec, body, _) = smooth(seed, grain, false)?;
    (!matches!(spec.plan, PlanSpec::Fixed { .. })).then_some((spec, body))
}

#[test]
fn replay_equals_brute_force() {
    let (mut looks, mut events) = (0, 0);
    for grain in [Grain::Real, Grain::Lattice, Grain::Crooked] {
        for seed in 0..u64::from(cases(25)) {
            let Some((spec, body)) = moving(seed, grain) else { continue };
            for (number, format) in FORMATS.into_iter().enumerate() {
                let clip = bake(&body, format, END, number);
                events += clip.event_count();
                let bytes = clip.to_bytes();
                let read = BakedClip::from_bytes(&bytes).unwrap();
                assert!(read == clip && read.to_bytes() == bytes);
                let mut replay = BakedTree::new(Arc::new(read), body.topology.clone(), &body.motion).unwrap();
                let mut dice = Dice::new(seed, &[number as u64]);
                for look in 0..60 {
                    let time = match format {
                        BakeFormat::Stamped if dice.percent(70) => dice.real(0.0, END),
                        // Frame by frame, then at random.
                        _ if look < 30 => clip.times()[look.min(clip.times().len() - 1)],
                        _ => dice.pick(clip.times()),
                    };
                    replay.seek(time).unwrap();
                    assert_eq!(replay.time(), time);
                    compare(&replay, &spec.triangles, &body);
                    looks += 1;
                }
            }
        }
    }
    assert!(looks > 3000 && events > 10_000, "{looks} looks, {events} events");
}

/// Every winner is extreme among all vertices below its node, within a rounding.
fn compare(replay: &BakedTree, triangles: &[[u32; 3]], body: &Body) {
    let time = replay.time();
    let at = Moment::at(time);
    let slack = body.motion.slack(at);
    let boxes = replay.view(&body.motion, slack);
    let truth = brute_boxes(&body.topology, triangles, &positions(&body.motion, time));
    for node in 0..body.topology.nodes().len() as u32 {
        let (ours, tight) = (boxes.node_box(node, at), truth[node as usize]);
        for extent in Extent::ALL {
            let value = body.motion.coordinate(replay.winner(node, extent), extent.axis(), at);
            let extreme = if extent.is_max() { tight.max[extent.axis()] } else { tight.min[extent.axis()] };
            assert!((value - extreme).abs() <= slack, "at {time}, node {node} {extent:?}: {value} for {extreme}");
        }
        assert!(ours.contains(&tight.min) && ours.contains(&tight.max), "at {time}, node {node}");
    }
}

/// More points than half a winner can name, and more cells than one word can pass over.
#[test]
fn large_trees_are_replayed() {
    let mut dice = Dice::new(3, &[]);
    let triangles: Vec<[u32; 3]> = (0..24_000).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    let mut keys = Vec::new();
    for _ in 0..3 {
        keys.extend((0..72_000).map(|vertex| {
            let place = [vertex / 3 % 150, vertex / 450, 0].map(|x| x as f32);
            place.map(|x| x + dice.real(0.0, 1.0) as f32)
        }));
    }
    let mesh = kinetree::mesh::Mesh::new(72_000, triangles).unwrap();
    let build = kinetree::bvh::BuildParams { leaf_size: 2, ..kinetree::bvh::BuildParams::default() };
    let body = Body::of(&mesh, Flightplan::keyframes(vec![0.0, 1.0, 5.0], keys), build, 0.0);
    for format in [BakeFormat::Frames { per_second: 3.0 }, BakeFormat::Stamped] {
        let clip = bake(&body, format, END, 2);
        assert!(clip.event_count() > 100_000);
        let clip = BakedClip::from_bytes(&clip.to_bytes()).unwrap();
        let times = clip.times().to_vec();
        let mut replay = BakedTree::new(Arc::new(clip), body.topology.clone(), &body.motion).unwrap();
        for part in [0.1, 0.9, 0.3, 0.31, 0.02, 1.0, 0.5] {
            let time = if format == BakeFormat::Stamped {
                5.0 * part
            } else {
                times[(part * (times.len() - 1) as f64) as usize]
            };
            replay.seek(time).unwrap();
            compare(&replay, mesh.triangles(), &body);
        }
    }
}

fn small() -> (Body, Body, Vec<BakedClip>) {
    let body = |seed: u64| {
        (0u64..).map(|next| seed + next).find_map(|seed| {
            let (_, body) = moving(seed, Grain::Real)?;
            let events = bake(&body, BakeFormat::Stamped, END, 0).event_count();
            (5..60).contains(&events).then_some(body)
        })
    };
    let (one, other) = (body(0).unwrap(), body(100).unwrap());
    let clips = FORMATS.iter().map(|&format| bake(&one, format, END, 1)).collect();
    (one, other, clips)
}

#[test]
fn damaged_bytes_are_refused() {
    let (_, _, clips) = small();
    for clip in clips {
        assert!(clip.event_count() > 0);
        let bytes = clip.to_bytes();
        for length in 0..bytes.len() {
            assert!(BakedClip::from_bytes(&bytes[..length]).is_err(), "{length} of {} bytes", bytes.len());
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(matches!(BakedClip::from_bytes(&longer), Err(BakeError::Length { .. })));
        for place in 0..bytes.len() {
            for flip in [1u8, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[place] ^= flip;
                assert!(BakedClip::from_bytes(&changed).is_err(), "byte {place} flipped by {flip:#x}");
            }
        }
        for found in [1, 9] {
            let mut versioned = bytes.clone();
            versioned[4] = found as u8;
            assert_eq!(BakedClip::from_bytes(&versioned).unwrap_err(), BakeError::Version { found, expected: 2 });
        }
        assert_eq!(BakedClip::from_bytes(b"PNG!").unwrap_err(), BakeError::NotAClip);
        // Counts that ask for more memory than there is are refused by their length alone.
        for count in (24..44).step_by(4) {
            let mut huge = bytes.clone();
            huge[count..count + 4].copy_from_slice(&u32::MAX.to_le_bytes());
            let error = BakedClip::from_bytes(&huge).unwrap_err();
            assert!(matches!(error, BakeError::Length { .. } | BakeError::Checksum), "{error}");
        }
    }
}

#[test]
fn clips_of_others_are_refused() {
    let (one, other, clips) = small();
    for clip in clips {
        let clip = Arc::new(clip);
        let open = |topology: &Topology, motion: &Motion| {
            BakedTree::new(Arc::clone(&clip), topology.clone(), motion).map(|tree| tree.time())
        };
        assert_eq!(open(&one.topology, &one.motion), Ok(0.0));
        assert_eq!(open(&other.topology, &one.motion), Err(BakeError::OtherTopology));
        assert_eq!(open(&one.topology, &other.motion), Err(BakeError::OtherMotion));
        let mut tree = BakedTree::new(Arc::clone(&clip), one.topology.clone(), &one.motion).unwrap();
        for time in [-0.1, 5.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(tree.seek(time), Err(BakeError::NoSuchTime { .. })), "{time}");
        }
        if !clip.is_stamped() {
            assert!(matches!(tree.seek(0.001), Err(BakeError::NoSuchTime { .. })));
        }
        assert_eq!(tree.time(), 0.0);
    }
}

#[test]
fn what_cannot_be_baked_is_refused() {
    let (one, _, _) = small();
    let bake = |begin, end, format| {
        BakedClip::bake(one.topology.clone(), &one.motion, Span { begin, end }, format, 0).map(|clip| clip.end())
    };
    let frames = |per_second| BakeFormat::Frames { per_second };
    for (begin, end) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
        assert!(matches!(bake(begin, end, BakeFormat::Stamped), Err(BakeError::BadSpan { .. })));
    }
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(bake(0.0, 1.0, frames(rate)), Err(BakeError::BadSpan { .. })));
    }
    assert!(matches!(bake(0.0, 1.0, frames(1e12)), Err(BakeError::TooLarge { what: "frames", .. })));
    assert_eq!(bake(0.0, 1.0, frames(3.0)), Ok(1.0));
    let mesh = kinetree::mesh::Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    let keys = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3], [2.0, 0.0, 0.0], [0.0, 1.0, 1.0]];
    let plan = Flightplan::keyframes(vec![0.0, 1.0], keys).outside(Outside::Loop);
    let body = Body::of(&mesh, plan.clone(), kinetree::bvh::BuildParams::default(), 0.0);
    let clip = |end| {
        let span = Span { begin: 0.0, end };
        BakedClip::bake(body.topology.clone(), &body.motion, span, BakeFormat::Stamped, 0).map(|clip| clip.end())
    };
    assert_eq!(clip(1.0), Ok(1.0));
    assert_eq!(clip(1.5), Err(BakeError::Jump { time: 1.0 }));
    assert!(Motion::new(plan, 3, KeyLayout::KeyMajor).is_ok());
}

#[cfg(feature = "io")]
#[test]
fn a_clip_is_serialised_as_its_bytes() {
    let (_, _, clips) = small();
    for clip in clips {
        let text = serde_json::to_string(&clip).unwrap();
        assert_eq!(serde_json::from_str::<BakedClip>(&text).unwrap(), clip);
        let mut bytes = clip.to_bytes();
        bytes[60] ^= 1;
        assert!(serde_json::from_str::<BakedClip>(&serde_json::to_string(&bytes).unwrap()).is_err());
    }
}
