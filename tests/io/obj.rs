//! OBJ meshes and sequences: every form of the format that matters, and every refusal word for word.

use std::fmt::Write;
use std::path::Path;

use crate::io_support::{Folder, Random, sentence};
use kinetree::io::{
    MeshData, ObjError, ReadError, ReadErrorKind, SequenceError, parse_obj, read_obj, read_obj_sequence,
};

fn parse(text: impl AsRef<[u8]>) -> Result<MeshData, ReadError> {
    parse_obj(text.as_ref(), Path::new("x"))
}

const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

#[test]
fn written_meshes_come_back_bit_for_bit() {
    let mut random = Random::new(1);
    for _ in 0..50 {
        let count = 3 + random.below(40);
        let positions: Vec<[f32; 3]> =
            (0..count).map(|_| [random.finite(), random.finite(), random.finite()]).collect();
        let triangles: Vec<[u32; 3]> = (0..=random.below(60))
            .map(|_| [random.below(count), random.below(count), random.below(count)].map(|v| v as u32))
            .collect();
        let mut text = String::new();
        for [x, y, z] in &positions {
            writeln!(text, "v {x} {y:e} {z}").expect("text");
        }
        for [a, b, c] in &triangles {
            writeln!(text, "f {} {} {}", a + 1, b + 1, c + 1).expect("text");
        }
        let mesh = parse(text).expect("mesh");
        let bits = |list: &[[f32; 3]]| list.as_flattened().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&mesh.positions), bits(&positions));
        assert_eq!(mesh.triangles, triangles);
    }
}

#[test]
fn order_is_the_files_and_unused_vertices_stay() {
    // By first use, as other readers number them, the triangle would be 0 1 2 and vertex 2 would be gone.
    let mesh = parse("v 0 0 0\nv 1 1 1\nv 2 2 2\nv 3 3 3\nf 4 2 1\n").expect("mesh");
    assert_eq!(mesh.positions.len(), 4);
    assert_eq!(mesh.triangles, [[3, 1, 0]]);
}

#[test]
fn polygons_are_cut_into_fans_in_file_order() {
    let text = format!("{SQUARE}v 2 2 0\nf 1 2 3 4 5\nf 3 4 5\nf 2 3 4 5\n");
    let mesh = parse(text).expect("mesh");
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [2, 3, 4], [1, 2, 3], [1, 3, 4]]);
}

#[test]
fn every_corner_form_names_the_same_vertices() {
    for corners in
        ["1 2 3", "1/7 2/8 3/9", "1//7 2//8 3//9", "1/7/7 2/8/8 3/9/9", "-4 -3 -2", "-4/-1 2//5 +3", "1/ 2/ 3/"]
    {
        let mesh = parse(format!("{SQUARE}f {corners}\n")).expect(corners);
        assert_eq!(mesh.triangles, [[0, 1, 2]], "{corners}");
    }
}

#[test]
fn negative_indices_count_back_from_where_they_stand() {
    let mesh = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 9 9 9\nf -3 -2 -1\n").expect("mesh");
    assert_eq!(mesh.triangles, [[0, 1, 2], [1, 2, 3]]);
}

#[test]
fn faces_may_come_before_their_vertices() {
    assert_eq!(parse(format!("f 1 2 3\n{SQUARE}")).expect("mesh").triangles, [[0, 1, 2]]);
}

#[test]
fn line_endings_comments_and_continuations() {
    let plain = parse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").expect("plain");
    let forms: [&[u8]; 9] = [
        b"v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        b"v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
        b"\xef\xbb\xbfv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
        b"# head\n\n  v 0 0 0 # first\n\tv\t1  0\t0\nv 0 1 0\nf 1 2 3# last",
        b"v 0 \\\n0 0\nv \\\r\n1 0 \\\r\n0\nv\\\n0 1 0\nf 1 \\\n 2 \\\n 3",
        // A comment or a name that ends in a stroke does not swallow the line after it.
        b"# C:\\out\\\nv 0 0 0\nmtllib C:\\out\\\nv 1 0 0\nv 0 1 0 # \\\nf 1 2 3",
        b"v 0 0 0 1.0\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0 junk\nf 1 2 3",
        b"o body\ng arm\nusemtl skin\ns off\nvn 0 0 1\nvt 0 0\nv 0 0 0\nv 1 0 0\no other\nv 0 1 0\nl 1 2\np 1\nf 1 2 3",
        b"File written by caf\xe9\nvertex 1\nface 2\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 \\",
    ];
    for form in forms {
        assert_eq!(parse(form).expect("mesh"), plain, "{}", String::from_utf8_lossy(form));
    }
}

#[test]
fn lines_are_counted_through_continuations_and_every_ending() {
    let error = parse("# one\r\nv 0 0 0\r\nv 1 \\\r\n 0 0\r\nv 0 nan 0\r\n").expect_err("nan");
    assert_eq!((error.line(), error.column(), error.body()), (Some(5), None, None));
    let error = parse("\rv 0 0 0\r\rv 0 0 \\\r x\r").expect_err("x");
    assert_eq!(error.line(), Some(4), "a statement is where it starts");
}

#[test]
fn refusals_word_for_word() {
    let bad_number =
        "which is not a finite 32-bit number; look for exploded vertices or a decimal comma, and export again";
    let cases = [
        (String::new(), "x: the file has no vertices (no line starts with `v`); is this an OBJ mesh?".to_owned()),
        (
            SQUARE.to_owned(),
            "x: the file has 4 vertices but no faces (no line starts with `f`); export the mesh with its faces"
                .to_owned(),
        ),
        ("v 0 0 0\nv 1 2\n".to_owned(), "x, line 2: vertex 2 has 2 coordinates where x, y and z are needed".to_owned()),
        ("v 0 nan 0\n".to_owned(), format!("x, line 1: the y coordinate of vertex 1 is `nan`, {bad_number}")),
        ("v 0 0 -inf\n".to_owned(), format!("x, line 1: the z coordinate of vertex 1 is `-inf`, {bad_number}")),
        ("v 1e39 0 0\n".to_owned(), format!("x, line 1: the x coordinate of vertex 1 is `1e39`, {bad_number}")),
        ("v 0,5 0 0\n".to_owned(), format!("x, line 1: the x coordinate of vertex 1 is `0,5`, {bad_number}")),
        ("v 1.#QNAN 0 0\n".to_owned(), format!("x, line 1: the x coordinate of vertex 1 is `1.#QNAN`, {bad_number}")),
        (
            format!("v {} 0 0\n", "9x".repeat(50)),
            format!("x, line 1: the x coordinate of vertex 1 is `{}…`, {bad_number}", "9x".repeat(20)),
        ),
        (format!("{SQUARE}f 1 2 3\nf 1 2\n"), "x, line 6: face 2 has 2 corners where at least 3 are needed".to_owned()),
        (format!("{SQUARE}f\n"), "x, line 5: face 1 has 0 corners where at least 3 are needed".to_owned()),
        (format!("{SQUARE}f 1 0 2\n"), "x, line 5: face 1 names vertex 0, but OBJ counts vertices from 1".to_owned()),
        (format!("{SQUARE}f 1 2 5\n"), "x, line 5: face 1 names vertex 5, but the file has 4 vertices".to_owned()),
        (
            format!("{SQUARE}f 1 2 3\nf 1 2 99999999999\n"),
            "x, line 6: face 2 names vertex 99999999999, but the file has 4 vertices".to_owned(),
        ),
        (
            format!("v 0 0 0\nf -1 -2 -1\n{SQUARE}"),
            "x, line 2: face 1 counts back to vertex -2, but the number of vertices before it is 1".to_owned(),
        ),
        (
            format!("{SQUARE}f 1 2 -9223372036854775808\n"),
            "x, line 5: face 1 counts back to vertex -9223372036854775808, but the number of vertices before it is 4"
                .to_owned(),
        ),
        (
            format!("{SQUARE}f 1 /2 3\n"),
            "x, line 5: face 1 has the corner `/2`, which does not start with a vertex number".to_owned(),
        ),
        (
            format!("{SQUARE}f 1 2.0 3\n"),
            "x, line 5: face 1 has the corner `2.0`, which does not start with a vertex number".to_owned(),
        ),
        (
            format!("{SQUARE}f 1 2 99999999999999999999\n"),
            "x, line 5: face 1 has the corner `99999999999999999999`, which does not start with a vertex number"
                .to_owned(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(sentence(parse(&text)), expected, "{text}");
    }
}

#[test]
fn missing_files_and_folders_are_named() {
    let folder = Folder::new();
    let error = read_obj(folder.path("none.obj")).expect_err("missing");
    assert_eq!(
        folder.message(&error),
        "none.obj: there is no such file; check the path (in a scene file, paths start at the scene file's folder)"
    );
    folder.write("folder.obj/inside", "");
    let error = read_obj(folder.path("folder.obj")).expect_err("folder");
    assert_eq!(
        folder.message(&error),
        "folder.obj: this is a folder, a pipe or a device; give the path of a file with content of its own"
    );
}

fn frame(shift: usize) -> String {
    format!("v {shift} 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 {shift}\nf 1 2 3\nf 2 4 3\n")
}

#[test]
fn sequences_read_in_number_order() {
    let folder = Folder::new();
    // Written out of order, across a change of width, beside files that do not fit.
    for number in [10_000, 9_998, 9_999] {
        folder.write(&format!("frames/cloth_{number:04}.obj"), frame(number));
    }
    for other in
        ["cloth_999.obj", "cloth_09999.obj", "cloth_9999.mtl", "cloth_9999_old.obj", "cloth_.obj", "cloth_x001.obj"]
    {
        folder.write(&format!("frames/{other}"), "not a frame");
    }
    for pattern in ["frames/cloth_####.obj", "frames/cloth_%04d.obj"] {
        let sequence = read_obj_sequence(folder.path(pattern)).expect(pattern);
        assert_eq!((sequence.first_number, sequence.frames), (9_998, 3));
        assert_eq!(sequence.mesh.triangles, [[0, 1, 2], [1, 3, 2]]);
        let first_x: Vec<f32> = sequence.positions.chunks(12).map(|frame| frame[0]).collect();
        assert_eq!(first_x, [9_998.0, 9_999.0, 10_000.0], "{pattern}");
        assert_eq!(sequence.mesh.positions.as_flattened(), &sequence.positions[..12]);
    }
    folder.write("plain7.obj", frame(7));
    folder.write("plain10.obj", frame(10));
    folder.write("plain8.obj", frame(8));
    folder.write("plain9.obj", frame(9));
    assert_eq!(read_obj_sequence(folder.path("plain%d.obj")).expect("%d").frames, 4);
    assert_eq!(read_obj_sequence(folder.path("plain#.obj")).expect("#").frames, 4);
}

#[test]
fn sequence_refusals_word_for_word() {
    let folder = Folder::new();
    let refuse = |pattern: &str| {
        let error = read_obj_sequence(folder.path(pattern)).expect_err(pattern);
        folder.message(&error)
    };
    for pattern in ["cloth.obj", "cloth_%4d.obj", "cloth_%.obj", "##/cloth.obj"] {
        assert_eq!(
            refuse(pattern),
            format!(
                "{pattern}: the file name has no place for the frame number; write it as `cloth_####.obj` or `cloth_%04d.obj`"
            )
        );
    }
    for pattern in ["##_##.obj", "%d_##.obj", "#_%02d.obj"] {
        assert_eq!(
            refuse(pattern),
            format!(
                "{pattern}: the file name has more than one place for the frame number; leave one `####` or `%04d`"
            )
        );
    }
    assert_eq!(
        refuse("%099999999999999999999999d.obj"),
        format!(
            "%099999999999999999999999d.obj: the file name asks for a frame number of {} digits; at most 18 are possible",
            usize::MAX
        )
    );
    assert_eq!(
        refuse("none_##.obj"),
        "none_##.obj: no file fits this pattern; check the folder, the name and the number of digits"
    );
    assert!(refuse("nowhere/none_##.obj").starts_with("nowhere/none_##.obj: there is no such file"));

    for number in [1, 2, 5] {
        folder.write(&format!("gap_{number}.obj"), frame(number));
    }
    assert_eq!(
        refuse("gap_#.obj"),
        "gap_3.obj: this frame is missing: the files run from 1 to 5, and the next one there is 5; \
         export the missing frames, or renumber the files without gaps"
    );

    for number in 9..=12 {
        folder.write(&format!("fill_{number:02}.obj"), frame(number));
    }
    for pattern in ["fill_#.obj", "fill_%d.obj"] {
        assert_eq!(
            refuse(pattern),
            format!(
                "{pattern}: frames such as 'fill_09.obj' do not fit this pattern; write one # for each digit: 2 of them"
            )
        );
    }
    // Where each number has a name that fits, others do not matter.
    folder.write("fill_9.obj", frame(9));
    assert_eq!(read_obj_sequence(folder.path("fill_#.obj")).unwrap().frames, 4);

    folder.write("count_1.obj", frame(1));
    folder.write("count_2.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_eq!(
        refuse("count_#.obj"),
        "count_2.obj: the frame has 3 vertices, but count_1.obj has 4; the mesh may not change during a sequence"
    );

    folder.write("faces_1.obj", frame(1));
    folder.write("faces_2.obj", frame(2) + "f 1 2 4\n");
    assert_eq!(
        refuse("faces_#.obj"),
        "faces_2.obj: the frame has 3 faces, but faces_1.obj has 2; the mesh may not change during a sequence"
    );

    folder.write("order_1.obj", frame(1));
    folder.write("order_2.obj", frame(2));
    folder.write("order_3.obj", "# longer\n".to_owned() + &frame(3).replace("f 2 4 3", "f 2 3 4"));
    assert_eq!(
        refuse("order_#.obj"),
        "order_3.obj, line 7: face 2 has the corners 2 3 4, but in order_1.obj, line 6, it has 2 4 3; \
         the mesh may not change during a sequence: export with the option that keeps vertex order"
    );
    let error = read_obj_sequence(folder.path("order_#.obj")).expect_err("order");
    assert!(matches!(error.kind(), ReadErrorKind::Sequence(SequenceError::Face { face: 2, .. })));

    folder.write("bad_1.obj", frame(1));
    folder.write("bad_2.obj", frame(2).replace("v 1 0 0", "v 1 0 nan"));
    let error = read_obj_sequence(folder.path("bad_#.obj")).expect_err("nan");
    assert_eq!((error.file(), error.line()), (&*folder.path("bad_2.obj"), Some(2)));
    assert!(matches!(error.kind(), ReadErrorKind::Obj(ObjError::Coordinate { vertex: 2, axis: 'z', .. })));
}
