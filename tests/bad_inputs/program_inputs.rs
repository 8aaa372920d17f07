//! Bad files, and bad arguments of the program.

use super::io_support::{Folder, mdd, pc2};
use super::program::{run, text};
use super::{ACCEPTED, Row};

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// The row of arguments that end with status 2; `{}` is the folder.
fn row(folder: &Folder, input: &'static str, arguments: &[&str]) -> Row {
    let place = folder.at("");
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.replace("{}", &place)).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let output = run(&arguments);
    let message = text(&output.stderr);
    if output.status.code() != Some(2) || !output.stdout.is_empty() {
        let message = format!("{ACCEPTED}{:?}, {} {message}", output.status.code(), text(&output.stdout));
        return Row { input, message };
    }
    let mut lines = message.lines().filter(|line| !line.starts_with("note: ") && !line.trim().is_empty());
    let message = lines.next().unwrap_or_default().replace(&place, "").replace(place.trim_end_matches('/'), "FOLDER");
    Row { input, message: message.trim_start_matches("error: ").into() }
}

/// The row of a scene whose only body has these keys.
fn body(folder: &Folder, input: &'static str, keys: &str) -> Row {
    folder.write("s.toml", format!("[[body]]\nname = 'a'\nmesh = 'tri.obj'\n{keys}\n"));
    row(folder, input, &["check", "{}s.toml"])
}

fn file(folder: &Folder, input: &'static str, name: &str, content: impl AsRef<[u8]>) -> Row {
    folder.write(name, content);
    row(folder, input, &["check", &format!("{{}}{name}")])
}

pub(crate) fn all() -> Vec<Row> {
    let folder = Folder::new();
    folder.write("tri.obj", TRIANGLE);
    folder.write("move.pc2", pc2(3, 0.0, 1.0, 2, &[0.5; 18]));
    folder.write("four.pc2", pc2(4, 0.0, 1.0, 2, &[0.5; 24]));
    folder.write("nan.pc2", pc2(3, 0.0, 1.0, 2, &[f32::NAN; 18]));
    folder.write("back.mdd", mdd(2, 3, &[1.0, 0.5], &[0.5; 18]));
    let mut short = pc2(3, 0.0, 1.0, 2, &[0.5; 18]);
    short.truncate(60);
    folder.write("short.pc2", short);
    folder.write("huge.pc2", pc2(3, 0.0, 1.0, i32::MAX, &[0.5; 18]));
    let mut rows = files(&folder);
    rows.extend(scenes(&folder));
    rows.extend(arguments(&folder));
    rows
}

fn files(folder: &Folder) -> Vec<Row> {
    let cache = |input, name: &str| row(folder, input, &["check", &format!("{{}}tri.obj:{{}}{name}")]);
    vec![
        row(folder, "a file that is not there", &["check", "{}none.obj"]),
        file(folder, "an empty mesh", "empty.obj", ""),
        file(folder, "a mesh whose corner is no number", "word.obj", "v 0 0 zero\n"),
        file(folder, "a mesh whose corner is not finite", "nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        file(folder, "a face of a vertex that is not there", "face.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"),
        file(folder, "a face of two corners", "two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n"),
        file(folder, "a PLY file of another format", "other.ply", "solid\n"),
        file(
            folder,
            "a PLY file that was cut",
            "cut.ply",
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\n",
        ),
        file(folder, "an STL file that was cut", "cut.stl", [&[0u8; 80][..], &[9, 0, 0, 0]].concat()),
        file(folder, "a glTF file that is no JSON", "bad.gltf", "{"),
        file(folder, "a GLB file of no length", "bad.glb", "glTF"),
        file(folder, "a format that is not read", "scene.fbx", "Kaydara FBX Binary"),
        file(folder, "an Alembic cache", "cloth.abc", "Ogawa"),
        file(folder, "a USD file", "cloth.usdc", "PXR-USDC"),
        cache("a cache of another mesh", "four.pc2"),
        cache("a cache with positions that are not numbers", "nan.pc2"),
        cache("a cache whose times go back", "back.mdd"),
        cache("a cache that was cut", "short.pc2"),
        cache("a cache that says it is huge", "huge.pc2"),
    ]
}

fn scenes(folder: &Folder) -> Vec<Row> {
    folder.write("s.toml", "");
    let empty = row(folder, "a scene without bodies", &["check", "{}s.toml"]);
    folder.write("s.toml", "fpss = 24\n");
    let unknown = row(folder, "a key that is not known", &["check", "{}s.toml"]);
    folder.write("s.toml", "[[body]]\nname = 'a'\nmesh = '../../etc/passwd.obj'\n");
    let outside = row(folder, "a file outside the scene's folder", &["check", "{}s.toml"]);
    vec![
        empty,
        unknown,
        outside,
        body(folder, "a thickness below 0", "thickness = -0.5"),
        body(folder, "a tree that is not known", "tree = 'oak'"),
        body(folder, "a scale of 0", "scale = 0"),
        body(folder, "a velocity that is not a number", "velocity = [0, nan, 0]"),
        body(folder, "two motions", "motion = 'move.pc2'\nvelocity = [0, 0, 1]"),
        body(folder, "frames a second of 0", "motion = 'move.pc2'\nfps = 0"),
        body(folder, "times for other frames", "motion = 'move.pc2'\ntimes = [0, 1, 2]"),
        body(folder, "a loop of one frame", "outside = 'loop'"),
    ]
}

fn arguments(folder: &Folder) -> Vec<Row> {
    const SCENE: &str = "fixtures/cloth_ball/scene.toml";
    let check = |input, more: &[&str]| row(folder, input, &[&["check", SCENE], more].concat());
    folder.write("part.json", "{}");
    folder.write("results/other.json", "{}");
    vec![
        row(folder, "no scene", &["check"]),
        row(folder, "a command that is not known", &["chek", SCENE]),
        check("an option that is not known", &["--thicknes", "1"]),
        check("a thickness that is no number", &["--thickness", "thin"]),
        check("a thickness below 0", &["--thickness", "-1"]),
        check("frames a second below 0", &["--fps", "-24"]),
        check("frames a second that are no number", &["--fps", "abc"]),
        check("times that go back", &["--times", "1,0.5"]),
        check("times after the clip", &["--times", "1,99"]),
        check("a span that ends before it begins", &["--span", "2..1"]),
        check("frames that are not there", &["--frames", "5000-6000"]),
        check("an engine that is not known", &["--engine", "warp"]),
        check("a gate that is not known", &["--fail-on", "dept>2mm"]),
        check("a baseline that is not there", &["--baseline", "{}none.json"]),
        check("a folder for a result", &["--json", "{}results"]),
        check("two results in one file", &["--json", "{}x", "--csv", "{}x"]),
        check("a result over an input", &["--json", SCENE]),
        check("a baked file that is none", &["--baked", "{}tri.obj"]),
        row(folder, "a part that is none", &["merge", "{}part.json", "-o", "{}out.json"]),
        row(folder, "a picture of a frame that is not there", &["render", SCENE, "--frame", "9999", "-o", "{}x.png"]),
        row(folder, "a picture without size", &["render", SCENE, "--frame", "1", "--size", "0x0", "-o", "{}x.png"]),
    ]
}
