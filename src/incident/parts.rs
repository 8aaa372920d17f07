//! A body's triangles divided by their names.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::labels::{PartLabel, PartLabels, PartNames};

/// Triangles of a body that have the same names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct NamedPart {
    /// The names; at least one.
    pub names: PartNames,
    /// The triangles, as ranges of their numbers: increasing, disjoint, none empty.
    pub triangles: Vec<Range<u32>>,
}

impl NamedPart {
    /// A part of some triangles. Ranges must be increasing, disjoint and not empty.
    pub fn new(names: PartNames, triangles: Vec<Range<u32>>) -> Self {
        Self { names, triangles }
    }
}

impl PartLabels {
    /// Whether no triangle has a name.
    pub fn is_empty(&self) -> bool {
        [&self.materials, &self.groups, &self.joints].into_iter().all(Vec::is_empty)
    }

    /// The triangles below `count`, divided by their names; those without a name are left out.
    /// Parts are in the order of their first triangles. O(n log n) in ranges of labels, if a
    /// triangle has few names.
    ///
    /// ```
    /// use kinetree::incident::{PartLabel, PartLabels};
    ///
    /// let mut labels = PartLabels::default();
    /// labels.materials = vec![PartLabel::new("skin", 0..6), PartLabel::new("cloth", 6..8)];
    /// labels.joints = vec![PartLabel::new("hand", [1, 2, 7])];
    /// let parts = labels.parts(9);
    /// assert_eq!(parts.len(), 4);
    /// assert_eq!(parts[0].triangles, [0..1, 3..6]);
    /// assert_eq!(parts[1].names.all().collect::<Vec<_>>(), ["skin", "hand"]);
    /// ```
    pub fn parts(&self, count: u32) -> Vec<NamedPart> {
        // Names are numbered within their kind; labels may have the same name.
        let mut ranges: Vec<([usize; 2], Range<u32>)> = Vec::new();
        for (kind, labels) in [&self.groups, &self.materials, &self.joints].into_iter().enumerate() {
            let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
            for (number, PartLabel { name, triangles }) in labels.iter().enumerate() {
                let number = *numbers.entry(name).or_insert(number);
                let within = triangles.iter().map(|range| range.start.min(count)..range.end.min(count));
                ranges.extend(within.filter(|range| !range.is_empty()).map(|range| ([kind, number], range)));
            }
        }
        let mut cuts: Vec<u32> = ranges.iter().flat_map(|(_, range)| [range.start, range.end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut between: Vec<BTreeSet<[usize; 2]>> = vec![BTreeSet::new(); cuts.len()];
        for (name, range) in ranges {
            let first = cuts.partition_point(|&cut| cut < range.start);
            let rest = cuts[first..].iter().zip(&mut between[first..]);
            rest.take_while(|(cut, _)| **cut < range.end).for_each(|(_, names)| _ = names.insert(name));
        }
        let mut parts: Vec<NamedPart> = Vec::new();
        let mut places: BTreeMap<BTreeSet<[usize; 2]>, usize> = BTreeMap::new();
        for (ends, numbers) in cuts.windows(2).zip(between).filter(|(_, numbers)| !numbers.is_empty()) {
            let range = ends[0]..ends[1];
            let Some(&place) = places.get(&numbers) else {
                let names = self.names(&numbers);
                places.insert(numbers, parts.len());
                parts.push(NamedPart::new(names, vec![range]));
                continue;
            };
            match parts[place].triangles.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => parts[place].triangles.push(range),
            }
        }
        parts
    }

    /// The names with some numbers: groups, materials and joints, each as numbered within its kind.
    fn names(&self, numbers: &BTreeSet<[usize; 2]>) -> PartNames {
        let of = |kind: usize, labels: &[PartLabel]| {
            numbers.range([kind, 0]..[kind + 1, 0]).map(|&[_, number]| labels[number].name.clone()).collect()
        };
        PartNames { groups: of(0, &self.groups), materials: of(1, &self.materials), joints: of(2, &self.joints) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incident::PartLabel;

    /// Every triangle is in the part that has its names, by a list of names per triangle.
    #[test]
    fn parts_are_what_triangles_are_called() {
        let mut seed = 0x9e37_79b9_u32;
        let mut random = |below: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 8) % below
        };
        let (mut several, mut unnamed) = (0, 0);
        for _ in 0..40 {
            let count = 1 + random(30);
            let mut some = |kind: &str| -> Vec<PartLabel> {
                let of = random(5);
                (0..of)
                    .map(|number| {
                        let triangles: Vec<u32> = (0..count + 4).filter(|_| random(3) == 0).collect();
                        PartLabel::new(format!("{kind}{}", number % 3), triangles)
                    })
                    .collect()
            };
            let labels = PartLabels { groups: some("group"), materials: some("material"), joints: some("joint") };
            let parts = labels.parts(count);
            for triangle in 0..count {
                let of = |labels: &[PartLabel]| -> Vec<String> {
                    let named = labels.iter().filter(|label| label.triangles.iter().any(|it| it.contains(&triangle)));
                    // The fourth label has the name of the first.
                    named.map(|label| label.name.clone()).collect::<BTreeSet<String>>().into_iter().collect()
                };
                let names = PartNames {
                    groups: of(&labels.groups),
                    materials: of(&labels.materials),
                    joints: of(&labels.joints),
                };
                let own: Vec<&NamedPart> =
                    parts.iter().filter(|part| part.triangles.iter().any(|it| it.contains(&triangle))).collect();
                if names == PartNames::default() {
                    unnamed += 1;
                    assert!(own.is_empty());
                } else {
                    assert_eq!(own.len(), 1);
                    let mut found = own[0].names.clone();
                    for names in [&mut found.groups, &mut found.materials, &mut found.joints] {
                        names.sort_unstable();
                    }
                    assert_eq!(found, names);
                }
            }
            several += usize::from(parts.len() > 3);
            let firsts: Vec<u32> = parts.iter().map(|part| part.triangles[0].start).collect();
            assert!(firsts.is_sorted() && labels.is_empty() == (labels == PartLabels::default()));
            for part in &parts {
                assert!(part.triangles.windows(2).all(|two| two[0].end < two[1].start), "{part:?}");
                assert!(part.triangles.iter().all(|range| range.start < range.end && range.end <= count));
            }
        }
        assert!(several > 10 && unnamed > 10, "{several} {unnamed}");
    }
}
