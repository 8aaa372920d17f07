//! Spheres that are bound to the joints of a skin: each is carried by one joint.
//!
//! A sphere is stored in its joint's own frame, so a program poses it from the joint's matrix
//! alone, without the mesh and without inverse bind matrices. Into the joint's frame its radius is
//! multiplied by the stretch ([`Affine::stretch`]) of the inverse, into a pose by that of the
//! joint's matrix: exact where both scale evenly, larger than needed otherwise. Every point that
//! the sphere holds at rest is therefore in the posed sphere.

use std::fmt::Write as _;

use serde::Deserialize;

use super::error::SphereFileError;
use super::{check_spheres, numbers_of, quoted, sphere_of};
use crate::motion::Sphere;
use crate::reduced::Affine;

/// Spheres in the frames of the joints that carry them.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SphereSkin {
    /// The name of the skin, possibly empty; of several, their names.
    pub name: String,
    /// What can carry spheres: joints of skins, and nodes of meshes without one. Each node is there
    /// once.
    pub joints: Vec<SphereJoint>,
    /// Sphere k of the file, in its joint's frame.
    pub spheres: Vec<JointSphere>,
}

/// A joint by its name and number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SphereJoint {
    /// The name of its node.
    pub name: String,
    /// The number of its node in the model's file, from 0.
    pub node: u32,
}

impl SphereJoint {
    /// A joint.
    pub fn new(name: &str, node: u32) -> Self {
        Self { name: name.to_owned(), node }
    }
}

/// A sphere in the frame of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointSphere {
    /// The joint's place in [`SphereSkin::joints`].
    pub joint: u32,
    /// In the joint's units: metres, divided by the joint's scale.
    pub sphere: Sphere,
}

impl SphereSkin {
    /// Binds spheres to joints. `rest` are the maps from the joints' frames to the frame of
    /// `spheres`, metres; `bound_to` names the joint of each sphere. O(joints + spheres).
    ///
    /// # Errors
    /// Counts that do not match, joints that do not exist, a joint in use that is flat at rest, and
    /// numbers that no sphere can have.
    ///
    /// ```
    /// use kinetree::Sphere;
    /// use kinetree::io::{SphereJoint, SphereSkin};
    /// use kinetree::reduced::Affine;
    ///
    /// // An elbow 1 m above the ground, and a sphere 0.5 m beyond it.
    /// let at = |x: f64, turn: [f64; 4]| Affine::from_parts([x, 0.0, 1.0], turn, [1.0; 3]);
    /// let ball = Sphere { centre: [0.5, 0.0, 1.0], radius: 0.25 };
    /// let elbow = vec![SphereJoint::new("elbow", 7)];
    /// let skin = SphereSkin::new("arm", elbow, &[at(0.0, [0.0, 0.0, 0.0, 1.0])], &[ball], &[0])?;
    /// // Turned by half a turn about z, and moved by 2 m.
    /// let posed = skin.posed(&[at(2.0, [0.0, 0.0, 1.0, 0.0])])?;
    /// assert_eq!(posed[0].centre, [1.5, 0.0, 1.0]);
    /// # Ok::<(), kinetree::io::SphereFileError>(())
    /// ```
    pub fn new(
        name: &str,
        joints: Vec<SphereJoint>,
        rest: &[Affine],
        spheres: &[Sphere],
        bound_to: &[u32],
    ) -> Result<Self, SphereFileError> {
        if rest.len() != joints.len() {
            return Err(SphereFileError::JointMatrices { found: rest.len(), wanted: joints.len() });
        }
        if bound_to.len() != spheres.len() {
            return Err(SphereFileError::BoundCount { found: bound_to.len(), wanted: spheres.len() });
        }
        let mut skin = Self { name: name.to_owned(), joints, spheres: Vec::with_capacity(spheres.len()) };
        for (sphere, (&Sphere { centre, radius }, &joint)) in spheres.iter().zip(bound_to).enumerate() {
            let missing = SphereFileError::NoSuchJoint { sphere, joint, joints: skin.joints.len() };
            let map = rest.get(joint as usize).ok_or(missing)?;
            let Some(inverse) = map.inverse() else {
                let name = skin.joints[joint as usize].name.clone();
                return Err(SphereFileError::FlatJoint { joint, name });
            };
            let sphere = Sphere { centre: inverse.point(centre), radius: radius * inverse.stretch() };
            skin.spheres.push(JointSphere { joint, sphere });
        }
        skin.check(spheres.len())?;
        Ok(skin)
    }

    /// The spheres in a pose, metres, from one map per joint: from the joint's frame to the
    /// world's. In glTF, that is the joint's global transform, without the inverse bind matrix.
    /// O(spheres).
    ///
    /// # Errors
    /// Another number of maps than of joints; maps that carry a sphere beyond
    /// [`crate::limits::MAX_COORDINATE`], or hold NaN.
    pub fn posed(&self, joints: &[Affine]) -> Result<Vec<Sphere>, SphereFileError> {
        if joints.len() != self.joints.len() {
            return Err(SphereFileError::JointMatrices { found: joints.len(), wanted: self.joints.len() });
        }
        let mut posed = Vec::with_capacity(self.spheres.len());
        for (sphere, &JointSphere { joint, sphere: Sphere { centre, radius } }) in self.spheres.iter().enumerate() {
            let missing = SphereFileError::NoSuchJoint { sphere, joint, joints: joints.len() };
            let map = joints.get(joint as usize).ok_or(missing)?;
            let carried = Sphere { centre: map.point(centre), radius: radius * map.stretch() };
            check_spheres(&[carried]).map_err(|(_, fault)| {
                let name = self.joints[joint as usize].name.clone();
                SphereFileError::Carried { joint, name, sphere, fault }
            })?;
            posed.push(carried);
        }
        Ok(posed)
    }

    pub(super) fn check(&self, wanted: usize) -> Result<(), SphereFileError> {
        if self.spheres.len() != wanted {
            return Err(SphereFileError::BoundCount { found: self.spheres.len(), wanted });
        }
        for (sphere, bound) in self.spheres.iter().enumerate() {
            if bound.joint as usize >= self.joints.len() {
                return Err(SphereFileError::NoSuchJoint { sphere, joint: bound.joint, joints: self.joints.len() });
            }
            check_spheres(&[bound.sphere]).map_err(|(_, fault)| SphereFileError::Bound { sphere, fault })?;
        }
        Ok(())
    }

    pub(super) fn write_json(&self, text: &mut String) {
        let joint =
            |joint: &SphereJoint| format!("    {{\"name\": {}, \"node\": {}}}", quoted(&joint.name), joint.node);
        let sphere = |bound: &JointSphere| {
            format!("    {{\"joint\": {}, \"sphere\": {}}}", bound.joint, numbers_of(&bound.sphere))
        };
        let joints: Vec<String> = self.joints.iter().map(joint).collect();
        let spheres: Vec<String> = self.spheres.iter().map(sphere).collect();
        let _ = writeln!(
            text,
            "  \"skin\": {{\"name\": {}, \"joints\": [\n{}\n  ], \"spheres\": [\n{}\n  ]}},",
            quoted(&self.name),
            joints.join(",\n"),
            spheres.join(",\n")
        );
    }
}

/// A skin as JSON has it.
#[derive(Deserialize)]
pub(super) struct SkinText {
    #[serde(default)]
    name: String,
    joints: Vec<JointText>,
    spheres: Vec<BoundText>,
}

#[derive(Deserialize)]
struct JointText {
    #[serde(default)]
    name: String,
    #[serde(default)]
    node: u32,
}

#[derive(Deserialize)]
struct BoundText {
    joint: u32,
    sphere: [f64; 4],
}

impl From<SkinText> for SphereSkin {
    fn from(text: SkinText) -> Self {
        let joints = text.joints.into_iter().map(|JointText { name, node }| SphereJoint { name, node });
        let spheres =
            text.spheres.iter().map(|bound| JointSphere { joint: bound.joint, sphere: sphere_of(&bound.sphere) });
        Self { name: text.name, joints: joints.collect(), spheres: spheres.collect() }
    }
}
