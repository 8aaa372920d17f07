//! What parts of a body are called in the file it comes from.

use std::ops::Range;

/// A name and the triangles that have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartLabel {
    /// The name, as the file has it.
    pub name: String,
    /// The triangles, as ranges of their numbers: increasing, disjoint, none empty.
    pub triangles: Vec<Range<u32>>,
}

impl PartLabel {
    /// A label of triangles in any order, repeated or not. O(n log n).
    ///
    /// ```
    /// use kinetree::incident::PartLabel;
    ///
    /// let sleeve = PartLabel::new("sleeve", [4, 2, 3, 9, 3]);
    /// assert_eq!(sleeve.triangles, [2..5, 9..10]);
    /// assert!(sleeve.contains(4) && !sleeve.contains(5));
    /// ```
    pub fn new(name: impl Into<String>, triangles: impl IntoIterator<Item = u32>) -> Self {
        let mut all: Vec<u32> = triangles.into_iter().filter(|&triangle| triangle < u32::MAX).collect();
        all.sort_unstable();
        all.dedup();
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for triangle in all {
            match ranges.last_mut() {
                Some(last) if last.end == triangle => last.end += 1,
                _ => ranges.push(triangle..triangle + 1),
            }
        }
        Self { name: name.into(), triangles: ranges }
    }

    /// Whether a triangle has this name. O(log ranges).
    pub fn contains(&self, triangle: u32) -> bool {
        let after = self.triangles.partition_point(|range| range.start <= triangle);
        after > 0 && triangle < self.triangles[after - 1].end
    }
}

/// The labels of a body's triangles, by kind. A triangle may have any number of labels of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PartLabels {
    /// Materials.
    pub materials: Vec<PartLabel>,
    /// Groups of an OBJ file, nodes of a glTF file.
    pub groups: Vec<PartLabel>,
    /// Joints that move the triangles' vertices most.
    pub joints: Vec<PartLabel>,
}

impl PartLabels {
    /// The names of some triangles, which are sorted.
    pub fn names_of(&self, triangles: &[u32]) -> PartNames {
        let of = |labels: &[PartLabel]| {
            let mut names: Vec<String> = Vec::new();
            for label in labels.iter().filter(|label| is_on_any(label, triangles)) {
                if !names.contains(&label.name) {
                    names.push(label.name.clone());
                }
            }
            names
        };
        PartNames { materials: of(&self.materials), groups: of(&self.groups), joints: of(&self.joints) }
    }
}

/// Whether any of some sorted triangles has a label. O(ranges log triangles).
fn is_on_any(label: &PartLabel, triangles: &[u32]) -> bool {
    label.triangles.iter().any(|range| {
        let first = triangles.partition_point(|&triangle| triangle < range.start);
        triangles.get(first).is_some_and(|&triangle| triangle < range.end)
    })
}

/// What an incident's triangles are called in the files they come from; each list without
/// duplicates, in the order of the labels of the body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PartNames {
    /// Materials.
    pub materials: Vec<String>,
    /// Groups of an OBJ file, nodes of a glTF file.
    pub groups: Vec<String>,
    /// Joints that move the triangles' vertices most.
    pub joints: Vec<String>,
}

impl PartNames {
    /// All names: groups, then materials, then joints.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.groups.iter().chain(&self.materials).chain(&self.joints).map(String::as_str)
    }

    /// The first `most` names of each kind, in the order of [`PartNames::all`], without the name of
    /// their body.
    pub fn first(&self, most: usize, body: &str) -> Vec<&str> {
        let other = |name: &&String| !name.is_empty() && *name != body;
        let lists = [&self.groups, &self.materials, &self.joints].into_iter();
        lists.flat_map(|list| list.iter().filter(other).take(most)).map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_triangles() {
        let label = |name: &str, triangles: &[u32]| PartLabel::new(name, triangles.iter().copied());
        let labels = PartLabels {
            materials: vec![label("skin", &[0, 1, 2]), label("cloth", &[3, 4]), label("skin", &[8])],
            groups: vec![label("hand", &[1, 5]), label("foot", &[])],
            joints: vec![],
        };
        let names = labels.names_of(&[2, 5, 8]);
        assert_eq!(names.materials, ["skin"]);
        assert_eq!(names.groups, ["hand"]);
        assert_eq!(names.all().collect::<Vec<_>>(), ["hand", "skin"]);
        assert_eq!(names.first(1, "hand"), ["skin"]);
        assert_eq!(labels.names_of(&[6, 7]), PartNames::default());
    }
}
