//! Files of spheres, in JSON: proxies that `kinetree pack` made, and lists of other programs.
//!
//! `docs/formats/spheres.md` is the page for users, `docs/formats/spheres.schema.json` its schema.
//! Every pose has the same number of spheres, so that spheres can move from pose to pose.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;

use super::MeshData;
use super::error::ReadError;
use super::source::read_first_bytes;
use super::transforms::json_fault;
use crate::bytes::Fingerprint;
use crate::limits;
use crate::motion::Sphere;

/// What `format` says in files of spheres.
const FORMAT: &str = "kinetree-spheres";
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
        let file = Self { mesh: None, poses, notes: Vec::new() };
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
        Ok(())
    }

    /// The number of spheres, the same in every pose.
    pub fn sphere_count(&self) -> usize {
        self.poses.first().map_or(0, |pose| pose.spheres.len())
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
        let _ = writeln!(text, "  \"notes\": [{}],\n  \"poses\": [", notes.join(", "));
        for (number, pose) in self.poses.iter().enumerate() {
            let quality: Vec<String> =
                pose.quality.iter().filter(|(_, value)| value.is_finite()).map(measurement).collect();
            let sphere =
                |Sphere { centre: [x, y, z], radius }: &Sphere| format!("      [{x:?}, {y:?}, {z:?}, {radius:?}]");
            let spheres: Vec<String> = pose.spheres.iter().map(sphere).collect();
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

/// Reads a file of spheres.
///
/// # Errors
/// When the file cannot be read, is not JSON of this form, or holds no spheres, poses of different
/// numbers of spheres, or a number that no sphere can have.
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
    let text: FileText = serde_json::from_slice(bytes).map_err(|error| {
        let message = json_fault(bytes, &error);
        refuse(SphereFileError::Json { message }).at_line(error.line()).at_column(error.column())
    })?;
    if text.format.as_ref().is_some_and(|format| format != FORMAT) {
        return Err(refuse(SphereFileError::Format { found: text.format.unwrap_or_default() }));
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
    let file = SphereFile { mesh, poses, notes: text.notes };
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

/// A number that no sphere can have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SphereFault {
    /// A coordinate that is not finite or too large.
    #[error("coordinate {} of the centre is {value}, which with the radius is beyond what can be used", ["x", "y", "z"][*.axis])]
    Centre {
        /// The axis, from 0.
        axis: usize,
        /// The coordinate, metres.
        value: f64,
    },
    /// A radius that is negative or not a number.
    #[error("the radius is {value} m; it must be a number of metres, 0 or more")]
    Radius {
        /// The radius, metres.
        value: f64,
    },
}

/// What is wrong with a file of spheres. Poses and spheres are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SphereFileError {
    /// Not JSON, or JSON of another form.
    #[error("this is not a JSON file of spheres: {message}; it must look like {{\"spheres\": [[x, y, z, radius], …]}}")]
    Json {
        /// What the JSON reader says.
        message: String,
    },
    /// A file of another format.
    #[error("`format` is \"{}\", but a file of spheres says \"{FORMAT}\"", .found.escape_debug())]
    Format {
        /// What the file says.
        found: String,
    },
    /// A later version.
    #[error("the file is of version {found}; this program reads version {VERSION}: pack the mesh again")]
    Version {
        /// The file's.
        found: u32,
    },
    /// A fingerprint that is no hexadecimal number.
    #[error("the `fingerprint` of the mesh is \"{}\", which is no hexadecimal number of 64 bits", .found.escape_debug())]
    Fingerprint {
        /// What the file says.
        found: String,
    },
    /// Both `poses` and `spheres`.
    #[error("the file has both `poses` and `spheres`; keep one of them")]
    Both,
    /// Neither `poses` nor `spheres`, or an empty list of poses.
    #[error("the file has no spheres; it must look like {{\"spheres\": [[x, y, z, radius], …]}}")]
    NoPoses,
    /// An empty list of spheres.
    #[error("pose {pose} has no spheres; at least one is needed")]
    NoSpheres {
        /// The pose.
        pose: usize,
    },
    /// Poses of different numbers of spheres.
    #[error("pose {pose} has {found} spheres, but pose 0 has {wanted}; sphere k must be the same in all poses")]
    Count {
        /// The pose.
        pose: usize,
        /// Its spheres.
        found: usize,
        /// Those of pose 0.
        wanted: usize,
    },
    /// A number that no sphere can have.
    #[error("pose {pose}, sphere {sphere}: {fault}")]
    Sphere {
        /// The pose.
        pose: usize,
        /// The sphere.
        sphere: usize,
        /// The number.
        #[source]
        fault: SphereFault,
    },
}
