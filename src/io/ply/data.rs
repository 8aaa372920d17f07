//! The numbers after the header, one after the other, whatever their storage.

use super::error::PlyError;
use super::header::{Element, Kind, Property, Storage};
use crate::io::error::quote;

/// A number that could not be read.
pub(super) enum Missing {
    /// The data end.
    End,
    /// A word that is no number of its type.
    Word(String),
}

impl Missing {
    pub(super) fn at(self, element: &Element, index: u64, property: &Property) -> PlyError {
        let element = element.name.clone();
        match self {
            Self::End => PlyError::Short { element, index },
            Self::Word(text) => PlyError::Number { property: property.name.clone(), element, index, text },
        }
    }
}

/// Reads numbers. An element of an ASCII file is a line.
pub(super) struct Data<'a> {
    storage: Storage,
    rest: &'a [u8],
    /// The rest of the line of an ASCII file.
    line: &'a [u8],
    /// Lines that were begun, counted on from the header.
    lines: usize,
}

impl<'a> Data<'a> {
    pub(super) fn new(storage: Storage, rest: &'a [u8], lines: usize) -> Self {
        Self { storage, rest, line: &[], lines }
    }

    /// The line that is read, from 1; `None` in a binary file.
    pub(super) fn line(&self) -> Option<usize> {
        (self.storage == Storage::Ascii).then_some(self.lines)
    }

    /// Goes to the next line that is not blank.
    pub(super) fn begin_element(&mut self) {
        if self.storage != Storage::Ascii {
            return;
        }
        self.line = &[];
        while self.line.is_empty() && !self.rest.is_empty() {
            let end = self.rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(self.rest.len());
            self.line = self.rest[..end].trim_ascii();
            let step = if self.rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
            self.rest = self.rest.get(end + step..).unwrap_or(&[]);
            self.lines += 1;
        }
    }

    /// Whether nothing of the line is left.
    pub(super) fn is_element_done(&self) -> bool {
        self.storage != Storage::Ascii || self.line.is_empty()
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn number(&mut self, kind: Kind) -> Result<f64, Missing> {
        match self.storage {
            Storage::Ascii => self.word(kind),
            Storage::Little => self.binary(kind, false),
            Storage::Big => self.binary(kind, true),
        }
    }

    fn word(&mut self, kind: Kind) -> Result<f64, Missing> {
        if self.line.is_empty() {
            return Err(Missing::End);
        }
        let end = self.line.iter().position(u8::is_ascii_whitespace).unwrap_or(self.line.len());
        let (word, rest) = self.line.split_at(end);
        self.line = rest.trim_ascii_start();
        let bad = || Missing::Word(quote(word));
        let value: f64 = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).ok_or_else(bad)?;
        // Rounded once, from the text.
        let value = match kind {
            Kind::F32 => std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).map_or(value, |v: f32| {
                // The message about a number beyond the range shows the text's value.
                if v.is_finite() { f64::from(v) } else { value }
            }),
            _ => value,
        };
        let range = match kind {
            Kind::I8 => (i8::MIN.into(), i8::MAX.into()),
            Kind::U8 => (0.0, u8::MAX.into()),
            Kind::I16 => (i16::MIN.into(), i16::MAX.into()),
            Kind::U16 => (0.0, u16::MAX.into()),
            Kind::I32 => (i32::MIN.into(), i32::MAX.into()),
            Kind::U32 => (0.0, u32::MAX.into()),
            Kind::F32 | Kind::F64 => return Ok(value),
        };
        if value.fract() != 0.0 || !(range.0..=range.1).contains(&value) {
            return Err(bad());
        }
        Ok(value)
    }

    fn binary(&mut self, kind: Kind, big: bool) -> Result<f64, Missing> {
        let (number, rest) = self.rest.split_at_checked(kind.bytes()).ok_or(Missing::End)?;
        self.rest = rest;
        let mut bytes = [0; 8];
        bytes[..number.len()].copy_from_slice(number);
        if big {
            bytes[..number.len()].reverse();
        }
        let [a, b, c, d, ..] = bytes;
        Ok(match kind {
            Kind::I8 => (a as i8).into(),
            Kind::U8 => a.into(),
            Kind::I16 => i16::from_le_bytes([a, b]).into(),
            Kind::U16 => u16::from_le_bytes([a, b]).into(),
            Kind::I32 => i32::from_le_bytes([a, b, c, d]).into(),
            Kind::U32 => u32::from_le_bytes([a, b, c, d]).into(),
            Kind::F32 => f32::from_le_bytes([a, b, c, d]).into(),
            Kind::F64 => f64::from_le_bytes(bytes),
        })
    }
}
