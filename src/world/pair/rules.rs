//! What the host decided about pairs of bodies, and what follows from it and from the bodies' own
//! rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::world::body::bodies::Bodies;

/// Pairs of triangles of two bodies that are never reported.
pub(crate) type IgnoredTriangles = Arc<BTreeSet<(u32, u32)>>;

/// Rules of single pairs of bodies.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct PairRules {
    pub(crate) decisions: Decisions,
    /// Distances the host decided on, metres, whatever the bodies' thicknesses say; by pair of
    /// bodies, the lower index first.
    pub(crate) distances: BTreeMap<(u32, u32), f64>,
    /// Pairs of triangles never reported, by pair of bodies, the lower index first.
    #[cfg_attr(feature = "record", serde(with = "crate::saved::shared"))]
    pub(crate) ignored: BTreeMap<(u32, u32), IgnoredTriangles>,
}

impl PairRules {
    /// Whether two bodies are tested against each other: by the host's decision, or by their
    /// filters.
    pub(crate) fn may_meet(&self, a: u32, b: u32, bodies: &Bodies) -> bool {
        let by_filters = || bodies.at(a).rules.filter.allows(bodies.at(b).rules.filter);
        self.decisions.get(a, b).unwrap_or_else(by_filters)
    }

    /// Whether there may be any body that a body is tested against.
    pub(crate) fn takes_part(&self, body: u32, bodies: &Bodies) -> bool {
        let filter = bodies.at(body).rules.filter;
        (filter.category != 0 && filter.mask != 0) || self.decisions.of(body).any(|(_, watched)| watched)
    }

    /// The distance from which triangles of two bodies, or of one, count as touching, metres: what
    /// was decided for the pair, or the mean of the bodies' thicknesses.
    pub(crate) fn distance(&self, a: u32, b: u32, bodies: &Bodies) -> f64 {
        let thickness = |body: u32| bodies.at(body).rules.thickness;
        let decided = self.distances.get(&(a.min(b), a.max(b))).copied();
        decided.unwrap_or_else(|| 0.5 * thickness(a) + 0.5 * thickness(b))
    }

    /// How far a body's bounds are moved outward so that no pair within its distance is missed,
    /// metres: half of the largest distance at which it counts as touching anything.
    pub(crate) fn contact_margin(&self, body: u32, bodies: &Bodies) -> f64 {
        let decided = self.distances.iter().filter(|&(&(a, b), _)| a != b && (a == body || b == body));
        0.5 * decided.map(|(_, &distance)| distance).fold(bodies.at(body).rules.thickness, f64::max)
    }

    /// Forgets all rules of a body that is removed.
    pub(crate) fn forget(&mut self, body: u32) {
        let has_body = |&(a, b): &(u32, u32)| a == body || b == body;
        self.decisions.forget(body);
        self.distances.retain(|pair, _| !has_body(pair));
        self.ignored.retain(|pair, _| !has_body(pair));
    }
}

/// Pairs of bodies about which the host decided, whatever their filters say. Every pair is entered
/// both ways round.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Decisions(BTreeMap<(u32, u32), bool>);

impl Decisions {
    /// The host's decision about a pair.
    pub(crate) fn get(&self, a: u32, b: u32) -> Option<bool> {
        self.0.get(&(a, b)).copied()
    }

    /// Enters or withdraws a decision.
    pub(crate) fn set(&mut self, a: u32, b: u32, watched: Option<bool>) {
        for pair in [(a, b), (b, a)] {
            match watched {
                Some(watched) => self.0.insert(pair, watched),
                None => self.0.remove(&pair),
            };
        }
    }

    /// Withdraws all decisions about a body. O(log n) each.
    fn forget(&mut self, body: u32) {
        let partners: Vec<u32> = self.of(body).map(|(other, _)| other).collect();
        for other in partners {
            self.set(body, other, None);
        }
    }

    /// All decisions about a body.
    pub(crate) fn of(&self, body: u32) -> impl Iterator<Item = (u32, bool)> {
        self.0.range((body, 0)..=(body, u32::MAX)).map(|(&(_, other), &watched)| (other, watched))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_is_removed_takes_its_own_rules_with_it_and_no_others() {
        let mut rules = PairRules::default();
        for pair in [(0, 1), (0, 2), (2, 2), (2, 3)] {
            rules.distances.insert(pair, 0.5);
            rules.ignored.insert(pair, IgnoredTriangles::default());
            rules.decisions.set(pair.0, pair.1, Some(true));
        }
        rules.forget(2);
        assert_eq!(rules.distances.into_keys().collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(rules.ignored.into_keys().collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(rules.decisions.0.into_keys().collect::<Vec<_>>(), [(0, 1), (1, 0)]);
    }
}
