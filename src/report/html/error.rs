//! Why a report cannot be made.

use crate::geometry::GeometryError;
use crate::io::SceneWorldError;
use crate::mesh::MeshError;
use crate::report::render::RenderError;

/// Why a report cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HtmlError {
    /// Scene and result have different numbers of bodies.
    #[error("the scene has {scene} bodies and the result has {result}; give the scene that was checked")]
    Bodies {
        /// Bodies of the scene.
        scene: usize,
        /// Bodies of the result.
        result: usize,
    },
    /// A body of the scene is not the one that was checked.
    #[error(
        "the scene's body '{}' has {} triangles, and the result has body '{}' with {} in its place; \
         give the scene that was checked",
        scene.0, scene.1, result.0, result.1
    )]
    Body {
        /// Name and triangles in the scene.
        scene: (String, usize),
        /// Name and triangles in the result.
        result: (String, usize),
    },
    /// Contacts were handed over, and not kept.
    #[error(
        "a report shows all contacts, and the result lacks those that were handed over; check again, and keep them"
    )]
    ContactsLeftOut,
    /// A contact of a triangle that is not there.
    #[error("contact {contact} names triangle {triangle} of body {body}, which is not there")]
    Contact {
        /// Number of the contact.
        contact: usize,
        /// Number of the body.
        body: u32,
        /// Number of the triangle.
        triangle: u32,
    },
    /// An incident of a contact that is not there.
    #[error("incident {incident} names contact {contact}, which is not there")]
    IncidentContact {
        /// Number of the incident.
        incident: usize,
        /// Number of the contact.
        contact: u32,
    },
    /// An incident of a body that is not there.
    #[error("incident {incident} names body {body}, which is not there")]
    IncidentBody {
        /// Number of the incident.
        incident: usize,
        /// Number of the body.
        body: u32,
    },
    /// A picture of an incident that is not there.
    #[error("a picture is of incident {incident}, and there are {incidents}")]
    Picture {
        /// Number of the incident.
        incident: usize,
        /// Incidents of the result.
        incidents: usize,
    },
    /// A mesh that cannot be measured.
    #[error("body '{body}': {error}")]
    Mesh {
        /// Name of the body.
        body: String,
        /// Why.
        #[source]
        error: MeshError,
    },
    /// A crossing that cannot be measured.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// A picture that cannot be drawn.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// A motion that the world refuses.
    #[error(transparent)]
    Motion(#[from] SceneWorldError),
    /// A time outside the motion of a body.
    #[error("body '{body}' has no position at {time} s; its motion is from {begin} s to {end} s")]
    Outside {
        /// Name of the body.
        body: String,
        /// The time, seconds.
        time: f64,
        /// First second of its motion.
        begin: f64,
        /// Last second of its motion.
        end: f64,
    },
}
