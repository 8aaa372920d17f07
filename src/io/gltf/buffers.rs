//! Where the binary data is: in the GLB, in a data URI, or in a file beside the document.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;

use super::super::error::quote;
use super::super::source::read_bytes;
use super::document::BufferText;
use super::problem::{Checked, GltfFault, at};

/// Exporters disagree about padding; nothing depends on it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of one buffer, exactly as many as it announces. `folder` is where relative paths start.
pub(super) fn load<'a>(
    number: usize,
    buffer: &BufferText,
    binary: Option<&'a [u8]>,
    folder: &Path,
) -> Checked<Cow<'a, [u8]>> {
    let place = format!("buffers[{number}]");
    let mut bytes = match &buffer.uri {
        Some(uri) => Cow::Owned(from_uri(&place, uri, folder)?),
        None => match binary.filter(|_| number == 0) {
            Some(binary) => Cow::Borrowed(binary),
            None => {
                if let Some(extension) = buffer.extensions.keys().find(|name| name.ends_with("meshopt_compression")) {
                    return at(place, GltfFault::Compressed { extension: extension.clone() });
                }
                return at(place, GltfFault::Missing { what: "the data (a uri, or the binary chunk of a GLB)" });
            }
        },
    };
    let available = bytes.len() as u64;
    if buffer.byte_length > available {
        let (begin, end, holder) = (0, buffer.byte_length, "its data".into());
        return at(place, GltfFault::Range { holder, begin, end, available });
    }
    let length = buffer.byte_length as usize;
    match &mut bytes {
        Cow::Borrowed(bytes) => *bytes = &bytes[..length],
        Cow::Owned(bytes) => bytes.truncate(length),
    }
    Ok(bytes)
}

fn from_uri(place: &str, uri: &str, folder: &Path) -> Checked<Vec<u8>> {
    let refuse = |why: String| at(format!("{place}.uri"), GltfFault::Uri { uri: quote(uri.as_bytes()), why });
    if let Some(rest) = strip_scheme(uri, "data") {
        let Some((header, data)) = rest.split_once(',') else {
            return refuse("a data URI has a comma before its data".into());
        };
        if !header.to_ascii_lowercase().ends_with(";base64") {
            return Ok(percent_decode_str(data).collect());
        }
        let data: Cow<'_, [u8]> = percent_decode_str(data).into();
        return BASE64.decode(&data).or_else(|error| refuse(format!("its base64 is damaged: {error}")));
    }
    let has_scheme = uri.split(['/', '?', '#']).next().is_some_and(|first| first.contains(':'));
    if has_scheme {
        return refuse("only data URIs and paths relative to the document are read; put the data beside it".into());
    }
    let Ok(name) = percent_decode_str(uri).decode_utf8() else {
        return refuse("its name is not UTF-8".into());
    };
    let path: PathBuf = folder.join(&*name);
    read_bytes(&path).or_else(|error| {
        let why = error.problem().to_string();
        at(format!("{place}.uri"), GltfFault::Data { file: path.display().to_string(), why })
    })
}

fn strip_scheme<'a>(uri: &'a str, scheme: &str) -> Option<&'a str> {
    let (head, rest) = uri.split_once(':')?;
    head.eq_ignore_ascii_case(scheme).then_some(rest)
}
