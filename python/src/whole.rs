//! Files that have their names only when they are complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::errors::Fault;

/// Names tried for a temporary file, besides those that earlier processes of the same number left
/// behind.
const MOST_NAMES: u32 = 1000;

/// Writes a file: beside its target, renamed at the end. If that fails, an earlier file stays as it
/// was. Devices and pipes are written to as they are.
pub(crate) fn write_whole(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Fault> {
    written(path, write)
        .map_err(|error| Fault::File("Write", path.to_owned(), format!("the file cannot be written: {error}")))
}

/// [`write_whole`], of bytes.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    write_whole(path, |file| file.write_all(bytes))
}

fn written(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (mut file, temporary) = match fs::metadata(path) {
        Ok(there) if !there.is_file() => return write(&mut OpenOptions::new().write(true).open(path)?),
        Ok(there) => {
            // A file that may not be written must not be replaced either.
            OpenOptions::new().write(true).open(path)?;
            let (file, temporary) = Temporary::beside(path.canonicalize()?)?;
            // Nothing depends on it, and not every file system can.
            let _ = fs::set_permissions(&temporary.path, there.permissions());
            (file, temporary)
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Temporary::beside(path.to_owned())?,
        Err(error) => return Err(error),
    };
    write(&mut file)?;
    // Some file systems tell only here that they are full.
    file.sync_all()?;
    drop(file);
    fs::rename(&temporary.path, &temporary.target)
}

/// A file that is not complete; removed unless it was renamed.
struct Temporary {
    path: PathBuf,
    target: PathBuf,
}

impl Temporary {
    fn beside(target: PathBuf) -> io::Result<(File, Self)> {
        let mut number = 0;
        loop {
            let path = target.with_file_name(format!(".kinetree-{}-{number}.part", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => return Ok((file, Self { path, target })),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MOST_NAMES => number += 1,
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // A renamed file is not there any more.
        let _ = fs::remove_file(&self.path);
    }
}
