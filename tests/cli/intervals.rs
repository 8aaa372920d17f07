//! `--csv-intervals`: one order of rows, whether contacts are kept or written as they end.

use std::fs;

use crate::io_support::{Folder, pc2};
#[cfg(unix)]
use crate::program::interrupted;
use crate::program::{run, text};

/// Rows of a check with `--csv-intervals`, written as contacts end, are those of one that also
/// writes JSON, byte for byte; returns them.
fn same(arguments: &[&str]) -> String {
    let folder = Folder::new();
    let (streamed, kept, json) = (folder.at("streamed.csv"), folder.at("kept.csv"), folder.at("all.json"));
    let check = |more: &[&str]| {
        let output = run(&[&["check", "-q"][..], arguments, more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    };
    check(&["--no-incidents", "--csv-intervals", &streamed]);
    check(&["--no-incidents", "--csv-intervals", &kept, "-o", &json]);
    let (streamed, kept) = (fs::read_to_string(streamed).unwrap(), fs::read_to_string(kept).unwrap());
    assert!(streamed == kept, "{arguments:?}");
    // With incidents and without -o too.
    let plain = folder.at("plain.csv");
    check(&["--csv-intervals", &plain]);
    assert!(fs::read_to_string(plain).unwrap() == streamed, "{arguments:?}");
    // As many as there are in JSON.
    let json: serde_json::Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(json["intervals"].as_array().unwrap().len(), streamed.lines().count() - 1);
    assert!(ends(&streamed).is_sorted(), "{arguments:?}");
    streamed
}

/// The ends of rows, seconds.
fn ends(csv: &str) -> Vec<f64> {
    csv.lines().skip(1).map(|line| line.split(',').nth(5).unwrap().parse().unwrap()).collect()
}

/// A pointer that goes through a floor every two seconds, for a number of seconds.
fn dips(folder: &Folder, seconds: u32) -> String {
    folder.write("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    folder.write("tip.obj", "g tip\nv 0 0 1\nv 1 0 2\nv 0 1 2\nf 1 2 3\n");
    let key = |z: f32| [0.0, 0.0, z, 1.0, 0.0, z + 1.0, 0.0, 1.0, z + 1.0];
    folder.write("tip.pc2", pc2(3, 0.0, 1.0, 3, &[1.0, -0.5, 1.0].map(key).concat()));
    let text = format!(
        "fps = 2\nspan = [0, {seconds}]\n[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n\
         [[body]]\nname = \"tip\"\nmesh = \"tip.obj\"\nmotion = \"tip.pc2\"\nfps = 1\noutside = \"loop\"\n"
    );
    folder.write_at("scene.toml", text)
}

#[test]
fn rows_are_the_same_whether_they_are_kept_or_written_as_contacts_end() {
    let scene = "fixtures/character/scene.toml";
    let whole = same(&[scene, "--span", "0..1"]);
    assert!(whole.lines().count() > 100);
    assert_eq!(same(&[scene, "--span", "0..1", "--jobs", "3"]), whole);
    assert!(same(&[scene, "--span", "0..1", "--first"]).lines().count() < whole.lines().count());
    // Names and frames stand beside them.
    let folder = Folder::new();
    let rows = same(&[&dips(&folder, 9), "--fps", "4"]);
    let first = rows.lines().nth(1).unwrap();
    assert!(rows.starts_with("a,triangle_a,b,triangle_b,begin,end,begin_frame,end_frame,"), "{rows}");
    assert!(rows.lines().next().unwrap().ends_with("groups_a,groups_b") && first.ends_with(",,tip"), "{rows}");
    assert!(first.starts_with("floor,0,tip,0,0.666") && first.contains(",2.66"), "{first}");
    // A contact that exists at the end is the last one.
    let cut = same(&[&dips(&folder, 9), "--span", "0..3"]);
    let last = cut.lines().last().unwrap();
    assert!(cut.lines().count() == 3 && last.contains(",3.0,") && last.contains(",false,true,false,"), "{cut}");
}

#[test]
fn reused_and_baked_contacts_have_the_same_rows() {
    let folder = Folder::new();
    let scene = dips(&folder, 9);
    let rows = same(&[&scene]);
    let (earlier, baked, out) = (folder.at("earlier.json"), folder.at("scene.kbake"), folder.at("rows.csv"));
    assert!(run(&["check", &scene, "-q", "-o", &earlier]).status.success());
    assert!(run(&["bake", &scene, "-q", "-o", &baked]).status.success());
    for more in [["--reuse", &earlier], ["--baked", &baked]] {
        let output =
            run(&[&["check", &scene, "-q", "--no-incidents", "--csv-intervals", &out][..], &more[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(fs::read_to_string(&out).unwrap(), rows, "{more:?}");
    }
}

#[test]
fn without_contacts_there_is_the_heading_alone() {
    let folder = Folder::new();
    let rows = same(&[&dips(&folder, 9), "--span", "0..0.5"]);
    assert_eq!(rows.lines().count(), 1, "{rows}");
}

#[test]
fn a_gate_on_contacts_needs_no_incidents() {
    let folder = Folder::new();
    let scene = dips(&folder, 9);
    let gate = |more: &[&str], condition: &str| {
        run(&[&["check", &scene, "--no-incidents", "--fail-on", condition][..], more].concat())
    };
    let found = gate(&[], "contacts");
    assert_eq!(found.status.code(), Some(1), "{}", text(&found.stderr));
    assert!(text(&found.stderr).contains("--fail-on contacts: there are contacts"), "{}", text(&found.stderr));
    assert!(text(&found.stdout).contains("floor - tip"), "{}", text(&found.stdout));
    assert_eq!(gate(&["--span", "0..0.5"], "contacts").status.code(), Some(0));
    for condition in ["depth>1mm", "new", "time>1s"] {
        let refused = gate(&["--baseline", "start"], condition);
        assert_eq!(refused.status.code(), Some(2), "{condition}");
        let refused = gate(&[], condition);
        let message = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{condition}");
        let expected = "--fail-on, other than contacts: --no-incidents leaves incidents out";
        assert!(message.contains(expected), "{message}");
    }
}

/// The summary of a check that keeps no contacts is that of one that does.
#[test]
fn the_summary_is_the_same() {
    let folder = Folder::new();
    let scene = dips(&folder, 9);
    let told = |more: &[&str]| {
        let output = run(&[&["check", &scene, "--no-incidents"][..], more].concat());
        let told = text(&output.stdout);
        told.lines().filter(|line| !line.starts_with("checked in")).map(str::to_owned).collect::<Vec<_>>()
    };
    let kept = told(&["-o", &folder.at("all.json")]);
    assert!(kept.len() > 3 && kept == told(&[]), "{kept:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_with_a_message() {
    let folder = Folder::new();
    // Rows that fill buffers while the check runs, and few rows, which are written at its end.
    for seconds in [10_000, 9] {
        let scene = dips(&folder, seconds);
        let output = run(&["check", &scene, "-q", "--no-incidents", "--csv-intervals", "/dev/full"]);
        assert_eq!(output.status.code(), Some(4), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("cannot write /dev/full: No space left"), "{}", text(&output.stderr));
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_rows_up_to_there() {
    let folder = Folder::new();
    let scene = dips(&folder, 1_000_000);
    let out = folder.at("rows.csv");
    let output = interrupted(&["check", &scene, "--no-incidents", "--csv-intervals", &out], &folder.path(""));
    assert_eq!(output.status.code(), Some(130));
    let told = text(&output.stdout);
    let reached: f64 = told.split("stopped at ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    let rows = fs::read_to_string(&out).unwrap();
    assert!(rows.ends_with('\n') && reached > 1.0, "{told}");
    // One contact a round of two seconds; the last one may be on.
    let (found, expected) = (rows.lines().count() - 1, reached / 2.0);
    assert!((found as f64 - expected).abs() <= 1.0 + 1e-4 * expected, "{found} {reached}");
    assert!(ends(&rows).is_sorted() && *ends(&rows).last().unwrap() <= reached * (1.0 + 1e-4));
}
