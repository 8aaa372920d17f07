//! Fills gaps that open in a pose: packs spheres there around the present ones, and maps them back
//! to the rest pose.
//!
//! The packing of the rest pose continues in the example pose, on the pose's own distance field,
//! without the nodes in the present spheres. A new centre is mapped back by the inverse of the pose
//! map, and then forward into all poses, so its radius follows the same rule everywhere. The sphere
//! is dropped, and counted, if the centre falls outside the rest pose, or forward outside the
//! intended sphere (where the map is not one to one).
//!
//! New spheres come after the packed ones, deepest first in the pose they were made for. Cost: a
//! distance field and a packing. Follows the future work of the paper, §4.1.

use super::error::ProxyError;
use super::field::{DistanceField, Resolution};
use super::packing::{Packing, PackingDef, PackingEnd, squared_distance};
use super::pose::{Carrier, PoseMap, Proxy};
use super::solid::Solid;
use crate::motion::Sphere;

/// Parameters of gap filling.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GapDef {
    /// Resolution of the pose's distance field.
    pub resolution: Resolution,
    /// Smallest radius in the pose, metres.
    pub r_min: f64,
    /// Most new spheres.
    pub max_count: usize,
}

/// Result of gap filling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GapsFilled {
    /// Number of added spheres.
    pub added: usize,
    /// Number of spheres that fit in the pose, but have no place in the rest pose.
    pub dropped: usize,
}

impl Proxy {
    /// Adds spheres in the free room of pose `pose` (from 1). `rest`, `poses` and `map` must be
    /// those of the proxy.
    ///
    /// # Errors
    /// No such pose; poses or a map that do not match; an invalid range of radii; a field that is
    /// too large. The proxy is then unchanged.
    pub fn fill_gaps(
        &mut self,
        rest: &Solid,
        poses: &[Solid],
        map: PoseMap<'_>,
        pose: usize,
        def: GapDef,
    ) -> Result<GapsFilled, ProxyError> {
        if poses.len() + 1 != self.pose_count() || pose == 0 || pose > poses.len() {
            return Err(ProxyError::NoSuchPose { pose, poses: poses.len().min(self.pose_count() - 1) });
        }
        let packing_def = PackingDef { r_min: def.r_min, r_max: self.def.r_max, max_count: def.max_count };
        packing_def.check()?;
        let carrier = Carrier::new(rest, poses, map)?;
        let solid = &poses[pose - 1];
        let field = DistanceField::new(solid, def.resolution)?;
        let mut wanted = Packing::empty(PackingEnd::RadiusReached);
        packing_def.pack_around(&field, &self.poses[pose], &mut wanted);

        let centres: Vec<[f64; 3]> = wanted.spheres().iter().map(|sphere| sphere.centre).collect();
        let back = carrier.carry_back(rest, pose - 1, solid, &centres);
        let forward = carrier.carry(rest, poses, &back);
        let mut done = GapsFilled::default();
        for (index, sphere) in wanted.spheres().iter().enumerate() {
            let radius = self.def.radius(rest.depth(back[index]));
            let missed = squared_distance(forward[pose - 1][index], sphere.centre) > sphere.radius * sphere.radius;
            if radius == 0.0 || missed {
                done.dropped += 1;
                continue;
            }
            let posed = forward.iter().map(|centres| centres[index]);
            self.push(Sphere { centre: back[index], radius }, posed, poses);
            done.added += 1;
        }
        Ok(done)
    }
}
