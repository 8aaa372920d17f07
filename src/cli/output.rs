//! Where results go: standard output, or a file that has its name only when it is complete.
//!
//! A file is written beside its target, as `.kinetree-PROCESS-NUMBER.part`, and renamed at the end.
//! A run that fails removes it; a run that is killed leaves it behind, and the target as it was.
//! Devices and pipes are written to as they are.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Stdout, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::Failure;

/// Names tried for a temporary file, besides those that earlier processes of the same number left
/// behind.
const MOST_NAMES: u32 = 1000;

/// A result being written, with its name for messages.
pub(super) struct Output {
    name: String,
    sink: Sink,
}

enum Sink {
    Standard(BufWriter<Stdout>),
    /// A device or a pipe.
    Direct(BufWriter<File>),
    Beside(BufWriter<File>, Temporary),
}

/// Whether a path stands for standard output.
pub(super) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

impl Output {
    /// Opens a file, or standard output for `-`. Nothing is under a file's name before
    /// [`Output::finish`].
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        if is_standard(path) {
            let sink = Sink::Standard(BufWriter::new(io::stdout()));
            return Ok(Self { name: "standard output".into(), sink });
        }
        let refused =
            |error: io::Error| Failure::Input(format!("cannot write {}: {}", path.display(), why(&error, path)));
        let sink = match fs::metadata(path) {
            Ok(there) if there.is_dir() => {
                return Err(Failure::Input(format!(
                    "cannot write {}: it is a folder; give a file name",
                    path.display()
                )));
            }
            Ok(there) if !there.is_file() => {
                Sink::Direct(BufWriter::new(OpenOptions::new().write(true).open(path).map_err(refused)?))
            }
            Ok(there) => {
                // A file that may not be written must not be replaced either.
                OpenOptions::new().write(true).open(path).map_err(refused)?;
                let (file, temporary) = Temporary::beside(path.canonicalize().map_err(refused)?).map_err(refused)?;
                // Nothing depends on it, and not every file system can.
                let _ = fs::set_permissions(&temporary.path, there.permissions());
                Sink::Beside(BufWriter::new(file), temporary)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let (file, temporary) = Temporary::beside(path.to_owned()).map_err(refused)?;
                Sink::Beside(BufWriter::new(file), temporary)
            }
            Err(error) => return Err(refused(error)),
        };
        Ok(Self { name: path.display().to_string(), sink })
    }

    /// Writes a whole file.
    pub(super) fn whole(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let mut output = Self::create(path)?;
        output.write_all(bytes).map_err(|error| output.failed(&error))?;
        output.finish()
    }

    /// The result is complete: gives a file its name.
    pub(super) fn finish(mut self) -> Result<(), Failure> {
        self.flush().map_err(|error| self.failed(&error))?;
        let Self { name, sink } = self;
        let Sink::Beside(file, temporary) = sink else { return Ok(()) };
        let renamed = file.into_inner().map_err(io::IntoInnerError::into_error).and_then(|file| temporary.finish(file));
        renamed.map_err(|error| failed(&name, &error))
    }

    /// Its name for messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The failure that an error of a write is.
    pub(super) fn failed(&self, error: &io::Error) -> Failure {
        failed(&self.name, error)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.sink {
            Sink::Standard(out) => out.write(bytes),
            Sink::Direct(out) | Sink::Beside(out, _) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.sink {
            Sink::Standard(out) => out.flush(),
            Sink::Direct(out) | Sink::Beside(out, _) => out.flush(),
        }
    }
}

/// Files that are not complete, for a program that ends before they are dropped.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes all files that are not complete: the program is about to end.
pub(super) fn remove_unfinished() {
    let files = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    files.iter().for_each(|path| {
        let _ = fs::remove_file(path);
    });
}

/// A file that is not complete; removed unless it is finished.
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
                Ok(file) => {
                    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.clone());
                    return Ok((file, Self { path, target }));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MOST_NAMES => number += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn finish(self, file: File) -> io::Result<()> {
        // Some file systems tell only here that they are full.
        file.sync_all()?;
        drop(file);
        fs::rename(&self.path, &self.target)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // Renamed files are not there any more.
        let _ = fs::remove_file(&self.path);
        UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.path);
    }
}

/// Prints to standard output; escape codes are dropped where that is not a terminal.
pub(super) fn say(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| failed("standard output", &error))
}

/// Prints to standard error. A message that nothing can take is lost; the status still tells.
pub(super) fn warn(text: &str) {
    let mut out = anstream::stderr();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// The failure that an error of a write is.
pub(super) fn failed(name: &str, error: &io::Error) -> Failure {
    match error.kind() {
        ErrorKind::BrokenPipe => Failure::Closed,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            Failure::Output(format!("cannot write {name}: {error}; free some space, or write elsewhere"))
        }
        _ => Failure::Output(format!("cannot write {name}: {error}; write elsewhere, or try again")),
    }
}

/// Why a file cannot be created, and what to do.
fn why(error: &io::Error, path: &Path) -> String {
    let folder = folder_of(path);
    match error.kind() {
        ErrorKind::NotFound if folder.is_dir() => {
            format!("no file can be made in the folder {}; give another path", folder.display())
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => {
            format!("there is no folder {}; make it first, or give another path", folder.display())
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("{error}; the file and its folder {} must be writable", folder.display())
        }
        _ => format!("{error}; give another path"),
    }
}

/// The message of a file that is read and refused for `error`; of one that is not there, `remedy`
/// says what to give.
pub(super) fn unread(path: &Path, error: &impl std::fmt::Display, remedy: &str) -> String {
    let shown = path.display();
    if path.exists() { format!("{shown}: {error}") } else { format!("{shown}: there is no such file; {remedy}") }
}

/// The folder a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses results that would replace each other or a file that is read. `results` are named by
/// their options.
pub(super) fn keep_apart<'a>(
    results: &[(&str, &Path)],
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), Failure> {
    let is_device = |path: &Path| !is_standard(path) && path.exists() && !path.is_file();
    for (place, &(option, path)) in results.iter().enumerate().filter(|(_, (_, path))| !is_device(path)) {
        if let Some((other, _)) = results[..place].iter().find(|&&(_, other)| identity(other) == identity(path)) {
            let both = if is_standard(path) { "standard output".into() } else { path.display().to_string() };
            return Err(Failure::Input(format!("{other} and {option} would both write to {both}; give two files")));
        }
    }
    spare(results, inputs)
}

/// Refuses results that would replace a file that is read, but not those that would replace each
/// other.
pub(super) fn spare<'a>(results: &[(&str, &Path)], inputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Failure> {
    let there = results.iter().filter(|(_, path)| !is_standard(path) && path.is_file());
    let there: BTreeMap<PathBuf, _> = there.map(|result| (identity(result.1), result)).collect();
    if there.is_empty() {
        return Ok(());
    }
    match inputs.into_iter().find_map(|input| there.get(&identity(input))) {
        Some((option, path)) => {
            let path = path.display();
            Err(Failure::Input(format!("{option}: {path} is read for this very run; give another file")))
        }
        None => Ok(()),
    }
}

/// A path without links, as far as it exists.
fn identity(path: &Path) -> PathBuf {
    let parent = || Some(folder_of(path).canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(parent).unwrap_or_else(|| path.to_owned())
}
