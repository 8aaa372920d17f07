//! Where the binary data is: in the GLB, in a data URI, or in a file beside the document.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::super::error::quote;
use super::super::folder::Folder;
use super::super::source::read_first_bytes;
use super::document::{BufferText, Document};
use super::error::{Checked, GltfErrorKind, at};

/// Exporters disagree about padding; nothing depends on it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What the buffers of a document lie in, apart from the document itself. Every file is there once,
/// however many buffers name it.
pub(super) struct Data {
    blocks: Vec<Vec<u8>>,
    /// Per buffer, its block; `None` without a URI.
    of_buffer: Vec<Option<usize>>,
}

/// Decodes the data URIs of all buffers and reads the files they name: of each no more than the
/// longest of its buffers announces.
pub(super) fn read(buffers: &[BufferText], folder: &Folder) -> Checked<Data> {
    let (mut blocks, mut of_buffer) = (Vec::new(), Vec::with_capacity(buffers.len()));
    // Per file, without links: its block.
    let mut known = BTreeMap::new();
    for (number, buffer) in buffers.iter().enumerate() {
        let Some(uri) = &buffer.uri else {
            of_buffer.push(None);
            continue;
        };
        let place = format!("buffers[{number}].uri");
        let block = match content(&place, uri, folder)? {
            Content::Bytes(bytes) => {
                blocks.push(Block::Bytes(bytes));
                blocks.len() - 1
            }
            Content::File(path) => {
                let real = path.canonicalize().unwrap_or_else(|_| path.clone());
                let block = *known.entry(real).or_insert(blocks.len());
                match blocks.get_mut(block) {
                    Some(Block::File { needed, .. }) => *needed = buffer.byte_length.max(*needed),
                    _ => blocks.push(Block::File { place, path, needed: buffer.byte_length }),
                }
                block
            }
        };
        of_buffer.push(Some(block));
    }
    let blocks = blocks.into_iter().map(Block::read).collect::<Checked<_>>()?;
    Ok(Data { blocks, of_buffer })
}

impl Data {
    /// How many bytes there are, those of every file once.
    pub(super) fn bytes(&self) -> u64 {
        self.blocks.iter().fold(0, |sum, block| sum.saturating_add(block.len() as u64))
    }

    /// The bytes of every buffer, exactly as many as it announces. `binary` is the binary chunk of
    /// a GLB.
    pub(super) fn of_buffers<'a>(&'a self, buffers: &[BufferText], binary: Option<&'a [u8]>) -> Checked<Vec<&'a [u8]>> {
        let of_buffer = |(number, buffer): (usize, &BufferText)| {
            let place = || format!("buffers[{number}]");
            let bytes = match (self.of_buffer.get(number), binary.filter(|_| number == 0)) {
                (Some(&Some(block)), _) => self.blocks[block].as_slice(),
                (_, Some(binary)) => binary,
                _ => {
                    if let Some(extension) = buffer.extensions.keys().find(|name| name.ends_with("meshopt_compression"))
                    {
                        return at(place(), GltfErrorKind::Compressed { extension: extension.clone() });
                    }
                    return at(
                        place(),
                        GltfErrorKind::Missing { what: "the data (a uri, or the binary chunk of a GLB)" },
                    );
                }
            };
            let available = bytes.len() as u64;
            if buffer.byte_length > available {
                let (begin, end, holder) = (0, buffer.byte_length, "its data".into());
                return at(place(), GltfErrorKind::Range { holder, begin, end, available });
            }
            Ok(&bytes[..buffer.byte_length as usize])
        };
        buffers.iter().enumerate().map(of_buffer).collect()
    }
}

/// Data before it is read: files wait until all buffers that name them have said how much they
/// need.
enum Block {
    Bytes(Vec<u8>),
    File { place: String, path: PathBuf, needed: u64 },
}

impl Block {
    fn read(self) -> Checked<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::File { place, path, needed } => read_first_bytes(&path, needed).or_else(|error| {
                let why = error.kind().to_string();
                at(place, GltfErrorKind::Data { file: path.display().to_string(), why })
            }),
        }
    }
}

/// What a URI names.
enum Content {
    Bytes(Vec<u8>),
    File(PathBuf),
}

fn content(place: &str, uri: &str, folder: &Folder) -> Checked<Content> {
    let refuse = |why: String| at(place, GltfErrorKind::Uri { uri: quote(uri.as_bytes()), why });
    if let Some(rest) = strip_scheme(uri, "data") {
        let Some((header, data)) = rest.split_once(',') else {
            return refuse("a data URI has a comma before its data".into());
        };
        if !header.to_ascii_lowercase().ends_with(";base64") {
            return Ok(Content::Bytes(percent_decode_str(data).collect()));
        }
        let data: Cow<'_, [u8]> = percent_decode_str(data).into();
        return BASE64
            .decode(&data)
            .map(Content::Bytes)
            .or_else(|error| refuse(format!("its base64 is damaged: {error}; export the file again")));
    }
    if has_scheme(uri) {
        return refuse("only data URIs and paths relative to the document are read; put the data beside it".into());
    }
    let Ok(name) = percent_decode_str(uri).decode_utf8() else {
        return refuse("its name is not UTF-8; rename the file of data".into());
    };
    folder.file(&name).map(Content::File).or_else(|error| at(place, GltfErrorKind::Outside(error)))
}

/// The files of data and images that a document names, as far as it may name them; images need not
/// exist.
pub(super) fn files(document: &Document, folder: &Folder) -> Vec<PathBuf> {
    let path = |uri: &str| folder.file(&percent_decode_str(uri).decode_utf8().ok()?).ok();
    document.file_uris().into_iter().filter_map(path).collect()
}

/// Whether a URI is not a path relative to the document.
pub(super) fn has_scheme(uri: &str) -> bool {
    uri.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'))
}

fn strip_scheme<'a>(uri: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = uri.split_once(':')?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}
