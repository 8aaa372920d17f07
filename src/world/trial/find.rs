//! All contacts of a trial: which bodies and triangles come near each other, and from when to when
//! they touch.
//!
//! | step | rejected by |
//! |---|---|
//! | bodies | filters and decisions of the host; boxes of whole bodies over the trial |
//! | nodes, leaves | boxes over the trial ([`Sweep`]), two trees traversed together |
//! | triangles | boxes over the trial; the rule of the pair |
//! | contact | exact tests over time ([`Windows`]) |

use std::collections::{BTreeMap, BTreeSet};

use crate::motion::Motion;
use crate::narrow::ContactRule;
use crate::narrow::intervals::IntervalStats;
use crate::time::Span;
use crate::world::body::Body;
use crate::world::contact::Contact;
use crate::world::rule::PairRule;
use crate::world::rule::spheres::Solid;
use crate::world::tree::view::overlapping_leaves;
use crate::world::trial::TrialContact;
use crate::world::trial::error::TrialError;
use crate::world::trial::sweep::Sweep;
use crate::world::trial::window::{Stay, Windows};

/// A body that takes part in a trial.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Member<'a> {
    pub(crate) index: u32,
    pub(crate) body: &'a Body,
    /// Its own plan, or the motion that is proposed.
    pub(crate) motion: &'a Motion,
    pub(crate) sweep: &'a Sweep,
}

/// The state of a search.
#[derive(Debug)]
pub(crate) struct Search {
    pub(crate) trial: Span,
    /// The bounds of the world, and how much was found.
    pub(crate) most_candidates: u64,
    pub(crate) most_contacts: u64,
    pub(crate) candidates: u64,
    pub(crate) stats: IntervalStats,
    pub(crate) contacts: Vec<TrialContact>,
}

/// What two bodies are called, and from which distance and in which pairs their triangles touch.
#[derive(Debug)]
pub(crate) struct PairOf<'a> {
    pub(crate) contact: Contact,
    pub(crate) distance: f64,
    pub(crate) ignored: &'a BTreeSet<(u32, u32)>,
}

impl Search {
    /// Finds the contacts of two bodies, the lower index first, or of one with itself.
    ///
    /// # Errors
    /// [`TrialError::Limit`].
    pub(crate) fn pair(&mut self, a: Member<'_>, b: Member<'_>, pair: &PairOf<'_>) -> Result<(), TrialError> {
        if !a.sweep.bounds().grown(pair.distance).overlaps(b.sweep.bounds()) {
            return Ok(());
        }
        let is_self = a.index == b.index;
        let rule = PairRule::new(is_self, a.body.surface(), pair.distance, pair.ignored)
            .without_gaps([&a.body.shape.mesh, &b.body.shape.mesh]);
        let sides = [(&a.body.shape.mesh, a.motion), (&b.body.shape.mesh, b.motion)];
        let mut windows = Windows::new(rule, sides, self.trial);
        let done = match (a.body.topology(), b.body.topology()) {
            (Some(of_a), Some(of_b)) => {
                let mut leaves = Vec::new();
                let meet = |[x, y]: [u32; 2]| {
                    let (x, y) = (a.sweep.node_box(a.body, x), b.sweep.node_box(b.body, y));
                    x.grown(pair.distance).overlaps(&y)
                };
                overlapping_leaves([of_a, of_b], is_self, meet, &mut leaves);
                leaves.iter().try_for_each(|&(x, y)| {
                    self.lists([of_a.primitives(x), of_b.primitives(y)], (a, b), &mut windows, pair)
                })
            }
            _ => {
                let all = |member: Member<'_>| -> Vec<u32> { (0..member.body.primitive_count() as u32).collect() };
                let of_a = all(a);
                let of_b = if is_self { Vec::new() } else { all(b) };
                self.lists([&of_a, if is_self { &of_a } else { &of_b }], (a, b), &mut windows, pair)
            }
        };
        self.stats += windows.stats;
        done
    }

    /// Finds the contacts of some triangles of one body with some of the other.
    fn lists(
        &mut self,
        [of_a, of_b]: [&[u32]; 2],
        (a, b): (Member<'_>, Member<'_>),
        windows: &mut Windows<'_>,
        pair: &PairOf<'_>,
    ) -> Result<(), TrialError> {
        let is_same = a.index == b.index && std::ptr::eq(of_a, of_b);
        for (place, &p) in of_a.iter().enumerate() {
            let reach = a.sweep.triangle_box(a.body, p).grown(pair.distance);
            for &q in &of_b[if is_same { place + 1 } else { 0 }..] {
                if !reach.overlaps(&b.sweep.triangle_box(b.body, q)) {
                    continue;
                }
                let (p, q) = if a.index == b.index { (p.min(q), p.max(q)) } else { (p, q) };
                if windows.rule.wants(p, q) {
                    self.triangles((a, p), (b, q), windows, pair)?;
                }
            }
        }
        Ok(())
    }

    /// Finds the contacts of two triangles.
    fn triangles(
        &mut self,
        (a, p): (Member<'_>, u32),
        (b, q): (Member<'_>, u32),
        windows: &mut Windows<'_>,
        pair: &PairOf<'_>,
    ) -> Result<(), TrialError> {
        let mut stays: Vec<Stay> = Vec::new();
        let most = self.most_candidates.saturating_sub(self.candidates);
        self.candidates += match (a.sweep.triangle(a.body, p), b.sweep.triangle(b.body, q)) {
            (Some(first), Some(second)) => {
                let (first, second) = (Solid::Triangle(first), Solid::Triangle(second));
                windows.straight((p, &first), (q, &second), &mut stays);
                1
            }
            _ => windows.by_plans(p, q, most, &mut stays),
        };
        if self.candidates > self.most_candidates {
            return Err(TrialError::Limit { what: "candidates", limit: self.most_candidates });
        }
        let contact = Contact { triangle_a: p, triangle_b: q, ..pair.contact };
        self.contacts.extend(stays.into_iter().map(|stay| TrialContact::new(contact, stay)));
        if self.contacts.len() as u64 > self.most_contacts {
            return Err(TrialError::Limit { what: "contacts", limit: self.most_contacts });
        }
        Ok(())
    }
}

/// Bodies of a trial by index.
pub(crate) type Sweeps = BTreeMap<u32, Sweep>;
