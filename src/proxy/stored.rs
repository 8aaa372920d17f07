//! Distance fields as bytes, to be kept between runs of a program.
//!
//! A stored field belongs to one solid and one resolution: it holds a hash of the solid's triangles
//! and positions, and its grid. It is taken back only for these, so a field is never mistaken for
//! that of another solid.
//!
//! | bytes | content, little-endian |
//! |---|---|
//! | 0 to 7 | the mark |
//! | 8 to 11 | version |
//! | 12 to 15 | 0 |
//! | 16 to 23 | hash of the solid and the grid |
//! | 24 to 31 | checksum of what follows |
//! | 32 to 87 | origin of the grid, edge of a cell, numbers of nodes |
//! | 88 to the end | a value per node |
//!
//! The size is known from the grid; it is compared before memory is reserved. The version is raised
//! with every change of how distances are computed.

use super::error::ProxyError;
use super::field::{DistanceField, Grid, Resolution};
use super::solid::Solid;
use crate::bytes::{Fingerprint, Reader};

/// First bytes of a stored field.
const MARK: [u8; 8] = *b"\x89KTFLD\r\n";
/// The version that is written, and read.
const VERSION: u32 = 1;
/// Bytes before the checked content.
const HEADER: usize = 32;
/// Bytes of a grid.
const GRID: usize = 56;

impl DistanceField {
    /// The hash by which a stored field of a solid is known: of its triangles, positions and grid.
    /// O(vertices + triangles).
    ///
    /// # Errors
    /// As [`Resolution::grid`].
    pub fn key(solid: &Solid, resolution: Resolution) -> Result<u64, ProxyError> {
        Ok(key(solid, &resolution.grid(&solid.bounds())?))
    }

    /// The size of a stored field in bytes. Allocates nothing.
    ///
    /// # Errors
    /// As [`Resolution::grid`].
    pub fn stored_bytes(solid: &Solid, resolution: Resolution) -> Result<u64, ProxyError> {
        resolution.grid(&solid.bounds()).map(|grid| size(&grid) as u64)
    }

    /// The field as bytes, to be stored; `solid` is the one that it was computed of. Every number
    /// is read back bit for bit. O(nodes + triangles).
    ///
    /// ```
    /// use kinetree::Mesh;
    /// use kinetree::proxy::{DistanceField, Faults, Resolution, Solid};
    ///
    /// let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]; // Metres.
    /// let mesh = Mesh::new(4, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let (solid, _) = Solid::new(&mesh, &places, Faults::Refuse)?;
    /// let resolution = Resolution::CellsAlongLongest(8);
    /// let field = DistanceField::new(&solid, resolution)?;
    /// let bytes = field.to_bytes(&solid);
    /// assert_eq!(DistanceField::from_bytes(&bytes, &solid, resolution)?, field);
    /// assert!(DistanceField::from_bytes(&bytes, &solid, Resolution::CellSize(0.1)).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self, solid: &Solid) -> Vec<u8> {
        let mut out = Vec::with_capacity(size(self.grid()));
        out.extend_from_slice(&MARK);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&key(solid, self.grid()).to_le_bytes());
        out.extend_from_slice(&[0; 8]);
        for word in words(self.grid()) {
            out.extend_from_slice(&word.to_le_bytes());
        }
        for value in self.values() {
            out.extend_from_slice(&value.to_le_bytes());
        }
        let sum = Fingerprint::of(&out[HEADER..]);
        out[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
        out
    }

    /// The field of a solid from stored bytes: the same that [`DistanceField::new`] computes.
    /// O(nodes + triangles).
    ///
    /// # Errors
    /// [`ProxyError::StoredField`] for bytes that were cut or changed, are of another version, or
    /// belong to another solid or resolution; as [`Resolution::grid`].
    pub fn from_bytes(bytes: &[u8], solid: &Solid, resolution: Resolution) -> Result<Self, ProxyError> {
        let grid = resolution.grid(&solid.bounds())?;
        let refuse = |what| Err(ProxyError::StoredField { what });
        let Some((header, content)) = bytes.split_at_checked(HEADER) else { return refuse("it is cut off") };
        if header[..MARK.len()] != MARK {
            return refuse("it is no distance field");
        }
        let mut header = Reader::new(&header[MARK.len()..]);
        // Three words follow the mark.
        let mut word = || header.long().unwrap_or_default();
        let (version, of, sum) = (word(), word(), word());
        if version != u64::from(VERSION) {
            return refuse("it is of another version");
        }
        if of != key(solid, &grid) {
            return refuse("it is of another mesh or resolution");
        }
        if bytes.len() != size(&grid) {
            return refuse("its size is not that of the grid");
        }
        if sum != Fingerprint::of(content) {
            return refuse("its checksum does not match its content");
        }
        let mut content = Reader::new(content);
        if !words(&grid).into_iter().all(|word| content.long() == Some(word)) {
            return refuse("it is of another grid");
        }
        match content.doubles(grid.node_count()) {
            Some(values) if values.iter().all(|value| value.is_finite()) => Ok(Self::of(grid, values)),
            _ => refuse("it holds a distance that is not finite"),
        }
    }
}

/// Bytes of a stored field. The number of nodes is limited by `limits::MAX_FIELD_BYTES`.
fn size(grid: &Grid) -> usize {
    HEADER + GRID + 8 * grid.node_count()
}

/// A grid as it is stored.
fn words(grid: &Grid) -> [u64; 7] {
    let ([x, y, z], [columns, rows, layers]) = (grid.origin(), grid.counts());
    let [x, y, z, cell] = [x, y, z, grid.cell()].map(f64::to_bits);
    [x, y, z, cell, columns as u64, rows as u64, layers as u64]
}

fn key(solid: &Solid, grid: &Grid) -> u64 {
    let mut sum = Fingerprint::new();
    sum.word(u64::from(VERSION));
    words(grid).into_iter().for_each(|word| sum.word(word));
    sum.word(solid.vertex_count() as u64);
    for point in solid.points() {
        point.iter().for_each(|x| sum.word(x.to_bits()));
    }
    solid.triangles().as_flattened().iter().for_each(|&corner| sum.word(u64::from(corner)));
    sum.value()
}
