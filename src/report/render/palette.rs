//! Colours. Bodies have pale ones that differ in hue and lightness, also for readers who see few
//! hues (after Okabe and Ito, 2008, mixed with white); highlighted triangles are dark and strong.

/// Marks that belong to no body.
pub(super) const RED: [u8; 3] = [214, 22, 16];
/// Highlighted triangles, by the parity of the body's number: of a pair, both sides differ.
const HIGHLIGHTS: [[u8; 3]; 2] = [RED, [142, 10, 122]];
/// Highlighted triangles that were known before: strong, but not alarming.
pub(super) const KNOWN: [u8; 3] = [58, 84, 132];
/// Around them.
pub(super) const HALO: [u8; 3] = [72, 0, 8];
/// Letters.
pub(super) const INK: [u8; 3] = [34, 36, 42];
/// Axes x, y, z.
pub(super) const AXES: [[u8; 3]; 3] = [[190, 60, 40], [30, 130, 80], [40, 90, 180]];

const BODIES: [[u8; 3]; 8] = [
    [134, 187, 224],
    [238, 208, 138],
    [190, 194, 198],
    [128, 196, 172],
    [222, 178, 204],
    [244, 238, 170],
    [104, 146, 190],
    [214, 160, 120],
];

/// The colour of a body that states none: red, green and blue of its number, counted from 0.
pub fn body_colour(number: usize) -> [u8; 3] {
    BODIES[number % BODIES.len()]
}

/// The colour of highlighted triangles of a body that states none: red or purple by its number,
/// counted from 0.
pub fn highlight_colour(number: usize) -> [u8; 3] {
    HIGHLIGHTS[number % HIGHLIGHTS.len()]
}

/// A colour for lines on a surface.
pub(super) fn darker(colour: [u8; 3]) -> [u8; 3] {
    colour.map(|c| (u16::from(c) * 2 / 5) as u8)
}
