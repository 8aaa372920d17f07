//! The order of incidents, the most severe first.

use std::cmp::Ordering;
use std::f64::consts::TAU;

use super::Incident;

impl Incident {
    /// How deep it is, metres: its depth, or, where none is known, the radius of the circle as long
    /// as its crossing curve. A half-ball with that outline is as deep. 0 where nothing was
    /// measured.
    pub fn severity(&self) -> f64 {
        self.depth.unwrap_or(self.length / TAU)
    }

    /// Orders incidents of one list of contacts, the most severe first.
    ///
    /// In this order decide: new before known, [`Incident::severity`], length, most pairs at once,
    /// number of pairs, duration (all greatest first), begin (earliest first), and the number of
    /// the first contact. No two incidents have the same first contact, so the order is total.
    pub fn by_severity(&self, other: &Self) -> Ordering {
        let first = |incident: &Self| incident.contacts.first().copied();
        (other.is_new.cmp(&self.is_new))
            .then(other.severity().total_cmp(&self.severity()))
            .then(other.length.total_cmp(&self.length))
            .then(other.most_pairs.cmp(&self.most_pairs))
            .then(other.pairs.cmp(&self.pairs))
            .then(other.duration().total_cmp(&self.duration()))
            .then(self.begin.total_cmp(&other.begin))
            .then(first(self).cmp(&first(other)))
    }
}
