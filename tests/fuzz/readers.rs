//! Every reader of bytes: the first byte chooses the format, the rest is the file. Whatever is
//! accepted keeps the reader's promises; nothing panics; messages are short.

#[path = "../common/checksum.rs"]
mod checksum;

use std::fmt::Display;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use checksum::checksum;
use kinetree::baked::BakeFormat;
use kinetree::check::{CheckSettings, JsonWriter, check, parse_result};
use kinetree::io::gltf::{GltfOptions, parse_gltf};
use kinetree::io::{
    BakeSettings, BakedScene, MeshData, PointCache, parse_mdd, parse_obj, parse_pc2, parse_ply, parse_scene,
    parse_spheres, parse_stl, parse_transforms,
};
use kinetree::mesh::Mesh;
use kinetree::motion::Flightplan;
use kinetree::replay::{Recording, RecordingWorld};
use kinetree::time::Span;
use kinetree::world::{BakedContacts, BodyDef, ContactMode, Engine, World, WorldDef};

/// The formats, by number.
pub(crate) const FORMATS: [&str; 17] = [
    "scene",
    "OBJ",
    "STL",
    "PLY",
    "PC2",
    "MDD",
    "transforms",
    "glTF",
    "baked scene",
    "baked contacts",
    "baked clip",
    "recording",
    "unfinished recording",
    "result",
    "saved world",
    "spheres",
    "binary spheres",
];

const OBJ: &str = "# square\nv 0 0 0\nv 1 0 0.5\nv 1 1 -2e3\nv 0 1 0\nvn 0 0 1\nf 1/1 2//3 \\\n 3/2/1 4\nf -1 -2 -3\n";
const STL: &str = "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a\n";
const PLY: &str = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                   element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
const TRANSFORMS: &str = "{\"mesh\": \"a.obj\", \"fps\": 24, \"frames\": [[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], \
                          [[0,-1,0,2.5], [1,0,0,1e-3], [0,0,1,0], [0,0,0,1]]]}";
const GLTF: &str = "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":44,\"uri\":\"data:application/octet-stream;base64,\
                    AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIAAAA=\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},\
                    {\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\
                    \"count\":3,\"type\":\"VEC3\"},{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],\
                    \"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"nodes\":[{\"mesh\":0}],\
                    \"scenes\":[{\"nodes\":[0]}],\"scene\":0}";
const SPHERES: &str = "{\"format\": \"kinetree-spheres\", \"version\": 1, \"mesh\": {\"file\": \"a.obj\", \"vertices\": 3, \
                       \"triangles\": 1, \"fingerprint\": \"0123456789abcdef\"}, \"notes\": [], \"poses\": [{\"name\": \"rest\", \
                       \"quality\": {\"largest_gap\": 0.24}, \"spheres\": [[0.5, 0.0, 1.1, 0.8], [1.5, 0.0, 0.7, 0.4]]}]}";
const FLOOR: &str = "v -4 -4 0\nv 4 -4 0\nv 0 4 0\nf 1 2 3\n";
const SCENE: &str = "span = [0, 1]\nfps = 4\n[[body]]\nname = \"floor\"\nmesh = \"floor.obj\"\n[[body]]\nname = \"tip\"\n\
                     mesh = \"floor.obj\"\ntranslate = [0, 0, 0.5]\nvelocity = [0, 0, -1]\nself_contact = true\n";

/// A folder of its own in which scenes find their meshes; the caller removes it.
pub(crate) fn folder() -> PathBuf {
    static FOLDERS: AtomicU32 = AtomicU32::new(0);
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("kinetree_fuzz_{}_{number}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("floor.obj"), FLOOR).expect("a file");
    folder
}

fn cache(head: &[u8], numbers: &[f32], is_big: bool) -> Vec<u8> {
    let numbers = numbers.iter().flat_map(|x| if is_big { x.to_be_bytes() } else { x.to_le_bytes() });
    head.iter().copied().chain(numbers).collect()
}

/// A world in which two triangles meet.
fn body(height: f32, speed: f32) -> BodyDef {
    let places = vec![[0.0, 0.0, height], [1.0, 0.0, height], [0.0, 1.0, height]];
    let plan = Flightplan::velocities(0.0, places, vec![[0.0, 0.0, speed]; 3]);
    BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).expect("a mesh"), plan)
}

fn continuous() -> WorldDef {
    WorldDef::default().engine(Engine::Kinetic).contacts(ContactMode::Continuous)
}

/// One good file of every format, with its number in front.
pub(crate) fn good_files(folder: &Path) -> Vec<Vec<u8>> {
    let scene = parse_scene(SCENE, &folder.join("scene.toml")).expect("a good scene");
    let numbers: Vec<f32> = (0..24).map(|n| 0.5 * n as f32).collect();
    let pc2 = [b"POINTCACHE2\0" as &[u8], &[1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 63, 2, 0, 0, 0]].concat();
    let mdd = [0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0, 63, 128, 0, 0];
    let mut world = World::new(continuous()).expect("a world");
    world.add_body(body(1.0, -1.0)).expect("a body");
    world.add_body(body(0.0, 0.0)).expect("a body");
    let format = BakeFormat::Frames { per_second: 4.0 };
    let mut keyed = World::new(WorldDef::default()).expect("a world");
    let places = [0.0, 1.0].map(|height| [[0.0, 0.0, height], [1.0, 0.0, height], [0.0, 1.0, height]]);
    let plan = Flightplan::keyframes(vec![0.0, 2.0], places.concat());
    let id = keyed.add_body(BodyDef::new(Mesh::new(3, vec![[0, 1, 2]]).expect("a mesh"), plan)).expect("a body");
    let clip = keyed.bake(id, Span { begin: 0.0, end: 2.0 }, format, 1).map(|clip| clip.to_bytes());
    let contacts = BakedContacts::record(&mut world, 2.0).expect("a record").to_bytes();
    let mut recording = Vec::new();
    let mut recorder = RecordingWorld::new(continuous(), &mut recording).expect("a recorder");
    recorder.add_body(body(1.0, -1.0)).expect("a body");
    recorder.advance_to(2.0).expect("an advance");
    recorder.finish().expect("a recording");
    let saved = world.to_bytes().expect("a saved world");
    let spheres = parse_spheres(SPHERES.as_bytes(), folder).expect("good spheres").to_bytes();
    let settings = CheckSettings::default();
    let outline = check(&scene, &settings, |_| ControlFlow::Break(())).expect("a check");
    let mut writer = JsonWriter::new(Vec::new(), &outline.bodies).expect("a writer");
    let result = check(&scene, &settings, |sample| {
        writer.sample(sample.time, sample.contacts).expect("a sample");
        ControlFlow::Continue(())
    });
    let result = writer.finish(&result.expect("a check"), false, false).expect("a result");
    let baked = BakedScene::bake(&scene, &BakeSettings::new([0.0, 1.0])).map(|(scene, _)| scene.to_bytes());
    let files = [
        SCENE.into(),
        OBJ.into(),
        STL.into(),
        PLY.into(),
        cache(&pc2, &numbers, false),
        cache(&mdd, &numbers, true),
        TRANSFORMS.into(),
        GLTF.into(),
        baked.expect("a baked scene"),
        contacts,
        clip.expect("a clip"),
        recording.clone(),
        recording,
        result,
        saved,
        SPHERES.into(),
        spheres,
    ];
    files.into_iter().enumerate().map(|(format, file)| [&[format as u8], &file[..]].concat()).collect()
}

fn check_mesh(mesh: &MeshData) {
    assert!(mesh.positions.as_flattened().iter().all(|value| value.is_finite()));
    assert!(mesh.triangles.as_flattened().iter().all(|&vertex| (vertex as usize) < mesh.positions.len()));
}

fn check_cache(cache: &PointCache, bytes: usize) {
    assert_eq!(cache.positions.len(), cache.frames * cache.vertices * 3);
    assert!(cache.positions.capacity() * 4 <= bytes);
}

/// Whether a file is accepted; a refusal has a message of its own.
fn said<T, E: Display>(result: Result<T, E>, promise: impl FnOnce(&T)) -> bool {
    match result {
        Ok(value) => {
            promise(&value);
            true
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.is_empty() && message.len() < 2_000, "a message, not a file: {message}");
            false
        }
    }
}

/// A file with the right checksum at its end, so that damage before it is read too.
fn sealed(file: &[u8]) -> Vec<u8> {
    let payload = &file[..file.len().saturating_sub(8)];
    [payload, &checksum(payload).to_le_bytes()].concat()
}

/// A saved world with the right length and checksum in its header, so that damage behind it is read
/// too. Such a world may be any; only loading it is tried.
fn sealed_world(file: &[u8]) -> Vec<u8> {
    let Some((head, payload)) = file.split_at_checked(24) else { return file.to_vec() };
    [&head[..8], &(payload.len() as u64).to_le_bytes(), &checksum(payload).to_le_bytes(), payload].concat()
}

/// Reads a file of the format that its first byte chooses; whether it is accepted.
pub(crate) fn read(bytes: &[u8], folder: &Path) -> bool {
    let Some((&format, file)) = bytes.split_first() else { return false };
    let (path, text) = (folder.join("x.toml"), String::from_utf8_lossy(file));
    match usize::from(format) % (FORMATS.len() + 4) {
        0 => said(parse_scene(&text, &path), |_| ()),
        1 => said(parse_obj(file, &path), check_mesh),
        2 => said(parse_stl(file, &path), check_mesh),
        3 => said(parse_ply(file, &path), check_mesh),
        4 => said(parse_pc2(file, &path), |cache| check_cache(cache, file.len())),
        5 => said(parse_mdd(file, &path), |cache| check_cache(cache, file.len())),
        6 => said(parse_transforms(file, &path), |track| {
            assert!(track.transforms.as_flattened().iter().all(|entry| entry.is_finite()));
        }),
        7 => said(parse_gltf(file, &path, GltfOptions::default()), |_| ()),
        8 => said(BakedScene::from_bytes(file), |_| ()),
        9 => said(BakedContacts::from_bytes(file), |contacts| assert!(contacts.size() <= 64 * file.len() + 4096)),
        10 => said(kinetree::BakedClip::from_bytes(file), |_| ()),
        11 => said(Recording::from_bytes(file), |_| ()),
        12 => said(Recording::from_unfinished(file), |_| ()),
        13 => said(parse_result(&text), |_| ()),
        14 => said(World::from_bytes(file, |_| None), |world| assert!(world.time().is_finite())),
        15 | 16 => said(parse_spheres(file, &path), |_| ()),
        17 => said(BakedScene::from_bytes(&sealed(file)), |_| ()),
        18 => said(BakedContacts::from_bytes(&sealed(file)), |_| ()),
        19 => said(kinetree::BakedClip::from_bytes(&sealed(file)), |_| ()),
        _ => said(World::from_bytes(&sealed_world(file), |_| None), |_| ()),
    }
}

/// A good file damaged in a few places.
pub(crate) fn damaged(good: &[u8], mut below: impl FnMut(usize) -> usize) -> Vec<u8> {
    const PIECES: [&[u8]; 12] = [
        b"\xff\xff\xff\x7f",
        b"\xff\xff\xff\xff",
        b"\0\0\0\x80",
        b"\0\0\xc0\x7f",
        b"nan",
        b"1e999",
        b"99999999999",
        b"-1",
        b"\n",
        b"[[",
        b"\"",
        b"{",
    ];
    let mut bytes = good.to_vec();
    for _ in 0..=below(4) {
        let at = 1 + below(bytes.len());
        match below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(8),
            1 => bytes.truncate(at),
            2 => bytes.insert(at.min(bytes.len()), below(256) as u8),
            3 => {
                let piece = PIECES[below(PIECES.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at.min(end)..end, piece.iter().copied());
            }
            _ => {
                let end = (at + below(16)).min(bytes.len());
                bytes.drain(at.min(end)..end);
            }
        }
    }
    bytes
}
