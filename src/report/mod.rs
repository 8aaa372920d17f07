//! Reports for people: pictures of frames, and one HTML file with timeline, incidents and a 3D
//! view.

pub mod html;
pub mod render;
