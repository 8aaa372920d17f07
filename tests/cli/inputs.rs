//! The program on inputs without a scene file, `init`, and what a package of it needs, as a user runs them.

use std::path::Path;
use std::process::Command;

use crate::io_support::data::shared;
use crate::io_support::{Folder, pc2};
use crate::program::{run, text};

/// A floor, a sheet that falls through it with a cache, and a ball.
fn fall(folder: &Folder) {
    folder.write("floor.obj", "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n");
    folder.write("sheet.obj", "v 0 0 1\nv 1 0 1\nv 0 1 1.5\nf 1 2 3\n");
    let keys: Vec<f32> =
        [1.0f32, 0.5, -0.5, -2.0].iter().flat_map(|z| [0.0, 0.0, *z, 1.0, 0.0, *z, 0.0, 1.0, z + 0.5]).collect();
    folder.write("sheet.pc2", pc2(3, 0.0, 1.0, 4, &keys));
}

/// Runs in a folder, as a user does.
fn run_in(folder: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kinetree"));
    command.current_dir(folder).args(arguments).env_remove("NO_COLOR").envs(variables.iter().copied());
    command.output().unwrap()
}

#[test]
fn init_then_check_is_the_check_of_the_inputs_byte_for_byte() {
    let folder = Folder::new();
    fall(&folder);
    let here = folder.path("");
    let inputs = ["sheet.obj:sheet.pc2", "floor.obj", "--fps", "2"];
    let init = run_in(&here, &[&["init"][..], &inputs, &["-o", "scene.toml"]].concat(), &[]);
    assert_eq!(init.status.code(), Some(0), "{}", text(&init.stderr));
    assert!(text(&init.stdout).contains("kinetree check scene.toml"), "{}", text(&init.stdout));
    for more in [&[][..], &["--intervals=false"], &["--times", "0.5,1.25"], &["--self", "--thickness", "0.1"]] {
        let files = ["--json", "a.json", "--csv", "a.csv"];
        let direct = run_in(&here, &[&["check"][..], &inputs, &files, more].concat(), &[]);
        assert_eq!(direct.status.code(), Some(0), "{}", text(&direct.stderr));
        let written = ["check", "scene.toml", "--json", "b.json", "--csv", "b.csv"];
        let again = run_in(&here, &[&written[..], more].concat(), &[]);
        assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
        for (a, b) in [("a.json", "b.json"), ("a.csv", "b.csv")] {
            let [a, b] = [a, b].map(|name| std::fs::read(folder.path(name)).unwrap());
            assert!(a == b, "{more:?}");
        }
        let found = std::fs::read_to_string(folder.path("a.csv")).unwrap();
        assert!(more.contains(&"--times") || found.lines().count() > 1, "{found}");
    }
    // What is there is kept.
    let kept = run_in(&here, &["init", "floor.obj"], &[]);
    assert_eq!(kept.status.code(), Some(2));
    assert!(text(&kept.stderr).contains("there already") && text(&kept.stderr).contains("--force"));
    assert_eq!(run_in(&here, &["init", "floor.obj", "--force"], &[]).status.code(), Some(0));
    assert!(!std::fs::read_to_string(folder.path("scene.toml")).unwrap().contains("sheet"));
    let printed = run_in(&here, &["init", "floor.obj", "-o", "-"], &[]);
    assert_eq!(text(&printed.stdout).as_bytes(), std::fs::read(folder.path("scene.toml")).unwrap());
}

#[test]
fn values_of_options_leave_the_inputs_after_them() {
    let folder = Folder::new();
    fall(&folder);
    let here = folder.path("");
    let inputs = ["sheet.obj:sheet.pc2", "floor.obj", "--fps", "2"];
    let csv = |before: &[&str], after: &[&str]| {
        let output = run_in(&here, &[&["check", "--csv", "out.csv"], before, &inputs, after].concat(), &[]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        std::fs::read_to_string(folder.path("out.csv")).unwrap()
    };
    let expected = csv(&[], &["--times", "0.5,1,1.25"]);
    assert!(expected.lines().count() > 1);
    for before in [&["--times", "0.5,1,1.25"][..], &["--times=0.5,1,1.25"], &["--times", "0.5", "--times", "1,1.25"]] {
        assert_eq!(csv(before, &[]), expected, "{before:?}");
    }
    // A name may be left out, so that the word after it is a name.
    for command in [&["check"][..], &["info"], &["bake", "-o", "no.kbake"]] {
        let output = run_in(&here, &[command, &["--clip", "hero.glb"]].concat(), &[]);
        let told = text(&output.stderr);
        assert!(output.status.code() == Some(2) && told.contains("write the input first: model.glb --clip"), "{told}");
    }
    let told = text(&run_in(&here, &["check"], &[]).stderr);
    assert!(told.contains("required") && !told.contains("--clip takes"), "{told}");
}

#[test]
fn init_replaces_no_input() {
    let folder = Folder::new();
    fall(&folder);
    for input in ["sheet.obj", "sheet.pc2"] {
        let before = std::fs::read(folder.path(input)).unwrap();
        let arguments = ["init", "sheet.obj:sheet.pc2", "--fps", "2", "-o", input, "--force"];
        let output = run_in(&folder.path(""), &arguments, &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        assert!(message.contains(&format!("--out: {input} is read for this very run")), "{message}");
        assert_eq!(std::fs::read(folder.path(input)).unwrap(), before);
    }
}

#[cfg(unix)]
#[test]
fn init_refuses_paths_that_a_scene_file_cannot_name() {
    let folder = Folder::new();
    folder.write("nl\nname.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("by_hand.toml", "[[body]]\nname = \"a\"\nmesh = \"nl\\nname.obj\"\n");
    for arguments in [&["init", "nl\nname.obj", "-o", "s.toml"][..], &["check", "by_hand.toml"]] {
        let output = run_in(&folder.path(""), arguments, &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{message}");
        let part = "the path `nl\\nname.obj` contains the control character '\\n'";
        assert!(message.contains(part) && message.contains("rename it"), "{arguments:?}: {message}");
    }
    assert!(!folder.path("s.toml").exists());
}

#[test]
fn several_inputs_head_the_summary_and_find_what_touches() {
    let folder = Folder::new();
    fall(&folder);
    let here = folder.path("");
    let output = run_in(&here, &["check", "sheet.obj:sheet.pc2", "floor.obj", "--fps", "2"], &[]);
    let told = text(&output.stdout);
    assert!(told.starts_with("sheet.obj:sheet.pc2 and another: 2 bodies, 2 triangles, 4 samples"), "{told}");
    assert!(told.contains("sheet - floor") && told.contains("0.75"), "{told}");
    let three = run_in(&here, &["info", "sheet.obj", "floor.obj", "sheet.obj"], &[]);
    let told = text(&three.stdout);
    assert!(told.starts_with("sheet.obj and 2 more: 3 bodies") && told.contains("sheet (2)"), "{told}");
}

#[test]
fn refusals_name_the_option_or_the_file() {
    let folder = Folder::new();
    fall(&folder);
    folder.write("a.txt", "hello there");
    folder.write("character.fbx", "x");
    let here = folder.path("");
    folder.write("floor.toml", "[[body]]\nname = \"a\"\nmesh = \"floor.obj\"\n");
    folder.write("empty.glb", "");
    folder.write("balls.json", "{\"format\": \"kinetree-spheres\", \"version\": 1, \"spheres\": [[0, 0, 0, 1]]}");
    folder.write("f_1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("wrong.toml", "[[body]]\nname = \"a\"\nmesh = \"f_#.obj\"\n");
    let body = |name: &str| format!("[[body]]\nname = \"{name}\"\nmesh = \"{name}.obj\"\n");
    folder.write("two.toml", body("floor") + &body("sheet"));
    let cases: [(&[&str], &[&str]); 25] = [
        (&["check", "floor.obj", "--repair"], &["--repair: only for glTF models, and floor.obj has none"]),
        (&["check", "floor.toml", "--repair"], &["--repair: only for glTF models, and floor.toml has none"]),
        (&["init", "floor.obj", "--stored", "-o", "-"], &["--stored: only for glTF models"]),
        (&["check", "empty.glb"], &["this is not glTF: the file is empty"]),
        (&["check", "balls.json"], &["this is a file of spheres", "spheres = \"balls.json\""]),
        (&["check", "floor.toml", "--intervals", "false"], &["false: there is no such file", "--intervals=false"]),
        (&["check", "wrong.toml"], &["line 3", "a sequence is a `motion`: write motion = \"f_#.obj\""]),
        (&["check", "floor.obj:a.abc"], &["Alembic", "kinetree.alembic"]),
        (&["check", "floor.obj:a.usdc"], &["USD", "kinetree.usd"]),
        (&["pack", "floor.toml#a", "-o", "no.json"], &["a scene file has no nodes", "mesh file"]),
        (&["pack", "two.toml", "-o", "no.json"], &["2 bodies", "give the body's own mesh file"]),
        (&["init", "floor.toml", "-o", "other.toml"], &["floor.toml: this is a scene file already"]),
        (&["check", "floor.toml", "--fps", "24", "--times", "0"], &["--fps and --times"]),
        (&["check", "sheet.obj:sheet.pc2"], &["sheet.pc2: nothing says when", "--fps 24"]),
        (&["check", "sheet.obj:sheet.pc2", "--fps", "-1"], &["--fps", "-1"]),
        (&["check", "a.txt"], &["a.txt, line 1", "a scene is a TOML file", "inputs.md"]),
        (&["check", "character.fbx"], &["FBX", "glTF"]),
        (&["check", "floor.obj@Walk"], &["floor.obj@Walk", "glTF model"]),
        (&["check", "floor.obj:"], &["after the colon"]),
        (&["check", "floor.obj", "--clip", "Walk"], &["--clip: only for glTF models, and floor.obj is none"]),
        (&["check", "floor.obj", "--clip"], &["--clip: only for glTF models"]),
        (&["check", "floor.obj", "--tolerance", "nan"], &["--tolerance: NaN is not"]),
        (&["init", "missing.obj"], &["missing.obj: there is no such file"]),
        (&["init", "floor.obj", "-o", "no/such/scene.toml"], &["no/such/scene.toml", "there is no folder"]),
        (&["man", "dance"], &["no command 'dance'", "completions"]),
    ];
    for (arguments, parts) in cases {
        let output = run_in(&here, arguments, &[]);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{arguments:?}: {message}");
    }
    let scene = text(&run_in(&here, &["init", "floor.obj", "-o", "-"], &[]).stdout);
    folder.write("scene.toml", scene);
    let twice = run_in(&here, &["init", "scene.toml", "-o", "other.toml"], &[]);
    assert!(text(&twice.stderr).contains("scene.toml"), "{}", text(&twice.stderr));
    assert!(!folder.path("other.toml").exists());
}

#[test]
fn clips_are_listed() {
    let Some(model) = shared("skinned/RobotExpressive.glb") else { return };
    let model = model.to_str().unwrap();
    let output = run(&["check", model, "--clip"]);
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(told.contains("11 clips") && told.contains("Walking") && told.contains("0.9583 s"), "{told}");
    // Of all frames of a clip there is one sample, whatever the tolerance.
    for tolerance in [&[][..], &["--tolerance", "0.01"]] {
        let arguments =
            [&["check", model, "--clip", "walking", "--intervals=false", "--fps", "30"][..], tolerance].concat();
        let told = text(&run(&arguments).stdout);
        assert!(told.contains("29 samples from 0 s to 0.9333"), "{told}");
    }
}

#[test]
fn colours_are_chosen() {
    let folder = Folder::new();
    fall(&folder);
    let here = folder.path("");
    let told = |arguments: &[&str], variables: &[(&str, &str)]| {
        let output = run_in(&here, &[&["check", "floor.obj", "sheet.obj"], arguments].concat(), variables);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        output.stdout.contains(&0x1b)
    };
    assert!(told(&["--color", "always"], &[]));
    assert!(told(&["--color=always"], &[("NO_COLOR", "1")]));
    assert!(!told(&["--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(told(&[], &[("CLICOLOR_FORCE", "1")]));
    assert!(!told(&[], &[]));
    assert!(!told(&["--color", "auto"], &[("NO_COLOR", "1")]));
    let refused = run_in(&here, &["--color=always", "check"], &[]);
    assert!(refused.stderr.contains(&0x1b));
    assert_eq!(run_in(&here, &["check", "floor.obj", "--color", "mauve"], &[]).status.code(), Some(2));
}

#[test]
fn completions_manual_pages_and_the_version() {
    for (shell, part) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef kinetree"),
        ("fish", "complete -c kinetree"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = text(&output.stdout);
        assert!(script.contains(part) && script.contains("ignore-rest-contacts"), "{shell}: {part}");
    }
    assert_eq!(run(&["completions", "tcsh"]).status.code(), Some(2));
    let page = text(&run(&["man"]).stdout);
    assert!(page.contains(".TH kinetree 1") && page.contains("Exit status") && page.contains("init"), "{page}");
    let page = text(&run(&["man", "check"]).stdout);
    assert!(page.contains("kinetree\\-check") && page.contains("\\-\\-fail\\-on"), "{page}");
    let version = text(&run(&["--version"]).stdout);
    assert!(version.starts_with(concat!("kinetree ", env!("CARGO_PKG_VERSION"))), "{version}");
    assert!(
        version.contains("features: ") && version.contains("record, io, report, scenes") && version.contains("cli"),
        "{version}"
    );
    assert_eq!(cfg!(feature = "simd"), version.contains("simd"));
    assert_eq!(text(&run(&["-V"]).stdout).lines().count(), 1);
    let help = text(&run(&["--help"]).stdout);
    assert!(help.contains("Exit status:") && help.contains("completions") && help.contains("--color"), "{help}");
}

#[test]
fn logs_get_plain_lines_with_what_is_done_and_left() {
    let folder = Folder::new();
    fall(&folder);
    let here = folder.path("");
    let init = run_in(&here, &["init", "sheet.obj:sheet.pc2", "floor.obj", "--fps", "2"], &[]);
    assert_eq!(init.status.code(), Some(0), "{}", text(&init.stderr));
    let arguments = ["check", "scene.toml", "--fps", "20000", "--intervals=false"];
    let output = run_in(&here, &arguments, &[("KINETREE_PROGRESS", "0.01")]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stderr);
    let line = told.lines().find(|line| line.contains(" of 30001 samples ("));
    let line = line.unwrap_or_else(|| panic!("{told}"));
    assert!(line.contains(" %) after ") && line.ends_with(" s left"), "{line}");
    assert!(!told.contains('\u{1b}') && !told.contains('\r'), "{told}");
    let quiet = run_in(&here, &[&arguments[..], &["-q"]].concat(), &[("KINETREE_PROGRESS", "0.01")]);
    assert!(quiet.stderr.is_empty(), "{}", text(&quiet.stderr));
}
