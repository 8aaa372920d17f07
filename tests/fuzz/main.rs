//! A short run of what `fuzz/` runs for hours: scenes and calls made of bytes, the same ones every
//! time. `KINETREE_CASES=N` runs N of each.

mod changes;
mod exact;
mod model;
mod motion;
mod questions;
#[cfg(all(feature = "io", feature = "record"))]
mod readers;
mod reduced;
mod scene;
mod source;
mod stopped;
mod worlds;

use kinetree::scenes::Random;

/// Bytes that a fuzzer could have chosen.
fn bytes(seed: u64, most: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let count = 40 + random.below(most);
    (0..count).map(|_| random.below(256) as u8).collect()
}

fn cases(usual: u64) -> u64 {
    std::env::var("KINETREE_CASES").ok().and_then(|value| value.parse().ok()).unwrap_or(usual)
}

#[test]
fn worlds_in_lockstep_against_exact_truth() {
    let first: u64 = std::env::var("KINETREE_SEED").ok().and_then(|value| value.parse().ok()).unwrap_or(0);
    let mut tally = worlds::Tally::default();
    for seed in first..first + cases(40) {
        let made = bytes(seed, 400);
        tally += std::panic::catch_unwind(|| worlds::run(&made)).unwrap_or_else(|error| {
            eprintln!("seed {seed}");
            std::panic::resume_unwind(error)
        });
    }
    println!("{tally:?}");
    // Much less would mean that little was judged.
    let least = 2 * cases(40);
    assert!(
        tally.contacts > least
            && tally.pasts > least
            && tally.loops > least
            && tally.reduced > least
            && tally.refused > 5,
        "{tally:?}"
    );
}

/// Inputs that found something, as long as bytes mean what they meant then.
#[test]
fn inputs_that_found_something() {
    for seed in [1076, 1113, 1402, 3326, 3654, 20_777, 40_289, 40_485] {
        worlds::run(&bytes(seed, 400));
    }
}

#[cfg(all(feature = "io", feature = "record"))]
#[test]
fn damaged_files_of_every_format() {
    let folder = readers::folder();
    let mut random = Random::new(18);
    let mut counts = Vec::new();
    for (format, good) in readers::good_files(&folder).into_iter().enumerate() {
        assert!(readers::read(&good, &folder), "{} is good", readers::FORMATS[format]);
        let mut accepted = 0;
        let count = cases(400);
        for number in 0..count {
            let mut file = readers::damaged(&good, |most| random.below(most as u64) as usize);
            // Half of the binary files get a right checksum.
            match (format, number % 2) {
                (8..=10, 0) => file[0] = format as u8 + 9,
                (14, 0) => file[0] = 20,
                _ => {}
            }
            accepted += u64::from(readers::read(&file, &folder));
        }
        counts.push((readers::FORMATS[format], accepted, count - accepted));
    }
    std::fs::remove_dir_all(&folder).expect("a folder");
    println!("format, accepted, refused: {counts:?}");
    let refused: u64 = counts.iter().map(|count| count.2).sum();
    let accepted: u64 = counts.iter().map(|count| count.1).sum();
    // Most damage is found by a checksum or a length.
    assert!(refused > cases(400) && accepted > cases(400) / 2, "{counts:?}");
}

/// What the readers of JSON and TOML say quotes words of the file, which may be all of it.
#[cfg(all(feature = "io", feature = "record"))]
#[test]
fn messages_do_not_repeat_a_file() {
    let folder = readers::folder();
    let word = "x\u{7}é".repeat(5_000);
    let texts = [
        format!("\"{word}\""),
        format!("{{\"{word}\": 1}}"),
        format!("{word} = 1\n"),
        format!("\"{}\" = 1\n", word.replace('\u{7}', "")),
        format!("{{\"format\": \"{}\"}}", word.replace('\u{7}', "")),
        format!("[[body]]\nname = {word}\n"),
    ];
    for (format, name) in readers::FORMATS.iter().enumerate() {
        for text in &texts {
            let file = [&[format as u8], text.as_bytes()].concat();
            assert!(!readers::read(&file, &folder), "{name}: {}", &text[..20]);
        }
    }
    std::fs::remove_dir_all(&folder).expect("a folder");
}
