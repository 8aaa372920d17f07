//! Bytes to text: planes of bytes, deflated, in base64.

use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;

/// Binary data of the page.
#[derive(Clone, Debug)]
pub(super) struct Blob {
    /// Its bytes before they are packed.
    pub(super) raw: usize,
    /// The zlib stream in base64.
    pub(super) text: String,
}

/// Packs bytes. Linear.
pub(super) fn pack(bytes: &[u8]) -> Blob {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 2), Compression::new(6));
    // Writing to memory does not fail.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
    Blob { raw: bytes.len(), text: STANDARD.encode(packed) }
}

/// Base64 of bytes that are packed already.
pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Appends values of `N` bytes plane by plane: all lowest bytes, then all second bytes, and so on.
/// High bytes of similar values are equal, and runs of them deflate well.
pub(super) fn planes<const N: usize>(values: &(impl Iterator<Item = [u8; N]> + Clone), out: &mut Vec<u8>) {
    for plane in 0..N {
        out.extend(values.clone().map(|value| value[plane]));
    }
}

/// A difference modulo 2³² with small magnitudes first: 0, −1, 1, −2, ...
pub(super) fn zigzag32(difference: u32) -> u32 {
    (difference << 1) ^ (0u32.wrapping_sub(difference >> 31))
}

/// As [`zigzag32`], modulo 2¹⁶.
pub(super) fn zigzag16(difference: u16) -> u16 {
    (difference << 1) ^ (0u16.wrapping_sub(difference >> 15))
}
