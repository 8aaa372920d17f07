//! A proxy: spheres in the rest pose and in every example pose.
//!
//! A map takes centres from the rest pose to each example pose. Radii are recomputed there by the
//! rule of the packing: the smaller of `r_max` and the distance from the posed surface. A centre
//! that falls outside has radius 0 there, and is counted.
//!
//! | map | a centre is mapped by | use |
//! |---|---|---|
//! | cage | the barycentric coordinates of its tetrahedron | always possible; needs the cage's vertices in every pose |
//! | surface | the frame of the rest pose's nearest triangle: its two sides and its normal | poses bend or move flanks as a whole; neighbours may separate where the nearest triangle changes |
//!
//! The frame's normal keeps its length: a dent moves the material below it without compressing it.
//!
//! Cost: per pose a tree over its triangles, one over the sites, and O(log triangles + log sites)
//! per sphere; O(tetrahedra) per sphere for a cage. Follows the paper's §3.3.2, which has the cage;
//! the map through the surface is new here.

use nalgebra::{Matrix3, Vector3};

use super::cage::Cage;
use super::error::ProxyError;
use super::packing::{Packing, PackingDef};
use super::sites::Sites;
use super::solid::{Solid, checked_positions};
use crate::mesh::Mesh;
use crate::motion::Sphere;

/// The map of centres from the rest pose into example poses.
#[derive(Clone, Copy, Debug)]
pub enum PoseMap<'a> {
    /// By the frame of the nearest triangle.
    Surface,
    /// By a cage, whose vertices are given for every example pose.
    Cage {
        /// The cage in the rest pose.
        cage: &'a Cage,
        /// Its vertices in every example pose, metres.
        poses: &'a [Vec<[f64; 3]>],
    },
}

/// Spheres in the rest pose (pose 0) and in every example pose (1, 2, …), the same number in each.
#[derive(Clone, Debug)]
pub struct Proxy {
    pub(super) def: PackingDef,
    /// By pose, then by sphere.
    pub(super) poses: Vec<Vec<Sphere>>,
    /// Per pose, the number of centres outside the surface.
    pub(super) outside: Vec<usize>,
    /// Sites with local weights, in the rest pose: vertices of the cage, or of the mesh.
    sites: Sites,
    /// Per sphere the nearest site.
    pub(super) site_of: Vec<u32>,
    /// Number of spheres packed at rest; later ones fill gaps of poses.
    pub(super) packed: usize,
}

impl Solid {
    /// Creates an example pose: other positions for the mesh of this solid.
    ///
    /// `pose` is the number of the pose in errors, from 1.
    ///
    /// # Errors
    /// A mesh with other triangles or another number of vertices; positions that do not match or
    /// are not finite.
    pub fn example(&self, pose: usize, mesh: &Mesh, positions: &[[f64; 3]]) -> Result<Self, ProxyError> {
        let found: Vec<[u32; 3]> = mesh.present().map(|triangle| mesh.triangles()[triangle as usize]).collect();
        let differs = (0..self.source().len().max(found.len())).find(|&i| self.source().get(i) != found.get(i));
        if let Some(triangle) = differs {
            return Err(ProxyError::PoseTriangles { pose, triangle });
        }
        if mesh.vertex_count() != self.vertex_count() {
            return Err(ProxyError::PoseVertices { pose, found: mesh.vertex_count(), wanted: self.vertex_count() });
        }
        self.posed(positions)
    }
}

impl Proxy {
    /// Maps a packing of `rest` into example poses. `def` must be the definition of the packing.
    ///
    /// # Errors
    /// Poses of another topology; a cage without one set of vertices per pose, or with another
    /// number of vertices.
    pub fn new(
        rest: &Solid,
        packing: &Packing,
        def: PackingDef,
        poses: &[Solid],
        map: PoseMap<'_>,
    ) -> Result<Self, ProxyError> {
        def.check()?;
        let carrier = Carrier::new(rest, poses, map)?;
        let mut proxy = Self {
            def,
            poses: vec![Vec::new(); poses.len() + 1],
            outside: vec![0; poses.len() + 1],
            sites: Sites::new(carrier.sites(rest)),
            site_of: Vec::new(),
            packed: packing.spheres().len(),
        };
        let centres: Vec<[f64; 3]> = packing.spheres().iter().map(|sphere| sphere.centre).collect();
        let carried = carrier.carry(rest, poses, &centres);
        for (index, sphere) in packing.spheres().iter().enumerate() {
            let posed = carried.iter().map(|centres| centres[index]);
            proxy.push(*sphere, posed, poses);
        }
        Ok(proxy)
    }

    /// Adds a sphere by its centres; radii follow from the rule.
    pub(super) fn push(&mut self, rest: Sphere, posed: impl Iterator<Item = [f64; 3]>, poses: &[Solid]) {
        self.site_of.push(self.sites.nearest(&rest.centre.into()));
        self.poses[0].push(rest);
        for (pose, (centre, solid)) in posed.zip(poses).enumerate() {
            let radius = self.def.radius(solid.depth(centre));
            self.outside[pose + 1] += usize::from(radius == 0.0);
            self.poses[pose + 1].push(Sphere { centre, radius });
        }
    }

    /// The number of spheres, the same in every pose.
    pub fn sphere_count(&self) -> usize {
        self.poses[0].len()
    }

    /// The number of spheres packed at rest, which come first; the others fill gaps in poses.
    pub fn packed_count(&self) -> usize {
        self.packed
    }

    /// The number of poses, the rest pose included.
    pub fn pose_count(&self) -> usize {
        self.poses.len()
    }

    /// The spheres in a pose, 0 being the rest pose; `None` if there is no such pose.
    pub fn pose(&self, pose: usize) -> Option<&[Sphere]> {
        self.poses.get(pose).map(Vec::as_slice)
    }

    /// The number of centres outside the surface in a pose, which have radius 0 there; `None` if
    /// there is no such pose.
    pub fn centres_outside(&self, pose: usize) -> Option<usize> {
        self.outside.get(pose).copied()
    }

    /// The number of sites with local weights: vertices of the cage, or of the mesh.
    pub fn site_count(&self) -> usize {
        self.sites.points().len()
    }

    /// The rest position of a site, metres; `None` if there is no such site.
    pub fn site(&self, site: u32) -> Option<[f64; 3]> {
        self.sites.points().get(site as usize).map(|&site| site.into())
    }

    /// The site whose weights a sphere uses: the nearest to its centre in the rest pose. `None` if
    /// there is no such sphere.
    pub fn site_of(&self, sphere: usize) -> Option<u32> {
        self.site_of.get(sphere).copied()
    }

    /// The site nearest to a point of the rest pose, for example a vertex of the mesh to be blended
    /// like the spheres. O(log sites) usually.
    pub fn nearest_site(&self, point: [f64; 3]) -> u32 {
        self.sites.nearest(&point.into())
    }
}

/// A pose map with checked input.
pub(super) enum Carrier<'a> {
    Surface,
    Cage { cage: &'a Cage, poses: Vec<Vec<Vector3<f64>>> },
}

impl<'a> Carrier<'a> {
    pub(super) fn new(rest: &Solid, poses: &[Solid], map: PoseMap<'a>) -> Result<Self, ProxyError> {
        for (index, solid) in poses.iter().enumerate() {
            let pose = index + 1;
            if solid.vertex_count() != rest.vertex_count() {
                return Err(ProxyError::PoseVertices {
                    pose,
                    found: solid.vertex_count(),
                    wanted: rest.vertex_count(),
                });
            }
            if let Some(triangle) = (0..rest.triangles().len().max(solid.triangles().len()))
                .find(|&i| rest.triangles().get(i) != solid.triangles().get(i))
            {
                return Err(ProxyError::PoseTriangles { pose, triangle });
            }
        }
        match map {
            PoseMap::Surface => Ok(Self::Surface),
            PoseMap::Cage { cage, poses: given } => {
                if given.len() != poses.len() {
                    return Err(ProxyError::CagePoses { found: given.len(), wanted: poses.len() });
                }
                let checked: Result<Vec<_>, _> =
                    given.iter().map(|positions| checked_positions(positions, cage.vertex_count())).collect();
                Ok(Self::Cage { cage, poses: checked? })
            }
        }
    }

    fn sites(&self, rest: &Solid) -> Vec<Vector3<f64>> {
        match self {
            Self::Surface => rest.points().to_vec(),
            Self::Cage { cage, .. } => cage.points().to_vec(),
        }
    }

    /// Maps centres into every example pose.
    pub(super) fn carry(&self, rest: &Solid, poses: &[Solid], centres: &[[f64; 3]]) -> Vec<Vec<[f64; 3]>> {
        match self {
            Self::Surface => {
                let nearest: Vec<u32> = centres.iter().map(|&centre| rest.nearest_triangle(centre)).collect();
                let to = |posed: &Solid| {
                    let each = centres.iter().zip(&nearest);
                    each.map(|(&centre, &triangle)| by_frame(triangle, centre, rest, posed)).collect()
                };
                poses.iter().map(to).collect()
            }
            Self::Cage { cage, poses } => {
                let located = cage.locate_all(cage.points(), centres.iter().map(|&centre| centre.into()));
                let to = |posed: &Vec<Vector3<f64>>| located.iter().map(|place| cage.at(place, posed).into()).collect();
                poses.iter().map(to).collect()
            }
        }
    }

    /// Maps centres of an example pose (from 0) back into the rest pose.
    pub(super) fn carry_back(&self, rest: &Solid, pose: usize, posed: &Solid, centres: &[[f64; 3]]) -> Vec<[f64; 3]> {
        match self {
            Self::Surface => {
                let back = |&centre: &[f64; 3]| by_frame(posed.nearest_triangle(centre), centre, posed, rest);
                centres.iter().map(back).collect()
            }
            Self::Cage { cage, poses } => {
                let located = cage.locate_all(&poses[pose], centres.iter().map(|&centre| centre.into()));
                located.iter().map(|place| cage.at(place, cage.points()).into()).collect()
            }
        }
    }
}

/// Maps a point with a triangle: its sides by their linear map, its normal by its direction.
fn by_frame(triangle: u32, point: [f64; 3], from: &Solid, to: &Solid) -> [f64; 3] {
    let frame = |solid: &Solid| {
        let [a, b, c] = solid.triangles()[triangle as usize].map(|vertex| solid.points()[vertex as usize]);
        let normal = (b - a).cross(&(c - a));
        let length = normal.norm();
        let normal = if length > 0.0 { normal / length } else { Vector3::zeros() };
        (a, Matrix3::from_columns(&[b - a, c - a, normal]))
    };
    let ((a, before), (b, after)) = (frame(from), frame(to));
    let place = Vector3::from(point) - a;
    match before.try_inverse() {
        Some(inverse) => (b + after * (inverse * place)).into(),
        // A triangle without area has no frame: the point moves with its first corner.
        None => (b + place).into(),
    }
}
