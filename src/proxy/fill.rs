//! Fills gaps that open in a pose: spheres packed there around those that are present, and carried back to the rest pose.
//!
//! The packing of the rest pose goes on in the example pose, on its own distance field, with everything in the present spheres taken
//! out. A new centre is carried back by the inverse of the pose map, and then forward into all poses like any other, so that its
//! radius follows the same rule everywhere. It is dropped, and counted, if it comes back outside the rest pose, or forward outside the
//! sphere it was meant to be (where the map is not one to one).
//!
//! New spheres stand after the packed ones; among themselves deepest first in the pose they were made for.
//! Cost: a distance field and a packing. Follows the future work of the paper, §4.1.

use super::error::ProxyError;
use super::field::{DistanceField, Resolution};
use super::packing::{Packing, PackingDef, PackingEnd, squared_distance};
use super::pose::{Carrier, PoseMap, Proxy};
use super::solid::Solid;
use crate::motion::Sphere;

/// How gaps are filled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GapDef {
    /// Resolution of the pose's distance field.
    pub resolution: Resolution,
    /// Smallest radius in the pose, metres.
    pub r_min: f64,
    /// Most new spheres.
    pub max_count: usize,
}

/// What filling gaps did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GapsFilled {
    /// Spheres that were added.
    pub added: usize,
    /// Spheres that fitted, but have no place in the rest pose.
    pub dropped: usize,
}

impl Proxy {
    /// Adds spheres where pose `pose` (from 1) has room outside its spheres. `rest`, `poses` and `map` are those the proxy was made of.
    ///
    /// # Errors
    /// No such pose; poses or a map that do not fit; radii that are no range; a field that is too large. The proxy stays as it was.
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
        packing_def.pack_around(&field, self.pose(pose), &mut wanted);

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
