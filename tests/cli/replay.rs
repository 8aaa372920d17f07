//! `kinetree replay`: what it prints, and its exit statuses.

use crate::io_support::Folder;
use crate::io_support::checksum::chained;
use crate::program::{run, text};
use kinetree::replay::RecordingWorld;
use kinetree::{BodyDef, ContactMode, Engine, Flightplan, Mesh, WorldDef};

/// A triangle that falls onto another, and a call that is refused.
fn recording() -> Vec<u8> {
    let mut file = Vec::new();
    let def = WorldDef::new().engine(Engine::Kinetic).contacts(ContactMode::Continuous);
    let mut world = RecordingWorld::new(def, &mut file).unwrap();
    let low = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let high = low.map(|[x, y, _]| [x, y, 1.0]);
    let mesh = || Mesh::new(3, vec![[0, 1, 2]]).unwrap();
    world.add_body(BodyDef::new(mesh(), Flightplan::fixed(low.to_vec())).named("floor")).unwrap();
    let falls = Flightplan::keyframes(vec![0.0, 1.0, 2.0], [high, low, high].concat());
    world.add_body(BodyDef::new(mesh(), falls).named("ball")).unwrap();
    world.advance_to(1.0).unwrap();
    assert!(world.advance_to(0.5).is_err());
    world.finish().unwrap();
    file
}

#[test]
fn a_recording_runs_again() {
    let folder = Folder::new();
    folder.write("world.ktrc", recording());
    let output = run(&["replay", &folder.at("world.ktrc")]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}{}", text(&output.stderr));
    assert!(printed.contains("4 of 4 calls, to 1 s: 2 bodies, 1 contacts"), "{printed}");
    let output = run(&["replay", &folder.at("world.ktrc"), "--calls", "2"]);
    assert!(text(&output.stdout).contains("2 of 4 calls, to 0 s: 2 bodies, 0 contacts"));
    let output = run(&["replay", &folder.at("world.ktrc"), "--list"]);
    let listed = "0 add_body 'floor'\n1 add_body 'ball'\n2 advance_to 1 s\n3 advance_to 0.5 s\n";
    assert_eq!((output.status.code(), text(&output.stdout).as_str()), (Some(0), listed));
}

#[test]
fn a_difference_has_a_status() {
    let folder = Folder::new();
    let mut file = recording();
    // The message of the refusal, as an earlier version might have had it; the checksums follow.
    let place = file.windows(16).position(|bytes| bytes == b"cannot advance b").unwrap();
    file[place] = b'C';
    folder.write("world.ktrc", rechained(&file));
    let output = run(&["replay", &folder.at("world.ktrc")]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let told = "differs from the recording: call 3 (advance_to, at 1 s): it was recorded as 'refused: Cannot advance \
                backwards, from 1 s to 0.5 s', now it is 'refused: cannot advance backwards, from 1 s to 0.5 s'\n";
    assert!(printed.ends_with(told), "{printed}");
}

/// The same frames with the right checksums.
fn rechained(file: &[u8]) -> Vec<u8> {
    let (mut out, mut at, mut chain) = (file[..8].to_vec(), 8, 0);
    while at < file.len() {
        let length = u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
        let payload = &file[at + 12..at + 12 + length];
        chain = chained(chain, payload);
        out.extend(&file[at..at + 4]);
        out.extend(chain.to_le_bytes());
        out.extend(payload);
        at += 12 + length;
    }
    out
}

#[test]
fn bad_files_are_refused() {
    let folder = Folder::new();
    let file = recording();
    folder.write("cut.ktrc", &file[..file.len() - 30]);
    folder.write("scene.toml", "fps = 1\n");
    let mut damaged = file.clone();
    damaged[60] ^= 4;
    folder.write("damaged.ktrc", damaged);
    folder.write("later.ktrc", [&file[..4], &[9, 0], &file[6..]].concat());
    for (name, message) in [
        ("cut.ktrc", "the recording is truncated: it ends within frame"),
        ("scene.toml", "this is not a recording: it does not begin with 'KTRC'"),
        ("damaged.ktrc", "the recording is damaged: the checksum of frame"),
        ("later.ktrc", "the recording has version 9; only version 1 can be read"),
        ("nowhere.ktrc", "cannot read"),
    ] {
        let output = run(&["replay", &folder.at(name)]);
        assert_eq!(output.status.code(), Some(2));
        let told = text(&output.stderr);
        assert!(told.starts_with("error: ") && told.contains(message) && told.contains(name), "{told}");
        assert_eq!(text(&output.stdout), "");
    }
    let told = text(&run(&["replay", &folder.at("cut.ktrc")]).stderr);
    assert!(told.contains("--unfinished runs the calls that are whole"), "{told}");
    let output = run(&["replay", &folder.at("cut.ktrc"), "--unfinished"]);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.contains(", not finished\n4 of 4 calls"), "{printed}");
}

#[test]
fn a_file_that_is_not_there_is_told_without_numbers_of_the_system() {
    let output = run(&["replay", "no.ktrc"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(told.contains("cannot read no.ktrc: there is no such file; give a recording"), "{told}");
    assert!(!told.contains("os error"), "{told}");
}
