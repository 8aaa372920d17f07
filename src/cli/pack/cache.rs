//! Distance fields that are kept in a folder between runs.
//!
//! A file is named by the hash of its solid and grid. What cannot be used is made again, and what
//! cannot be written is left out: neither changes a result.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::super::output::Output;
use crate::proxy::{DistanceField, ProxyError, Resolution, Solid};

/// A folder of fields, and what was done in it.
#[derive(Default)]
pub(super) struct FieldCache {
    folder: Option<PathBuf>,
    /// What the report says.
    pub(super) said: Vec<String>,
    /// What could not be used.
    pub(super) faults: Vec<String>,
}

impl FieldCache {
    /// Without a folder nothing is kept.
    pub(super) fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(Path::to_owned), ..Self::default() }
    }

    /// The field of a solid: from its file, if there is a good one; otherwise it is made, and
    /// written there.
    pub(super) fn field(&mut self, solid: &Solid, resolution: Resolution) -> Result<DistanceField, ProxyError> {
        let Some(folder) = &self.folder else { return DistanceField::new(solid, resolution) };
        let path = folder.join(format!("{:016x}.field", DistanceField::key(solid, resolution)?));
        match stored(&path, solid, resolution)? {
            Stored::Good(field) => {
                self.said.push(format!("distance field read from {}", path.display()));
                return Ok(field);
            }
            Stored::Bad(why) => {
                self.faults.push(format!("--cache: {}: {why}; the field is made again", path.display()));
            }
            Stored::Missing => {}
        }
        let field = DistanceField::new(solid, resolution)?;
        let written = std::fs::create_dir_all(folder).map_err(|error| error.to_string()).and_then(|()| {
            Output::whole(&path, &field.to_bytes(solid)).map_err(|failure| failure.message().to_owned())
        });
        match written {
            Ok(()) => self.said.push(format!("distance field written to {}", path.display())),
            Err(why) => self.faults.push(format!("--cache: the field was not written: {why}")),
        }
        Ok(field)
    }
}

enum Stored {
    Good(DistanceField),
    Bad(String),
    Missing,
}

fn stored(path: &Path, solid: &Solid, resolution: Resolution) -> Result<Stored, ProxyError> {
    let wanted = DistanceField::stored_bytes(solid, resolution)?;
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Stored::Missing),
        Err(error) => return Ok(Stored::Bad(error.to_string())),
    };
    // Before memory is reserved. A device has no length of its own, so it is no more than this.
    let found = file.metadata().map_or(0, |data| data.len());
    if found != wanted {
        return Ok(Stored::Bad(format!("it has {found} bytes, and not {wanted}")));
    }
    let mut bytes = Vec::with_capacity(wanted as usize);
    match file.by_ref().take(wanted).read_to_end(&mut bytes) {
        Err(error) => Ok(Stored::Bad(error.to_string())),
        Ok(_) => match DistanceField::from_bytes(&bytes, solid, resolution) {
            Ok(field) => Ok(Stored::Good(field)),
            Err(ProxyError::StoredField { what }) => Ok(Stored::Bad(what.to_owned())),
            Err(error) => Err(error),
        },
    }
}
