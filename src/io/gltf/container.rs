//! GLB: a header of 12 bytes, a chunk of JSON, a chunk of binary data.

use super::error::{Checked, GltfErrorKind, at};

const MAGIC: &[u8; 4] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// The JSON of a document and, from a GLB, its binary chunk.
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    pub(super) binary: Option<&'a [u8]>,
    /// Of a GLB, all chunks after its JSON.
    pub(super) others: Option<&'a [u8]>,
    /// Bytes after the length that the header states.
    pub(super) trailing: usize,
}

/// Tells a GLB by its first four bytes; everything else is JSON.
pub(super) fn split(bytes: &[u8]) -> Checked<Container<'_>> {
    if !bytes.starts_with(MAGIC) {
        // Exporters on some systems put a byte order mark before the JSON.
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok(Container { json, binary: None, others: None, trailing: 0 });
    }
    let short = |part, needed: usize| {
        at("", GltfErrorKind::GlbShort { part, needed: needed as u64, found: bytes.len() as u64 })
    };
    let (Some(version), Some(length)) = (word(bytes, 4), word(bytes, 8)) else { return short("header", HEADER) };
    if version != 2 {
        return at("", GltfErrorKind::GlbVersion { found: version });
    }
    let end = length as usize;
    if end < HEADER + CHUNK_HEADER {
        return at("", GltfErrorKind::GlbLength { found: length });
    }
    let Some(inside) = bytes.get(..end) else { return short("content", end) };
    let (mut json, mut binary, mut others, mut start) = (None, None, None, HEADER);
    // Chunks of other kinds are to be passed over, as are bytes too few for a chunk.
    while let (Some(size), Some(kind)) = (word(inside, start), word(inside, start + 4)) {
        let begin = start + CHUNK_HEADER;
        let Some(chunk) = begin.checked_add(size as usize).and_then(|end| inside.get(begin..end)) else {
            return short(
                if kind == JSON { "JSON chunk" } else { "binary chunk" },
                begin.saturating_add(size as usize),
            );
        };
        match kind {
            JSON if json.is_none() => (json, others) = (Some(chunk), inside.get(begin + size as usize..)),
            BIN if json.is_some() && binary.is_none() => binary = Some(chunk),
            _ if json.is_none() => return at("", GltfErrorKind::GlbNoJson { found: kind }),
            _ => {}
        }
        start = begin + size as usize;
    }
    let Some(json) = json else { return at("", GltfErrorKind::Missing { what: "the JSON chunk" }) };
    Ok(Container { json, binary, others, trailing: bytes.len() - end })
}

/// A GLB of a JSON and the chunks after it.
pub(super) fn join(json: &str, others: &[u8]) -> Checked<Vec<u8>> {
    let size = json.len().next_multiple_of(4);
    let total = HEADER + CHUNK_HEADER + size + others.len();
    let Ok(length) = u32::try_from(total) else {
        return at("", GltfErrorKind::GlbTooLong { found: total as u64 });
    };
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(MAGIC);
    for word in [2, length, size as u32, JSON] {
        bytes.extend(word.to_le_bytes());
    }
    bytes.extend(json.as_bytes());
    bytes.resize(HEADER + CHUNK_HEADER + size, b' ');
    bytes.extend(others);
    Ok(bytes)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(word.try_into().ok()?))
}
