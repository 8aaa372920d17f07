//! What a new user gets wrong or takes for granted: each message names what to do.

use std::fs;

use crate::io_support::{Folder, block};
use crate::program::{run, text};

const CLOTH_BALL: &str = "fixtures/cloth_ball/scene.toml";

/// A peg that has entered a wall from the begin on, and is drawn to another wall, which it meets at 1 s.
fn scene(folder: &Folder) -> String {
    folder.write("near.obj", block([-1.0; 3], [1.0; 3]));
    folder.write("far.obj", block([-1.0, -1.0, -5.0], [1.0, 1.0, -3.0]));
    folder.write("peg.obj", block([-0.25, -0.25, -2.0], [0.25, 0.25, 2.0]));
    let scene = "fps = 8\nspan = [0, 1.5]\n[[body]]\nname = \"near\"\nmesh = \"near.obj\"\n\
        [[body]]\nname = \"far\"\nmesh = \"far.obj\"\n\
        [[body]]\nname = \"peg\"\nmesh = \"peg.obj\"\nvelocity = [0, 0, -1]\n";
    folder.write_at("scene.toml", scene)
}

#[track_caller]
fn refused(arguments: &[&str], parts: &[&str]) {
    let output = run(arguments);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    for part in parts {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
}

#[test]
fn words_that_are_no_numbers_name_the_option_and_an_example() {
    refused(&["check", CLOTH_BALL, "--thickness", "2kg"], &["--thickness", "such as 2mm"]);
    refused(&["check", CLOTH_BALL, "--tolerance", "fine"], &["--tolerance", "such as 2mm"]);
    refused(&["check", CLOTH_BALL, "--fps", "abc"], &["--fps", "such as 24"]);
    refused(&["bake", CLOTH_BALL, "--fps", "abc", "-o", "no.kbake"], &["--fps", "such as 24"]);
    refused(&["check", CLOTH_BALL, "--times", "1,later"], &["--times", "such as 1.5"]);
    refused(&["render", CLOTH_BALL, "--frame", "last", "-o", "no.png"], &["--frame", "such as 12"]);
    refused(&["render", CLOTH_BALL, "--frame", "1", "--size", "0x0", "-o", "no.png"], &["--size: ", "1 to 16384"]);
    refused(&["render", CLOTH_BALL, "--frame", "1", "--samples", "99", "-o", "no.png"], &["--samples: 99", "1 to 8"]);
}

#[test]
fn lengths_may_have_units() {
    let folder = Folder::new();
    let scene = scene(&folder);
    let found = |thickness: &str, name: &str| {
        let out = folder.at(name);
        let output = run(&["check", &scene, "--thickness", thickness, "--incidents-csv", &out, "-q"]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        fs::read_to_string(out).unwrap()
    };
    let metres = found("0.25", "metres.csv");
    assert_eq!(metres, found("250mm", "millimetres.csv"));
    assert_eq!(metres, found("25 cm", "centimetres.csv"));
    assert_ne!(metres, found("0", "nothing.csv"));
}

#[test]
fn a_report_is_not_written_under_the_name_of_another_format() {
    let folder = Folder::new();
    for name in ["report.pdf", "report.PNG", "report.json"] {
        refused(&["check", CLOTH_BALL, "--report", &folder.at(name)], &["--report", name, "name it .html"]);
        assert!(!folder.path(name).exists());
    }
}

#[test]
fn files_that_are_not_there_name_what_to_give() {
    let missing = ["no.json: there is no such file", "check --span"];
    refused(&["merge", "no.json", "-o", "out.json"], &missing);
    let named = ["--baseline: cannot use no.json: there is no such file", "start, rest"];
    refused(&["check", CLOTH_BALL, "--baseline", "no.json"], &named);
    refused(&["check", CLOTH_BALL, "--baseline", "Start"], &["there is no such file", "start, rest"]);
    for option in ["--report", "--junit", "--json", "--incidents-csv"] {
        let remedy = ["there is no folder no/such; make it first, or give another path"];
        refused(&["check", CLOTH_BALL, option, "no/such/file"], &remedy);
        if cfg!(target_os = "linux") {
            let remedy = ["no file can be made in the folder /proc; give another path"];
            refused(&["check", CLOTH_BALL, option, "/proc/file"], &remedy);
        }
    }
}

#[test]
fn two_static_meshes_have_a_report_and_a_picture() {
    let folder = Folder::new();
    folder.write("wall.obj", block([-1.0; 3], [1.0; 3]));
    folder.write("peg.obj", block([-0.25, -0.25, 0.5], [0.25, 0.25, 2.0]));
    let (wall, peg, page, picture) =
        (folder.at("wall.obj"), folder.at("peg.obj"), folder.at("r.html"), folder.at("p.png"));
    let output = run(&["check", &wall, &peg, "--report", &page]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("0.500 m deep") && page.contains("class=\"card\""));
    let output = run(&["render", &wall, &peg, "--highlight", "incident:1", "-o", &picture]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(fs::read(picture).unwrap().starts_with(b"\x89PNG"));
}

/// Pixels of a picture that are about as blue, or as red, as marks are.
fn marks(picture: &str) -> [usize; 2] {
    let mut reader = png::Decoder::new(std::io::BufReader::new(fs::File::open(picture).unwrap())).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    let count =
        |is_mark: fn(&[u8]) -> bool| bytes[..info.buffer_size()].chunks_exact(3).filter(|rgb| is_mark(rgb)).count();
    // Slate blue, shaded; bodies are paler.
    let blue = count(|rgb| rgb[0] < 80 && rgb[2] > 60 && u16::from(rgb[2]) > 2 * u16::from(rgb[0]));
    let red = count(|rgb| rgb[0] > 90 && u16::from(rgb[0]) > 3 * u16::from(rgb[1]));
    [blue, red]
}

#[test]
fn known_incidents_have_another_colour_than_new_ones() {
    let folder = Folder::new();
    let (scene, page) = (scene(&folder), folder.at("r.html"));
    let output = run(&["check", &scene, "--baseline", "start", "--report", &page]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("3 incidents, of which 1 is new"), "{}", text(&output.stdout));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("m deep, in the baseline") && page.contains("id=\"known-key\""));
    let draw = |arguments: &[&str]| {
        let picture = folder.at("p.png");
        let output = run(&[&["render", &scene, "--plain", "-o", &picture], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        marks(&picture)
    };
    let at_begin = ["--frame", "0"];
    let [blue, red] = draw(&at_begin);
    assert!(blue == 0 && red > 500, "{blue} {red}: without a baseline");
    let [blue, red] = draw(&[&at_begin[..], &["--baseline", "start"]].concat());
    assert!(blue > 500 && red == 0, "{blue} {red}: all is known");
    let both = ["--frame", "11", "--baseline", "start"];
    let [blue, red] = draw(&both);
    assert!(blue > 100 && red > 100, "{blue} {red}: the far wall is new");
    // Numbers are those of the check: the new one first.
    let [blue, red] = draw(&["--highlight", "incident:1", "--baseline", "start"]);
    assert!(blue == 0 && red > 500, "{blue} {red}: incident 1");
    let [blue, red] = draw(&["--highlight", "incident:2", "--baseline", "start"]);
    assert!(blue > 500 && red == 0, "{blue} {red}: incident 2");
}

#[test]
fn a_body_is_not_named_as_its_own_part() {
    let folder = Folder::new();
    let wall = block([-1.0; 3], [1.0; 3]);
    folder.write("wall.obj", format!("o wall\n{wall}"));
    folder.write("peg.obj", format!("o pin\n{}", block([-0.25, -0.25, 0.5], [0.25, 0.25, 2.0])));
    let page = folder.at("r.html");
    let output = run(&["check", &folder.at("wall.obj"), &folder.at("peg.obj"), "--report", &page]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let page = fs::read_to_string(page).unwrap();
    assert!(page.contains("<td class=\"where\">pin</td>"), "the wall's group is the wall");
}

#[test]
fn sizes_and_open_surfaces_stand_in_the_description() {
    let folder = Folder::new();
    let cube = block([0.0; 3], [2.0; 3]);
    // One side faces the other way.
    let turned = cube.replacen("f 1 3 4 2", "f 2 4 3 1", 1);
    assert_ne!(cube, turned);
    for (mesh, words) in [(&cube, ["2.000 m", "closed"]), (&turned, ["2.000 m", "open"])] {
        folder.write("cube.obj", mesh);
        let told = text(&run(&["info", &folder.at("cube.obj")]).stdout);
        let row = told.lines().find(|line| line.starts_with("cube ")).unwrap_or_default().to_owned();
        assert!(words.iter().all(|word| row.contains(word)), "{words:?}: {told}");
    }
    let units = block([0.0; 3], [200.0; 3]);
    folder.write("cube.obj", &units);
    assert!(text(&run(&["info", &folder.at("cube.obj")]).stdout).contains("200 m"));
}

#[test]
fn new_incidents_are_marked_where_all_of_them_are_new() {
    let folder = Folder::new();
    let scene = scene(&folder);
    let all = text(&run(&["check", &scene]).stdout);
    assert!(all.contains("3 incidents:") && !all.contains("new"), "{all}");
    let fresh = text(&run(&["check", CLOTH_BALL, "--baseline", "start"]).stdout);
    assert!(
        fresh.contains("incidents, of which ") && fresh.contains(" are new") && fresh.contains(", new "),
        "{fresh}"
    );
}

#[test]
fn negative_values_are_read_as_values() {
    let bad = ["--thickness: -0.002 is not", "give one such as"];
    let output = run(&["check", CLOTH_BALL, "--thickness", "-2mm"]);
    assert_eq!(output.status.code(), Some(2));
    let told = text(&output.stderr);
    assert!(bad.iter().all(|word| told.contains(word)) && !told.contains("-- -2mm"), "{told}");
    let folder = Folder::new();
    let scene = scene(&folder);
    let told = text(&run(&["check", &scene, "--times", "-1,2"]).stderr);
    assert!(!told.contains("unexpected argument"), "{told}");
}

#[test]
fn the_command_that_init_names_can_be_copied() {
    let folder = Folder::new();
    folder.write("cube.obj", block([0.0; 3], [1.0; 3]));
    for (name, word) in [("a scene.toml", true), ("scene.toml", false)] {
        let out = folder.at(name);
        let told = text(&run(&["init", &folder.at("cube.obj"), "-o", &out]).stdout);
        let wanted = if word { format!("kinetree check '{out}'\n") } else { format!("kinetree check {out}\n") };
        assert!(told.contains(&wanted), "{told}");
    }
}
