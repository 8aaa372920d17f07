//! `hero.glb#Body@Walk`: a file, one of its nodes, one of its clips.

use std::path::PathBuf;

/// A model and what is meant of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::io) struct Reference {
    pub(in crate::io) path: PathBuf,
    pub(in crate::io) node: Option<String>,
    pub(in crate::io) clip: Option<String>,
}

impl Reference {
    /// Splits after the first `.glb` or `.gltf` that ends the text or stands before `#` or `@`;
    /// `None` where there is none. A node's name ends at the first `@`; a clip's may contain any
    /// character.
    pub(in crate::io) fn parse(text: &str) -> Option<Self> {
        let end = end_of_file_name(text, &[".glb", ".gltf"])?;
        let (path, rest) = text.split_at(end);
        let (node, clip) = match rest.strip_prefix('#') {
            Some(rest) => match rest.split_once('@') {
                Some((node, clip)) => (Some(node), Some(clip)),
                None => (Some(rest), None),
            },
            None => (None, rest.strip_prefix('@')),
        };
        let word = |word: &str| (!word.is_empty()).then(|| word.to_owned());
        Some(Self { path: path.into(), node: node.and_then(word), clip: clip.and_then(word) })
    }
}

/// Where the first name with one of the endings ends: at the end of the text, or before `#` or `@`.
pub(in crate::io) fn end_of_file_name(text: &str, endings: &[&str]) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let ends = endings.iter().flat_map(|ending| lower.match_indices(ending).map(|(at, found)| at + found.len()));
    ends.filter(|&end| matches!(lower.as_bytes().get(end), None | Some(b'#' | b'@'))).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_node_and_clip() {
        let parts = |text: &str| {
            let Reference { path, node, clip } = Reference::parse(text)?;
            Some((path.display().to_string(), node.unwrap_or_default(), clip.unwrap_or_default()))
        };
        for (text, path, node, clip) in [
            ("a.glb", "a.glb", "", ""),
            ("a.GLTF#Body", "a.GLTF", "Body", ""),
            ("a.glb@Walk", "a.glb", "", "Walk"),
            ("a.glb#Body@Walk", "a.glb", "Body", "Walk"),
            ("C:\\x\\a.glb#rig:Body@a|b@c", "C:\\x\\a.glb", "rig:Body", "a|b@c"),
            ("me@home/v#2/a.glb#", "me@home/v#2/a.glb", "", ""),
            ("a.glb.d/b.glb#n/1.glb", "a.glb.d/b.glb", "n/1.glb", ""),
        ] {
            assert_eq!(parts(text), Some((path.into(), node.into(), clip.into())), "{text}");
        }
        assert_eq!(parts("a.obj#Body"), None);
        assert_eq!(parts("a.glbx"), None);
    }
}
