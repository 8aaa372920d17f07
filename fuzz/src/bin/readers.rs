//! Every reader of bytes; see `tests/fuzz`.

#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

#[path = "../../../tests/fuzz/readers.rs"]
mod readers;

/// One folder for the whole run; at the first call it also gets a good file of every format, as
/// seeds for the corpus (`KINETREE_FUZZ_SEEDS`).
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = readers::folder();
        if let Some(seeds) = std::env::var_os("KINETREE_FUZZ_SEEDS") {
            for (number, file) in readers::good_files(&folder).into_iter().enumerate() {
                std::fs::write(PathBuf::from(&seeds).join(format!("good-{number}")), file).expect("a file");
            }
        }
        folder
    })
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    readers::read(bytes, folder());
});
