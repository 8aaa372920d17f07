//! PLY meshes: every storage, every way to write faces, every refusal; damaged bytes never panic.

use std::path::Path;

use crate::io_support::{Folder, Random, sentence};
use kinetree::io::{MeshData, ReadError, parse_ply, read_mesh, read_mesh_sequence, read_ply};

fn parse(bytes: impl AsRef<[u8]>) -> Result<MeshData, ReadError> {
    parse_ply(bytes.as_ref(), Path::new("x"))
}

/// How a file of the tests is stored.
#[derive(Clone, Copy, PartialEq)]
enum Storage {
    Ascii,
    Little,
    Big,
}

const STORAGES: [Storage; 3] = [Storage::Ascii, Storage::Little, Storage::Big];

/// Numbers of a file, written in its storage.
struct Writer {
    storage: Storage,
    bytes: Vec<u8>,
}

impl Writer {
    fn new(storage: Storage, elements: &str) -> Self {
        let name = match storage {
            Storage::Ascii => "ascii",
            Storage::Little => "binary_little_endian",
            Storage::Big => "binary_big_endian",
        };
        let header = format!("ply\nformat {name} 1.0\ncomment made by hand\nobj_info none\n{elements}end_header\n");
        Self { storage, bytes: header.into_bytes() }
    }

    fn put<const N: usize>(&mut self, text: &dyn std::fmt::Display, little: [u8; N]) {
        match self.storage {
            Storage::Ascii => self.bytes.extend(format!("{text} ").bytes()),
            Storage::Little => self.bytes.extend(little),
            Storage::Big => self.bytes.extend(little.into_iter().rev()),
        }
    }

    fn float(&mut self, value: f32) {
        self.put(&value, value.to_le_bytes());
    }

    fn double(&mut self, value: f64) {
        self.put(&value, value.to_le_bytes());
    }

    fn byte(&mut self, value: u8) {
        self.put(&value, [value]);
    }

    fn int(&mut self, value: i32) {
        self.put(&value, value.to_le_bytes());
    }

    fn end_line(&mut self) {
        if self.storage == Storage::Ascii {
            self.bytes.push(b'\n');
        }
    }
}

const VERTICES: &str = "property float x\nproperty float y\nproperty float z\n";

/// A mesh as simple exporters write it.
fn simple(storage: Storage, mesh: &MeshData) -> Vec<u8> {
    let (vertices, faces) = (mesh.positions.len(), mesh.triangles.len());
    let elements =
        format!("element vertex {vertices}\n{VERTICES}element face {faces}\nproperty list uchar int vertex_indices\n");
    let mut out = Writer::new(storage, &elements);
    for position in &mesh.positions {
        position.iter().for_each(|&value| out.float(value));
        out.end_line();
    }
    for triangle in &mesh.triangles {
        out.byte(3);
        triangle.iter().for_each(|&corner| out.int(corner as i32));
        out.end_line();
    }
    out.bytes
}

fn square() -> MeshData {
    MeshData {
        positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.5], [1.0, 1.0, -2e3], [0.0, 1.0, 1.5e-7]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

#[test]
fn any_mesh_comes_back_bit_by_bit_from_every_storage() {
    let mut random = Random::new(0x0050_4c59);
    for round in 0..60 {
        let vertices = 3 + random.below(40);
        let mesh = MeshData {
            positions: (0..vertices).map(|_| std::array::from_fn(|_| random.finite())).collect(),
            triangles: (0..=random.below(50)).map(|_| std::array::from_fn(|_| random.below(vertices) as u32)).collect(),
        };
        for storage in STORAGES {
            let read = parse(simple(storage, &mesh)).unwrap();
            assert_eq!(read.triangles, mesh.triangles, "round {round}");
            let bits = |mesh: &MeshData| -> Vec<u32> {
                mesh.positions.as_flattened().iter().map(|value| value.to_bits()).collect()
            };
            assert_eq!(bits(&read), bits(&mesh), "round {round}");
        }
    }
}

#[test]
fn polygons_doubles_other_properties_and_other_elements() {
    for storage in STORAGES {
        // Normals before and a list after the position, an element between, faces with a flag.
        let elements = "element vertex 5\nproperty uchar red\nproperty double x\nproperty double y\nproperty double z\n\
                        property list uchar float weights\nelement edge 2\nproperty int vertex1\nproperty int vertex2\n\
                        element face 2\nproperty uchar flag\nproperty list int uint vertex_index\n";
        let mut out = Writer::new(storage, elements);
        for vertex in 0..5u8 {
            out.byte(200);
            [0.1, f64::from(vertex), -1.0].into_iter().for_each(|value| out.double(value));
            out.byte(vertex);
            (0..vertex).for_each(|_| out.float(0.25));
            out.end_line();
        }
        for edge in 0..2 {
            out.int(edge);
            out.int(-1);
            out.end_line();
        }
        for (flag, face) in [(7, &[0, 1, 2, 3, 4][..]), (8, &[2, 1, 0][..])] {
            out.byte(flag);
            out.int(face.len() as i32);
            face.iter().for_each(|&corner| out.int(corner));
            out.end_line();
        }
        let mesh = parse(&out.bytes).unwrap();
        assert_eq!(mesh.positions[3], [0.1, 3.0, -1.0]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 3, 4], [2, 1, 0]]);
    }
}

#[test]
fn lines_end_as_the_first_one_does() {
    let text = String::from_utf8(simple(Storage::Ascii, &square())).unwrap();
    for ending in ["\r\n", "\r"] {
        assert_eq!(parse(text.replace('\n', ending)).unwrap(), square());
    }
    // A header with CR and LF before binary data, the first byte of which is LF.
    let odd = MeshData { positions: vec![[f32::from_bits(0x3f80_000a); 3]; 3], triangles: vec![[0, 1, 2]] };
    let bytes = simple(Storage::Little, &odd);
    let end = bytes.windows(11).position(|window| window == b"end_header\n").unwrap() + 11;
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap().replace('\n', "\r\n");
    assert_eq!(parse([header.as_bytes(), &bytes[end..]].concat()).unwrap(), odd);
    // Blank lines, and blanks around numbers, are nothing.
    assert_eq!(parse(text.replace("end_header\n", "end_header\n\n \n")).unwrap(), square());
}

#[test]
fn refusals_name_line_element_and_value() {
    let text = String::from_utf8(simple(Storage::Ascii, &square())).unwrap();
    let with = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        sentence(parse(text.replacen(from, to, 1)))
    };
    let cases = [
        (with("ply\n", "plz\n"), "x, line 1: the first line is not `ply`"),
        (with("format ascii 1.0", "format ascii 2.0"), "x, line 2: the header says PLY version 2.0"),
        (with("format ascii 1.0\n", ""), "no line `format ascii 1.0`"),
        (with("property float y", "property flaot y"), "x, line 7: `property flaot y` is no line of a PLY header"),
        (with("end_header\n", ""), "`0 0 0 ` is no line of a PLY header"),
        (with("element vertex 4", "element vertex 4000000000000"), "announces elements of at least 24000000000"),
        (with("element vertex 4", "element vertex -4"), "`element vertex -4` is no line"),
        (with("property float z\n", ""), "no vertices with the properties x, y and z"),
        (with("element vertex 4", "element vertices 4"), "no vertices"),
        (with("vertex_indices", "strips"), "4 vertices but no faces"),
        (with("1 0 0.5", "1 nan 0.5"), "x, line 13: the y coordinate of vertex 1 (counted from 0) is NaN"),
        (with("1 0 0.5", "1 1e39 0.5"), "the y coordinate of vertex 1 (counted from 0) is 1e39, which is not"),
        (with("1 0 0.5", "1 0,0 0.5"), "property `y` of vertex 1 (counted from 0) is `0,0`"),
        (with("1 0 0.5", "1 0"), "x, line 13: the data end in vertex 1"),
        (with("1 0 0.5", "1 0 0.5 9"), "x, line 13: vertex 1 (counted from 0) has more numbers"),
        (with("3 0 2 3", "3 0 2 4"), "x, line 17: face 1 names vertex 4, but the file has 4 vertices"),
        (with("3 0 2 3", "3 0 -2 3"), "face 1 names vertex -2"),
        (with("3 0 2 3", "2 0 2"), "face 1 (counted from 0) has 2 corners"),
        (with("3 0 2 3", "300 0 2"), "property `vertex_indices` of face 1 (counted from 0) is `300`"),
        (with("element face 2", "element face 1"), "bytes follow the last element"),
        (with("element face 2", "element face 3"), "x, line 17: the data end in face 2"),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    for (storage, cut) in [(Storage::Little, 5), (Storage::Big, 5)] {
        let bytes = simple(storage, &square());
        let message = sentence(parse(&bytes[..bytes.len() - cut]));
        assert!(message.contains("the data end in face 1") || message.contains("at least"), "{message}");
    }
    let nothing = "element vertex 1\nelement face 1\nproperty list uchar int vertex_indices\n";
    assert!(
        sentence(parse(Writer::new(Storage::Little, nothing).bytes)).contains("what an element `vertex` consists of")
    );
}

#[test]
fn damaged_bytes_never_panic_and_what_is_read_is_sound() {
    let mut random = Random::new(77);
    let seeds = STORAGES.map(|storage| simple(storage, &square()));
    let mut accepted = 0;
    for _ in 0..15_000 {
        let mut bytes = seeds[random.below(3)].clone();
        for _ in 0..=random.below(3) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at.max(1)),
                2 => bytes.insert(at, random.next() as u8),
                _ => {
                    bytes.remove(at);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        let Ok(mesh) = parse(&bytes) else { continue };
        accepted += 1;
        assert!(mesh.positions.as_flattened().iter().all(|value| value.is_finite()));
        assert!(mesh.triangles.as_flattened().iter().all(|&corner| (corner as usize) < mesh.positions.len()));
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn files_and_sequences_of_them() {
    let folder = Folder::new();
    let mut moved = square();
    let path = folder.write("a.ply", simple(Storage::Big, &square()));
    assert_eq!(read_ply(&path).unwrap(), square());
    assert_eq!(read_mesh(&path).unwrap().mesh, square());
    for frame in 0..3 {
        moved.positions[1][2] = frame as f32;
        folder.write(&format!("f_{frame:02}.ply"), simple(STORAGES[frame], &moved));
    }
    let sequence = read_mesh_sequence(folder.path("f_##.ply")).unwrap();
    assert_eq!((sequence.frames, sequence.mesh.triangles.len()), (3, 2));
    assert_eq!([5, 17, 29].map(|at| sequence.positions[at]), [0.0, 1.0, 2.0]);
    moved.triangles[1] = [0, 3, 2];
    folder.write("f_03.ply", simple(Storage::Little, &moved));
    let message = folder.message(&read_mesh_sequence(folder.path("f_##.ply")).unwrap_err());
    assert_eq!(
        message,
        "f_03.ply: triangle 1 has the corners 0 3 2, but in f_00.ply it has 0 2 3 (all counted from 0); the mesh may \
         not change during a sequence: export with the option that keeps vertex order"
    );
    moved.positions.push([0.0; 3]);
    folder.write("f_03.ply", simple(Storage::Little, &moved));
    let message = folder.message(&read_mesh_sequence(folder.path("f_##.ply")).unwrap_err());
    assert!(message.starts_with("f_03.ply: the frame has 5 vertices, but f_00.ply has 4"), "{message}");
}
