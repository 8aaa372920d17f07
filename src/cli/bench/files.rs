//! The folder that a benchmark writes to.

use std::path::Path;

use super::figures::figures;
use super::row::Row;
use crate::cli::Failure;
use crate::cli::output::Output;

/// Makes a folder, and makes sure that it can be written to.
pub(super) fn prepare(folder: &Path) -> Result<(), Failure> {
    let failed =
        |error| Failure::Input(format!("--out: {}: {error}; give a folder that can be written to", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let probe = folder.join(format!(".kinetree-bench-{}", std::process::id()));
    std::fs::write(&probe, "").map_err(failed)?;
    std::fs::remove_file(&probe).map_err(failed)
}

/// Writes all rows so far, and the figures that can be drawn of them.
pub(super) fn write(folder: &Path, rows: &[Row], compared_at: usize) -> Result<(), Failure> {
    let path = folder.join("bench.csv");
    let failed = |error: csv::Error| Failure::Output(format!("cannot write {}: {error}", path.display()));
    let mut csv = csv::Writer::from_writer(Vec::new());
    for row in rows {
        csv.serialize(row).map_err(failed)?;
    }
    let table = csv.into_inner().map_err(|error| failed(error.into_error().into()))?;
    Output::whole(&path, &table)?;
    for (file, figure) in figures(rows, compared_at) {
        Output::whole(&folder.join(file), figure.svg().as_bytes())?;
    }
    Ok(())
}
