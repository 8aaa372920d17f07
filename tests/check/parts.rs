//! Parts of a check, joined, are the bytes of one run: any scene, cut anywhere.

use crate::check_support::{difference, file, file_until, wave, with};
use crate::io_support::{Folder, Random};
use kinetree::check::{
    CheckEnding, CheckSettings, MergeError, ResultFile, ResultFileError, Sampling, merge, parse_result,
};
use kinetree::io::{Scene, read_scene};

fn part(scene: &Scene, settings: &CheckSettings, span: [f64; 2]) -> ResultFile {
    let settings = with(|part| {
        *part = settings.clone();
        part.span = Some(span);
    });
    parse_result(std::str::from_utf8(&file(scene, &settings)).unwrap()).unwrap()
}

/// The parts between cuts, sorted.
fn parts(scene: &Scene, settings: &CheckSettings, cuts: &[f64]) -> Vec<ResultFile> {
    cuts.windows(2).map(|cut| part(scene, settings, [cut[0], cut[1]])).collect()
}

fn joined(parts: Vec<ResultFile>) -> String {
    String::from_utf8(merge(parts).unwrap().write(Vec::new()).unwrap()).unwrap()
}

/// How many random scenes; `KINETREE_CASES` for more.
fn seeds() -> u64 {
    std::env::var("KINETREE_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(2)
}

#[test]
fn random_scenes_cut_anywhere() {
    let folder = Folder::new();
    let settings = CheckSettings::default();
    let (mut contacts, mut open) = (0, 0);
    let mut failed = Vec::new();
    for seed in 0..seeds() {
        let scene = wave(&folder, seed);
        let whole = String::from_utf8(file(&scene, &settings)).unwrap();
        let mut random = Random::new(seed + 1000);
        for round in 0..3 {
            let mut cuts = vec![0.0, 2.0];
            for _ in 0..=random.below(3) {
                cuts.push(match random.below(3) {
                    0 => random.below(7) as f64 / 3.0,
                    1 => random.below(5) as f64 / 2.0,
                    _ => 2.0 * random.below(1 << 20) as f64 / (1 << 20) as f64,
                });
            }
            cuts.retain(|cut| *cut <= 2.0);
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
            let parts = parts(&scene, &settings, &cuts);
            open += parts.iter().flat_map(|part| &part.result.contacts).filter(|contact| contact.is_clipped[1]).count();
            if let Some(difference) = difference(&whole, &joined(parts)) {
                failed.push(format!("seed {seed} round {round} cuts {cuts:?}:{difference}"));
            }
        }
        contacts += parse_result(&whole).unwrap().result.contacts.len();
    }
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
    assert!(contacts > 100 && open > 25, "{contacts} {open}");
}

/// A pointer above a floor: it touches the floor for an instant at 1 s, which is a key, and dips
/// through it around 3 s.
fn touch(folder: &Folder) -> Scene {
    folder.write("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    let heights = [1.0, 0.0, 1.0, -1.0, 1.0];
    for (frame, height) in heights.into_iter().enumerate() {
        let z = height + 1.0;
        folder.write(&format!("tip_{frame}.obj"), format!("v 0 0 {height}\nv 1 0 {z}\nv 0 1 {z}\nf 1 2 3\n"));
    }
    let text = "fps = 1\n[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n\
                [[body]]\nname = \"tip\"\nmotion = \"tip_#.obj\"\n";
    read_scene(folder.write("scene.toml", text)).unwrap()
}

#[test]
fn a_touch_at_the_cut_is_one_contact() {
    let folder = Folder::new();
    let scene = touch(&folder);
    let settings = CheckSettings::default();
    let whole = String::from_utf8(file(&scene, &settings)).unwrap();
    let contacts = |of: &str| parse_result(of).unwrap().result.contacts;
    let expected = contacts(&whole);
    assert_eq!((expected.len(), expected[0].begin, expected[0].end), (2, 1.0, 1.0));
    assert!((expected[1].begin - 2.5).abs() < 1e-12 && (expected[1].end - 3.5).abs() < 1e-12);
    let cuts: [&[f64]; 6] = [
        &[0.0, 1.0, 4.0],
        &[0.0, 1.0, 2.5, 3.5, 4.0],
        &[0.0, 0.5, 3.0, 4.0],
        &[0.0, 0.0, 4.0, 4.0],
        &[0.0, 4.0],
        &[0.0, 1.0, 1.0, 3.0, 3.0, 4.0],
    ];
    for cuts in cuts {
        assert_eq!(difference(&whole, &joined(parts(&scene, &settings, cuts))), None, "{cuts:?}");
    }
    // The touch is in both parts: open at the end of one, and at the begin of the other.
    let [before, after] = [[0.0, 1.0], [1.0, 4.0]].map(|span| part(&scene, &settings, span).result.contacts);
    assert_eq!((before.len(), before[0].is_clipped), (1, [false, true]));
    assert_eq!((after.len(), after[0].is_clipped), (2, [true, false]));
    // In any order.
    let mut shuffled = parts(&scene, &settings, &[0.0, 1.0, 3.0, 4.0]);
    shuffled.rotate_left(1);
    assert_eq!(difference(&whole, &joined(shuffled)), None);
}

#[test]
fn what_is_undecided_in_one_part_is_undecided() {
    let folder = Folder::new();
    let scene = touch(&folder);
    let settings = CheckSettings::default();
    let parts = parts(&scene, &settings, &[0.0, 3.0, 4.0]);
    for undecided in [None, Some(0), Some(1)] {
        let mut parts = parts.clone();
        if let Some(number) = undecided {
            let contacts = &mut parts[number].result.contacts;
            contacts.iter_mut().filter(|contact| contact.is_clipped != [false; 2]).for_each(|contact| {
                contact.is_undecided = true;
            });
        }
        let joined = merge(parts).unwrap().result.contacts;
        assert_eq!(joined.len(), 2);
        assert_eq!((joined[0].is_undecided, joined[1].is_undecided), (false, undecided.is_some()), "{undecided:?}");
    }
}

#[test]
fn samples_alone_are_joined_too() {
    let folder = Folder::new();
    let scene = touch(&folder);
    for sampling in [Sampling::Scene, Sampling::Fps(7.0), Sampling::Times(vec![0.5, 1.0, 2.75, 3.0])] {
        let settings = with(|settings| {
            settings.over_time = Some(false);
            settings.sampling = sampling;
        });
        let whole = String::from_utf8(file(&scene, &settings)).unwrap();
        assert!(!whole.contains("intervals"));
        let [begin, end] = parse_result(&whole).unwrap().result.whole;
        let parts = parts(&scene, &settings, &[begin, 1.0, 2.9, end]);
        assert_eq!(difference(&whole, &joined(parts)), None);
    }
}

#[test]
fn what_an_interrupted_check_found_is_a_part() {
    let folder = Folder::new();
    let scene = touch(&folder);
    let settings = CheckSettings::default();
    let whole = String::from_utf8(file(&scene, &settings)).unwrap();
    for last in 0..4 {
        let text = String::from_utf8(file_until(&scene, &settings, last)).unwrap();
        let stopped = parse_result(&text).unwrap();
        let reached = last as f64;
        assert_eq!((stopped.result.ending, stopped.result.span), (CheckEnding::Cancelled, [0.0, reached]));
        assert_eq!(merge(vec![stopped.clone()]).unwrap_err(), MergeError::Gap { from: reached, to: 4.0 });
        let rest = part(&scene, &settings, [reached, 4.0]);
        assert_eq!(difference(&whole, &joined(vec![rest, stopped])), None);
    }
}

#[test]
fn missing_and_foreign_parts_are_refused() {
    let folder = Folder::new();
    let scene = touch(&folder);
    let settings = CheckSettings::default();
    let of = |begin: f64, end: f64| part(&scene, &settings, [begin, end]);
    let refused = |parts: Vec<ResultFile>| merge(parts).unwrap_err();
    assert_eq!(refused(Vec::new()), MergeError::Nothing);
    assert_eq!(refused(vec![of(0.0, 1.0), of(2.0, 4.0)]), MergeError::Gap { from: 1.0, to: 2.0 });
    assert_eq!(refused(vec![of(1.0, 4.0)]), MergeError::Gap { from: 0.0, to: 1.0 });
    assert_eq!(refused(vec![of(0.0, 3.0)]), MergeError::Gap { from: 3.0, to: 4.0 });
    let overlap = MergeError::Overlap { parts: [1, 0], from: 2.0, to: 3.0 };
    assert_eq!(refused(vec![of(2.0, 4.0), of(0.0, 3.0)]), overlap);
    assert!(matches!(refused(vec![of(0.0, 4.0), of(0.0, 4.0)]), MergeError::Overlap { .. }));

    let other = |change: &dyn Fn(&mut Scene, &mut CheckSettings)| {
        let (mut scene, mut settings) = (scene.clone(), settings.clone());
        change(&mut scene, &mut settings);
        refused(vec![of(0.0, 2.0), part(&scene, &settings, [2.0, 4.0])])
    };
    let motion = other(&|scene, _| scene.bodies[0].mesh.positions[0][2] = 0.5);
    assert!(matches!(&motion, MergeError::OtherScene { part: 1, what } if what.contains("'floor'")), "{motion}");
    let name = other(&|scene, _| scene.bodies[1].name = "other".into());
    assert!(matches!(&name, MergeError::OtherScene { part: 1, what } if what.contains("'tip'")), "{name}");
    let rules = other(&|scene, _| scene.bodies[1].thickness = 0.1);
    assert!(matches!(rules, MergeError::OtherSettings { part: 1, .. }), "{rules}");
    let fps = other(&|scene, _| scene.fps = Some(2.0));
    assert!(matches!(fps, MergeError::OtherSettings { part: 1, .. }), "{fps}");
    let samples = other(&|_, settings| settings.over_time = Some(false));
    assert!(matches!(samples, MergeError::OtherSettings { part: 1, .. }), "{samples}");
    let span = other(&|scene, _| scene.span = Some([0.0, 5.0]));
    assert!(matches!(span, MergeError::OtherSettings { part: 1, what } if what.contains("span")));
    // Engines and trees do not matter.
    let mut kinetic = settings.clone();
    kinetic.engine = kinetree::world::Engine::Kinetic;
    assert!(merge(vec![of(0.0, 2.0), part(&scene, &kinetic, [2.0, 4.0])]).is_ok());

    let mut old = of(0.0, 2.0);
    old.result.identity = None;
    assert_eq!(refused(vec![of(2.0, 4.0), old]), MergeError::NoIdentity { part: 1 });
    let mut changed = of(2.0, 4.0);
    changed.samples[0].contacts.push(of(0.0, 3.0).samples[3].contacts[0]);
    assert_eq!(refused(vec![of(0.0, 2.0), changed]), MergeError::Samples { parts: [0, 1], time: 2.0 });
}

/// Names of parts are read back as they were written; parts that contradict the body are refused.
#[test]
fn parts_of_names_are_read_and_checked() {
    let with_parts = |parts: &str| {
        format!(
            "{{\"format\": \"kinetree-contacts/1\", \"bodies\": [{{\"name\": \"a\", \"triangles\": 5, \"parts\": {parts}}}], \
             \"samples\": []}}"
        )
    };
    let good =
        r#"[{"groups": ["hand"], "triangles": [[0, 1], [3, 5]]}, {"joints": ["b", "c"], "triangles": [[2, 3]]}]"#;
    let read = parse_result(&with_parts(good)).unwrap();
    let parts = &read.result.bodies[0].parts;
    assert_eq!(parts[0].triangles, [0..1, 3..5]);
    assert_eq!((&parts[0].names.groups[0][..], parts[1].names.joints.len()), ("hand", 2));
    let again = parse_result(&String::from_utf8(read.write(Vec::new()).unwrap()).unwrap()).unwrap();
    assert_eq!(again.result.bodies, read.result.bodies);
    let bad = [
        r#"[{"groups": ["hand"], "triangles": [[0, 6]]}]"#,
        r#"[{"groups": ["hand"], "triangles": [[3, 3]]}]"#,
        r#"[{"groups": ["hand"], "triangles": [[4, 2]]}]"#,
        r#"[{"groups": ["hand"], "triangles": [[3, 5], [0, 1]]}]"#,
        r#"[{"groups": ["hand"], "triangles": [[0, 3]]}, {"groups": ["arm"], "triangles": [[2, 4]]}]"#,
    ];
    for parts in bad {
        let refused = parse_result(&with_parts(parts));
        assert!(matches!(refused, Err(ResultFileError::Inconsistent { member: "bodies", index: 0, .. })), "{parts}");
    }
    // Parts of one check whose names differ are not joined.
    let other = parse_result(&with_parts(&good.replace("hand", "fist"))).unwrap();
    let mut both = vec![read, other];
    let identity = {
        let folder = Folder::new();
        let whole = String::from_utf8(file(&wave(&folder, 1), &CheckSettings::default())).unwrap();
        parse_result(&whole).unwrap().result.identity
    };
    both.iter_mut().for_each(|file| file.result.identity.clone_from(&identity));
    let refused = merge(both).unwrap_err();
    assert!(refused.to_string().contains("what the parts of body 'a' are called"), "{refused}");
}

/// Fingerprints of more bodies than there are.
#[test]
fn identities_of_another_number_of_bodies_are_refused() {
    let folder = Folder::new();
    let whole = String::from_utf8(file(&wave(&folder, 1), &CheckSettings::default())).unwrap();
    let mut read = parse_result(&whole).unwrap();
    let place = whole.find("\"identity\"").unwrap();
    let list = place + whole[place..].find('[').unwrap() + 1;
    let text = format!("{}\"0\",{}", &whole[..list], &whole[list..]);
    let refused = parse_result(&text).unwrap_err();
    assert!(matches!(refused, ResultFileError::Inconsistent { member: "identity.bodies", .. }), "{refused}");
    // Nor does a result that a host changed end in a panic.
    let mut other = read.clone();
    for (file, last) in [(&mut read, 1), (&mut other, 2)] {
        let identity = file.result.identity.as_mut().unwrap();
        identity.bodies.push(last);
    }
    assert!(merge(vec![read, other]).is_err());
}
