//! Numbers over time, per pair of bodies: what the chart of the page shows.

use serde::Serialize;

use crate::check::CheckResult;

/// Points of a curve at most. More samples share a point, which has the largest of their values.
const MOST_POINTS: usize = 2_000;

/// Curves over common times.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(super) struct Series {
    /// Seconds, increasing.
    pub(super) times: Vec<f64>,
    /// One per pair of bodies that touches, in the order of their numbers.
    pub(super) pairs: Vec<PairSeries>,
}

/// Curves of one pair of bodies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct PairSeries {
    /// The bodies.
    pub(super) bodies: [u32; 2],
    /// Pairs of triangles that touch.
    pub(super) counts: Vec<u32>,
}

/// Counts the touching pairs of triangles at the samples, from the intervals. O(contacts ×
/// log(contacts) + samples × log(contacts)).
pub(super) fn series(result: &CheckResult) -> Series {
    let mut order: Vec<u32> = (0..result.contacts.len() as u32).collect();
    order.sort_by_key(|&contact| result.contacts[contact as usize].bodies);
    let stride = result.times.len().div_ceil(MOST_POINTS).max(1);
    let times = result.times.chunks(stride).map(|chunk| chunk[0]).collect();
    let bodies = |&contact: &u32| result.contacts[contact as usize].bodies;
    let pairs = order.chunk_by(|a, b| bodies(a) == bodies(b)).map(|contacts| {
        let sorted = |time: fn(&crate::incident::TriangleContact) -> f64| {
            let mut times: Vec<f64> = contacts.iter().map(|&contact| time(&result.contacts[contact as usize])).collect();
            times.sort_unstable_by(f64::total_cmp);
            times
        };
        let (begins, ends) = (sorted(|contact| contact.begin), sorted(|contact| contact.end));
        let count = |&time: &f64| {
            let (begun, ended) = (begins.partition_point(|&begin| begin <= time), ends.partition_point(|&end| end < time));
            (begun - ended) as u32
        };
        let counts = result.times.chunks(stride).map(|chunk| chunk.iter().map(count).max().unwrap_or(0)).collect();
        PairSeries { bodies: bodies(&contacts[0]), counts }
    });
    Series { times, pairs: pairs.collect() }
}
