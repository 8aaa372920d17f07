//! Pose weights over time: the weight of each pose, for the whole body or per site.
//!
//! Weights are linear from key to key, constant before the first and after the last. At every key
//! and site they are not negative and sum to 1; hence they do so at all times. Plastic bodies raise
//! weights from a time on ([`PoseTrack::raise`]): earlier keys stay unchanged.

use super::error::ProxyError;
use crate::limits;

/// Pose weights, piecewise linear in time.
#[derive(Clone, Debug, PartialEq)]
pub struct PoseTrack {
    times: Vec<f64>,
    sites: usize,
    poses: usize,
    /// By key, then by site, then by pose.
    weights: Vec<f64>,
}

impl PoseTrack {
    /// Creates a track from weights at key times (seconds, increasing): by key, then by site, then
    /// by pose, the rest pose first.
    ///
    /// `sites` is 1 for weights of the whole body, or the number of sites with weights of their own
    /// ([`super::Proxy::site_count`]). `poses` includes the rest pose.
    ///
    /// # Errors
    /// No key, times out of order, counts that do not match, weights that are negative, not a
    /// number, or do not sum to 1 within [`limits::WEIGHT_SUM_TOLERANCE`] (smaller differences are
    /// normalised).
    pub fn new(times: Vec<f64>, sites: usize, poses: usize, mut weights: Vec<f64>) -> Result<Self, ProxyError> {
        check_times(&times)?;
        let wanted = times.len().checked_mul(sites).and_then(|count| count.checked_mul(poses));
        if wanted != Some(weights.len()) || weights.is_empty() {
            return Err(ProxyError::WeightCount { found: weights.len(), wanted: wanted.unwrap_or(usize::MAX) });
        }
        for (row, weights) in weights.chunks_exact_mut(poses).enumerate() {
            let (key, site) = (row / sites, row % sites);
            if let Some((pose, &value)) = weights.iter().enumerate().find(|(_, weight)| !(**weight >= 0.0)) {
                return Err(ProxyError::Weight { key, site, pose, value });
            }
            let sum: f64 = weights.iter().sum();
            if !((sum - 1.0).abs() <= limits::WEIGHT_SUM_TOLERANCE) {
                return Err(ProxyError::WeightSum { key, site, sum });
            }
            weights.iter_mut().for_each(|weight| *weight /= sum);
        }
        Ok(Self { times, sites, poses, weights })
    }

    /// Creates a track that stays in the rest pose.
    ///
    /// # Errors
    /// No site or no pose.
    pub fn rest(sites: usize, poses: usize) -> Result<Self, ProxyError> {
        let row = |_| (0..poses).map(|pose| if pose == 0 { 1.0 } else { 0.0 });
        Self::new(vec![0.0], sites, poses, (0..sites).flat_map(row).collect())
    }

    /// Key times, seconds.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The number of sites with weights of their own; 1 for weights of the whole body.
    pub fn site_count(&self) -> usize {
        self.sites
    }

    /// The number of blended poses, the rest pose included.
    pub fn pose_count(&self) -> usize {
        self.poses
    }

    /// The weights at a site and key; for weights of the whole body any site is valid. `None` if
    /// there is no such key or site.
    pub fn at_key(&self, key: usize, site: u32) -> Option<&[f64]> {
        (key < self.times.len() && self.has_site(site)).then(|| self.weights_at_key(key, site))
    }

    fn has_site(&self, site: u32) -> bool {
        self.sites == 1 || (site as usize) < self.sites
    }

    /// The same of a key and a site that exist.
    pub(super) fn weights_at_key(&self, key: usize, site: u32) -> &[f64] {
        let site = if self.sites == 1 { 0 } else { site as usize };
        &self.weights[(key * self.sites + site) * self.poses..][..self.poses]
    }

    /// The key at or before a time, and the interpolation parameter towards the next one, 0 to 1.
    pub(super) fn place(&self, time: f64) -> (usize, f64) {
        place(&self.times, time)
    }

    /// The weights at a site and time; `None` if there is no such site.
    pub fn at(&self, time: f64, site: u32) -> Option<Vec<f64>> {
        self.has_site(site).then(|| self.weights_at(time, site))
    }

    /// The same of a site that exists.
    pub(super) fn weights_at(&self, time: f64, site: u32) -> Vec<f64> {
        let (key, share) = self.place(time);
        let before = self.weights_at_key(key, site);
        if share == 0.0 {
            return before.to_vec();
        }
        let after = self.weights_at_key(key + 1, site);
        before.iter().zip(after).map(|(before, after)| before + share * (after - before)).collect()
    }

    /// Raises a dent: from `time` on, within `duration` seconds, moves the weights of every site
    /// towards `pose` by its share, and keeps them there. Drops keys after `time`; the weights at
    /// `time` stay. A share is 0 (no change) to 1 (only the pose).
    ///
    /// # Errors
    /// A time that is not a number, a duration that is not positive, a pose that does not exist,
    /// not one share per site, a share not between 0 and 1. The track is then unchanged.
    pub fn raise(&mut self, time: f64, duration: f64, pose: usize, shares: &[f64]) -> Result<(), ProxyError> {
        if !(time.abs() <= limits::MAX_TIME) {
            return Err(ProxyError::Number { what: "time", index: 0, value: time });
        }
        if !(duration > 0.0 && duration <= limits::MAX_TIME && time + duration > time) {
            return Err(ProxyError::Number { what: "duration", index: 0, value: duration });
        }
        if pose >= self.poses || shares.len() != self.sites {
            return Err(ProxyError::WeightCount { found: shares.len(), wanted: self.sites });
        }
        if let Some((index, &value)) = shares.iter().enumerate().find(|(_, share)| !(0.0..=1.0).contains(*share)) {
            return Err(ProxyError::Number { what: "share of place", index, value });
        }
        let now: Vec<f64> = (0..self.sites as u32).flat_map(|site| self.weights_at(time, site)).collect();
        let kept = self.times.partition_point(|&key| key < time);
        self.times.truncate(kept);
        self.weights.truncate(kept * self.sites * self.poses);
        self.times.extend([time, time + duration]);
        self.weights.extend_from_slice(&now);
        for (row, share) in now.chunks_exact(self.poses).zip(shares) {
            let raised = row.iter().enumerate().map(|(index, weight)| {
                let wanted = if index == pose { 1.0 } else { 0.0 };
                weight + share * (wanted - weight)
            });
            self.weights.extend(raised);
        }
        Ok(())
    }
}

/// Checks that times are finite, increasing and at least one.
pub(super) fn check_times(times: &[f64]) -> Result<(), ProxyError> {
    if times.is_empty() {
        return Err(ProxyError::NoKeys);
    }
    for (index, &value) in times.iter().enumerate() {
        if !(value.abs() <= limits::MAX_TIME) {
            return Err(ProxyError::Number { what: "time of key", index, value });
        }
        if index > 0 && !(value > times[index - 1]) {
            return Err(ProxyError::TimeOrder { key: index });
        }
    }
    Ok(())
}

/// The key at or before a time (the first if there is none), and the interpolation parameter
/// towards the next one, 0 to 1.
pub(super) fn place(times: &[f64], time: f64) -> (usize, f64) {
    let key = times.partition_point(|&key| key <= time).saturating_sub(1);
    match times.get(key + 1) {
        Some(&next) if time > times[key] => (key, (time - times[key]) / (next - times[key])),
        _ => (key, 0.0),
    }
}
