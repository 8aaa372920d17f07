//! Scene files that are refused: the sentence a user reads, word for word.

use crate::io_support::{Folder, mdd, pc2};
use kinetree::io::{ReadErrorKind, SceneError, read_scene};

fn assets() -> Folder {
    let folder = Folder::new();
    folder.write("tri.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("far.obj", "v 0 0 0\nv 3e38 0 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("bad.obj", "v 0 0 0\nv 1 nan 0\n");
    folder.write("move.pc2", pc2(3, 0.0, 1.0, 2, &[0.5; 18]));
    folder.write("still.pc2", pc2(3, 0.0, 1.0, 1, &[0.5; 9]));
    folder.write("four.pc2", pc2(4, 0.0, 1.0, 1, &[0.5; 12]));
    folder.write("back.mdd", mdd(2, 3, &[1.0, 0.5], &[0.5; 18]));
    folder.write("step.json", "{\"frames\": [[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]]}");
    folder.write("short.json", "{\"frames\": [[1,0,0]]}");
    folder.write("t1.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n");
    folder
}

fn refusal(folder: &Folder, text: &str) -> String {
    let error = read_scene(folder.write("s.toml", text)).expect_err(text);
    folder.message(&error)
}

/// A scene whose only body has these keys from line 4 on.
fn body(keys: &str) -> String {
    format!("[[body]]\nname = 'a'\nmesh = 'tri.obj'\n{keys}\n")
}

#[test]
fn toml_and_unknown_keys() {
    let folder = assets();
    let cases = [
        ("fps = ", "s.toml, line 1, column 7: string values must be quoted, expected literal string"),
        (
            "fpss = 24",
            "s.toml, line 1, column 1: unknown field `fpss`, expected one of `span`, `fps`, `body`, `exclude`; \
             did you mean `fps`?",
        ),
        (
            "[[body]]\nname = 'a'\nmehs = 'tri.obj'",
            "s.toml, line 3, column 1: unknown field `mehs`, expected one of `name`, `mesh`, `points`, `segments`, \
             `triangles`, `patches`, `spheres`, `positions`, `motion`, `plan`, `velocity`, `fps`, \
             `times`, `outside`, `check_order`, `self_contact`, `neighbours`, `thickness`, `tolerance`, `clip`, `clips`, `offset`, `stored`, `blend`, `tree`, `group`, `transform`, `translate`, `rotate`, `scale`; did you mean `mesh`?",
        ),
        (
            "[[body]]\nname = 'a'\nmesh = 'tri.obj'\nthickness = -0.5",
            "s.toml, line 4 (body \"a\"): `thickness` is -0.5 m; it must be a number of metres from 0 to 1.2676506002282294e30",
        ),
        (
            "[[body]]\nname = 'a'\nmesh = 'tri.obj'\nthickness = nan",
            "s.toml, line 4 (body \"a\"): `thickness` is NaN m; it must be a number of metres from 0 to 1.2676506002282294e30",
        ),
        ("[[body]]\nmesh = 'tri.obj'", "s.toml, line 1, column 1: missing field `name`"),
        (
            "[[body]]\nname = 'a'\ntree = 'oak'",
            "s.toml, line 3, column 8: unknown variant `oak`, expected `aabb` or `box`",
        ),
        ("fps = 24\nfps = 25", "s.toml, line 2, column 1: duplicate key"),
        ("# é\nfps = 'é' # 24", "s.toml, line 2, column 7: invalid type: string \"é\", expected f64"),
        ("", "s.toml: the scene has no bodies; add a [[body]] with a name and a mesh"),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&folder, text), expected, "{text}");
    }
    let meant = [
        ("[[body]]\nthicknes = 1", "thicknes", "thickness"),
        ("[[body]]\nself_colision_contact = true", "self_colision_contact", ""),
        ("[[body]]\nself-contact = true", "self-contact", "self_contact"),
        ("[[body]]\nignore = true", "ignore", ""),
        ("[[body]]\nname = 'a'\ntree = 'abab'", "abab", "aabb"),
        ("[[exclude]]\nbetwen = ['a', 'b']", "betwen", "between"),
    ];
    for (text, word, meant) in meant {
        let told = refusal(&folder, text);
        assert!(told.contains(&format!("`{word}`, expected ")) && !told.contains('…'), "{told}");
        let hint = if meant.is_empty() { String::new() } else { format!("; did you mean `{meant}`?") };
        assert!(told.ends_with(&hint) && told.contains("did you mean") != meant.is_empty(), "{told}");
    }
    let long = refusal(&folder, &format!("{} = 1", "k".repeat(9999)));
    assert!(long.contains("kk…kk") && long.ends_with("`body`, `exclude`") && long.len() < 600, "{long}");
    let told = refusal(&folder, "[[body]]\nname = 'a'\nmesh = 'tri.obj'\nthickness = '2mm'");
    assert!(told.ends_with("invalid type: string \"2mm\", expected metres as a number, such as 0.002"), "{told}");
    let error = read_scene(folder.write("s.toml", b"fps = 24\n\xff")).expect_err("bytes");
    assert_eq!(folder.message(&error), "s.toml: byte 9 is not UTF-8 text; save the file as UTF-8");
}

#[test]
fn top_level() {
    let folder = assets();
    let fps = "it must be a usable number of frames a second above zero, such as 24";
    let cases = [
        ("fps = 0".to_owned(), format!("s.toml, line 1: `fps` is 0; {fps}")),
        ("\nfps = -24".to_owned(), format!("s.toml, line 2: `fps` is -24; {fps}")),
        ("fps = nan".to_owned(), format!("s.toml, line 1: `fps` is NaN; {fps}")),
        ("fps = inf".to_owned(), format!("s.toml, line 1: `fps` is inf; {fps}")),
        ("span = [1]".to_owned(), "s.toml, line 1: `span` has 1 numbers where 2 are needed".to_owned()),
        (
            "span = [0, nan]".to_owned(),
            "s.toml, line 1: number 1 (counted from 0) of `span` is NaN; only finite numbers can be used".to_owned(),
        ),
        (
            "\n\nspan = [2.5, -1]".to_owned(),
            "s.toml, line 3: `span` ends at -1 s, before it starts at 2.5 s; write [first second, last second]".to_owned(),
        ),
        (
            "fps = 24\nspan = [0, 1e9]".to_owned(),
            "s.toml, line 1: at this `fps`, 1000000000 s is frame 24000000000; frame numbers up to 10000000 can be used: \
             lower `fps` or shorten `span`"
                .to_owned(),
        ),
    ];
    for (top, expected) in cases {
        assert_eq!(refusal(&folder, &format!("{top}\n{}", body(""))), expected, "{top}");
    }
}

#[test]
fn names_and_exclusions() {
    let folder = assets();
    let two = format!("{}{}", body("group = 'g'"), body("").replace("'a'", "'b'"));
    let with = |exclude: &str| refusal(&folder, &format!("{two}[[exclude]]\n{exclude}\n"));
    assert_eq!(refusal(&folder, "[[body]]\nname = ' '"), "s.toml, line 2: `name` is empty; give it a name");
    assert_eq!(refusal(&folder, &body("group = ''")), "s.toml, line 4 (body \"a\"): `group` is empty; give it a name");
    assert_eq!(
        refusal(&folder, &format!("{}{}", body(""), body(""))),
        "s.toml, line 6: the name \"a\" is already taken by the body on line 2; give every body its own name"
    );
    assert_eq!(
        refusal(&folder, &two.replace("'g'", "'b'")),
        "s.toml, line 4 (body \"a\"): the group \"b\" has the name of a body; give the group another name"
    );
    let form = "s.toml, line 9: [[exclude]] needs exactly one of `bodies = [\"a\", \"b\"]`, `inside = \"group\"` \
                and `between = [\"a\", \"b\"]`";
    assert_eq!(with(""), form);
    assert_eq!(with("inside = 'g'\nbodies = ['a', 'b']"), form);
    assert_eq!(with("bodies = ['a', 'c']"), "s.toml, line 9: there is no body named \"c\"; there are: \"a\", \"b\"");
    assert_eq!(with("inside = 'a'"), "s.toml, line 9: there is no group named \"a\"; there are: \"g\"");
    assert_eq!(
        with("between = ['x', 'g']"),
        "s.toml, line 9: there is no body or group named \"x\"; there are: \"a\", \"b\", \"g\""
    );
    assert_eq!(
        refusal(&folder, &format!("{}[[exclude]]\ninside = 'g'", body(""))),
        "s.toml, line 5: there is no group named \"g\"; no body is in a group"
    );
    assert_eq!(with("bodies = ['a']"), "s.toml, line 9: `bodies` lists 1; at least two are needed to exclude a pair");
    let twice = "is listed twice; name different bodies (contacts of a body with itself are `self_contact`, \
                 of a group with itself `inside`)";
    assert_eq!(with("bodies = ['a', 'b', 'a']"), format!("s.toml, line 9: \"a\" {twice}"));
    assert_eq!(with("between = ['g', 'g']"), format!("s.toml, line 9: \"g\" {twice}"));
    assert_eq!(
        with("between = ['a', 'b', 'g']"),
        "s.toml, line 9: `between` lists 3 names; it needs two, each a body or a group"
    );
}

#[test]
fn files_and_motions_of_a_body() {
    let folder = assets();
    let with = |keys: &str| refusal(&folder, &body(keys));
    let missing = "there is no such file; check the path (in a scene file, paths start at the scene file's folder)";
    assert_eq!(
        refusal(&folder, "[[body]]\nname = 'cape'\nmesh = 'meshes/cape.obj'"),
        format!("meshes/cape.obj (body \"cape\"): {missing}")
    );
    assert_eq!(with("fps = 1\nmotion = 'none.pc2'"), format!("none.pc2 (body \"a\"): {missing}"));
    assert_eq!(
        refusal(&folder, "[[body]]\nname = 'cape'\nfps = 24\nmotion = 'move.pc2'"),
        "s.toml, line 1 (body \"cape\"): the body has no `mesh`; add the path of its file (OBJ, PLY, STL or glTF), \
         or state `points`, `segments`, `triangles`, `patches` or `spheres`"
    );
    assert_eq!(
        refusal(&folder, "\n[[body]]\nname = 'cape'"),
        "s.toml, line 2 (body \"cape\"): the body has no `mesh`; add the path of its file (OBJ, PLY, STL or glTF), \
         or state `points`, `segments`, `triangles`, `patches` or `spheres`"
    );
    assert_eq!(
        refusal(&folder, "[[body]]\nname = 'a'\nmesh = 'tri.fbx'"),
        "s.toml, line 3 (body \"a\"): FBX (.fbx) cannot be read; import it into Blender or another program and export it as \
         glTF (.glb), or as OBJ with a PC2 point cache for cloth"
    );
    assert_eq!(
        refusal(&folder, "[[body]]\nname = 'a'\nmesh = 'tri.xyz'"),
        "s.toml, line 3 (body \"a\"): the mesh `tri.xyz` does not end in .obj, .ply, .stl, .glb or .gltf; export it as \
         one of these"
    );
    assert_eq!(
        with("motion = 'move.abc'"),
        "s.toml, line 4 (body \"a\"): Alembic (.abc) cannot be read; export the mesh as OBJ and its motion as a PC2 or MDD \
         point cache, or everything as glTF (.glb); or read it in Python with kinetree.alembic \
         (docs/guide/from-alembic.md)"
    );
    assert_eq!(
        with("motion = 'move.anim'"),
        "s.toml, line 4 (body \"a\"): the motion `move.anim` does not end in .pc2, .mdd, .json or, for a sequence, .obj, \
         .ply or .stl; export it as one of these"
    );
    assert_eq!(
        with("fps = 1\nmotion = 'tri.obj'"),
        "tri.obj (body \"a\"): the file name has no place for the frame number; \
         write it as `cloth_####.obj` or `cloth_%04d.obj`"
    );
    assert_eq!(
        with("fps = 1\nmotion = 't#.obj'"),
        "t1.obj, line 4 (body \"a\"): face 1 has the corners 1 3 2, but in tri.obj, line 4, it has 1 2 3; \
         the mesh may not change during a sequence: export with the option that keeps vertex order"
    );
    assert_eq!(
        with("motion = 'move.pc2'\nvelocity = [1, 0, 0]"),
        "s.toml, line 5 (body \"a\"): the body has both `motion` and `velocity`; keep one of them"
    );
    let frames = "means nothing here, because a `velocity` has no frames: remove";
    for (key, value, instead) in [
        ("outside", "'hold'", "a `plan` that ends"),
        ("offset", "1", "a `plan` that ends"),
        ("fps", "24", "a `motion`"),
        ("times", "[0, 1]", "a `motion`"),
    ] {
        assert_eq!(
            with(&format!("velocity = [1, 0, 0]\n{key} = {value}")),
            format!("s.toml, line 5 (body \"a\"): `{key}` {frames} `{key}`, or replace `velocity` by {instead}")
        );
    }
    // What the message names is accepted.
    let plan = "plan = { kind = 'velocity', velocity = [1, 0, 0], end = 2 }\noutside = 'loop'\noffset = 1";
    assert!(read_scene(folder.write("s.toml", body(plan))).is_ok());
    assert_eq!(with("velocity = [1, 0]"), "s.toml, line 4 (body \"a\"): `velocity` has 2 numbers where 3 are needed");
    assert_eq!(
        with("velocity = [1, 0, inf]"),
        "s.toml, line 4 (body \"a\"): number 2 (counted from 0) of `velocity` is inf; only finite numbers can be used"
    );
    assert_eq!(
        with("fps = 1\nmotion = 'four.pc2'"),
        "four.pc2 (body \"a\"): the cache has 4 vertices, but the mesh tri.obj has 3; \
         export both from the same object, with the same modifiers"
    );
    assert_eq!(
        with("fps = 1\nmotion = 'short.json'"),
        "short.json (body \"a\"): the matrix of frame 0 (counted from 0) has 3 numbers; 16 are needed, row by row"
    );
    let error = read_scene(folder.write("s.toml", body("").replace("tri", "bad"))).expect_err("nan");
    assert_eq!((error.file(), error.line(), error.body()), (&*folder.path("bad.obj"), Some(2), Some("a")));
}

#[test]
fn times_of_a_body() {
    let folder = assets();
    let with = |keys: &str| refusal(&folder, &body(keys));
    let fps = "it must be a usable number of frames a second above zero, such as 24";
    assert_eq!(with("motion = 'move.pc2'\nfps = 0.0"), format!("s.toml, line 5 (body \"a\"): `fps` is 0; {fps}"));
    assert_eq!(
        with("motion = 'move.pc2'\nfps = 1e-320"),
        format!("s.toml, line 5 (body \"a\"): `fps` is {}; {fps}", 1e-320)
    );
    assert_eq!(
        with("motion = 'move.pc2'\nfps = 24\ntimes = [0, 1]"),
        "s.toml, line 6 (body \"a\"): both `fps` and `times` are given; keep one of them"
    );
    assert_eq!(
        with("motion = 'move.pc2'"),
        "s.toml, line 1 (body \"a\"): nothing says when the frames are: add `fps = 24` (or what the shot has) to the body \
         or to the top of the scene"
    );
    assert_eq!(
        with("motion = 'move.pc2'\ntimes = [0]"),
        "s.toml, line 5 (body \"a\"): `times` has 1 entries, but the motion has 2 frames; give one time a frame"
    );
    assert_eq!(
        with("motion = 'move.pc2'\ntimes = [0, nan]"),
        "s.toml, line 5 (body \"a\"): time 1 (counted from 0) is NaN; only finite seconds can be used"
    );
    assert_eq!(
        with("motion = 'move.pc2'\ntimes = [0, 0]"),
        "s.toml, line 5 (body \"a\"): time 1 (counted from 0) is 0, which is not after the 0 before it; times must increase"
    );
    assert_eq!(
        with("motion = 'back.mdd'"),
        "back.mdd (body \"a\"): time 1 (counted from 0) is 0.5, which is not after the 1 before it; times must increase"
    );
    for key in ["fps = 24", "times = [0]", "outside = 'hold'"] {
        let name = &key[..key.find(' ').expect("space")];
        let expected = format!(
            "s.toml, line 4 (body \"a\"): `{name}` means nothing here, because the body has no frames: \
             add `motion`, or remove `{name}`"
        );
        assert_eq!(with(key), expected);
    }
    assert_eq!(
        with("fps = 1\nmotion = 'still.pc2'\noutside = 'loop'"),
        "s.toml, line 6 (body \"a\"): a motion of one frame cannot loop; use \"hold\", or give it more frames"
    );
    assert_eq!(
        with("fps = 1\nmotion = 'move.pc2'\noutside = 'repeat'"),
        "s.toml, line 6, column 11: unknown variant `repeat`, expected one of `hold`, `loop`, `error`"
    );
    let text = format!("span = [0, 5]\n{}", body("fps = 1\nmotion = 'move.pc2'\noutside = 'error'"));
    assert_eq!(
        refusal(&folder, &text),
        "s.toml, line 7 (body \"a\"): `outside` is \"error\" and the body's keys run from 0 s to 1 s, \
         but the scene's `span` from 0 s to 5 s; shorten `span`, or use \"hold\" or \"loop\""
    );
}

#[test]
fn placements() {
    let folder = assets();
    let with = |keys: &str| refusal(&folder, &body(keys));
    assert_eq!(
        with("transform = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]\nscale = 2"),
        "s.toml, line 4 (body \"a\"): `transform` already says everything; remove it, \
         or remove `translate`, `rotate` and `scale`"
    );
    assert_eq!(
        with("transform = [1, 2, 3]"),
        "s.toml, line 4 (body \"a\"): the `transform` matrix has 3 numbers; 16 are needed, row by row"
    );
    assert_eq!(
        with("transform = [1, 0, 0, 0, 0, nan, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]"),
        "s.toml, line 4 (body \"a\"): the `transform` matrix has NaN in row 1, column 1 (counted from 0); \
         only finite numbers can be used"
    );
    assert_eq!(
        with("transform = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]"),
        "s.toml, line 4 (body \"a\"): the `transform` matrix flattens the body: a scale is zero, \
         or two axes point the same way; correct the matrix"
    );
    assert_eq!(
        with("scale = [1, 0, 1]"),
        "s.toml, line 4 (body \"a\"): the scale along y is 0, which flattens the body; use a factor other than zero"
    );
    assert_eq!(
        with("scale = 0"),
        "s.toml, line 4 (body \"a\"): the scale along x is 0, which flattens the body; use a factor other than zero"
    );
    assert_eq!(with("scale = [1, 2]"), "s.toml, line 4 (body \"a\"): `scale` has 2 numbers where 3 are needed");
    assert_eq!(with("scale = 'big'"), "s.toml, line 4, column 9: `scale` is one number or three");
    assert_eq!(with("translate = [1, 2]"), "s.toml, line 4 (body \"a\"): `translate` has 2 numbers where 3 are needed");
    let form = "s.toml, line 4 (body \"a\"): `rotate` must be { axis = [x, y, z], degrees = d }, \
                { quaternion_wxyz = [w, x, y, z] } or { quaternion_xyzw = [x, y, z, w] }";
    assert_eq!(with("rotate = {}"), form);
    let listed = with("rotate = [0, 0, 90]");
    assert!(listed.contains("invalid type: sequence, expected { axis = [x, y, z], degrees = d }, { quat"), "{listed}");
    assert_eq!(with("rotate = { degrees = 90 }"), form);
    assert_eq!(with("rotate = { axis = [0, 0, 1], degrees = 90, quaternion_wxyz = [1, 0, 0, 0] }"), form);
    assert_eq!(
        with("rotate = { axis = [0, 0, 0], degrees = 90 }"),
        "s.toml, line 4 (body \"a\"): the axis of `rotate` has no length; use for example [0, 0, 1]"
    );
    assert_eq!(
        with("rotate = { axis = [0, 0, 1], degrees = inf }"),
        "s.toml, line 4 (body \"a\"): number 0 (counted from 0) of `degrees` is inf; only finite numbers can be used"
    );
    assert_eq!(
        with("rotate = { quaternion_xyzw = [0, 0, 0, 2] }"),
        "s.toml, line 4 (body \"a\"): the quaternion of `rotate` has length 2 where 1 is needed; check the order and the digits"
    );
    assert_eq!(
        refusal(&folder, &body("scale = 10").replace("tri", "far")),
        "s.toml, line 1 (body \"a\"): once placed, vertex 1 (counted from 0) is at inf 0 0, beyond 32-bit numbers; \
         check scale and translation"
    );
    assert_eq!(
        with("fps = 1\nmotion = 'move.pc2'\ntranslate = [1e39, 0, 0]"),
        "s.toml, line 1 (body \"a\"): once placed, vertex 0 (counted from 0) is at inf 0 0, beyond 32-bit numbers; \
         check scale and translation"
    );
    let error = read_scene(folder.write("s.toml", body("fps = 1\nmotion = 'step.json'\ntranslate = [0, -1e39, 0]")));
    let error = error.expect_err("too far");
    assert!(matches!(
        error.kind(),
        ReadErrorKind::Scene(SceneError::PlacedTooFar { key: Some(0), vertex: 0, point: [_, f32::NEG_INFINITY, _] })
    ));
}
