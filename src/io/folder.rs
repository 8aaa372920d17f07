//! Which files a document may name: those in its own folder and below.
//!
//! A scene or a model from elsewhere shall not open the rest of a disk. Absolute paths, drives and
//! shares, `..` that climb out, and links that lead out are refused, unless the caller allows them.
//! Names are judged as all systems read them: `\` separates too.

use std::path::{Path, PathBuf};

use super::error::FileError;

/// The folder of a document.
pub(super) struct Folder {
    path: PathBuf,
    /// Without links; `None` where every file is allowed, or where the folder does not exist.
    real: Option<PathBuf>,
    allow_outside: bool,
}

impl Folder {
    /// The folder in which a document is.
    pub(super) fn of(document: &Path, allow_outside: bool) -> Self {
        let path = document.parent().unwrap_or(Path::new("")).to_owned();
        let here = if path.as_os_str().is_empty() { Path::new(".") } else { &path };
        let real = if allow_outside { None } else { here.canonicalize().ok() };
        Self { path, real, allow_outside }
    }

    /// The path of a file that the document names; the file need not exist.
    pub(super) fn file(&self, name: &str) -> Result<PathBuf, FileError> {
        let path = self.path(name);
        if !self.allow_outside && climbs_out(name) {
            return Err(self.outside(name, None));
        }
        self.check(&path)?;
        Ok(path)
    }

    /// Paths written on another system have `\` between folders: they are tried with `/` where
    /// there is no file of that very name.
    fn path(&self, name: &str) -> PathBuf {
        let path = self.path.join(name);
        if cfg!(windows) || !name.contains('\\') || path.exists() {
            return path;
        }
        self.path.join(name.replace('\\', "/"))
    }

    /// Refuses a path below the folder that leads out of it by a link. A path of which nothing
    /// exists leads nowhere.
    pub(super) fn check(&self, path: &Path) -> Result<(), FileError> {
        let Some(folder) = &self.real else { return Ok(()) };
        // The pattern of a sequence is no file: its folder counts.
        let real = path.canonicalize().or_else(|_| path.parent().unwrap_or(path).canonicalize());
        match real {
            Ok(real) if !real.starts_with(folder) => Err(self.outside(&path.display().to_string(), Some(real))),
            _ => Ok(()),
        }
    }

    fn outside(&self, name: &str, leads_to: Option<PathBuf>) -> FileError {
        let folder = if self.path.as_os_str().is_empty() { Path::new(".") } else { &self.path };
        FileError::Outside { name: name.to_owned(), folder: folder.to_owned(), leads_to }
    }
}

/// Whether a name is absolute on any system, or has more `..` than folders before them.
fn climbs_out(name: &str) -> bool {
    let separators = ['/', '\\'];
    let is_drive = match name.as_bytes() {
        [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => {
            cfg!(windows) || matches!(rest.first(), Some(b'/' | b'\\'))
        }
        _ => false,
    };
    let mut depth = 0;
    let climbs = |part: &str| {
        match part {
            "" | "." => {}
            ".." => depth -= 1,
            _ => depth += 1,
        }
        depth < 0
    };
    is_drive || name.starts_with(separators) || name.split(separators).any(climbs)
}

#[cfg(test)]
mod tests {
    use super::climbs_out;

    #[test]
    fn names_that_climb_out_on_any_system() {
        for name in
            ["/x", "\\x", "\\\\host\\share\\x", "//host/x", "C:\\x", "c:/x", "..", "../x", "a/../../x", "a\\..\\..\\x"]
        {
            assert!(climbs_out(name), "{name}");
        }
        for name in ["", "x", "./x", "a/x", "a/../x", "a/./b/../../x", "..x", "x..", "a:b", ".hidden/x"] {
            assert!(!climbs_out(name), "{name}");
        }
    }
}
