//! STL meshes: ASCII and binary, welding, sequences, refusals; damaged bytes never panic.

use std::fmt::Write as _;
use std::path::Path;

use crate::io_support::{Folder, Random, sentence};
use kinetree::io::{MeshData, ReadError, parse_stl, read_mesh, read_mesh_sequence, read_stl};

type Triangle = [[f32; 3]; 3];

fn parse(bytes: impl AsRef<[u8]>) -> Result<MeshData, ReadError> {
    parse_stl(bytes.as_ref(), Path::new("x"))
}

fn binary(triangles: &[Triangle]) -> Vec<u8> {
    // Exporters begin binary files with `solid` too.
    let mut bytes = b"solid of a binary exporter".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.as_flattened().iter().flat_map(|value| value.to_le_bytes()));
        bytes.extend([0xff, 0x7f]);
    }
    bytes
}

fn ascii(name: &str, triangles: &[Triangle]) -> String {
    let mut text = format!("solid {name}\n");
    for triangle in triangles {
        text += "  facet normal 0 0 1\n    outer loop\n";
        for [x, y, z] in triangle {
            let _ = writeln!(text, "      vertex {x} {y} {z}");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + &format!("endsolid {name}\n")
}

/// A tetrahedron as four loose triangles.
fn tetrahedron(shift: f32) -> Vec<Triangle> {
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0 + shift]];
    vec![[a, c, b], [a, b, d], [b, c, d], [c, a, d]]
}

#[test]
fn corners_in_one_place_are_one_vertex_in_the_order_of_first_use() {
    for mesh in [parse(ascii("a", &tetrahedron(0.0))).unwrap(), parse(binary(&tetrahedron(0.0))).unwrap()] {
        assert_eq!(mesh.positions, [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [2, 1, 3], [1, 0, 3]]);
    }
    // 0 and -0 are one place; neighbours in f32 are two.
    let next = f32::from_bits(1.0f32.to_bits() + 1);
    let mesh = parse(binary(&[
        [[0.0, -0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[-0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, next, 0.0]],
    ]));
    assert_eq!(mesh.unwrap().triangles, [[0, 1, 2], [0, 1, 3]]);
}

#[test]
fn random_triangles_come_back_from_both_kinds() {
    let mut random = Random::new(5);
    for _ in 0..100 {
        let places: Vec<[f32; 3]> = (0..12).map(|_| std::array::from_fn(|_| random.finite())).collect();
        let triangles: Vec<Triangle> =
            (0..=random.below(30)).map(|_| std::array::from_fn(|_| places[random.below(12)])).collect();
        let (a, b) = (parse(ascii("", &triangles)).unwrap(), parse(binary(&triangles)).unwrap());
        assert_eq!(a, b);
        let corners: Vec<Triangle> =
            a.triangles.iter().map(|triangle| triangle.map(|corner| a.positions[corner as usize])).collect();
        // Equal as numbers; a zero may have lost its sign.
        assert_eq!(corners, triangles);
        let mut seen = a.positions.clone();
        seen.sort_by(|p, q| p.partial_cmp(q).unwrap());
        assert!(seen.windows(2).all(|pair| pair[0] != pair[1]), "two vertices in one place");
    }
}

#[test]
fn solids_are_groups() {
    let folder = Folder::new();
    let text = ascii("left part", &tetrahedron(0.0)[..2]) + &ascii("right", &tetrahedron(0.0)[2..]);
    let file = read_mesh(folder.write("two.stl", text)).unwrap();
    let groups: Vec<(&str, u32, u32)> = file
        .labels
        .groups
        .iter()
        .flat_map(|label| label.triangles.iter().map(|range| (label.name.as_str(), range.start, range.end)))
        .collect();
    assert_eq!(groups, [("left part", 0, 2), ("right", 2, 4)]);
    assert_eq!(file.mesh.positions.len(), 4);
}

#[test]
fn a_sequence_welds_what_is_together_in_every_frame() {
    let folder = Folder::new();
    // In frame 0 the two triangles have an edge in common, in frame 1 they have parted at one end of it.
    let [a, b, c, d] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    folder.write("s1.stl", binary(&[[a, b, c], [c, b, d]]));
    folder.write("s2.stl", ascii("x", &[[a, b, c], [[0.0, 1.0, 0.5], b, d]]));
    let sequence = read_mesh_sequence(folder.path("s#.stl")).unwrap();
    assert_eq!(sequence.mesh.triangles, [[0, 1, 2], [3, 1, 4]]);
    assert_eq!((sequence.frames, sequence.positions.len()), (2, 2 * 5 * 3));
    assert_eq!(sequence.positions[3 * (5 + 2)..3 * (5 + 4)], [0.0, 1.0, 0.0, 0.0, 1.0, 0.5]);
    folder.write("s3.stl", binary(&[[a, b, c]]));
    let message = folder.message(&read_mesh_sequence(folder.path("s#.stl")).unwrap_err());
    assert_eq!(message, "s3.stl: the frame has 1 faces, but s1.stl has 2; the mesh may not change during a sequence");
}

#[test]
fn refusals_name_line_triangle_and_value() {
    let text = ascii("a", &tetrahedron(0.0));
    let with = |from: &str, to: &str| sentence(parse(text.replacen(from, to, 1)));
    let mut not_finite = binary(&tetrahedron(0.0));
    not_finite[84 + 50 + 12 + 4 * 5..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    let cases = [
        (
            with("vertex 0 1 0", "vertex 0 inf 0"),
            "x, line 5: the y coordinate of corner 1 of triangle 0 (both counted from 0) is `inf`",
        ),
        (with("vertex 0 1 0", "vertex 0 1"), "corner 1 of triangle 0 (both counted from 0) has 2 coordinates"),
        (with("      vertex 0 1 0\n", ""), "x, line 7: triangle 0 (counted from 0) has 2 corners"),
        (with("outer loop", "outer loop\nvertex 1 2 3"), "triangle 0 (counted from 0) has 4 corners"),
        (
            with("outer loop", "outer loop\nvertex 1 2 3\nvertex 4 5 6\nvertex 7 8 9"),
            "triangle 0 (counted from 0) has 6 corners",
        ),
        (
            with("  facet", "facet normal 0 0 1\nouter loop\nendloop\nendfacet\n  facet"),
            "triangle 0 (counted from 0) has 0 corners",
        ),
        (with("endloop", "ednloop"), "x, line 7: `ednloop` is no line of an ASCII STL file"),
        (
            sentence(parse(&text[..text.find("vertex 1").unwrap()])),
            "x, line 6: triangle 0 (counted from 0) has 2 corners",
        ),
        (sentence(parse(text.replace("endsolid a\n", ""))), "the file does not end with `endsolid`"),
        (sentence(parse(&text[..text.rfind("  facet").unwrap()])), "the file does not end with `endsolid`"),
        (sentence(parse("solid a\nendsolid a\n")), "the file has no triangles"),
        (sentence(parse(b"no mesh")), "the file has 7 bytes and does not start with `solid`"),
        (
            sentence(parse(&binary(&tetrahedron(0.0))[..200])),
            "announces 4 triangles, which are 284 bytes, but it has 200",
        ),
        (sentence(parse(not_finite)), "the z coordinate of corner 1 of triangle 1 (both counted from 0) is `NaN`"),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{part} is not in {message}");
    }
}

#[test]
fn damaged_bytes_never_panic_and_what_is_read_is_sound() {
    let mut random = Random::new(99);
    let seeds = [ascii("a", &tetrahedron(0.0)).into_bytes(), binary(&tetrahedron(0.0))];
    let mut accepted = 0;
    for _ in 0..15_000 {
        let mut bytes = seeds[random.below(2)].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 | 1 => bytes[at] ^= 1 << random.below(8),
                2 => bytes.truncate(at.max(1)),
                _ => bytes.insert(at, random.next() as u8),
            }
        }
        let Ok(mesh) = parse(&bytes) else { continue };
        accepted += 1;
        assert!(mesh.positions.as_flattened().iter().all(|value| value.is_finite()));
        assert!(mesh.triangles.as_flattened().iter().all(|&corner| (corner as usize) < mesh.positions.len()));
    }
    assert!(accepted > 1_000, "{accepted}");
}

#[test]
fn a_file_by_its_name() {
    let folder = Folder::new();
    let path = folder.write("a.stl", binary(&tetrahedron(0.0)));
    assert_eq!(read_stl(&path).unwrap().positions.len(), 4);
    let path = folder.write("a.obj", binary(&tetrahedron(0.0)));
    assert_eq!(
        folder.message(&read_mesh(path).unwrap_err()),
        "a.obj: this is not OBJ: byte 81 is 0, which no text has; export the file again"
    );
}
