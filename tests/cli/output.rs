//! Where the program's results go: whole files or none, standard output, and what becomes of a full
//! disk or a closed pipe.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::build::Builder;
use crate::io_support::Folder;
use crate::program::{run, text};

/// Two triangles of which one falls through the other in a second.
fn falling(folder: &Folder) -> String {
    folder.write("a.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("b.obj", "v 0 0 1\nv 0.5 0 2\nv -0.5 0 2\nf 1 2 3\n");
    let scene = "fps = 4\nspan = [0, 1]\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n\
                 [[body]]\nname = \"b\"\nmesh = \"b.obj\"\nvelocity = [0, 0, -1.5]\n";
    folder.write_at("scene.toml", scene)
}

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kinetree"));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn parts(folder: &Folder) -> Vec<String> {
    let names = fs::read_dir(folder.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".part")).collect()
}

#[test]
fn a_killed_run_leaves_no_broken_file() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let (new, old) = (folder.path("new.csv"), folder.write("old.json", "{}"));
    let arguments = ["check", &scene, "--fps", "5000000", "--intervals=false", "-q"];
    let mut child = program()
        .args(arguments)
        .args(["--csv".as_ref(), new.as_os_str(), "--json".as_ref(), old.as_os_str()])
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let size = |name: &String| fs::metadata(folder.path(name)).map_or(0, |file| file.len());
    while parts(&folder).iter().all(|name| size(name) == 0) {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is written");
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!new.exists());
    assert_eq!(fs::read_to_string(old).unwrap(), "{}");
}

#[test]
fn a_run_that_fails_leaves_nothing_behind() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let (new, old) = (folder.path("new.csv"), folder.write("old.json", "{}"));
    let (new_name, old_name) = (new.to_str().unwrap(), old.to_str().unwrap());
    // Times that the scene does not have are refused after the files were opened.
    let refused = ["--times", "0,99", "--csv", new_name, "--json", old_name];
    assert_eq!(run(&[&["check", &scene][..], &refused].concat()).status.code(), Some(2));
    assert!(!new.exists() && fs::read_to_string(&old).unwrap() == "{}");
    assert_eq!(parts(&folder), Vec::<String>::new());
    assert!(run(&["check", &scene, "-q", "--csv", new_name, "--json", old_name]).status.success());
    assert!(new.exists() && fs::read_to_string(&old).unwrap().starts_with("{\"format\""));
    assert_eq!(parts(&folder), Vec::<String>::new());
    let baked = folder.at("scene.kbake");
    assert!(run(&["bake", &scene, "-o", &baked, "-q"]).status.success());
    assert!(Path::new(&baked).exists() && parts(&folder).is_empty());
}

#[cfg(unix)]
#[test]
fn ctrl_c_while_a_scene_is_baked_leaves_nothing_behind() {
    let folder = Folder::new();
    let out = folder.at("scene.kbake");
    let mut command = program();
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    let mut child = command.args(["bake", "fixtures/cloth_ball/scene.toml", "-o", &out]).spawn().unwrap();
    let begun = Instant::now();
    while parts(&folder).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is written");
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(parts(&folder).is_empty() && !Path::new(&out).exists());
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::new();
    let scene = falling(&folder);
    for option in ["--json", "--csv"] {
        let file = folder.at("out");
        assert!(run(&["check", &scene, "-q", "--intervals=false", option, &file]).status.success());
        let output = program()
            .current_dir(folder.path(""))
            .args(["check", "scene.toml", "--intervals=false", option, "-"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert_eq!(output.stdout, fs::read(&file).unwrap(), "{option}");
        assert!(text(&output.stderr).contains("2 bodies, 2 triangles"), "{}", text(&output.stderr));
        assert!(!folder.path("-").exists());
    }
    let both = run(&["check", &scene, "--json", "-", "--csv", "-"]);
    assert_eq!(both.status.code(), Some(2));
    assert!(text(&both.stderr).contains("--json and --csv would both write to standard output"));
    let baked = folder.at("scene.kbake");
    assert!(run(&["bake", &scene, "-o", &baked, "-q"]).status.success());
    let output = run(&["bake", &scene, "-o", "-"]);
    assert!(output.stdout == fs::read(&baked).unwrap() && text(&output.stderr).contains("baked in"));
}

#[test]
fn results_replace_neither_each_other_nor_what_is_read() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let (out, mesh) = (folder.at("out"), folder.at("b.obj"));
    let before = fs::read(&mesh).unwrap();
    let cases: [(&[&str], &[&str]); 5] = [
        (&["check", &scene, "--json", &out, "--csv", &out], &["--json", "--csv", "/out"]),
        (&["check", &scene, "--json", &scene], &["--json", "scene.toml is read"]),
        (&["check", &scene, "--csv", &mesh], &["--csv", "b.obj is read"]),
        (&["bake", &scene, "-o", &mesh], &["--out", "b.obj is read"]),
        (&["bake", &scene, "-o", &folder.at("")], &["it is a folder"]),
    ];
    for (arguments, parts) in cases {
        let output = run(arguments);
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(parts.iter().all(|part| message.contains(part)), "{arguments:?}: {message}");
    }
    assert_eq!(fs::read(&mesh).unwrap(), before);
    assert!(!Path::new(&out).exists());
}

/// A triangle whose data and pictures are in files beside the model.
fn flag(folder: &Folder) -> String {
    let mut model = Builder::new();
    let mesh = model.triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    model.push("nodes", json!({ "name": "flag", "mesh": mesh }));
    for (uri, name) in [("a%20skin.png", "a skin.png"), ("skin_2.png", "skin_2.png")] {
        model.push("images", json!({ "uri": uri }));
        folder.write(name, "no picture");
    }
    folder.write("flag.bin", &model.bytes);
    folder.write_at("flag.gltf", model.with_file("flag.bin"))
}

#[test]
fn no_file_that_a_scene_names_or_an_option_reads_is_replaced() {
    let folder = Folder::new();
    let (scene, flag) = (falling(&folder), flag(&folder));
    for name in ["scene.toml", "blob.json", "rope.json", "wing.json"] {
        folder.write(&format!("kinds/{name}"), fs::read(format!("fixtures/kinds/{name}")).unwrap());
    }
    for (frame, z) in [1.0, 0.0, -1.0].into_iter().enumerate() {
        folder.write(&format!("seq/b_{frame:04}.obj"), format!("v 0 0 {z}\nv 1 0 {z}\nv 0 1 {z}\nf 1 2 3\n"));
    }
    let (kinds, frames) = (folder.at("kinds/scene.toml"), folder.at("seq/b_####.obj"));
    let result = folder.at("result.json");
    assert!(run(&["check", &scene, "-q", "-o", &result]).status.success());
    let cases: [(&[&str], &str, &str); 11] = [
        (&["check", &flag, "-q", "--csv"], "flag.bin", "flag.bin"),
        (&["check", &flag, "-q", "--json"], "a skin.png", "a skin.png"),
        (&["render", &flag, "-o"], "a skin.png", "a skin.png"),
        (&["render", &flag, "--turntable", "3", "-o"], "skin_#.png", "skin_2.png"),
        (&["check", &frames, "--fps", "24", "-q", "-o"], "seq/b_0002.obj", "seq/b_0002.obj"),
        (&["bake", &frames, "--fps", "24", "--format", "frames", "-o"], "seq/b_0001.obj", "seq/b_0001.obj"),
        (&["check", &kinds, "-q", "-o"], "kinds/wing.json", "kinds/wing.json"),
        (&["bake", &kinds, "-q", "-o"], "kinds/rope.json", "kinds/rope.json"),
        (&["check", &scene, "-q", "--baseline", &result, "-o"], "result.json", "result.json"),
        (&["check", &scene, "-q", "--reuse", &result, "--csv"], "result.json", "result.json"),
        (&["merge", &result, "-q", "--scene", &scene, "-o"], "b.obj", "b.obj"),
    ];
    for (arguments, out, file) in cases {
        let before = fs::read(folder.path(file)).unwrap();
        let output = run(&[arguments, &[folder.at(out).as_str()]].concat());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains(&format!("{file} is read for this very run")), "{arguments:?}: {message}");
        assert_eq!(fs::read(folder.path(file)).unwrap(), before, "{arguments:?}");
    }
    assert!(!folder.path("skin_0.png").exists());
    // Only -o may replace what is reused.
    let again = run(&["check", &scene, "-q", "--reuse", &result, "-o", &result]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again.stderr));
}

#[cfg(unix)]
#[test]
fn links_and_permissions_of_results_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = Folder::new();
    let scene = falling(&folder);
    let target = folder.write("target.json", "{}");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let link = folder.path("link.json");
    symlink("target.json", &link).unwrap();
    assert!(run(&["check", &scene, "-q", "--json", link.to_str().unwrap()]).status.success());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().starts_with("{\"format\""));
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_with_a_message() {
    let folder = Folder::new();
    let scene = falling(&folder);
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let cases: [&[&str]; 7] = [
        &["check", &scene],
        &["check", &scene, "--json", "-"],
        &["check", &scene, "--csv", "-", "-q"],
        &["info", &scene],
        &["bake", &scene, "-o", &folder.at("x.kbake")],
        &["bake", &scene, "-o", "-", "-q"],
        &["--help"],
    ];
    for arguments in cases {
        let output = program().args(arguments).stdout(full()).output().unwrap();
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{arguments:?}: {message}");
        assert!(message.contains("cannot write standard output: No space left"), "{arguments:?}: {message}");
        assert!(!message.contains("panicked"), "{message}");
    }
    let output = run(&["check", &scene, "-q", "--json", "/dev/full"]);
    assert_eq!(output.status.code(), Some(4));
    assert!(text(&output.stderr).contains("cannot write /dev/full"), "{}", text(&output.stderr));
    // Messages that cannot be written are no reason to panic, either.
    let output = program().args(["check", "no/such.toml"]).stderr(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = Folder::new();
    let scene = falling(&folder);
    for more in [&["--csv", "-", "--fps", "100000"][..], &["--json", "-", "-q"], &[]] {
        let (reader, writer) = std::io::pipe().unwrap();
        // A small report fits into the pipe: its reader is gone before there is anything to write.
        let reader = more.contains(&"--csv").then_some(reader);
        let mut child =
            program().args(["check", &scene, "--intervals=false"]).args(more).stdout(writer).spawn().unwrap();
        if let Some(mut reader) = reader {
            // The reader takes a little, as `head` does.
            reader.read_exact(&mut [0; 16]).unwrap();
        }
        let status = child.wait().unwrap();
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert_eq!(status.code(), Some(141), "{more:?}: {message}");
        assert!(message.is_empty(), "{more:?}: {message}");
    }
}
