//! What can be wrong with a `plan`.

use super::super::super::TimingError;
use super::super::super::matrix::MatrixError;
use crate::motion::MotionError;

/// What is wrong with a `plan`. Keys, segments and vertices are counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// Another motion besides the plan.
    #[error("the body has both `plan` and `{key}`; keep one of them")]
    Twice {
        /// The other key.
        key: &'static str,
    },
    /// A key about frames on a body with a plan.
    #[error("`{key}` means nothing here, because `plan` has times of its own: remove `{key}`")]
    OwnTimes {
        /// The key.
        key: &'static str,
    },
    /// `outside` on a plan without end.
    #[error("`outside` means nothing here, because the plan has no end: add `end` to it, or remove `outside`")]
    Endless,
    /// Not JSON, or JSON of another form.
    #[error("this is not a JSON file of a plan: {message}")]
    Json {
        /// What the JSON reader says.
        message: String,
    },
    /// Neither or both of two keys.
    #[error("a plan of kind \"{kind}\" needs exactly one of `{one}` and `{other}`")]
    OneOf {
        /// The plan's kind.
        kind: &'static str,
        /// A key.
        one: &'static str,
        /// The other key.
        other: &'static str,
    },
    /// A plan of spheres on a body that has none.
    #[error("a plan of kind \"{kind}\" moves spheres, and the body has none; use another kind, or `spheres`")]
    NeedsSpheres {
        /// The plan's kind.
        kind: &'static str,
    },
    /// A plan that spheres cannot follow.
    #[error(
        "spheres cannot follow a plan of kind \"{kind}\", as they move from key to key: use \"placed\", \"spheres\" or \
         \"poses\""
    )]
    NotForSpheres {
        /// The plan's kind.
        kind: &'static str,
    },
    /// Not one vector a vertex.
    #[error("`{key}` has {found} vectors, but the body has {expected} vertices")]
    EachVertex {
        /// The key.
        key: &'static str,
        /// How many there are.
        found: usize,
        /// The number of vertices.
        expected: usize,
    },
    /// No key time.
    #[error("`times` is empty; at least one key is needed")]
    NoKeys,
    /// Not one entry a key.
    #[error("`{key}` has {found} entries, but `times` has {times}; each key needs one")]
    KeyCount {
        /// The key of the plan.
        key: &'static str,
        /// How many there are.
        found: usize,
        /// The number of times.
        times: usize,
    },
    /// Not one entry for each stretch between two times.
    #[error("`{key}` has {found} segments, but {times} times bound {}", .times.saturating_sub(1))]
    SegmentCount {
        /// The key of the plan.
        key: &'static str,
        /// How many there are.
        found: usize,
        /// The number of times.
        times: usize,
    },
    /// A list of another length.
    #[error("`{key}` has {found} entries in {place} {number}, but there are {expected} {items}")]
    RowLength {
        /// The key of the plan.
        key: &'static str,
        /// `key` or `segment`.
        place: &'static str,
        /// Its number.
        number: usize,
        /// How many entries it has.
        found: usize,
        /// How many it needs.
        expected: usize,
        /// What they are counted by.
        items: &'static str,
    },
    /// Polynomials of different degrees.
    #[error(
        "`coefficients` has {found} terms for vertex {vertex} in segment {segment}, but {expected} for the first; give \
         all polynomials the same degree"
    )]
    TermCount {
        /// The segment.
        segment: usize,
        /// The vertex.
        vertex: usize,
        /// Its terms.
        found: usize,
        /// Terms of the first polynomial.
        expected: usize,
    },
    /// A polynomial of degree above 3, or without terms.
    #[error("`{key}` has polynomials of {terms} terms; 1 to 4 can be used: constant to cubic")]
    Degree {
        /// The key of the plan.
        key: &'static str,
        /// Their number.
        terms: usize,
    },
    /// A pose that the body's file of spheres does not have.
    #[error("`poses` names pose {pose} at key {key}, but the body has {poses} (counted from 0)")]
    NoSuchPose {
        /// The key.
        key: usize,
        /// The pose.
        pose: usize,
        /// How many there are.
        poses: usize,
    },
    /// Times that are not finite or do not increase.
    #[error("`times` of the plan: {0}")]
    Times(TimingError),
    /// A transform that cannot be used.
    #[error("`transforms`: {0}")]
    Matrix(MatrixError),
    /// More positions or spheres at all keys together than can be held.
    #[error("{keys} keys or terms of {items} vertices or spheres are more than can be held; give fewer of one of them")]
    TooLarge {
        /// Keys, or terms of all segments.
        keys: usize,
        /// Vertices or spheres.
        items: usize,
    },
    /// Numbers that no motion can have.
    #[error("the motion cannot be used: {0}")]
    Motion(MotionError),
}
