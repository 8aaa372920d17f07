//! File names with a place for the number of a frame.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::{MAX_DIGITS, SequenceError};
use crate::io::error::ReadError;
use crate::io::source::refused;

pub(in crate::io) struct NamePattern {
    folder: PathBuf,
    before: String,
    digits: usize,
    after: String,
}

impl NamePattern {
    pub(in crate::io) fn parse(pattern: &Path) -> Result<Self, ReadError> {
        let refuse = |error| ReadError::new(pattern, error);
        let name = pattern.file_name().and_then(|name| name.to_str()).ok_or_else(|| refuse(SequenceError::NoNumber))?;
        let (start, end, digits) = placeholder(name).ok_or_else(|| refuse(SequenceError::NoNumber))?;
        let (before, after) = (&name[..start], &name[end..]);
        if after.contains('#') || placeholder(after).is_some() {
            return Err(refuse(SequenceError::SeveralNumbers));
        }
        if digits > MAX_DIGITS {
            return Err(refuse(SequenceError::TooManyDigits { digits }));
        }
        Ok(Self {
            folder: pattern.parent().unwrap_or(Path::new("")).to_owned(),
            before: before.to_owned(),
            digits,
            after: after.to_owned(),
        })
    }

    /// Whether a file name has a place for a number.
    pub(in crate::io) fn is_one(path: &Path) -> bool {
        Self::parse(path).is_ok()
    }

    /// What stands before the number.
    pub(in crate::io) fn stem(path: &Path) -> Option<String> {
        Self::parse(path).ok().map(|pattern| pattern.before)
    }

    pub(in crate::io) fn path(&self, number: u64) -> PathBuf {
        let Self { before, after, .. } = self;
        let digits = self.digits;
        self.folder.join(format!("{before}{number:0digits$}{after}"))
    }

    /// Frame numbers of the files that fit, ascending: the order of a folder's entries is not
    /// defined.
    pub(in crate::io) fn numbers_on_disk(&self, pattern: &Path) -> Result<Vec<u64>, ReadError> {
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let entries = fs::read_dir(folder).map_err(|error| refused(pattern, &error))?;
        let mut numbers = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| refused(pattern, &error))?;
            if let Some(number) = entry.file_name().to_str().and_then(|name| self.number(name)) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The first file whose number has leading zeros and more digits than the pattern, and is none
    /// of the sorted `numbers`: the name of the file, and its digits.
    pub(in crate::io) fn longer_name(&self, numbers: &[u64]) -> Option<(String, usize)> {
        let here = Path::new(".");
        let folder = if self.folder.as_os_str().is_empty() { here } else { &self.folder };
        let names = fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let digits = |name: &str| {
            let digits = name.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
            let is_filled = digits.starts_with('0') && (self.digits + 1..=MAX_DIGITS).contains(&digits.len());
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            let number = digits.parse().ok().filter(|_| is_filled && is_number)?;
            numbers.binary_search(&number).is_err().then_some(digits.len())
        };
        names.filter_map(|name| digits(&name).map(|digits| (name, digits))).min()
    }

    /// The number in a file name, if the name is exactly what [`Self::path`] would write for it.
    fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        let all_digits = digits.bytes().all(|byte| byte.is_ascii_digit());
        let filled = digits.len() == self.digits || (digits.len() > self.digits && !digits.starts_with('0'));
        if !all_digits || !filled || digits.len() > MAX_DIGITS {
            return None;
        }
        digits.parse().ok()
    }
}

/// Start, end and least digits of the first `###`, `%d` or `%0Nd` in a name.
pub(in crate::io) fn placeholder(name: &str) -> Option<(usize, usize, usize)> {
    let bytes = name.as_bytes();
    for start in 0..bytes.len() {
        match bytes[start] {
            b'#' => {
                let signs = bytes[start..].iter().take_while(|&&byte| byte == b'#').count();
                return Some((start, start + signs, signs));
            }
            b'%' => {
                let rest = &bytes[start + 1..];
                let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let width = &name[start + 1..start + 1 + count];
                if rest.get(count) == Some(&b'd') && (width.is_empty() || width.starts_with('0')) {
                    // A width too long for a number is refused by the caller as too many digits.
                    let digits = if width.is_empty() { 1 } else { width.parse().unwrap_or(usize::MAX) };
                    return Some((start, start + count + 2, digits.max(1)));
                }
            }
            _ => {}
        }
    }
    None
}
