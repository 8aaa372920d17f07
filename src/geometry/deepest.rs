//! The time of deepest penetration.

use super::error::GeometryError;
use super::measure::Measure;

/// When a crossing is worst; see [`deepest_time`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct DeepestTime {
    /// The time, seconds.
    pub time: f64,
    /// The crossing at that time.
    pub measure: Measure,
}

/// 1 − 1/φ: where golden-section search divides an interval.
const SECTION: f64 = 0.381_966_011_250_105_1;

impl Measure {
    /// Compares how bad two crossings of the same surfaces are: by depth, then length, then area.
    /// The depth of surfaces without closed parts counts as 0.
    #[must_use]
    pub fn cmp_severity(&self, other: &Self) -> std::cmp::Ordering {
        let key = |measure: &Self| [measure.depth.map_or(0.0, |depth| depth.lo), measure.length, measure.area];
        let (own, other) = (key(self), key(other));
        (0..3).fold(std::cmp::Ordering::Equal, |order, k| order.then(own[k].total_cmp(&other[k])))
    }
}

/// Returns the time at which a crossing of moving surfaces is worst ([`Measure::cmp_severity`]);
/// `None` if there is no crossing at any queried time.
///
/// `at` returns the measure at a time, usually after [`Surface::refit`](super::Surface::refit). It
/// is called once for each of `times` (seconds, increasing), then `refinements` times between the
/// neighbours of the worst of these, by golden-section search. Equal values keep the earlier time.
///
/// Guaranteed is: no queried time is worse, and all `times` are queried. If the depth has one local
/// maximum between the neighbours of the worst time, the result is within `1.62⁻ʳ · (interval)` of
/// it after `r` refinements. In general, with `v` the greatest speed of a point of one surface
/// relative to the other, and `h` the longest interval between `times`, the depth at any time
/// between the first and the last one exceeds that of the worst of `times` by at most `v · h / 2`.
///
/// # Errors
/// [`GeometryError::NoTimes`], [`GeometryError::Time`], and those of `at`.
///
/// ```
/// use kinetree::Mesh;
/// use kinetree::geometry::{GeometryError, Surface, deepest_time, measure};
///
/// let tetrahedron = Mesh::new(4, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
/// let corners = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]];
/// let body = Surface::new(&tetrahedron, &corners)?;
/// // A spike rises through the bottom to a depth of 0.25 m at 1.3 s, then falls.
/// let spike_at = |time: f64| {
///     let z = 0.25 - (time - 1.3).powi(2);
///     [[1.0, 1.0, z], [0.9, 1.0, z - 9.0], [1.1, 1.0, z - 9.0]]
/// };
/// let mut spike = Surface::new(&Mesh::new(3, vec![[0, 1, 2]])?, &spike_at(0.0))?;
/// let worst = deepest_time(&[0.0, 1.0, 2.0], 20, |time| {
///     spike.refit(&spike_at(time))?;
///     measure(&spike, &body, &[[0, 0]])
/// })?;
/// assert!((worst.expect("they cross").time - 1.3).abs() < 1e-3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn deepest_time<E: From<GeometryError>>(
    times: &[f64],
    refinements: usize,
    mut at: impl FnMut(f64) -> Result<Option<Measure>, E>,
) -> Result<Option<DeepestTime>, E> {
    check(times)?;
    let mut worst = None;
    let mut place = 0;
    for (index, &time) in times.iter().enumerate() {
        if improve(&mut worst, time, at(time)?) {
            place = index;
        }
    }
    let (mut low, mut high) = (times[place.saturating_sub(1)], times[(place + 1).min(times.len() - 1)]);
    for _ in 0..refinements {
        let Some(time) = worst.as_ref().map(|worst: &DeepestTime| worst.time) else {
            break;
        };
        // The larger side of the worst time is divided.
        let (below, above) = (time - low, high - time);
        let next = if above > below { time + SECTION * above } else { time - SECTION * below };
        if !(low < next && next < high) || next == time {
            break;
        }
        if improve(&mut worst, next, at(next)?) {
            if next > time { low = time } else { high = time }
        } else if next > time {
            high = next;
        } else {
            low = next;
        }
    }
    Ok(worst)
}

fn check(times: &[f64]) -> Result<(), GeometryError> {
    let increases = |index: usize| index == 0 || times[index - 1] < times[index];
    match times.iter().enumerate().find(|&(index, time)| !time.is_finite() || !increases(index)) {
        Some((index, &value)) => Err(GeometryError::Time { index, value }),
        None if times.is_empty() => Err(GeometryError::NoTimes),
        None => Ok(()),
    }
}

/// Keeps the worse one of two crossings; whether it is the new one.
fn improve(worst: &mut Option<DeepestTime>, time: f64, measure: Option<Measure>) -> bool {
    let Some(measure) = measure else {
        return false;
    };
    if worst.as_ref().is_some_and(|worst| measure.cmp_severity(&worst.measure).is_le()) {
        return false;
    }
    *worst = Some(DeepestTime { time, measure });
    true
}
