//! The binary form of files of spheres: the same content as the JSON form, bit for bit.
//!
//! A header of 32 bytes: the mark, version, a reserved zero, length and checksum of the content.
//! Numbers are little-endian; counts and indices are LEB128, texts a count of bytes and UTF-8. A
//! count is compared with the bytes that are left before memory is reserved for it.

use std::collections::BTreeMap;

use super::error::SphereFileError;
use super::skin::{JointSphere, SphereJoint, SphereSkin};
use super::{MeshMark, SphereFile, SpherePose, VERSION, sphere_of};
use crate::bytes::{Fingerprint, Reader, put_number};
use crate::motion::Sphere;

/// First bytes of a file. No text file has the first of them.
const MARK: [u8; 8] = *b"\x89KTSPH\r\n";
/// Bytes before the content.
const HEADER: usize = 32;
/// Bytes of a sphere.
const SPHERE: usize = 32;

/// Flags of the content: which optional parts follow.
const HAS_MESH: u8 = 1;
const HAS_SKIN: u8 = 2;

pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.first() == MARK.first()
}

/// The bytes of a file.
pub(super) fn bytes_of(file: &SphereFile) -> Vec<u8> {
    let content = content_of(file);
    let mut out = Vec::with_capacity(HEADER + content.len());
    out.extend_from_slice(&MARK);
    out.extend_from_slice(&VERSION.to_le_bytes());
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(&(content.len() as u64).to_le_bytes());
    out.extend_from_slice(&Fingerprint::of(&content).to_le_bytes());
    out.extend_from_slice(&content);
    out
}

fn content_of(file: &SphereFile) -> Vec<u8> {
    let mut out = Vec::new();
    out.push(if file.mesh.is_some() { HAS_MESH } else { 0 } | if file.skin.is_some() { HAS_SKIN } else { 0 });
    if let Some(mesh) = &file.mesh {
        put_text(&mut out, &mesh.file);
        put_number(&mut out, mesh.vertices as u64);
        put_number(&mut out, mesh.triangles as u64);
        out.extend_from_slice(&mesh.fingerprint.to_le_bytes());
    }
    put_number(&mut out, file.notes.len() as u64);
    file.notes.iter().for_each(|note| put_text(&mut out, note));
    put_number(&mut out, file.sphere_count() as u64);
    put_number(&mut out, file.poses.len() as u64);
    for pose in &file.poses {
        put_text(&mut out, &pose.name);
        let quality: Vec<_> = pose.quality.iter().filter(|(_, value)| value.is_finite()).collect();
        put_number(&mut out, quality.len() as u64);
        for (name, value) in quality {
            put_text(&mut out, name);
            out.extend_from_slice(&value.to_le_bytes());
        }
        pose.spheres.iter().for_each(|sphere| put_sphere(&mut out, sphere));
    }
    if let Some(skin) = &file.skin {
        put_text(&mut out, &skin.name);
        put_number(&mut out, skin.joints.len() as u64);
        for joint in &skin.joints {
            put_text(&mut out, &joint.name);
            put_number(&mut out, u64::from(joint.node));
        }
        for bound in &skin.spheres {
            put_number(&mut out, u64::from(bound.joint));
            put_sphere(&mut out, &bound.sphere);
        }
    }
    out
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

fn put_sphere(out: &mut Vec<u8>, Sphere { centre: [x, y, z], radius }: &Sphere) {
    [x, y, z, radius].into_iter().for_each(|value| out.extend_from_slice(&value.to_le_bytes()));
}

/// The file in some bytes that begin as a binary file does.
pub(super) fn parse(bytes: &[u8]) -> Result<SphereFile, SphereFileError> {
    let damaged = |what| SphereFileError::Damaged { byte: 0, what };
    let (header, content) = bytes.split_at_checked(HEADER).ok_or_else(|| damaged("the header is cut off"))?;
    if header[..MARK.len()] != MARK {
        return Err(damaged("the mark is not that of a binary file of spheres"));
    }
    let mut reader = Reader::new(&header[MARK.len()..]);
    let mut word = || reader.long().ok_or_else(|| damaged("the header is cut off"));
    let (version, length, found) = (word()?, word()?, word()?);
    if version >> 32 != 0 {
        return Err(SphereFileError::Damaged { byte: 12, what: "reserved bytes are not 0" });
    }
    if version != u64::from(VERSION) {
        return Err(SphereFileError::Version { found: version as u32 });
    }
    if length != content.len() as u64 {
        return Err(SphereFileError::Damaged { byte: 16, what: "the stated length is not that of the file" });
    }
    let computed = Fingerprint::of(content);
    if found != computed {
        return Err(SphereFileError::Checksum { found, computed });
    }
    let mut content = Content { reader: Reader::new(content), length: content.len() };
    let file = content.file()?;
    if content.reader.left() > 0 {
        return Err(content.damaged("more bytes than the file needs"));
    }
    file.check()?;
    Ok(file)
}

/// The content of a file while it is read.
struct Content<'a> {
    reader: Reader<'a>,
    length: usize,
}

impl Content<'_> {
    fn damaged(&self, what: &'static str) -> SphereFileError {
        SphereFileError::Damaged { byte: HEADER + self.length - self.reader.left(), what }
    }

    fn file(&mut self) -> Result<SphereFile, SphereFileError> {
        let flags = self.reader.byte().ok_or_else(|| self.damaged("no content"))?;
        if flags & !(HAS_MESH | HAS_SKIN) != 0 {
            return Err(self.damaged("an unknown part"));
        }
        let mesh = if flags & HAS_MESH != 0 { Some(self.mark()?) } else { None };
        let notes = self.list(1, Self::text)?;
        let spheres = self.count(SPHERE)?;
        let poses = self.list(2, |content| content.pose(spheres))?;
        let skin = if flags & HAS_SKIN != 0 { Some(self.skin(spheres)?) } else { None };
        Ok(SphereFile { mesh, poses, notes, skin })
    }

    /// A count of items of at least `least` bytes each.
    fn count(&mut self, least: usize) -> Result<usize, SphereFileError> {
        self.reader.count(least).ok_or_else(|| self.damaged("a count beyond the end of the file"))
    }

    fn list<T>(
        &mut self,
        least: usize,
        mut item: impl FnMut(&mut Self) -> Result<T, SphereFileError>,
    ) -> Result<Vec<T>, SphereFileError> {
        let count = self.count(least)?;
        (0..count).map(|_| item(self)).collect()
    }

    fn text(&mut self) -> Result<String, SphereFileError> {
        let count = self.count(1)?;
        let bytes = self.reader.take(count).unwrap_or_default();
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| self.damaged("a text that is not UTF-8"))
    }

    fn number(&mut self) -> Result<f64, SphereFileError> {
        self.reader.double().ok_or_else(|| self.damaged("a number is cut off"))
    }

    fn index(&mut self) -> Result<u32, SphereFileError> {
        self.reader.index().ok_or_else(|| self.damaged("an index of more than 32 bits, or cut off"))
    }

    fn size(&mut self) -> Result<usize, SphereFileError> {
        let size = self.reader.number().and_then(|size| usize::try_from(size).ok());
        size.ok_or_else(|| self.damaged("a size that is too large, or cut off"))
    }

    fn mark(&mut self) -> Result<MeshMark, SphereFileError> {
        let file = self.text()?;
        let (vertices, triangles) = (self.size()?, self.size()?);
        let fingerprint = self.number()?.to_bits();
        Ok(MeshMark { file, vertices, triangles, fingerprint })
    }

    fn sphere(&mut self) -> Result<Sphere, SphereFileError> {
        Ok(sphere_of(&[self.number()?, self.number()?, self.number()?, self.number()?]))
    }

    fn pose(&mut self, spheres: usize) -> Result<SpherePose, SphereFileError> {
        let name = self.text()?;
        let quality = self.list(9, |content| Ok((content.text()?, content.number()?)))?;
        if quality.iter().any(|(_, value)| !value.is_finite()) {
            return Err(self.damaged("a measurement that is not finite"));
        }
        // By name, each once, as JSON has them.
        let quality: BTreeMap<String, f64> = quality.into_iter().collect();
        let spheres = (0..spheres).map(|_| self.sphere()).collect::<Result<_, _>>()?;
        Ok(SpherePose { name, spheres, quality: quality.into_iter().collect() })
    }

    fn skin(&mut self, spheres: usize) -> Result<SphereSkin, SphereFileError> {
        let name = self.text()?;
        let joints = self.list(2, |content| Ok(SphereJoint { name: content.text()?, node: content.index()? }))?;
        let bound = |_| Ok(JointSphere { joint: self.index()?, sphere: self.sphere()? });
        let spheres = (0..spheres).map(bound).collect::<Result<_, SphereFileError>>()?;
        Ok(SphereSkin { name, joints, spheres })
    }
}
