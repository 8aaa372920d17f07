//! Names of bodies: short where that is unique, with the folder or the file where it is not.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::super::sequence::NamePattern;

/// What a body may be called.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// The user's own word, never changed.
    pub(super) given: Option<String>,
    pub(super) short: String,
    /// With what tells it from others of the same short name.
    pub(super) long: String,
}

/// The name of a mesh or a sequence by its file: without ending, number and folder.
pub(super) fn of_file(path: &Path) -> Name {
    let short = stem(path);
    let folder = path.parent().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
    let long = folder.map_or_else(|| short.clone(), |folder| format!("{folder}/{short}"));
    Name { given: None, short, long }
}

/// The name of a body of a model.
pub(super) fn of_node(path: &Path, node: &str) -> Name {
    let short = if node.trim().is_empty() { stem(path) } else { node.to_owned() };
    Name { given: None, long: format!("{}/{short}", stem(path)), short }
}

fn stem(path: &Path) -> String {
    let name = NamePattern::stem(path)
        .unwrap_or_else(|| path.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned()));
    let trimmed = name.trim_end_matches(['_', '-', '.', ' ']).trim();
    if trimmed.is_empty() { "body".into() } else { trimmed.to_owned() }
}

/// One name a body, no two equal: the short one; the long one where several bodies have the same
/// short one; ` (2)`, ` (3)` where these are equal too.
pub(super) fn unique(names: &[Name]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name.given.as_ref().unwrap_or(&name.short)).or_insert(0) += 1;
    }
    let mut taken: BTreeSet<String> = names.iter().filter_map(|name| name.given.clone()).collect();
    let mut pick = |name: &Name| {
        if let Some(given) = &name.given {
            return given.clone();
        }
        let base = if counts.get(&*name.short) == Some(&1) { &name.short } else { &name.long };
        let numbered = (1..).map(|number| if number == 1 { base.clone() } else { format!("{base} ({number})") });
        let free = numbered.into_iter().find(|candidate| !taken.contains(candidate)).unwrap_or_default();
        taken.insert(free.clone());
        free
    };
    names.iter().map(&mut pick).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_then_long_then_numbered() {
        let file = |path: &str| of_file(Path::new(path));
        let node = |path: &str, name: &str| of_node(Path::new(path), name);
        assert_eq!(unique(&[file("a/cloth_####.obj"), file("ball.obj")]), ["cloth", "ball"]);
        assert_eq!(unique(&[file("a/cloth.obj"), file("b/cloth.ply")]), ["a/cloth", "b/cloth"]);
        assert_eq!(unique(&[file("cloth.obj"), file("cloth.obj")]), ["cloth", "cloth (2)"]);
        assert_eq!(unique(&[node("a.glb", "Body"), node("b.glb", "Body")]), ["a/Body", "b/Body"]);
        assert_eq!(unique(&[node("a.glb", "Body"), node("a.glb", "Body")]), ["a/Body", "a/Body (2)"]);
        assert_eq!(unique(&[file("####.obj"), file("%d.stl")]), ["body", "body (2)"]);
        let given = Name { given: Some("ball".into()), ..file("x.obj") };
        assert_eq!(unique(&[file("ball.obj"), given]), ["ball (2)", "ball"]);
    }
}
