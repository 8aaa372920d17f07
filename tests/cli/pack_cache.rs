//! `kinetree pack --cache`: the same files with and without; damage and foreign files change
//! nothing.

use std::fs;
use std::path::PathBuf;

use crate::io_support::Folder;
use crate::program::{run, text};

const VAN: &str = "fixtures/van/van.obj";

/// Packs a mesh into the cache of a folder: the file of spheres, the report, standard error.
fn pack(folder: &Folder, mesh: &str, more: &[&str]) -> (Vec<u8>, String, String) {
    let out = folder.at("out.json");
    let done = run(&[&["pack", mesh, "--spheres", "12", "--cells", "12", "-o", &out], more].concat());
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    (fs::read(folder.path("out.json")).unwrap(), text(&done.stdout), text(&done.stderr))
}

fn fields(folder: &Folder) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder.path("cache")).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn a_cache_changes_nothing_but_the_time() {
    let folder = Folder::new();
    let cache = folder.at("cache");
    let cached = ["--cache", cache.as_str()];
    let (plain, report, errors) = pack(&folder, VAN, &[]);
    assert!(!report.contains("distance field") && errors.is_empty());
    // The folder is made.
    let (first, report, errors) = pack(&folder, VAN, &cached);
    assert!(first == plain && errors.is_empty(), "{errors}");
    assert!(report.contains("distance field written to "), "{report}");
    let [path] = &fields(&folder)[..] else { panic!("one field") };
    assert!(path.extension().is_some_and(|ending| ending == "field"));
    let good = fs::read(path).unwrap();
    let (second, report, errors) = pack(&folder, VAN, &cached);
    assert!(second == plain && errors.is_empty(), "{errors}");
    assert!(report.contains(&format!("distance field read from {}", path.display())), "{report}");

    // Another grid, and another surface, have files of their own.
    pack(&folder, VAN, &["--cache", &cache, "--wrap", "50cm"]);
    let (_, report, _) = pack(&folder, "fixtures/van/van_dented.obj", &cached);
    assert!(report.contains("written to ") && fields(&folder).len() == 3, "{report}");

    // Damaged: cut, longer, changed at any place, empty, and the field of another mesh.
    let other = fields(&folder).into_iter().find(|other| other != path).unwrap();
    let mut bad: Vec<Vec<u8>> = vec![Vec::new(), good[..good.len() - 1].to_vec(), [&good[..], &[0]].concat()];
    for place in [0, 9, 20, 27, 50, 90, good.len() - 1] {
        let mut damaged = good.clone();
        damaged[place] ^= 4;
        bad.push(damaged);
    }
    bad.push(fs::read(&other).unwrap());
    for damaged in bad {
        fs::write(path, &damaged).unwrap();
        let (spheres, report, errors) = pack(&folder, VAN, &cached);
        assert!(spheres == plain && fs::read(path).unwrap() == good, "it is made again");
        assert!(errors.starts_with("note: --cache: ") && errors.contains("the field is made again"), "{errors}");
        assert!(report.contains("written to "), "{report}");
    }
    // No file, and no folder.
    fs::remove_file(path).unwrap();
    fs::create_dir(path).unwrap();
    let (spheres, _, errors) = pack(&folder, VAN, &cached);
    assert!(spheres == plain && errors.contains("the field was not written"), "{errors}");
    let file = folder.write_at("file", "x");
    let (spheres, _, errors) = pack(&folder, VAN, &["--cache", &file]);
    assert!(spheres == plain && errors.contains("the field was not written"), "{errors}");
    assert_eq!(fs::read(folder.path("file")).unwrap(), b"x");
}
