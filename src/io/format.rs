//! Which format a file has: by its ending and by its first bytes.
//!
//! The first bytes decide where a format has a signature, the ending where it has none. A file
//! whose ending and content disagree is refused, and so is a format that cannot be read: the
//! message names what to export instead. Only the first [`HEAD_BYTES`] are read for that, so a
//! large file of the wrong kind is refused at once.

use std::ffi::OsStr;
use std::path::Path;

use super::error::{ReadError, quote};
use super::stl::StlError;

/// Bytes of a file that are examined before the rest is read.
pub(super) const HEAD_BYTES: usize = 1 << 16;

/// Longest text file without a known ending that is tried as a scene, bytes.
const LONGEST_GUESS: u64 = 1 << 20;

/// A format of which a file can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileFormat {
    /// Mesh, Wavefront OBJ.
    Obj,
    /// Mesh, Stanford PLY.
    Ply,
    /// Mesh, STL.
    Stl,
    /// Point cache, PC2.
    Pc2,
    /// Point cache, MDD.
    Mdd,
    /// Transforms of a rigid body, JSON.
    Transforms,
    /// Model, glTF as JSON or GLB.
    Gltf,
    /// Scene, TOML.
    Scene,
}

impl FileFormat {
    /// The format that a file's ending names, in any letter case; the file need not exist.
    pub fn of_ending(path: impl AsRef<Path>) -> Option<Self> {
        match &*ending(path.as_ref()) {
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "stl" => Some(Self::Stl),
            "pc2" => Some(Self::Pc2),
            "mdd" => Some(Self::Mdd),
            "json" => Some(Self::Transforms),
            "gltf" | "glb" => Some(Self::Gltf),
            "toml" => Some(Self::Scene),
            _ => None,
        }
    }

    /// Whether it holds a mesh and nothing that moves it.
    pub fn is_mesh(self) -> bool {
        matches!(self, Self::Obj | Self::Ply | Self::Stl)
    }

    /// Whether it holds a motion of a mesh that is in another file.
    pub fn is_motion(self) -> bool {
        matches!(self, Self::Pc2 | Self::Mdd | Self::Transforms)
    }

    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Obj => "OBJ",
            Self::Ply => "PLY",
            Self::Stl => "STL",
            Self::Pc2 => "PC2",
            Self::Mdd => "MDD",
            Self::Transforms => "JSON transforms",
            Self::Gltf => "glTF",
            Self::Scene => "TOML",
        }
    }
}

/// The ending in lower case, without its dot; empty where there is none.
pub(super) fn ending(path: &Path) -> String {
    path.extension().and_then(OsStr::to_str).unwrap_or("").to_ascii_lowercase()
}

/// What is wrong with the format of a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// A known format that is not read.
    #[error("{what} cannot be read; {remedy}")]
    Foreign {
        /// The format, with its article.
        what: &'static str,
        /// What to export instead.
        remedy: &'static str,
    },
    /// Ending and content are of two formats.
    #[error("the name ends in .{ending}, but the content is {content}; rename the file, or export it again")]
    Mismatch {
        /// The ending of the name.
        ending: String,
        /// What the content is.
        content: &'static str,
    },
    /// The first bytes are not those of the format that the ending names.
    #[error("this is not {wanted}: {why}; export the file again")]
    Head {
        /// The format that the ending names.
        wanted: &'static str,
        /// What is there instead.
        why: String,
    },
    /// A file that holds no mesh where one is needed.
    #[error("this is {found}, which is no mesh; give a mesh in OBJ, PLY or STL")]
    NoMesh {
        /// Its format.
        found: &'static str,
    },
    /// Neither ending nor content name a format.
    #[error("the format of this file is not known: {}", known_formats())]
    Unknown,
}

fn known_formats() -> &'static str {
    "meshes are .obj, .ply or .stl, motions .pc2, .mdd or .json, models .gltf or .glb, scenes .toml"
}

const CACHE_REMEDY: &str = "export the mesh as OBJ and its motion as a PC2 or MDD point cache, or everything as glTF \
     (.glb)";
const ALEMBIC_REMEDY: &str = "export the mesh as OBJ and its motion as a PC2 or MDD point cache, or everything as glTF \
     (.glb); or read it in Python with kinetree.alembic (docs/guide/from-alembic.md)";
const USD_REMEDY: &str = "export the mesh as OBJ and its motion as a PC2 or MDD point cache, or everything as glTF \
     (.glb); or read it in Python with kinetree.usd (docs/guide/from-usd.md)";
const GLTF_REMEDY: &str = "import it into Blender or another program and export it as glTF (.glb), or as OBJ with a \
     PC2 point cache for cloth";

/// A format that is not read.
struct Foreign {
    endings: &'static [&'static str],
    /// First bytes.
    heads: &'static [&'static [u8]],
    /// Its name, with an article where it has one.
    what: &'static str,
    /// What to export or do instead.
    remedy: &'static str,
}

const FOREIGN: [Foreign; 16] = [
    Foreign {
        endings: &["abc"],
        heads: &[b"Ogawa", b"\x89HDF\r\n\x1a\n"],
        what: "Alembic (.abc)",
        remedy: ALEMBIC_REMEDY,
    },
    Foreign {
        endings: &["usd", "usda", "usdc"],
        heads: &[b"PXR-USDC", b"#usda"],
        what: "USD (.usd, .usda, .usdc)",
        remedy: USD_REMEDY,
    },
    Foreign { endings: &["usdz"], heads: &[], what: "USD in a package (.usdz)", remedy: USD_REMEDY },
    Foreign { endings: &["fbx"], heads: &[b"Kaydara FBX Binary", b"; FBX"], what: "FBX (.fbx)", remedy: GLTF_REMEDY },
    Foreign {
        endings: &["blend"],
        heads: &[b"BLENDER"],
        what: "a Blender file (.blend)",
        remedy: "open it in Blender and use File > Export > glTF 2.0 (.glb), or export OBJ and, for simulated cloth, a PC2 \
         point cache",
    },
    Foreign { endings: &["dae"], heads: &[], what: "COLLADA (.dae)", remedy: GLTF_REMEDY },
    Foreign { endings: &["ma", "mb"], heads: &[b"//Maya"], what: "a Maya scene (.ma, .mb)", remedy: CACHE_REMEDY },
    Foreign { endings: &["max"], heads: &[b"\xd0\xcf\x11\xe0"], what: "a 3ds Max scene (.max)", remedy: CACHE_REMEDY },
    Foreign { endings: &["c4d"], heads: &[b"QC4DC4D6"], what: "a Cinema 4D scene (.c4d)", remedy: CACHE_REMEDY },
    Foreign { endings: &["hip", "hipnc", "hiplc", "bgeo"], heads: &[], what: "a Houdini file", remedy: CACHE_REMEDY },
    Foreign {
        endings: &["vrm"],
        heads: &[],
        what: "VRM (.vrm)",
        remedy: "a VRM file is a GLB: rename it to end in .glb",
    },
    Foreign {
        endings: &["3ds", "off", "x3d", "wrl", "mesh", "vtk", "msh"],
        heads: &[],
        what: "this mesh format",
        remedy: "export the mesh as OBJ, PLY or STL",
    },
    Foreign {
        endings: &["bvh"],
        heads: &[],
        what: "BVH motion capture (.bvh)",
        remedy: "export the character with its motion as glTF (.glb)",
    },
    Foreign {
        endings: &["zip"],
        heads: &[b"PK\x03\x04", b"PK\x05\x06"],
        what: "a zip archive",
        remedy: "unpack it, and give the files inside it",
    },
    Foreign {
        endings: &["gz", "tgz", "xz", "zst", "7z", "rar", "tar"],
        heads: &[b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!"],
        what: "a compressed file",
        remedy: "unpack it, and give the files inside it",
    },
    Foreign {
        endings: &["png", "jpg", "jpeg", "exr", "mp4", "mov", "mkv", "pdf"],
        heads: &[b"\x89PNG", b"\xff\xd8\xff", b"%PDF", b"v/1\x01"],
        what: "a picture, film or document",
        remedy: "give the mesh and its motion",
    },
];

/// The format of which a file's first bytes certainly are.
fn of_signature(head: &[u8]) -> Option<FileFormat> {
    if head.starts_with(b"POINTCACHE2") {
        Some(FileFormat::Pc2)
    } else if head.starts_with(b"glTF") {
        Some(FileFormat::Gltf)
    } else if head.starts_with(b"ply\n") || head.starts_with(b"ply\r") {
        Some(FileFormat::Ply)
    } else {
        None
    }
}

/// The refusal of a format that is known and not read; `head` may be empty, then the ending alone
/// counts.
pub(super) fn foreign(path: &Path, head: &[u8]) -> Option<FormatError> {
    let ending = ending(path);
    let by_ending = |format: &&Foreign| format.endings.contains(&&*ending);
    let by_head = |format: &&Foreign| format.heads.iter().any(|start| head.starts_with(start));
    // A format without an ending of its own in a name: a .usdz is a zip, and is called what it is.
    let known = FOREIGN.iter().find(by_ending).or_else(|| FOREIGN.iter().find(by_head));
    known.map(|format| FormatError::Foreign { what: format.what, remedy: format.remedy })
}

fn refuse_foreign(path: &Path, head: &[u8]) -> Result<(), ReadError> {
    foreign(path, head).map_or(Ok(()), |error| Err(ReadError::new(path, error)))
}

/// Refuses a file whose first bytes cannot be those of `wanted`; `length` is the file's, bytes.
pub(super) fn check_head(path: &Path, wanted: FileFormat, head: &[u8], length: u64) -> Result<(), ReadError> {
    refuse_foreign(path, head)?;
    if let Some(found) = of_signature(head).filter(|&found| found != wanted) {
        let error = FormatError::Mismatch { ending: ending(path), content: found.name() };
        return Err(ReadError::new(path, error));
    }
    let refuse = |why: String| Err(ReadError::new(path, FormatError::Head { wanted: wanted.name(), why }));
    let is_whole = length <= head.len() as u64;
    match wanted {
        FileFormat::Obj | FileFormat::Scene | FileFormat::Transforms => {
            if let Some(byte) = head.iter().position(|&byte| byte == 0) {
                return refuse(format!("byte {byte} is 0, which no text has"));
            }
        }
        _ => {}
    }
    if length == 0 && matches!(wanted, FileFormat::Gltf | FileFormat::Transforms) {
        return refuse("the file is empty".into());
    }
    let start = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    match wanted {
        // Small files are read whole, and their readers say more.
        FileFormat::Obj if !is_whole && !has_obj_statement(head) => refuse(format!(
            "none of its first lines starts with `v`, `f` or another word of the format, but with `{}`",
            first_line(start)
        )),
        FileFormat::Transforms if !is_whole && !start.starts_with(b"{") => {
            refuse(format!("it starts with `{}` where `{{` is needed", first_line(start)))
        }
        FileFormat::Gltf if !is_whole && !start.starts_with(b"{") && !head.starts_with(b"glTF") => {
            refuse(format!("it starts with `{}` where `{{` or `glTF` is needed", first_line(start)))
        }
        FileFormat::Stl if !is_whole => {
            let announced = head.get(80..84).and_then(|count| count.try_into().ok()).map_or(0, u32::from_le_bytes);
            let expected = 84 + 50 * u64::from(announced);
            let is_ascii = start.starts_with(b"solid") && !head.contains(&0);
            if is_ascii || expected == length {
                return Ok(());
            }
            let error = StlError::Length { triangles: announced, expected, found: length };
            Err(ReadError::new(path, error))
        }
        FileFormat::Ply if !head.starts_with(b"ply") => {
            refuse(format!("it starts with `{}` where `ply` is needed", first_line(start)))
        }
        _ => Ok(()),
    }
}

fn first_line(text: &[u8]) -> String {
    quote(text.split(|&byte| byte == b'\n').next().unwrap_or(text).trim_ascii_end())
}

/// Whether a line of the text starts with a word of the OBJ format.
fn has_obj_statement(head: &[u8]) -> bool {
    const WORDS: [&[u8]; 15] = [
        b"v", b"vn", b"vt", b"vp", b"f", b"l", b"p", b"o", b"g", b"s", b"usemtl", b"mtllib", b"cstype", b"curv",
        b"surf",
    ];
    let first_word =
        |line: &[u8]| WORDS.contains(&line.trim_ascii_start().split(u8::is_ascii_whitespace).next().unwrap_or(line));
    head.split(|&byte| byte == b'\n' || byte == b'\r').any(first_word)
}

/// The format of a file of `length` bytes that starts with `head`.
pub(super) fn of_file(path: &Path, head: &[u8], length: u64) -> Result<FileFormat, ReadError> {
    refuse_foreign(path, head)?;
    if let Some(format) = FileFormat::of_ending(path) {
        check_head(path, format, head, length)?;
        return Ok(format);
    }
    if let Some(format) = of_signature(head) {
        return Ok(format);
    }
    // Scenes may have any name; a text of another kind is refused by the TOML reader.
    if length <= LONGEST_GUESS && !head.contains(&0) {
        return Ok(FileFormat::Scene);
    }
    Err(ReadError::new(path, FormatError::Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(name: &str, head: &[u8], length: u64) -> Result<FileFormat, String> {
        of_file(Path::new(name), head, length).map_err(|error| error.to_string())
    }

    #[test]
    fn endings_and_first_bytes_decide_together() {
        assert_eq!(told("a.OBJ", b"v 0 0 0", 7), Ok(FileFormat::Obj));
        assert_eq!(told("a.ply", b"ply\nformat", 10), Ok(FileFormat::Ply));
        assert_eq!(told("noname", b"glTF\x02\0\0\0", 1 << 30), Ok(FileFormat::Gltf));
        assert_eq!(told("noname", b"fps = 1", 7), Ok(FileFormat::Scene));
        for (name, head, part) in [
            ("a.abc", b"".as_slice(), "point cache"),
            ("a.obj", b"Ogawa\xff", "Alembic"),
            ("a.usdz", b"PK\x03\x04", "USD in a package"),
            ("a.obj", b"PK\x03\x04", "zip archive"),
            ("a.bin", b"Kaydara FBX Binary  \0", "FBX"),
            ("a.blend", b"BLENDER-v300", "File > Export"),
            ("a.obj", b"ply\nformat ascii 1.0", "the content is PLY"),
            ("a.obj", b"v 0 0 0\0", "byte 7 is 0"),
            ("a.obj", b"time,value\n1,2\n", "none of its first lines"),
            ("a.json", b"[1, 2]", "starts with `[1, 2]`"),
            ("a.xyz", b"1 2 3", "not known"),
        ] {
            let message = told(name, head, 200 << 20).unwrap_err();
            assert!(message.contains(part), "{name}: {message}");
        }
    }
}
