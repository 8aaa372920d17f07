//! The public surface of the default features, `io`, `scenes` and `serde`: every name a host can use stands in
//! `tests/pinned/surface.txt`. A new public name or method fails here until it is listed there.
//!
//! The reader follows `pub use` and `pub mod` from `src/lib.rs`, leaves out what needs the feature `unstable` or is hidden, and
//! collects the public methods of the types it finds. `KINETREE_UPDATE_SURFACE=1 cargo test --test surface` writes the list.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// An item of a module: its attributes and its text up to its block or semicolon, and the block.
#[derive(Debug)]
struct Item {
    attributes: String,
    head: String,
    block: String,
}

/// Source text without comments; the contents of strings and characters become spaces, but those of attributes stay.
fn without_comments(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
        } else if let Some(after) = rest.strip_prefix("/*") {
            rest = after.find("*/").map_or("", |end| &after[end + 2..]);
        } else if c == '"' {
            let end = string_end(rest);
            let is_feature = code.trim_end().ends_with("feature =");
            code.push_str(if is_feature { &rest[..end] } else { "\"\"" });
            rest = &rest[end..];
        } else if rest.starts_with("'{'") || rest.starts_with("'}'") || rest.starts_with("'\"'") {
            rest = &rest[3..];
        } else {
            code.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    code
}

fn string_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// End of the bracketed text that begins at the start of `text`, one past its closing bracket.
fn bracket_end(text: &str) -> usize {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Items of code without comments, at its top level.
fn items(code: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut rest = code.trim_start();
    while !rest.is_empty() {
        let mut attributes = String::new();
        while rest.starts_with('#') {
            let open = rest.find('[').unwrap_or(rest.len() - 1);
            let end = open + bracket_end(&rest[open..]);
            attributes.push_str(&rest[..end]);
            rest = rest[end..].trim_start();
        }
        let is_use = rest.starts_with("pub use") || rest.starts_with("use");
        let stop = rest.find(|c| c == ';' || (c == '{' && !is_use)).unwrap_or(rest.len());
        let (head, after) = rest.split_at(stop);
        let block_end = if after.starts_with('{') { bracket_end(after) } else { after.len().min(1) };
        items.push(Item { attributes, head: head.trim().to_owned(), block: after[..block_end].to_owned() });
        rest = after[block_end..].trim_start();
    }
    items
}

/// The feature an item needs; `Err` if a host cannot see it.
fn feature(attributes: &str) -> Result<&str, ()> {
    let dense: String = attributes.chars().filter(|c| !c.is_whitespace()).collect();
    let is_hidden = ["#[cfg(test)]", "#[doc(hidden)]", "cfg(feature=\"unstable\")"].iter().any(|no| dense.contains(no))
        || (dense.contains("not(feature=\"unstable\")") && dense.contains("doc(hidden)"));
    if is_hidden {
        return Err(());
    }
    let from = attributes.find("cfg(feature = \"").map(|at| at + "cfg(feature = \"".len());
    Ok(from.map_or("", |from| &attributes[from..from + attributes[from..].find('"').unwrap_or(0)]))
}

/// Names that a `use` tree brings in, with the path each comes from.
fn used(tree: &str, path: &str, found: &mut Vec<(String, String)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let path = format!("{path}{}", &tree[..open]);
        let inner = &tree[open + 1..tree.len() - 1];
        let mut depth = 0;
        let parts = inner.split(|c| {
            depth += i32::from(c == '{') - i32::from(c == '}');
            c == ',' && depth == 0
        });
        parts.filter(|part| !part.trim().is_empty()).for_each(|part| used(part, &path, found));
    } else {
        let whole = format!("{path}{tree}");
        let (from, name) = whole.split_once(" as ").unwrap_or((&whole, whole.rsplit("::").next().unwrap()));
        assert!(!name.contains('*'), "'{whole}' hides its names from the list");
        found.push((name.trim().to_owned(), from.trim().to_owned()));
    }
}

/// What reads a crate: files by their module.
struct Reader<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    /// All files below a module's folder, and its own.
    below: &'a dyn Fn(&str) -> Vec<String>,
    names: BTreeSet<String>,
}

impl Reader<'_> {
    /// Collects the names of a module whose path is `module` (`a::b`, empty for the crate).
    fn module(&mut self, module: &str, code: &str, outer: &str) {
        for item in items(code) {
            let Ok(feature) = feature(&item.attributes) else { continue };
            let tag = if feature.is_empty() { outer } else { feature };
            let Some(head) = item.head.strip_prefix("pub ") else { continue };
            let mut words = head.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
            let kind = words.find(|word| !["unsafe", "async", "extern"].contains(word)).unwrap_or("");
            let name = words.find(|word| *word != "fn").unwrap_or("").to_owned();
            let inside = if module.is_empty() { name.clone() } else { format!("{module}::{name}") };
            match kind {
                "use" => {
                    let mut found = Vec::new();
                    used(&head["use".len()..], "", &mut found);
                    for (name, from) in found {
                        let from = from.trim_start_matches("self::").trim_start_matches("crate::").to_owned();
                        let place = if module.is_empty() { name } else { format!("{module}::{name}") };
                        let full = if module.is_empty() { from } else { format!("{module}::{from}") };
                        self.name(&place, &full, tag);
                    }
                }
                "mod" => {
                    self.add(&inside, tag);
                    let text = if item.block.starts_with('{') {
                        item.block[1..item.block.len() - 1].to_owned()
                    } else {
                        without_comments(
                            &(self.read)(&inside).unwrap_or_else(|| panic!("no file of module '{inside}'")),
                        )
                    };
                    self.module(&inside, &text, tag);
                }
                "struct" | "enum" | "trait" | "union" => self.name(&inside, &inside, tag),
                "fn" | "const" | "static" | "type" => self.add(&inside, tag),
                _ => {}
            }
        }
    }

    fn add(&mut self, name: &str, tag: &str) {
        self.names.insert(if tag.is_empty() { name.to_owned() } else { format!("{name} [{tag}]") });
    }

    /// A name, and the public methods of the type it stands for.
    fn name(&mut self, place: &str, from: &str, tag: &str) {
        self.add(place, tag);
        let (room, own) = from.rsplit_once("::").unwrap_or(("", from));
        for text in (self.below)(room) {
            for item in items(&without_comments(&text)) {
                if feature(&item.attributes).is_err() || !is_impl_of(&item.head, own) {
                    continue;
                }
                for method in items(&item.block[1..item.block.len().max(2) - 1]) {
                    let (Ok(feature), Some(head)) = (feature(&method.attributes), method.head.strip_prefix("pub "))
                    else {
                        continue;
                    };
                    let name = head.trim_start_matches("const ").trim_start_matches("fn ");
                    let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                    self.add(&format!("{place}::{name}"), if feature.is_empty() { tag } else { feature });
                }
            }
        }
    }
}

/// Whether an item is an `impl` of a type's own methods.
fn is_impl_of(head: &str, name: &str) -> bool {
    let Some(rest) = head.strip_prefix("impl") else { return false };
    let rest = if rest.starts_with('<') { &rest[rest.find("> ").map_or(0, |at| at + 1)..] } else { rest };
    let rest = rest.trim_start();
    !rest.contains(" for ")
        && rest.strip_prefix(name).is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric()))
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn file_of(module: &str) -> Option<PathBuf> {
    let path = source().join(module.replace("::", "/"));
    [path.with_extension("rs"), path.join("mod.rs")].into_iter().find(|path| path.is_file())
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_below(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// Texts of the first file or folder that the path of a type leads to, widest first: methods may stand in any file of a room.
fn texts_of(module: &str) -> Vec<String> {
    let mut files = Vec::new();
    let room = module.split("::").next().unwrap_or("");
    let inner: Vec<&str> = module.split("::").collect();
    // `reduced::bounds::x` and `narrow::intervals`: names repeat between rooms inside these, not within.
    let depth = if ["reduced", "narrow", "io", "scenes"].contains(&room) { inner.len().min(2) } else { 1 };
    let folder = source().join(inner[..depth].join("/"));
    files.extend(file_of(&inner[..depth].join("::")));
    files_below(&folder, &mut files);
    files.dedup();
    files.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

fn surface() -> BTreeSet<String> {
    let read = |module: &str| file_of(module).map(|path| fs::read_to_string(path).unwrap());
    let mut reader = Reader { read: &read, below: &|module| texts_of(module), names: BTreeSet::new() };
    let text = fs::read_to_string(source().join("lib.rs")).unwrap();
    reader.module("", &without_comments(&text), "");
    reader.names
}

#[test]
fn every_public_name_is_listed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pinned/surface.txt");
    let found = surface();
    if std::env::var_os("KINETREE_UPDATE_SURFACE").is_some() {
        let lines: Vec<&str> = found.iter().map(String::as_str).collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
    }
    let text = fs::read_to_string(&path).unwrap();
    let listed: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    let added: Vec<&String> = found.difference(&listed).collect();
    let gone: Vec<&String> = listed.difference(&found).collect();
    assert!(added.is_empty(), "public, and not in tests/pinned/surface.txt: {added:#?}");
    assert!(gone.is_empty(), "in tests/pinned/surface.txt, and not public: {gone:#?}");
    let at_root = found.iter().filter(|name| !name.contains("::")).count();
    assert!((50..=100).contains(&at_root), "{at_root} names at the root");
}

/// What a host reads first uses the stable names only: tests have the feature `unstable`, a host has not.
#[test]
fn documents_name_the_surface_only() {
    let names: BTreeSet<String> = surface().iter().map(|name| name.split(' ').next().unwrap().to_owned()).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = vec![root.join("README.md"), root.join("examples/host_loop.rs")];
    for room in ["world", "mesh", "motion", "proxy"] {
        files_below(&root.join("src").join(room), &mut files);
    }
    files.extend(
        ["narrow/intervals/mod", "narrow/proximity/mod", "narrow/tri_tri", "narrow/ray"]
            .map(|file| source().join(format!("{file}.rs"))),
    );
    files.extend(["lib", "error", "limits", "stats", "time", "id"].map(|file| source().join(format!("{file}.rs"))));
    files.extend(
        fs::read_dir(source().join("reduced"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file()),
    );
    let mut checked = 0;
    let mut faults = Vec::new();
    for path in files {
        for (number, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            let is_source = path.starts_with(source());
            if is_source && !line.trim_start().starts_with("//") {
                continue;
            }
            for (at, _) in line.match_indices("kinetree::") {
                let mut found = Vec::new();
                let tail = line[at + "kinetree::".len()..].trim_end();
                let end = tail.find(|c| !matches!(c, '_' | ':' | '{' | '}' | ',' | ' ') && !char::is_alphanumeric(c));
                let tree = &tail[..end.unwrap_or(tail.len())];
                let tree = if tree.contains('{') { tree } else { tree.split([' ', ',', '}']).next().unwrap() };
                used(tree.trim_end_matches(':'), "", &mut found);
                checked += found.len();
                let unknown = found.iter().filter(|(_, from)| !names.contains(from));
                faults.extend(unknown.map(|(_, from)| format!("{}:{}: kinetree::{from}", path.display(), number + 1)));
            }
        }
    }
    assert!(checked > 10, "only {checked} paths found");
    assert!(faults.is_empty(), "not in tests/pinned/surface.txt:\n{}", faults.join("\n"));
}

/// Names the reader finds in one file of two modules.
fn names_of(lib: &str, inner: &str) -> Vec<String> {
    let read = |_: &str| Some(inner.to_owned());
    let mut reader = Reader { read: &read, below: &|_| vec![inner.to_owned()], names: BTreeSet::new() };
    reader.module("", &without_comments(lib), "");
    reader.names.into_iter().collect()
}

#[test]
fn the_reader_finds_what_is_public() {
    assert_eq!(names_of("pub use a::{B, c::{D, e as F}};", ""), ["B", "D", "F"]);
    assert_eq!(names_of("use a::B;\nmod c;\npub(crate) use a::D;\npub(crate) mod e;", ""), Vec::<String>::new());
    assert_eq!(
        names_of("pub fn one() { let x = \"}\"; }\n// pub fn two() {}\npub const THREE: u8 = 3;", ""),
        ["THREE", "one"]
    );
    assert_eq!(
        names_of("pub mod a;", "pub struct S { x: u8 }\nimpl S { pub fn f() {} fn g() {} }"),
        ["a", "a::S", "a::S::f"]
    );
    assert_eq!(names_of("pub mod a { pub enum E { V } }", ""), ["a", "a::E"]);
    let gated = "#[cfg(feature = \"unstable\")]\npub mod a;\n#[cfg(not(feature = \"unstable\"))]\nmod a;\n#[cfg(feature = \"io\")]\npub mod b {}";
    assert_eq!(names_of(gated, ""), ["b [io]"]);
    let hidden = "pub struct S;\nimpl S {\n#[cfg_attr(not(feature = \"unstable\"), doc(hidden))]\npub fn f() {}\n#[must_use]\npub const fn g() {}\n}";
    assert_eq!(names_of("pub use a::S;", hidden), ["S", "S::g"]);
    assert_eq!(
        names_of(
            "pub use a::S;",
            "impl T for S { fn f() {} }\nimpl<'a> S<'a> { pub fn h(&self) {} }\nimpl Sx { pub fn i() {} }"
        ),
        ["S", "S::h"]
    );
    assert_eq!(
        names_of("unstable_use!(self::{a::B});\nmacro_rules! m { () => { pub use x; }; }", ""),
        Vec::<String>::new()
    );
}

#[test]
#[should_panic(expected = "hides its names")]
fn a_glob_is_refused() {
    names_of("pub use a::*;", "");
}
