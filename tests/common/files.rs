//! Readers of the data files, written for the tests alone.

use std::path::Path;

use super::shapes::Shape;

/// Positions and triangles of a Wavefront OBJ file; polygons are cut into fans.
pub fn read_obj(path: &Path) -> Shape {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let position: Vec<f32> = words.take(3).map(|word| word.parse().expect("a coordinate")).collect();
                positions.push([position[0], position[1], position[2]]);
            }
            Some("f") => {
                let number = |word: &str| word.split('/').next().and_then(|first| first.parse::<u32>().ok());
                let corners: Vec<u32> = words.map(|word| number(word).expect("a vertex number") - 1).collect();
                triangles.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
            }
            _ => {}
        }
    }
    (positions, triangles)
}

/// A PC2 point cache: number of points, and all positions frame by frame.
pub fn read_pc2(path: &Path) -> (usize, Vec<[f32; 3]>) {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).expect("four bytes");
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    let (points, frames) = (u32::from_le_bytes(word(16)) as usize, u32::from_le_bytes(word(28)) as usize);
    assert_eq!(bytes.len(), 32 + 12 * points * frames);
    let coordinate = |place: usize| f32::from_le_bytes(word(32 + 4 * place));
    let positions = (0..points * frames).map(|p| [coordinate(3 * p), coordinate(3 * p + 1), coordinate(3 * p + 2)]);
    (points, positions.collect())
}

/// The matrices of a rigid collider: every number inside the list named "frames".
pub fn read_transforms(path: &Path) -> Vec<[f64; 16]> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let frames = text.split_once("\"frames\"").expect("a list of frames").1;
    let numbers: Vec<f64> = frames
        .split(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)))
        .filter_map(|word| word.parse().ok())
        .collect();
    assert_eq!(numbers.len() % 16, 0);
    numbers.chunks_exact(16).map(|chunk| chunk.try_into().expect("sixteen numbers")).collect()
}
