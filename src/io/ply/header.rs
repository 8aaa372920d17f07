//! The header of a PLY file: storage, elements and their properties.

use super::error::PlyError;
use crate::io::error::quote;

/// Longest header that is read, bytes: thousands of times what exporters write.
const LONGEST_HEADER: usize = 1 << 20;

/// How numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Ascii,
    Little,
    Big,
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    fn of_word(word: &[u8]) -> Option<Self> {
        match word {
            b"char" | b"int8" => Some(Self::I8),
            b"uchar" | b"uint8" => Some(Self::U8),
            b"short" | b"int16" => Some(Self::I16),
            b"ushort" | b"uint16" => Some(Self::U16),
            b"int" | b"int32" => Some(Self::I32),
            b"uint" | b"uint32" => Some(Self::U32),
            b"float" | b"float32" => Some(Self::F32),
            b"double" | b"float64" => Some(Self::F64),
            _ => None,
        }
    }

    /// Bytes of a number in a binary file.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    pub(super) fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) kind: Kind,
    /// The type of the length of a list.
    pub(super) count: Option<Kind>,
}

#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) count: u64,
    pub(super) properties: Vec<Property>,
}

impl Element {
    /// The place of a property.
    pub(super) fn property(&self, names: &[&str]) -> Option<usize> {
        self.properties.iter().position(|property| names.contains(&&*property.name))
    }

    /// The fewest bytes that one of it has.
    fn least_bytes(&self, storage: Storage) -> u64 {
        let of_property = |property: &Property| match storage {
            // A digit and what separates it from the next.
            Storage::Ascii => 2,
            _ => property.count.unwrap_or(property.kind).bytes() as u64,
        };
        self.properties.iter().map(of_property).sum()
    }
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) storage: Storage,
    pub(super) elements: Vec<Element>,
    /// Where the data begin, bytes.
    pub(super) end: usize,
    /// Lines of the header.
    pub(super) lines: usize,
}

/// Reads the header; a fault comes with its line, from 1.
pub(super) fn read(bytes: &[u8]) -> Result<Header, (usize, PlyError)> {
    let mut lines = HeaderLines::new(bytes).ok_or((1, PlyError::Signature))?;
    let mut storage = None;
    let mut elements: Vec<Element> = Vec::new();
    while let Some(line) = lines.next() {
        let number = lines.number;
        let refuse = |error| (number, error);
        let unknown = || refuse(PlyError::HeaderLine { text: quote(line) });
        let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).collect();
        match words[..] {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", word, version] => {
                if version != b"1.0" {
                    return Err(refuse(PlyError::Version { found: quote(version) }));
                }
                storage = Some(match word {
                    b"ascii" => Storage::Ascii,
                    b"binary_little_endian" => Storage::Little,
                    b"binary_big_endian" => Storage::Big,
                    _ => return Err(unknown()),
                });
            }
            [b"element", name, count] => {
                let count = std::str::from_utf8(count).ok().and_then(|count| count.parse().ok()).ok_or_else(unknown)?;
                elements.push(Element { name: text(name), count, properties: Vec::new() });
            }
            [b"property", b"list", count, kind, name] => {
                let (count, kind) = Kind::of_word(count).zip(Kind::of_word(kind)).ok_or_else(unknown)?;
                let element = elements.last_mut().filter(|_| count.is_integer()).ok_or_else(unknown)?;
                element.properties.push(Property { name: text(name), kind, count: Some(count) });
            }
            [b"property", kind, name] => {
                let kind = Kind::of_word(kind).ok_or_else(unknown)?;
                let element = elements.last_mut().ok_or_else(unknown)?;
                element.properties.push(Property { name: text(name), kind, count: None });
            }
            [b"end_header"] => {
                let storage = storage.ok_or_else(|| refuse(PlyError::NoFormat))?;
                return Ok(Header { storage, elements, end: lines.at, lines: number });
            }
            _ => return Err(unknown()),
        }
    }
    Err((lines.number, PlyError::NoEnd))
}

impl Header {
    /// Refuses counts that the file has no bytes for.
    pub(super) fn check(&self, length: usize) -> Result<(), PlyError> {
        let available = (length - self.end) as u64;
        let mut needed = 0u128;
        for element in &self.elements {
            let least = element.least_bytes(self.storage);
            if least == 0 && element.count > 0 {
                return Err(PlyError::NoProperties { element: element.name.clone() });
            }
            needed += u128::from(element.count) * u128::from(least);
        }
        // The last number of an ASCII file may end with the file.
        let spare = u128::from(self.storage == Storage::Ascii);
        if needed > u128::from(available) + spare {
            return Err(PlyError::Length { needed: needed - spare, available });
        }
        Ok(())
    }
}

fn text(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

/// Lines of a header; all end as the first one does, because binary data follow the last.
struct HeaderLines<'a> {
    bytes: &'a [u8],
    at: usize,
    ending: &'static [u8],
    /// Of the line that was returned last, from 1.
    number: usize,
}

impl<'a> HeaderLines<'a> {
    fn new(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(b"ply")?;
        let ending: &[u8] = [b"\r\n".as_slice(), b"\n", b"\r"].into_iter().find(|&ending| rest.starts_with(ending))?;
        Some(Self { bytes: &bytes[..bytes.len().min(LONGEST_HEADER)], at: 3 + ending.len(), ending, number: 1 })
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.bytes.get(self.at..)?;
        let length = rest.windows(self.ending.len()).position(|window| window == self.ending)?;
        self.at += length + self.ending.len();
        self.number += 1;
        Some(&rest[..length])
    }
}
