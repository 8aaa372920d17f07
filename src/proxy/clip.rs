//! Moving spheres as plain keys, for a host or a world of moving spheres.
//!
//! Centres and radii are linear from key to key, constant before the first and after the last key.
//! All spheres share their key times. A sphere's six extents `c ± r` are therefore linear too, and
//! are exact flightplans.

use super::error::ProxyError;
use super::pose::Proxy;
use super::track::{PoseTrack, check_times, place};
use crate::limits;
use crate::math::Aabb;
use crate::motion::{Flightplan, Sphere};

/// Spheres at key times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SphereClip {
    /// Key times, seconds, increasing.
    pub times: Vec<f64>,
    /// The spheres of each key, the same number in the same order.
    pub spheres: Vec<Vec<Sphere>>,
}

impl SphereClip {
    /// Whether a sphere exists at the keys around a time.
    fn has(&self, sphere: usize, time: f64) -> bool {
        let (key, share) = place(&self.times, time);
        let last = if share == 0.0 { key } else { key + 1 };
        (key..=last).all(|key| self.spheres.get(key).is_some_and(|spheres| sphere < spheres.len()))
    }

    /// A sphere at any time; `None` if there is no such sphere at the keys around it.
    pub fn at(&self, sphere: usize, time: f64) -> Option<Sphere> {
        self.has(sphere, time).then(|| self.known_at(sphere, time))
    }

    /// The same of a sphere that exists.
    pub(super) fn known_at(&self, sphere: usize, time: f64) -> Sphere {
        let (key, share) = place(&self.times, time);
        let before = self.spheres[key][sphere];
        if share == 0.0 {
            return before;
        }
        let after = self.spheres[key + 1][sphere];
        let mix = |a: f64, b: f64| a + share * (b - a);
        Sphere {
            centre: [0, 1, 2].map(|axis| mix(before.centre[axis], after.centre[axis])),
            radius: mix(before.radius, after.radius),
        }
    }

    /// The extents of a sphere at any time, metres: linear between those of its keys, and moved
    /// outward by the rounding of their evaluation and of the sphere's. `None` if there is no such
    /// sphere at the keys around it.
    pub fn bounds(&self, sphere: usize, time: f64) -> Option<Aabb> {
        if !self.has(sphere, time) {
            return None;
        }
        let (key, share) = place(&self.times, time);
        let before = bounds(&self.spheres[key][sphere]);
        let after = if share == 0.0 { before } else { bounds(&self.spheres[key + 1][sphere]) };
        let mix = |a: f64, b: f64| a + share * (b - a);
        let mut reach = 0.0;
        let mut mixed = Aabb::EMPTY;
        for axis in 0..3 {
            mixed.min[axis] = mix(before.min[axis], after.min[axis]);
            mixed.max[axis] = mix(before.max[axis], after.max[axis]);
            for x in [before.min[axis], before.max[axis], after.min[axis], after.max[axis]] {
                reach = f64::max(reach, x.abs());
            }
        }
        Some(mixed.inflated(limits::ROUNDING * reach))
    }

    /// Checks that there are as many keys as times, as many spheres at each, and only finite
    /// numbers.
    pub(super) fn check(&self) -> Result<(), ProxyError> {
        check_times(&self.times)?;
        let wanted = self.times.len();
        if self.spheres.len() != wanted {
            return Err(ProxyError::KeyCount { what: "lists of spheres", found: self.spheres.len(), wanted });
        }
        let count = self.sphere_count();
        for (key, spheres) in self.spheres.iter().enumerate() {
            if spheres.len() != count {
                return Err(ProxyError::SphereCount { key, found: spheres.len(), wanted: count });
            }
            for (index, sphere) in spheres.iter().enumerate() {
                let number = |what, value| Err(ProxyError::Number { what, index, value });
                if !(0.0..=limits::MAX_COORDINATE).contains(&sphere.radius) {
                    return number("radius of sphere", sphere.radius);
                }
                if let Some(&value) = sphere.centre.iter().find(|x| !(x.abs() <= limits::MAX_COORDINATE)) {
                    return number("centre of sphere", value);
                }
            }
        }
        Ok(())
    }

    /// The flightplan of a body of these spheres ([`crate::mesh::Spheres`]).
    pub fn flightplan(&self) -> Flightplan {
        Flightplan::spheres(self.times.clone(), self.spheres.concat())
    }

    /// The number of spheres.
    pub fn sphere_count(&self) -> usize {
        self.spheres.first().map_or(0, Vec::len)
    }
}

/// Extents of a sphere.
fn bounds(sphere: &Sphere) -> Aabb {
    Aabb { min: sphere.centre.map(|x| x - sphere.radius), max: sphere.centre.map(|x| x + sphere.radius) }
}

impl Proxy {
    /// The spheres of the body at the track's keys, in the body's own frame: exact, since both are
    /// linear in between.
    ///
    /// O(keys · spheres · poses).
    ///
    /// # Errors
    /// A track for another number of poses or places.
    pub fn keys(&self, track: &PoseTrack) -> Result<SphereClip, ProxyError> {
        self.check_track(track)?;
        let at =
            |key| (0..self.sphere_count()).map(|i| self.blend(i, track.weights_at_key(key, self.site_of[i]))).collect();
        Ok(SphereClip { times: track.times().to_vec(), spheres: (0..track.times().len()).map(at).collect() })
    }

    /// The spheres at one time, in the body's own frame.
    ///
    /// # Errors
    /// A track for another number of poses or places.
    pub fn at(&self, track: &PoseTrack, time: f64) -> Result<Vec<Sphere>, ProxyError> {
        self.check_track(track)?;
        let at = |index: usize| self.blend(index, &track.weights_at(time, self.site_of[index]));
        Ok((0..self.sphere_count()).map(at).collect())
    }

    fn check_track(&self, track: &PoseTrack) -> Result<(), ProxyError> {
        if track.pose_count() != self.pose_count() {
            return Err(ProxyError::TrackPoses { found: track.pose_count(), wanted: self.pose_count() });
        }
        if track.site_count() != 1 && track.site_count() != self.site_count() {
            return Err(ProxyError::TrackSites { found: track.site_count(), wanted: self.site_count() });
        }
        Ok(())
    }

    /// A sphere as a blend of its poses.
    fn blend(&self, index: usize, weights: &[f64]) -> Sphere {
        let mut sum = Sphere { centre: [0.0; 3], radius: 0.0 };
        for (pose, weight) in self.poses.iter().zip(weights) {
            let sphere = pose[index];
            (0..3).for_each(|axis| sum.centre[axis] += weight * sphere.centre[axis]);
            sum.radius += weight * sphere.radius;
        }
        sum
    }
}

/// Blends the vertices of a mesh like a proxy's spheres: each with the weights of the site nearest
/// to it at rest.
///
/// `poses` are the rest pose and the example poses. `sites` gives the site of each vertex
/// ([`Proxy::nearest_site`]), and may be empty for weights of the whole body. O(vertices · poses).
///
/// # Errors
/// A number of poses that differs from the track's, or poses of different sizes; not one site per
/// vertex.
pub fn blend_vertices(
    poses: &[Vec<[f64; 3]>],
    sites: &[u32],
    track: &PoseTrack,
    time: f64,
) -> Result<Vec<[f64; 3]>, ProxyError> {
    if poses.len() != track.pose_count() {
        return Err(ProxyError::TrackPoses { found: track.pose_count(), wanted: poses.len() });
    }
    let count = poses[0].len();
    if let Some(pose) = poses.iter().position(|pose| pose.len() != count) {
        return Err(ProxyError::PoseVertices { pose, found: poses[pose].len(), wanted: count });
    }
    if track.site_count() > 1 {
        if sites.len() != count {
            return Err(ProxyError::TrackSites { found: sites.len(), wanted: count });
        }
        if let Some(&site) = sites.iter().find(|&&site| site as usize >= track.site_count()) {
            return Err(ProxyError::TrackSites { found: site as usize, wanted: track.site_count() });
        }
    }
    let whole = (track.site_count() == 1).then(|| track.weights_at(time, 0));
    let at = |vertex: usize| {
        let own = whole.clone().unwrap_or_else(|| track.weights_at(time, sites[vertex]));
        let mut sum = [0.0; 3];
        for (pose, weight) in poses.iter().zip(own) {
            (0..3).for_each(|axis| sum[axis] += weight * pose[vertex][axis]);
        }
        sum
    };
    Ok((0..count).map(at).collect())
}
