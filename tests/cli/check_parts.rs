//! Parts of a check as the program makes and joins them; what Ctrl-C leaves.

use std::fs;

use crate::io_support::{Folder, pc2};
#[cfg(unix)]
use crate::program::interrupted;
use crate::program::{run, text};
use serde_json::Value;

const CLOTH_BALL: &str = "fixtures/cloth_ball/scene.toml";

/// A file of the program without its counters.
fn without_stats(path: &str) -> String {
    let text = fs::read_to_string(path).unwrap();
    let (before, _) = text.split_once(",\n\"stats\": ").expect("counters");
    format!("{before}}}\n")
}

fn check(arguments: &[&str]) {
    let output = run(&[&["check"][..], arguments, &["-q"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

#[test]
fn parts_of_cloth_and_ball_are_one_run() {
    let folder = Folder::new();
    let at = |name: &str| folder.at(name);
    check(&[CLOTH_BALL, "-o", &at("whole.json")]);
    let whole = without_stats(&at("whole.json"));
    check(&[CLOTH_BALL, "--span", "0..0.9", "-o", &at("a.json")]);
    check(&[CLOTH_BALL, "--span", "0.9..1.9375", "--out", &at("b.json")]);
    check(&[CLOTH_BALL, "--span", "1.9375..3.875", "--json", &at("c.json")]);
    let parts = [at("c.json"), at("a.json"), at("b.json")];
    let joined = run(&["merge", &parts[0], &parts[1], &parts[2], "--scene", CLOTH_BALL, "-o", &at("joined.json")]);
    assert_eq!(joined.status.code(), Some(0), "{}", text(&joined.stderr));
    assert!(text(&joined.stdout).contains("3 parts joined") && text(&joined.stdout).contains("cloth - ball"));
    assert!(fs::read_to_string(at("joined.json")).unwrap() == whole);
    let bare = run(&["merge", &parts[0], &parts[1], &parts[2], "-o", &at("bare.json"), "-q"]);
    assert!(bare.status.success());
    let (before, _) = whole.split_once(",\n\"incidents\": ").expect("incidents");
    assert_eq!(fs::read_to_string(at("bare.json")).unwrap(), format!("{before}}}\n"));
    let other = falling(&folder);
    let foreign = run(&["merge", &parts[0], &parts[1], &parts[2], "--scene", &other, "-o", &at("no.json")]);
    assert_eq!(foreign.status.code(), Some(2));
    assert!(text(&foreign.stderr).contains("not the scene of the result"), "{}", text(&foreign.stderr));
    // A whole run is a part too.
    assert!(run(&["merge", &at("whole.json"), "--scene", CLOTH_BALL, "-o", &at("again.json"), "-q"]).status.success());
    assert!(fs::read_to_string(at("again.json")).unwrap() == whole);

    let missing = run(&["merge", &at("a.json"), &at("c.json"), "-o", &at("no.json")]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("0.9 s to 1.9375 s is missing"), "{}", text(&missing.stderr));
    assert!(text(&missing.stderr).contains("--span 0.9..1.9375"));
    let twice = run(&["merge", &at("a.json"), &at("a.json"), &at("b.json"), "-o", &at("no.json")]);
    assert!(text(&twice.stderr).contains("both cover 0 s to 0.9 s"), "{}", text(&twice.stderr));
    check(&[CLOTH_BALL, "--span", "0.9..1.9375", "--thickness", "0.001", "-o", &at("thick.json")]);
    let foreign = run(&["merge", &at("a.json"), &at("thick.json"), &at("c.json"), "-o", &at("no.json")]);
    assert!(text(&foreign.stderr).contains("thick.json: made with other settings"), "{}", text(&foreign.stderr));
    let same = run(&["merge", &at("a.json"), "-o", &at("a.json")]);
    assert_eq!(same.status.code(), Some(2));
    assert!(!folder.path("no.json").exists());
    for wrong in ["no.json", "scene.toml"] {
        folder.write("scene.toml", "fps = 24");
        let refused = run(&["merge", &at(wrong), "-o", &at("out.json")]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains(wrong), "{}", text(&refused.stderr));
    }
}

/// The result of `check --no-incidents` joined with what was checked is that of one run.
#[track_caller]
fn finds_incidents(inputs: &[&str], options: &[&str], fps: &[&str]) {
    let folder = Folder::new();
    let at = |name: &str| folder.at(name);
    check(&[inputs, options, fps, &["-o", &at("whole.json")]].concat());
    let of_part: Vec<&str> =
        options.iter().copied().filter(|word| !["--baseline", "start", "rest"].contains(word)).collect();
    check(&[inputs, &of_part, fps, &["--no-incidents", "-o", &at("part.json")]].concat());
    let scene: Vec<&str> = inputs.iter().flat_map(|&input| ["--scene", input]).collect();
    let joined = run(&[&["merge", &at("part.json"), "-o", &at("joined.json")], &scene[..], options].concat());
    assert_eq!(joined.status.code(), Some(0), "{}", text(&joined.stderr));
    assert!(text(&joined.stdout).contains("incident"), "{}", text(&joined.stdout));
    assert!(fs::read_to_string(at("joined.json")).unwrap() == without_stats(&at("whole.json")), "{inputs:?}");
}

#[test]
fn incidents_of_inputs_without_a_scene_file_are_found_by_the_same_words() {
    let folder = Folder::new();
    let floor = folder.write_at("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    let sheet = folder.write_at("sheet.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1.5\nf 1 2 3\n");
    let keys: Vec<f32> =
        [1.0f32, 0.5, -0.5, -2.0].iter().flat_map(|z| [0.0, 0.0, *z, 1.0, 0.0, *z, 0.0, 1.0, z + 0.5]).collect();
    let cache = folder.write_at("sheet.pc2", pc2(3, 0.0, 1.0, 4, &keys));
    finds_incidents(&[&format!("{sheet}:{cache}"), &floor], &[], &["--fps", "2"]);
    // A scene that names files outside of its folder.
    let other = Folder::new();
    let scene = other.write_at(
        "scene.toml",
        format!(
            "span = [0, 1]\n[[body]]\nname = \"floor\"\nmesh = '{floor}'\n\
             [[body]]\nname = \"sheet\"\nmesh = '{sheet}'\nvelocity = [0, 0, -2]\n"
        ),
    );
    finds_incidents(&[&scene], &["--allow-outside"], &[]);
    // What touches at the begin is known.
    let before = fs::read_to_string(&scene).unwrap();
    let stands = format!("[[body]]\nname = \"stands\"\nmesh = '{sheet}'\ntranslate = [1, 0, -1.25]\n");
    let scene = other.write_at("stands.toml", before + &stands);
    finds_incidents(&[&scene], &["--allow-outside", "--baseline", "start"], &[]);

    let part = folder.at("part.json");
    check(&[&floor, &sheet, "-o", &part]);
    for option in [&["--clip", "0"][..], &["--tolerance", "1mm"], &["--repair"], &["--stored"], &["--allow-outside"]] {
        let refused = run(&[&["merge", &part, "-o", &folder.at("no.json")], option].concat());
        assert_eq!(refused.status.code(), Some(2));
        let message = format!("{}: says how --scene is read; give --scene too", option[0]);
        assert!(text(&refused.stderr).contains(&message), "{}", text(&refused.stderr));
    }
}

/// Two triangles of which one falls through the other in a second.
fn falling(folder: &Folder) -> String {
    folder.write("a.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("b.obj", "v 0 0 1\nv 0.5 0 2\nv -0.5 0 2\nf 1 2 3\n");
    let scene = "fps = 4\nspan = [0, 1]\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n\
                 [[body]]\nname = \"b\"\nmesh = \"b.obj\"\nvelocity = [0, 0, -1.5]\n";
    folder.write_at("scene.toml", scene)
}

#[test]
fn frames_spans_and_tables() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let told = |arguments: &[&str]| {
        let output = run(&[&["check", &scene][..], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let whole = told(&[]);
    assert!(whole.contains("0.666667 s (frame 2.7)") && whole.contains("frames 0 to 4"), "{whole}");
    assert!(!whole.contains("events"));
    for jobs in ["1", "2"] {
        let counted = told(&["--stats", "-o", &folder.at("counted.json"), "--jobs", jobs]);
        let file: Value = serde_json::from_slice(&fs::read(folder.path("counted.json")).unwrap()).unwrap();
        let stats = |name: &str| file["stats"][name].as_u64().unwrap();
        let line = format!("{} events, {} triangle tests", stats("events"), stats("triangle_tests"));
        assert!(stats("triangle_tests") > 0 && counted.contains(&line), "{line}: {counted}");
    }
    assert!(told(&["--frames", "1-2"]).contains("2 samples from 0.25 s to 0.5 s (frames 1 to 2)"));
    assert!(told(&["--frames", "1-2"]).contains("does not touch in this part: a - b"));
    assert!(told(&["--fps", "24", "--frames", "12-18"]).contains("7 samples from 0.5 s to 0.75 s (frames 12 to 18)"));
    assert!(told(&["--span", "0.7..0.9"]).contains("a part: 0.7 s to 0.9 s of 0 s to 1 s"));
    let refusals: [(&[&str], &str); 6] = [
        (&["--span", "0.9..0.7"], "give the earlier time first"),
        (&["--span", "0.5"], "give them as 0.5..2"),
        (&["--span", "0.5..1.5"], "--span: 1.5 s is outside the scene's span"),
        (&["--frames", "2-6"], "--frames: there is no frame 6; give frames from 0 to 4"),
        (&["--frames", "2-6", "--span", "0..1"], "cannot be used with"),
        (&["--csv-intervals", "-", "--intervals=false"], "--csv-intervals: contacts over time are not asked for"),
    ];
    for (arguments, message) in refusals {
        let output = run(&[&["check", &scene][..], arguments].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(message), "{}", text(&output.stderr));
    }
}

#[test]
fn how_much_of_an_earlier_result_is_used_is_told() {
    let folder = Folder::new();
    let (scene, out) = (falling(&folder), folder.at("out.json"));
    check(&[&scene, "-o", &out]);
    let again = run(&["check", &scene, "--reuse", &out]);
    assert!(text(&again.stdout).contains("; reused 4 of 4 stretches of pairs of bodies (100 %)"), "{again:?}");
    assert!(again.stderr.is_empty(), "{again:?}");
    let other = run(&["check", &scene, "--thickness", "0.1", "--reuse", &out, "-q"]);
    let note = format!("--reuse: nothing was taken from {out}: it is of other bodies, times or rules");
    assert!(other.status.success() && text(&other.stderr).contains(&note), "{other:?}");
}

#[test]
fn contacts_over_time_as_csv() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let out = folder.at("out.csv");
    check(&[&scene, "--csv-intervals", &out, "-o", &folder.at("out.json")]);
    let lines: Vec<String> = fs::read_to_string(out).unwrap().lines().map(str::to_owned).collect();
    let columns = "a,triangle_a,b,triangle_b,begin,end,begin_frame,end_frame,open_begin,open_end,clipped_begin,clipped_end,\
                   undecided";
    assert_eq!((lines.len(), lines[0].as_str()), (2, columns));
    let json: serde_json::Value = serde_json::from_slice(&fs::read(folder.path("out.json")).unwrap()).unwrap();
    let interval = &json["intervals"][0];
    let numbers: Vec<f64> = lines[1].split(',').skip(4).take(4).map(|cell| cell.parse().unwrap()).collect();
    let expected = [&interval["begin"], &interval["end"], &interval["frames"][0], &interval["frames"][1]];
    assert_eq!(numbers, expected.map(|value| value.as_f64().unwrap()));
    assert!(
        lines[1].starts_with("a,0,b,0,0.66666") && lines[1].ends_with(",false,false,false,true,false"),
        "{lines:?}"
    );
}

#[cfg(unix)]
#[test]
fn what_ctrl_c_leaves_is_a_part() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let arguments = ["--fps", "400000"];
    let (stopped, rest, joined) = (folder.at("stopped.json"), folder.at("rest.json"), folder.at("joined.json"));
    let (junit, incidents) = (folder.at("junit.xml"), folder.at("incidents.csv"));
    let outputs = ["-o", &stopped, "--junit", &junit, "--incidents-csv", &incidents];
    let output = interrupted(&[&["check", &scene][..], &outputs, &arguments].concat(), &folder.path(""));
    assert_eq!(output.status.code(), Some(130));
    let told = text(&output.stdout);
    assert!(told.contains("stopped at") && told.contains("kinetree merge"), "{told}");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(&stopped).unwrap()).unwrap();
    assert_eq!(json["part"], serde_json::json!({"of": [0.0, 1.0], "ending": "interrupted"}));
    // A pipeline must not take a part for a check that passes.
    let junit = fs::read_to_string(junit).unwrap();
    assert!(
        junit.contains("errors=\"1\"") && junit.contains("<error type=\"interrupted\" message=\"stopped at "),
        "{junit}"
    );
    assert!(!junit.contains("name=\"a - b\"/>"), "{junit}");
    assert!(!fs::exists(&incidents).unwrap(), "a table that looks whole");
    let note = format!("--incidents-csv: {incidents} is not written, as the check was interrupted");
    assert!(text(&output.stderr).contains(&note), "{}", text(&output.stderr));
    let reached = json["span"][1].as_f64().unwrap();
    assert!(0.0 < reached && reached < 1.0, "{reached}");
    // What it tells to do leads to the bytes of one run.
    let span = told.split("`--span ").nth(1).unwrap().split('`').next().unwrap();
    assert_eq!(span, format!("{reached:?}..1"));
    check(&[&[&scene, "--span", span, "-o", &rest][..], &arguments].concat());
    assert!(run(&["merge", &stopped, &rest, "--scene", &scene, "-o", &joined, "-q"]).status.success());
    let whole = folder.at("whole.json");
    check(&[&[&scene, "-o", &whole][..], &arguments].concat());
    assert!(fs::read_to_string(joined).unwrap() == without_stats(&whole));
}

/// A scene in which nothing moves is told as such from its file, too.
#[test]
fn a_scene_at_rest_is_joined_as_one() {
    let folder = Folder::new();
    let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    folder.write("a.obj", triangle);
    folder.write("b.obj", triangle);
    folder.write("s.toml", "[[body]]\nname = 'a'\nmesh = 'a.obj'\n[[body]]\nname = 'b'\nmesh = 'b.obj'\n");
    let (scene, whole, joined) = (folder.at("s.toml"), folder.at("whole.json"), folder.at("joined.json"));
    let checked = run(&["check", &scene, "-o", &whole]);
    let told = |output: &std::process::Output| text(&output.stdout).contains("nothing moves");
    assert!(told(&checked), "{}{}", text(&checked.stdout), text(&checked.stderr));
    let merged = run(&["merge", &whole, "-o", &joined]);
    assert!(merged.status.code() == checked.status.code() && told(&merged), "{}", text(&merged.stdout));
    let again = run(&["merge", &joined, "--scene", &scene, "-o", &folder.at("again.json")]);
    assert!(told(&again), "{}{}", text(&again.stdout), text(&again.stderr));
    assert!(std::fs::read_to_string(joined).unwrap().contains("\"still\": true"));
}

/// The baseline of `merge` is found by the rules that contacts were: others are refused.
#[test]
fn merge_takes_the_rules_of_the_check() {
    let folder = Folder::new();
    // A body that crosses itself, alone in its scene.
    let mesh = "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nv 0 0 1\nv 0.5 0 -1\nv -0.5 0 -1\nf 1 2 3\nf 4 5 6\n";
    folder.write("own.obj", mesh);
    let body = "fps = 4\nspan = [0, 1]\n[[body]]\nname = \"own\"\nmesh = \"own.obj\"\nvelocity = [0, 0, 1]\n";
    let scene = folder.write_at("own.toml", body);
    finds_incidents(&[&scene], &["--baseline", "start"], &[]);
    finds_incidents(&[&scene], &["--baseline", "rest", "--neighbours"], &[]);
    // A triangle within 0.3 m of another.
    folder.write("a.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("b.obj", "v 0 0 0.25\nv 0.5 0 2\nv -0.5 0 2\nf 1 2 3\n");
    let bodies = "fps = 4\nspan = [0, 1]\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n\
                  [[body]]\nname = \"b\"\nmesh = \"b.obj\"\nvelocity = [0, 0, -0.125]\n";
    let near = folder.write_at("near.toml", bodies);
    finds_incidents(&[&near], &["--thickness", "0.3", "--baseline", "start"], &[]);
    let part = folder.at("part.json");
    check(&[&near, "--thickness", "0.3", "--no-incidents", "-o", &part]);
    let merged = |options: &[&str]| run(&[&["merge", &part, "-o", &folder.at("joined.json")], options].concat());
    for baseline in ["start", "rest"] {
        let refused = merged(&["--scene", &near, "--baseline", baseline]);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stdout));
        assert!(text(&refused.stderr).contains("the check had other rules"), "{}", text(&refused.stderr));
    }
    assert_eq!(merged(&["--scene", &near]).status.code(), Some(0));
    for option in [&["--self"][..], &["--neighbours"], &["--thickness", "1mm"], &["--ignore-rest-contacts"]] {
        let message = format!("{}: says what counts as contact in --scene; give --scene too", option[0]);
        assert!(text(&merged(option).stderr).contains(&message), "{}", text(&merged(option).stderr));
    }
    // Contacts at rest are in the baseline, whether the check left them out or not.
    let third =
        bodies.replace("-0.125", "-0.5") + "[[body]]\nname = \"c\"\nmesh = \"b.obj\"\ntranslate = [0.25, 0, -0.5]\n";
    let rest = folder.write_at("rest.toml", third);
    finds_incidents(&[&rest], &["--ignore-rest-contacts", "--baseline", "start"], &[]);
}
