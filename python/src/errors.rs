//! Exceptions with codes.

use std::path::PathBuf;

use kinetree::{Error, TrialError, WorldError as LibraryError};
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(kinetree, KinetreeError, PyException, "Any error of this package; `code` names its kind.");
create_exception!(kinetree, InputError, KinetreeError, "A mesh, a motion, an option or an array was refused.");
create_exception!(kinetree, WorldError, KinetreeError, "A change of a world, or a query, was refused.");
create_exception!(kinetree, AdvanceError, KinetreeError, "The clock was not advanced.");
create_exception!(kinetree, FileError, KinetreeError, "A file was refused.");

/// The exception of an error of the library. `code` is the path of its variant, such as
/// `World.NoSuchBody`.
pub(crate) fn raised(error: impl Into<Error>) -> PyErr {
    let error = match error.into() {
        // A body that does not exist is the same fault wherever it is named.
        Error::Trial(TrialError::World(error @ LibraryError::NoSuchBody { .. })) => Error::World(error),
        error => error,
    };
    let message = error.to_string();
    let code = code_of(&format!("{error:?}"));
    let raised = match error {
        Error::World(_) => WorldError::new_err(message),
        Error::Advance(_) => AdvanceError::new_err(message),
        Error::Read(_) | Error::BakedScene(_) => FileError::new_err(message),
        _ => InputError::new_err(message),
    };
    with_code(raised, &code)
}

/// An error of a thread that does not touch Python.
pub(crate) enum Fault {
    Library(Box<Error>),
    /// Code and message of an [`InputError`].
    Refused(String, String),
    /// Code of a [`FileError`], the file and the message.
    File(&'static str, PathBuf, String),
}

/// An error of the library, for a thread that does not touch Python.
pub(crate) fn fault(error: impl Into<Error>) -> Fault {
    Fault::Library(Box::new(error.into()))
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Library(error) => raised(*error),
            Fault::Refused(code, message) => refused(&code, message),
            Fault::File(code, path, message) => {
                with_code(FileError::new_err(format!("{}: {message}", path.display())), code)
            }
        }
    }
}

/// An [`InputError`] with a code.
pub(crate) fn refused(code: &str, message: String) -> PyErr {
    with_code(InputError::new_err(message), code)
}

/// A [`WorldError`] with a code.
pub(crate) fn world_refused(code: &str, message: String) -> PyErr {
    with_code(WorldError::new_err(message), code)
}

/// Parts that do not go together; the code is `Merge.` and the variant.
pub(crate) fn unjoined(error: &kinetree::check::MergeError) -> Fault {
    Fault::Refused(format!("Merge.{}", code_of(&format!("{error:?}"))), error.to_string())
}

fn with_code(raised: PyErr, code: &str) -> PyErr {
    Python::attach(|py| {
        // An exception takes attributes; if it did not, its message would still tell.
        let _ = raised.value(py).setattr("code", code);
    });
    raised
}

/// The names of the variants that a debug output begins with: `World(Motion { .. })` gives
/// `World.Motion`.
fn code_of(debug: &str) -> String {
    let mut names = Vec::new();
    for word in debug.split(['(', '{']).map(str::trim) {
        let is_name =
            word.starts_with(|c: char| c.is_ascii_uppercase()) && word.chars().all(|c| c.is_ascii_alphanumeric());
        if !is_name {
            break;
        }
        names.push(word);
    }
    names.join(".")
}
