//! Files of recordings: cut, changed, forged and unfinished ones. The frames are taken apart here by code of the tests.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kinetree::replay::{Difference, Recording, RecordingError, RecordingWorld};
use kinetree::world::{BodyDef, ContactMode, Engine, WorldDef};
use kinetree::{Flightplan, Mesh};

use super::common::checksum::chained;
use super::common::dice::Dice;
use super::recorded;

/// What the frames of a file say.
fn payloads(file: &[u8]) -> Vec<Vec<u8>> {
    let (mut at, mut all) = (8, Vec::new());
    while at < file.len() {
        let length = u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        all.push(file[at + 12..at + 12 + length].to_vec());
        at += 12 + length;
    }
    assert_eq!(at, file.len());
    all
}

/// A file of these frames, with the right checksums.
fn forged(payloads: &[Vec<u8>]) -> Vec<u8> {
    let (mut file, mut chain) = (b"KTRC\x01\0\0\0".to_vec(), 0);
    for payload in payloads {
        chain = chained(chain, payload);
        file.extend((payload.len() as u32).to_le_bytes());
        file.extend(chain.to_le_bytes());
        file.extend(payload);
    }
    file
}

fn continuous() -> WorldDef {
    WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous)
}

#[test]
fn files_cut_anywhere_are_refused() {
    let (file, ..) = recorded(3, continuous(), 12);
    let whole = Recording::from_bytes(&file).unwrap().calls().len();
    let frames = payloads(&file).len();
    let mut unfinished = 0;
    for length in 0..file.len() {
        let error = Recording::from_bytes(&file[..length]).unwrap_err();
        match &error {
            RecordingError::NotRecording => assert!(length < 4),
            RecordingError::Truncated { .. } | RecordingError::Frame { .. } => {}
            RecordingError::Unfinished { .. } => unfinished += 1,
            _ => panic!("{length} bytes: {error}"),
        }
        // What is whole of it runs, and does the same.
        if let Ok(part) = Recording::from_unfinished(&file[..length]) {
            assert!(part.calls().len() <= whole && !part.is_finished());
            if length % 97 == 0 {
                assert_eq!(part.replay().unwrap().divergence, None, "{length} bytes");
            }
        }
    }
    // Once at the end of each frame but the last; before the first there is no definition.
    assert_eq!(unfinished, frames - 1);
}

#[test]
fn changed_bits_are_noticed() {
    let (file, ..) = recorded(4, continuous(), 8);
    for place in 0..file.len() {
        let mut changed = file.clone();
        changed[place] ^= 1 << (place % 8);
        assert!(Recording::from_bytes(&changed).is_err(), "byte {place}");
        assert!(Recording::from_unfinished(&changed).map_or(true, |part| !part.is_finished()), "byte {place}");
    }
    let later = [&file[..4], &[2, 0], &file[6..]].concat();
    let refused = Recording::from_bytes(&later).unwrap_err();
    assert_eq!(refused, RecordingError::Version { found: 2, expected: 1 });
    assert_eq!(refused.to_string(), "the recording has version 2; only version 1 can be read");
    assert_eq!(Recording::from_bytes(b"{}").unwrap_err(), RecordingError::NotRecording);
}

#[test]
fn frames_left_out_repeated_or_exchanged_are_noticed() {
    let (file, ..) = recorded(5, continuous(), 8);
    let frames = payloads(&file);
    assert_eq!(forged(&frames), file);
    for place in 0..frames.len() {
        let mut fewer = frames.clone();
        fewer.remove(place);
        // A state may be missing, and an end has an error of its own; all else is not in order.
        let is_state = frames[place][0] == 3;
        let read = Recording::from_bytes(&forged(&fewer));
        assert_eq!(read.is_ok(), is_state, "frame {place}: {:?}", read.err());
        let mut twice = frames.clone();
        twice.insert(place, frames[place].clone());
        assert!(Recording::from_bytes(&forged(&twice)).is_err(), "frame {place}");
        // A whole call with what came of it: only the number of calls tells.
        if frames[place][0] == 1 {
            let mut fewer = frames.clone();
            fewer.drain(place..place + 3);
            let refused = Recording::from_bytes(&forged(&fewer)).unwrap_err().to_string();
            assert!(refused.contains("the number of calls is another"), "frame {place}: {refused}");
        }
    }
}

#[test]
fn forged_frames_never_panic_nor_fill_the_memory() {
    let (mut read, mut refused) = (0, 0);
    for seed in 0..4 {
        let (file, ..) = recorded(seed, continuous(), 10);
        let frames = payloads(&file);
        let dice = &mut Dice::new(seed, &[12]);
        for _ in 0..1500 {
            let mut changed = frames.clone();
            let frame = dice.below(changed.len());
            let payload = &mut changed[frame];
            match dice.below(4) {
                0 => {
                    let place = dice.below(payload.len());
                    payload[place] = dice.pick(&[0, 1, 0x7f, 0x80, 0xff, payload[place] ^ 1]);
                }
                1 => payload.truncate(dice.below(payload.len())),
                2 => {
                    // A long count, in front of few bytes.
                    let place = dice.below(payload.len());
                    let tail = payload.split_off(place);
                    payload.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
                    payload.extend(tail);
                }
                _ => payload.extend([0; 3]),
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| Recording::from_bytes(&forged(&changed))));
            match outcome.expect("no panic") {
                Ok(recording) => {
                    // Calls that no host made: they run, or are refused by the world, which stays sound.
                    let replayed = recording.replay_first(10).unwrap();
                    assert!(replayed.world.time().is_finite());
                    read += 1;
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(read > 200 && refused > 1000, "{read} read, {refused} refused");
}

#[test]
fn the_first_difference_is_told() {
    // Two histories that differ in one call each.
    let history = |height: f32, end: f64| {
        let mut file = Vec::new();
        let mut world = RecordingWorld::new(continuous(), &mut file).unwrap();
        let triangle = |z: f32| vec![[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
        let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
        world.add_body(BodyDef::new(mesh(), Flightplan::fixed(triangle(0.0)))).unwrap();
        let keys = [triangle(height), triangle(-1.0)].concat();
        world.add_body(BodyDef::new(mesh(), Flightplan::keyframes(vec![0.0, 2.0], keys))).unwrap();
        world.advance_to(1.5).unwrap();
        let _ = world.advance_to(end);
        world.finish().unwrap();
        payloads(&file)
    };
    let divergence = |frames: &[Vec<u8>]| {
        let recording = Recording::from_bytes(&forged(frames)).unwrap();
        recording.replay().unwrap().divergence
    };
    let (recorded, higher, refused) = (history(1.0, 2.0), history(1.25, 2.0), history(1.0, 0.0));
    assert_eq!(divergence(&recorded), None);
    // Frames: definition; call, outcome, state of each call; end.
    let call = |number: usize| 1 + 3 * number;
    let mut changed = recorded.clone();
    changed[call(1)] = higher[call(1)].clone();
    let found = divergence(&changed).unwrap();
    assert_eq!((found.call, found.name, found.time), (2, "advance_to", 0.0));
    assert!(found.to_string().starts_with("call 2 (advance_to, at 0 s): log().hash() was recorded as"), "{found}");
    let mut changed = recorded.clone();
    changed[call(3)] = refused[call(3)].clone();
    let found = divergence(&changed).unwrap();
    assert_eq!((found.call, found.time), (3, 1.5));
    assert_eq!(
        found.what.to_string(),
        "it was recorded as 'done', now it is 'refused: cannot advance backwards, from 1.5 s to 0 s'"
    );
    // Every byte of a state counts.
    let mut named = BTreeSet::new();
    for place in 1..recorded[call(2) + 2].len() {
        let mut changed = recorded.clone();
        changed[call(2) + 2][place] ^= 1;
        let found = divergence(&changed).unwrap_or_else(|| panic!("byte {place}"));
        let Difference::State { what, recorded, found: now } = found.what else { panic!("byte {place}: {found}") };
        assert!(found.call == 2 && recorded != now, "byte {place}: {recorded}");
        named.insert(what);
    }
    assert_eq!(named.len(), 8, "{named:?}");
}

#[test]
fn a_crash_leaves_the_call_that_crashed() {
    let (file, ..) = recorded(6, continuous(), 6);
    let frames = payloads(&file);
    let last_call = frames.iter().rposition(|frame| frame[0] == 1).unwrap();
    let calls = Recording::from_bytes(&file).unwrap().calls().len();
    let mut crashed = forged(&frames[..=last_call]);
    assert_eq!(Recording::from_bytes(&crashed).unwrap_err(), RecordingError::Unfinished { calls });
    // Half of the next frame was written.
    crashed.extend([40, 0, 0]);
    let recording = Recording::from_unfinished(&crashed).unwrap();
    assert_eq!((recording.calls().len(), recording.is_finished()), (calls, false));
    let before = recording.replay_first(calls - 1).unwrap();
    assert_eq!((before.calls, before.divergence), (calls - 1, None));
}
