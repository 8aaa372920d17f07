//! Files of spheres, in JSON or binary: proxies that `kinetree pack` made, and lists of other
//! programs.
//!
//! | file | does |
//! |---|---|
//! | `mod` | the data, JSON |
//! | `skin` | spheres that are bound to joints |
//! | `binary` | the binary form |
//! | `compound` | the balls of rigid bodies, for other engines |
//! | `error` | what can be wrong |
//!
//! `docs/formats/spheres.md` is the page for users, `docs/formats/spheres.schema.json` its schema.
//! Every pose has the same number of spheres, so that spheres can move from pose to pose.

mod binary;
mod compound;
mod error;
mod skin;

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use super::MeshData;
use super::error::{ReadError, excerpt};
use super::source::read_first_bytes;
use super::transforms::json_fault;
use crate::bytes::Fingerprint;
use crate::limits;
use crate::motion::Sphere;

pub use self::compound::{Compound, CompoundBall, CompoundCode};
pub use self::error::{SphereFault, SphereFileError};
pub use self::skin::{JointSphere, SphereJoint, SphereSkin};

/// What `format` says in files of spheres.
const FORMAT: &str = "kinetree-spheres";
/// Bytes in which a file says its format.
const LONGEST_HEAD: u64 = 256;
/// The version that is written, and read.
const VERSION: u32 = 1;

/// Spheres in one pose or several, and the mesh that they stand for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SphereFile {
    /// The mesh that was packed, if the file names it.
    pub mesh: Option<MeshMark>,
    /// At least one; all have the same number of spheres, which is not 0.
    pub poses: Vec<SpherePose>,
    /// Remarks: what was changed of the mesh before it was packed.
    pub notes: Vec<String>,
    /// The same spheres in the frames of a skin's joints, if they were bound to joints.
    pub skin: Option<SphereSkin>,
}

/// The spheres of one pose.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SpherePose {
    /// Its name, possibly empty.
    pub name: String,
    /// Metres; finite, and no radius is negative.
    pub spheres: Vec<Sphere>,
    /// Measurements of the pose by their names: metres, cubic metres, shares or counts. Numbers
    /// that are not finite are not written.
    pub quality: Vec<(String, f64)>,
}

/// How a file of spheres names a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshMark {
    /// The name of its file, without folders.
    pub file: String,
    /// Its number of vertices.
    pub vertices: usize,
    /// Its number of triangles.
    pub triangles: usize,
    /// A hash of its positions and triangles.
    pub fingerprint: u64,
}

impl MeshMark {
    /// The mark of a mesh. O(vertices + triangles).
    pub fn new(file: &str, mesh: &MeshData) -> Self {
        let mut sum = Fingerprint::new();
        mesh.positions.as_flattened().iter().for_each(|x| sum.word(u64::from((x + 0.0).to_bits())));
        mesh.triangles.as_flattened().iter().for_each(|&corner| sum.word(u64::from(corner)));
        let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
        Self { file: file.to_owned(), vertices, triangles, fingerprint: sum.value() }
    }

    /// Whether this is the mark of a mesh, whatever its file is called. O(vertices + triangles).
    pub fn is_of(&self, mesh: &MeshData) -> bool {
        Self { file: String::new(), ..self.clone() } == Self::new("", mesh)
    }
}

impl SpherePose {
    /// A pose without measurements.
    pub fn new(name: &str, spheres: Vec<Sphere>) -> Self {
        Self { name: name.to_owned(), spheres, quality: Vec::new() }
    }
}

impl SphereFile {
    /// A file of these poses; names no mesh.
    ///
    /// # Errors
    /// No pose, no sphere, poses of different numbers of spheres, numbers that no sphere can have.
    ///
    /// ```
    /// use kinetree::Sphere;
    /// use kinetree::io::{SphereFile, SpherePose, parse_spheres};
    ///
    /// let ball = Sphere { centre: [0.0, 0.0, 1.0], radius: 0.5 }; // Metres.
    /// let file = SphereFile::new(vec![SpherePose::new("rest", vec![ball])])?;
    /// assert_eq!(parse_spheres(file.to_json().as_bytes(), "ball.json".as_ref())?, file);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(poses: Vec<SpherePose>) -> Result<Self, SphereFileError> {
        let file = Self { poses, ..Self::default() };
        file.check()?;
        Ok(file)
    }

    fn check(&self) -> Result<(), SphereFileError> {
        let Some(first) = self.poses.first() else { return Err(SphereFileError::NoPoses) };
        for (pose, SpherePose { spheres, .. }) in self.poses.iter().enumerate() {
            if spheres.is_empty() {
                return Err(SphereFileError::NoSpheres { pose });
            }
            let (found, wanted) = (spheres.len(), first.spheres.len());
            if found != wanted {
                return Err(SphereFileError::Count { pose, found, wanted });
            }
            check_spheres(spheres).map_err(|(sphere, fault)| SphereFileError::Sphere { pose, sphere, fault })?;
        }
        self.skin.as_ref().map_or(Ok(()), |skin| skin.check(first.spheres.len()))
    }

    /// The number of spheres, the same in every pose.
    pub fn sphere_count(&self) -> usize {
        self.poses.first().map_or(0, |pose| pose.spheres.len())
    }

    /// The file in binary form; every number is read back bit for bit.
    pub fn to_bytes(&self) -> Vec<u8> {
        binary::bytes_of(self)
    }

    /// The file as JSON; every number is read back bit for bit.
    pub fn to_json(&self) -> String {
        let mut text = format!("{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n");
        if let Some(mesh) = &self.mesh {
            let MeshMark { file, vertices, triangles, fingerprint } = mesh;
            let _ = writeln!(
                text,
                "  \"mesh\": {{\"file\": {}, \"vertices\": {vertices}, \"triangles\": {triangles}, \"fingerprint\": \
                 \"{fingerprint:016x}\"}},",
                quoted(file)
            );
        }
        let notes: Vec<String> = self.notes.iter().map(|note| quoted(note)).collect();
        let _ = writeln!(text, "  \"notes\": [{}],", notes.join(", "));
        if let Some(skin) = &self.skin {
            skin.write_json(&mut text);
        }
        text.push_str("  \"poses\": [\n");
        for (number, pose) in self.poses.iter().enumerate() {
            let quality: Vec<String> =
                pose.quality.iter().filter(|(_, value)| value.is_finite()).map(measurement).collect();
            let spheres: Vec<String> =
                pose.spheres.iter().map(|sphere| format!("      {}", numbers_of(sphere))).collect();
            let _ = write!(
                text,
                "    {{\"name\": {}, \"quality\": {{{}}}, \"spheres\": [\n{}\n    ]}}",
                quoted(&pose.name),
                quality.join(", "),
                spheres.join(",\n")
            );
            text.push_str(if number + 1 < self.poses.len() { ",\n" } else { "\n" });
        }
        text.push_str("  ]\n}\n");
        text
    }
}

fn measurement((name, value): &(String, f64)) -> String {
    format!("{}: {value:?}", quoted(name))
}

/// A sphere as JSON has it.
fn numbers_of(Sphere { centre: [x, y, z], radius }: &Sphere) -> String {
    format!("[{x:?}, {y:?}, {z:?}, {radius:?}]")
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Refuses numbers that no sphere can have: the sphere, and its fault.
pub(super) fn check_spheres(spheres: &[Sphere]) -> Result<(), (usize, SphereFault)> {
    for (sphere, Sphere { centre, radius }) in spheres.iter().enumerate() {
        for (axis, &value) in centre.iter().enumerate() {
            // NaN is refused with what is too large.
            if !(value.abs() + radius.abs() <= limits::MAX_COORDINATE) && !radius.is_nan() {
                return Err((sphere, SphereFault::Centre { axis, value }));
            }
        }
        if !(*radius >= 0.0) {
            return Err((sphere, SphereFault::Radius { value: *radius }));
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct FileText {
    format: Option<String>,
    version: Option<u32>,
    mesh: Option<MarkText>,
    poses: Option<Vec<PoseText>>,
    spheres: Option<Vec<[f64; 4]>>,
    #[serde(default)]
    notes: Vec<String>,
    skin: Option<skin::SkinText>,
}

#[derive(Deserialize)]
struct MarkText {
    file: String,
    vertices: usize,
    triangles: usize,
    fingerprint: String,
}

#[derive(Deserialize)]
struct PoseText {
    #[serde(default)]
    name: String,
    spheres: Vec<[f64; 4]>,
    #[serde(default)]
    quality: std::collections::BTreeMap<String, f64>,
}

/// Whether a file says that it holds spheres, as JSON; no more than its begin is read.
pub(super) fn is_of_spheres(path: &Path) -> Result<bool, ReadError> {
    let head = read_first_bytes(path, LONGEST_HEAD)?;
    Ok(head.windows(FORMAT.len()).any(|part| part == FORMAT.as_bytes()))
}

/// Reads a file of spheres, JSON or binary by its first bytes.
///
/// # Errors
/// When the file cannot be read, is not of either form, or holds no spheres, poses of different
/// numbers of spheres, a number that no sphere can have, or a joint that does not exist.
pub fn read_spheres(path: impl AsRef<Path>) -> Result<SphereFile, ReadError> {
    let path = path.as_ref();
    parse_spheres(&read_first_bytes(path, u64::MAX)?, path)
}

/// Reads the bytes of a file of spheres; `file` is only named in errors.
///
/// # Errors
/// As [`read_spheres`], apart from reading the file.
pub fn parse_spheres(bytes: &[u8], file: &Path) -> Result<SphereFile, ReadError> {
    let refuse = |error: SphereFileError| ReadError::new(file, error);
    if binary::is_binary(bytes) {
        return binary::parse(bytes).map_err(refuse);
    }
    let text: FileText = serde_json::from_slice(bytes).map_err(|error| {
        let message = json_fault(bytes, &error);
        refuse(SphereFileError::Json { message }).at_line(error.line()).at_column(error.column())
    })?;
    if let Some(format) = text.format.filter(|format| format != FORMAT) {
        return Err(refuse(SphereFileError::Format { found: excerpt(&format) }));
    }
    if let Some(found) = text.version.filter(|&version| version != VERSION) {
        return Err(refuse(SphereFileError::Version { found }));
    }
    let mesh = text.mesh.map(mark).transpose().map_err(refuse)?;
    let poses = match (text.poses, text.spheres) {
        (Some(poses), None) => poses.into_iter().map(pose).collect(),
        (None, Some(spheres)) => vec![SpherePose::new("", spheres.iter().map(sphere_of).collect())],
        (None, None) => Vec::new(),
        (Some(_), Some(_)) => return Err(refuse(SphereFileError::Both)),
    };
    let file = SphereFile { mesh, poses, notes: text.notes, skin: text.skin.map(SphereSkin::from) };
    file.check().map_err(refuse)?;
    Ok(file)
}

fn mark(text: MarkText) -> Result<MeshMark, SphereFileError> {
    let fingerprint = u64::from_str_radix(&text.fingerprint, 16)
        .map_err(|_| SphereFileError::Fingerprint { found: text.fingerprint.clone() })?;
    Ok(MeshMark { file: text.file, vertices: text.vertices, triangles: text.triangles, fingerprint })
}

fn pose(text: PoseText) -> SpherePose {
    let spheres = text.spheres.iter().map(sphere_of).collect();
    SpherePose { name: text.name, spheres, quality: text.quality.into_iter().collect() }
}

pub(super) fn sphere_of(&[x, y, z, radius]: &[f64; 4]) -> Sphere {
    Sphere { centre: [x, y, z], radius }
}
