//! Compounds: the balls of rigid bodies, as engines take them.
//!
//! Numbers are single precision, as in most engines. Points (radius 0), and what single precision
//! cannot hold, are left out, since engines refuse them.

use std::fmt::Write as _;

use super::{SphereFile, quoted};
use crate::motion::Sphere;

/// The balls of one rigid body.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Compound {
    /// The name of the joint that carries it; empty for a whole body.
    pub name: String,
    /// The number of the joint's node in the model's file; `None` for a whole body.
    pub node: Option<u32>,
    /// Metres, in the mesh's coordinates, or in a frame at the joint with its rotation and without
    /// its scale.
    pub balls: Vec<CompoundBall>,
}

/// A ball of a compound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CompoundBall {
    /// Its number among the spheres of the file.
    pub sphere: u32,
    /// Metres.
    pub centre: [f32; 3],
    /// Metres, more than 0.
    pub radius: f32,
}

impl CompoundBall {
    /// `None` for a sphere that is a point, or has no place, in single precision.
    fn new(sphere: u32, Sphere { centre, radius }: &Sphere, scale: f64) -> Option<Self> {
        let radius = (radius * scale) as f32;
        let centre = centre.map(|x| (x * scale) as f32);
        let is_usable = radius > 0.0 && radius.is_finite() && centre.iter().all(|x| x.is_finite());
        is_usable.then_some(Self { sphere, centre, radius })
    }
}

impl SphereFile {
    /// The spheres of a pose as one rigid body; `None` if there is no such pose. O(spheres).
    ///
    /// ```
    /// use kinetree::Sphere;
    /// use kinetree::io::{SphereFile, SpherePose};
    ///
    /// let ball = Sphere { centre: [0.0, 0.0, 1.0], radius: 0.5 }; // Metres.
    /// let point = Sphere { radius: 0.0, ..ball };
    /// let file = SphereFile::new(vec![SpherePose::new("rest", vec![point, ball])])?;
    /// let balls = file.compound(0).ok_or("no such pose")?.balls;
    /// assert_eq!((balls.len(), balls[0].sphere, balls[0].centre), (1, 1, [0.0, 0.0, 1.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compound(&self, pose: usize) -> Option<Compound> {
        let spheres = &self.poses.get(pose)?.spheres;
        let balls = (0..).zip(spheres).filter_map(|(number, sphere)| CompoundBall::new(number, sphere, 1.0));
        Some(Compound { balls: balls.collect(), ..Compound::default() })
    }

    /// The spheres as rigid bodies: one per joint that carries any, in the order of the joints; one
    /// for all if the file has no skin. O(joints · spheres).
    ///
    /// A body has its joint's position and rotation. The joint's scale is applied to its balls: the
    /// radius of a sphere in the first pose, which `kinetree pack` takes at rest, divided by that
    /// in the joint's frame. This is exact for joints that scale evenly. Spheres of radius 0 in
    /// either are left out.
    pub fn compounds(&self) -> Vec<Compound> {
        let Some(skin) = &self.skin else { return self.compound(0).into_iter().collect() };
        let Some(rest) = self.poses.first() else { return Vec::new() };
        let of_joint = |(number, joint): (u32, &super::SphereJoint)| {
            let own = (0..).zip(&skin.spheres).zip(&rest.spheres).filter(|((_, bound), _)| bound.joint == number);
            let balls =
                own.filter(|((_, bound), _)| bound.sphere.radius > 0.0).filter_map(|((sphere, bound), rest)| {
                    CompoundBall::new(sphere, &bound.sphere, rest.radius / bound.sphere.radius)
                });
            Compound { name: joint.name.clone(), node: Some(joint.node), balls: balls.collect() }
        };
        (0..).zip(&skin.joints).map(of_joint).filter(|compound| !compound.balls.is_empty()).collect()
    }
}

/// A language that compounds are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompoundCode {
    /// A list: `{"compounds": [{"name", "node", "balls": [[x, y, z, radius], …]}, …]}`.
    Json,
    /// Constants of Rust: name and `[x, y, z, radius]` of each body.
    Rust,
    /// Arrays of C.
    C,
}

impl CompoundCode {
    /// Writes compounds as code. Every number is the shortest decimal that reads back as the same
    /// single-precision number.
    ///
    /// ```
    /// use kinetree::Sphere;
    /// use kinetree::io::{CompoundCode, SphereFile, SpherePose};
    ///
    /// let ball = Sphere { centre: [0.0, 0.5, 1.0], radius: 0.25 };
    /// let file = SphereFile::new(vec![SpherePose::new("rest", vec![ball])])?;
    /// let code = CompoundCode::Rust.write(&file.compounds());
    /// assert!(code.contains("pub const BALLS_0: [[f32; 4]; 1] = [\n    [0.0, 0.5, 1.0, 0.25],\n];"));
    /// # Ok::<(), kinetree::io::SphereFileError>(())
    /// ```
    pub fn write(self, compounds: &[Compound]) -> String {
        match self {
            Self::Json => json(compounds),
            Self::Rust => rust(compounds),
            Self::C => c(compounds),
        }
    }
}

/// The balls of a compound, one a line, between brackets of the language.
fn balls(compound: &Compound, indent: &str, open: char, close: char, end: &str) -> String {
    let line = |CompoundBall { centre: [x, y, z], radius, .. }: &CompoundBall| {
        format!("{indent}{open}{x:?}{end}, {y:?}{end}, {z:?}{end}, {radius:?}{end}{close}")
    };
    compound.balls.iter().map(line).collect::<Vec<_>>().join(",\n")
}

fn json(compounds: &[Compound]) -> String {
    let entry = |compound: &Compound| {
        let node = compound.node.map_or("null".to_owned(), |node| node.to_string());
        let balls = balls(compound, "    ", '[', ']', "");
        format!("  {{\"name\": {}, \"node\": {node}, \"balls\": [\n{balls}\n  ]}}", quoted(&compound.name))
    };
    format!("{{\"compounds\": [\n{}\n]}}\n", compounds.iter().map(entry).collect::<Vec<_>>().join(",\n"))
}

/// A name as a literal of Rust and C: all that is not plain ASCII is replaced.
fn literal(name: &str) -> String {
    let plain = |c: char| if (c.is_ascii_graphic() || c == ' ') && !"\"\\?".contains(c) { c } else { '_' };
    format!("\"{}\"", name.chars().map(plain).collect::<String>())
}

fn rust(compounds: &[Compound]) -> String {
    let mut text = String::from("// Balls of rigid bodies, metres: x, y, z, radius. Written by kinetree pack.\n\n");
    for (number, compound) in compounds.iter().enumerate() {
        let (count, balls) = (compound.balls.len(), balls(compound, "    ", '[', ']', ""));
        let _ = writeln!(text, "pub const BALLS_{number}: [[f32; 4]; {count}] = [\n{balls},\n];\n");
    }
    let entry =
        |(number, compound): (usize, &Compound)| format!("    ({}, &BALLS_{number}),\n", literal(&compound.name));
    let entries: String = compounds.iter().enumerate().map(entry).collect();
    let _ = writeln!(text, "pub const COMPOUNDS: [(&str, &[[f32; 4]]); {}] = [\n{entries}];", compounds.len());
    text
}

fn c(compounds: &[Compound]) -> String {
    let mut text = String::from("/* Balls of rigid bodies, metres: x, y, z, radius. Written by kinetree pack. */\n\n");
    for (number, compound) in compounds.iter().enumerate() {
        let (count, balls) = (compound.balls.len(), balls(compound, "    ", '{', '}', "f"));
        let _ = writeln!(text, "static const float balls_{number}[{count}][4] = {{\n{balls}\n}};\n");
    }
    let entry = |(number, compound): (usize, &Compound)| {
        format!("    {{{}, {}, balls_{number}}}", literal(&compound.name), compound.balls.len())
    };
    let entries: Vec<String> = compounds.iter().enumerate().map(entry).collect();
    let _ = writeln!(
        text,
        "static const struct {{ const char *name; int count; const float (*balls)[4]; }} compounds[{}] = {{\n{}\n}};",
        compounds.len(),
        entries.join(",\n")
    );
    text
}

#[cfg(feature = "rapier")]
impl Compound {
    /// The balls as one shape of rapier and parry, each with its part of the mass; `None` without
    /// balls. O(balls · log balls).
    ///
    /// ```
    /// use kinetree::Sphere;
    /// use kinetree::io::{SphereFile, SpherePose};
    /// use rapier3d::prelude::ColliderBuilder;
    ///
    /// let ball = Sphere { centre: [0.0, 0.5, 1.0], radius: 0.25 };
    /// let file = SphereFile::new(vec![SpherePose::new("rest", vec![ball])])?;
    /// let shape = file.compound(0).and_then(|compound| compound.shape()).ok_or("no balls")?;
    /// let collider = ColliderBuilder::new(shape).build();
    /// assert!((collider.compute_aabb().maxs.y - 0.75).abs() < 1e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shape(&self) -> Option<rapier3d::prelude::SharedShape> {
        use rapier3d::prelude::{Pose, SharedShape, Vector};
        let part = |&CompoundBall { centre: [x, y, z], radius, .. }: &CompoundBall| {
            (Pose::from_translation(Vector::new(x, y, z)), SharedShape::ball(radius))
        };
        (!self.balls.is_empty()).then(|| SharedShape::compound(self.balls.iter().map(part).collect()))
    }
}
