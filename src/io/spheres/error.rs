//! What can be wrong with a file of spheres.

use super::{FORMAT, VERSION};

/// A number that no sphere can have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SphereFault {
    /// A coordinate that is not finite or too large.
    #[error("coordinate {} of the centre is {value}, which with the radius is beyond what can be used", ["x", "y", "z"][*.axis])]
    Centre {
        /// The axis, from 0.
        axis: usize,
        /// The coordinate, metres.
        value: f64,
    },
    /// A radius that is negative or not a number.
    #[error("the radius is {value} m; it must be a number of metres, 0 or more")]
    Radius {
        /// The radius, metres.
        value: f64,
    },
}

/// What is wrong with a file of spheres. Poses and spheres are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SphereFileError {
    /// Not JSON, or JSON of another form.
    #[error("this is not a JSON file of spheres: {message}; it must look like {{\"spheres\": [[x, y, z, radius], …]}}")]
    Json {
        /// What the JSON reader says.
        message: String,
    },
    /// A file of another format.
    #[error("`format` is \"{}\", but a file of spheres says \"{FORMAT}\"", .found.escape_debug())]
    Format {
        /// What the file says.
        found: String,
    },
    /// A later version.
    #[error("the file is of version {found}; this program reads version {VERSION}: pack the mesh again")]
    Version {
        /// The file's.
        found: u32,
    },
    /// A fingerprint that is no hexadecimal number.
    #[error("the `fingerprint` of the mesh is \"{}\", which is no hexadecimal number of 64 bits", .found.escape_debug())]
    Fingerprint {
        /// What the file says.
        found: String,
    },
    /// Both `poses` and `spheres`.
    #[error("the file has both `poses` and `spheres`; keep one of them")]
    Both,
    /// Neither `poses` nor `spheres`, or an empty list of poses.
    #[error("the file has no spheres; it must look like {{\"spheres\": [[x, y, z, radius], …]}}")]
    NoPoses,
    /// An empty list of spheres.
    #[error("pose {pose} has no spheres; at least one is needed")]
    NoSpheres {
        /// The pose.
        pose: usize,
    },
    /// Poses of different numbers of spheres.
    #[error("pose {pose} has {found} spheres, but pose 0 has {wanted}; sphere k must be the same in all poses")]
    Count {
        /// The pose.
        pose: usize,
        /// Its spheres.
        found: usize,
        /// Those of pose 0.
        wanted: usize,
    },
    /// A number that no sphere can have.
    #[error("pose {pose}, sphere {sphere}: {fault}")]
    Sphere {
        /// The pose.
        pose: usize,
        /// The sphere.
        sphere: usize,
        /// The number.
        #[source]
        fault: SphereFault,
    },
    /// Another number of bound spheres than of spheres.
    #[error("the skin binds {found} spheres, but there are {wanted}")]
    BoundCount {
        /// The skin's.
        found: usize,
        /// The spheres of a pose.
        wanted: usize,
    },
    /// A sphere that is bound to a joint that does not exist.
    #[error("bound sphere {sphere} names joint {joint}, but the skin has {joints} (counted from 0)")]
    NoSuchJoint {
        /// The sphere.
        sphere: usize,
        /// The joint it names.
        joint: u32,
        /// The number of joints.
        joints: usize,
    },
    /// A number that no sphere in the frame of a joint can have.
    #[error("bound sphere {sphere}: {fault}")]
    Bound {
        /// The sphere.
        sphere: usize,
        /// The number.
        #[source]
        fault: SphereFault,
    },
    /// Another number of joint matrices than of joints.
    #[error("{found} joint matrices were given for the {wanted} joints of the skin")]
    JointMatrices {
        /// The number given.
        found: usize,
        /// The number of joints.
        wanted: usize,
    },
    /// A joint matrix that carries a sphere to no usable place.
    #[error("joint {joint} (\"{}\") carries sphere {sphere} to no usable place: {fault}", .name.escape_debug())]
    Carried {
        /// The joint.
        joint: u32,
        /// Its name.
        name: String,
        /// The sphere.
        sphere: usize,
        /// What is wrong with the carried sphere.
        fault: SphereFault,
    },
    /// A joint that flattens space at rest: no place in its frame belongs to a sphere.
    #[error("joint {joint} (\"{}\") has a scale of zero at rest; no sphere can be bound to it", .name.escape_debug())]
    FlatJoint {
        /// The joint.
        joint: u32,
        /// Its name.
        name: String,
    },
    /// A binary file that ends too early, goes on after its end, or holds an impossible size.
    #[error("the binary file of spheres is damaged at byte {byte}: {what}")]
    Damaged {
        /// Where reading stopped.
        byte: usize,
        /// What is wrong there.
        what: &'static str,
    },
    /// A binary file whose checksum is not that of its content.
    #[error(
        "the checksum of the binary file of spheres is {found:016x}, but its content has {computed:016x}: the file is damaged"
    )]
    Checksum {
        /// What the file says.
        found: u64,
        /// What its content has.
        computed: u64,
    },
}
