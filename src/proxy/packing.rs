//! Greedy packing of spheres into a solid, deepest point first.
//!
//! Maintains: the set of grid nodes that no sphere contains. The deepest of them is the next
//! centre; its radius is the smaller of its depth and `r_max`. All nodes in the sphere are removed.
//! Among equally deep nodes the first (x fastest) comes first.
//!
//! | invariant | reason |
//! |---|---|
//! | a sphere lies inside the solid | its radius is at most the distance at its centre, rounded down |
//! | no centre lies in an earlier sphere | those nodes were removed, including a rounding |
//! | depths decrease | nodes are taken in the order of depth; depths do not change |
//!
//! Spheres overlap: radii follow from the surface, not from other spheres.
//!
//! Cost: O(nodes log nodes), plus the nodes in all spheres. Follows the sphere packing of the
//! example-based paper (§3.3.1), which follows Budsberg et al. 2014. Departs from it in the search:
//! there cleared nodes get distance 0 and the minimum is searched again; here depths are sorted
//! once, with the same result.

use std::fmt;

use super::error::ProxyError;
use super::field::DistanceField;
use super::solid::Solid;
use crate::motion::Sphere;

/// Parameters of a packing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PackingDef {
    /// Smallest radius, metres; the packing ends when no sphere of this size fits. At least 0.
    pub r_min: f64,
    /// Largest radius, metres. Infinite for no limit.
    pub r_max: f64,
    /// Most spheres.
    pub max_count: usize,
}

/// Reason why a packing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PackingEnd {
    /// No node outside all spheres is as deep as `r_min`.
    RadiusReached,
    /// `max_count` spheres are packed.
    CountReached,
}

/// Spheres in the order of packing.
#[derive(Clone, Debug, PartialEq)]
pub struct Packing {
    spheres: Vec<Sphere>,
    depths: Vec<f64>,
    end: PackingEnd,
}

impl PackingDef {
    pub(super) fn check(&self) -> Result<(), ProxyError> {
        let is_range = self.r_min >= 0.0 && self.r_min <= self.r_max && self.r_max > 0.0 && self.r_min.is_finite();
        if !is_range {
            return Err(ProxyError::Radii { r_min: self.r_min, r_max: self.r_max });
        }
        if self.max_count == 0 {
            return Err(ProxyError::NoCount);
        }
        Ok(())
    }

    /// The radius for a depth, metres.
    pub(super) fn radius(&self, depth: f64) -> f64 {
        depth.min(self.r_max)
    }

    /// Packs spheres into the solid of a field. O(nodes log nodes), plus the nodes in all spheres;
    /// up to nine bytes per node in addition to the field.
    ///
    /// # Errors
    /// An invalid range of radii, a count of 0, or a solid in which no node of the field is as deep
    /// as `r_min`.
    pub fn pack(&self, field: &DistanceField) -> Result<Packing, ProxyError> {
        self.check()?;
        let mut packing = Packing::empty(PackingEnd::RadiusReached);
        self.pack_around(field, &[], &mut packing);
        if packing.spheres.is_empty() {
            return Err(ProxyError::NothingFits { depth: field.deepest(), r_min: self.r_min });
        }
        Ok(packing)
    }

    /// Continues a packing around the spheres in `present`.
    pub(super) fn pack_around(&self, field: &DistanceField, present: &[Sphere], packing: &mut Packing) {
        let grid = field.grid();
        let mut is_free: Vec<bool> = field.values().iter().map(|&value| -value > 0.0).collect();
        for sphere in present {
            grid.nodes_within(sphere.centre, sphere.radius, |node| is_free[node] = false);
        }
        let mut order: Vec<usize> = (0..is_free.len())
            .filter(|&node| is_free[node] && self.radius(field.node_depth(node)) >= self.r_min)
            .collect();
        order.sort_unstable_by(|&a, &b| field.node_depth(b).total_cmp(&field.node_depth(a)).then(a.cmp(&b)));
        packing.end = PackingEnd::RadiusReached;
        for node in order {
            if !is_free[node] {
                continue;
            }
            if packing.spheres.len() == self.max_count {
                packing.end = PackingEnd::CountReached;
                return;
            }
            let depth = field.node_depth(node);
            let sphere = Sphere { centre: grid.position(node), radius: self.radius(depth) };
            packing.spheres.push(sphere);
            packing.depths.push(depth);
            grid.nodes_within(sphere.centre, sphere.radius, |node| is_free[node] = false);
        }
    }
}

impl Packing {
    pub(super) fn empty(end: PackingEnd) -> Self {
        Self { spheres: Vec::new(), depths: Vec::new(), end }
    }

    /// The spheres, deepest first.
    pub fn spheres(&self) -> &[Sphere] {
        &self.spheres
    }

    /// The depth of each centre inside the solid, metres; decreasing.
    pub fn depths(&self) -> &[f64] {
        &self.depths
    }

    /// The reason why the packing ended.
    pub fn end(&self) -> PackingEnd {
        self.end
    }

    /// Measures every sphere again and compares all pairs. O(spheres² + spheres · log triangles).
    pub fn audit(&self, solid: &Solid, def: &PackingDef) -> Vec<PackingFault> {
        let mut faults = Vec::new();
        for (index, sphere) in self.spheres.iter().enumerate() {
            let depth = solid.depth(sphere.centre);
            if sphere.radius > depth {
                faults.push(PackingFault::Outside { sphere: index, by: sphere.radius - depth });
            }
            if index > 0 && self.depths[index] > self.depths[index - 1] {
                faults.push(PackingFault::Order { sphere: index });
            }
            if !(sphere.radius >= def.r_min && sphere.radius <= def.r_max) {
                faults.push(PackingFault::Radius { sphere: index, radius: sphere.radius });
            }
            for (earlier, other) in self.spheres[..index].iter().enumerate() {
                let squared = squared_distance(sphere.centre, other.centre);
                if squared <= other.radius * other.radius {
                    faults.push(PackingFault::CentreCovered { sphere: index, by: earlier });
                }
            }
        }
        faults
    }
}

/// A fault found by the audit of a packing.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PackingFault {
    /// A sphere extends beyond the solid.
    Outside {
        /// The sphere.
        sphere: usize,
        /// Distance beyond the solid, metres.
        by: f64,
    },
    /// A sphere is deeper than the previous one.
    Order {
        /// The sphere.
        sphere: usize,
    },
    /// A radius is out of its range.
    Radius {
        /// The sphere.
        sphere: usize,
        /// Its radius, metres.
        radius: f64,
    },
    /// A centre lies in an earlier sphere.
    CentreCovered {
        /// The sphere.
        sphere: usize,
        /// The earlier one.
        by: usize,
    },
}

impl fmt::Display for PackingFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside { sphere, by } => write!(f, "sphere {sphere} reaches {by} m out of the solid"),
            Self::Order { sphere } => write!(f, "sphere {sphere} is deeper than the one before"),
            Self::Radius { sphere, radius } => write!(f, "sphere {sphere} has radius {radius} m"),
            Self::CentreCovered { sphere, by } => write!(f, "the centre of sphere {sphere} lies in sphere {by}"),
        }
    }
}

/// Squared distance of two points, square metres.
pub(super) fn squared_distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]) * (a[axis] - b[axis])).sum()
}
