//! The report of a check as one HTML file that opens from disk, without a network.
//!
//! The file has the findings as plain HTML (a sentence, pictures, a table), the data of the check,
//! and a viewer that needs no library. docs/design/report.md describes format and choices.
//!
//! | file | does |
//! |---|---|
//! | `frames` | the frames whose positions the file has |
//! | `positions` | positions of a body in 16 bits a coordinate, as differences |
//! | `contacts` | intervals of contact as columns |
//! | `pack` | bytes to deflated base64 |
//! | `data` | the JSON that describes all of it |
//! | `series` | depth, length and counts over time |
//! | `pictures` | pictures of the worst moments |
//! | `words` | numbers and sentences for people |
//! | `page` | the parts of the page in their order, escaped |
//! | `viewer/` | page, style and script, included as text |

mod contacts;
mod data;
mod error;
mod frames;
mod pack;
mod page;
mod pictures;
mod positions;
mod series;
#[cfg(test)]
mod tests;
mod words;

pub use error::HtmlError;
pub use pictures::Picture;

use crate::check::CheckResult;
use crate::io::{Part, Scene};
use crate::motion::Motion;

/// Memory for positions of moving bodies before they are packed, bytes. Packed they take between a
/// tenth and a half of it.
const POSITION_BYTES: usize = 24 << 20;

/// Intervals of contact that a file has at most: those of the most severe incidents.
const MOST_CONTACTS: usize = 300_000;

/// The report of a check, to be written as one HTML file.
///
/// ```no_run
/// # fn example(scene: &kinetree::io::Scene, result: &kinetree::check::CheckResult)
/// # -> Result<(), Box<dyn std::error::Error>> {
/// let page = kinetree::report::html::HtmlReport::new(scene, result).titled("walk cycle").build()?;
/// std::fs::write("report.html", page)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct HtmlReport<'a> {
    scene: &'a Scene,
    result: &'a CheckResult,
    title: String,
    pictures: Vec<Picture>,
    position_bytes: usize,
    most_contacts: usize,
    up: Option<usize>,
}

impl<'a> HtmlReport<'a> {
    /// A report of what a check of this scene found.
    pub fn new(scene: &'a Scene, result: &'a CheckResult) -> Self {
        Self {
            scene,
            result,
            title: "Contacts".into(),
            pictures: Vec::new(),
            position_bytes: POSITION_BYTES,
            most_contacts: MOST_CONTACTS,
            up: None,
        }
    }

    /// Sets the title, usually the name of the scene's file.
    #[must_use]
    pub fn titled(mut self, title: impl Into<String>) -> Self {
        self.title = title.into();
        self
    }

    /// Adds a picture of an incident. Pictures appear in the order of the incidents.
    #[must_use]
    pub fn with_picture(mut self, picture: Picture) -> Self {
        self.pictures.push(picture);
        self
    }

    /// Adds pictures of the most severe incidents at their worst times, at most `count`: drawn
    /// without a GPU, about 10 ms each and more for large meshes.
    ///
    /// # Errors
    /// [`HtmlError`], where the result is not one of this scene, or nothing can be drawn.
    pub fn with_worst_pictures(mut self, count: usize) -> Result<Self, HtmlError> {
        self.agree()?;
        let motions = self.motions()?;
        let up = self.upright();
        let number = count.min(self.result.incidents.len());
        for incident in 0..number {
            self.pictures.push(pictures::picture(self.scene, self.result, &motions, incident, up)?);
        }
        Ok(self)
    }

    /// Sets how many bytes positions may take before they are packed (24 MiB). A clip that needs
    /// more keeps its first and last frame and the frames around incidents; two frames are always
    /// kept.
    #[must_use]
    pub fn with_position_bytes(mut self, bytes: usize) -> Self {
        self.position_bytes = bytes;
        self
    }

    /// Sets how many intervals of contact the file has at most (300 000): those of the most severe
    /// incidents. Counts and incidents are always those of the whole check.
    #[must_use]
    pub fn with_most_contacts(mut self, contacts: usize) -> Self {
        self.most_contacts = contacts;
        self
    }

    /// Sets the axis that view and pictures show upright: 1 for y, 2 for z. Without it, z where a
    /// body that never moves is flat across z, as floors are, and otherwise y.
    #[must_use]
    pub fn with_up(mut self, axis: usize) -> Self {
        self.up = Some(axis.clamp(1, 2));
        self
    }

    /// Makes the file. Time is linear in triangles, contacts, and vertices times kept frames. The
    /// same input gives the same bytes.
    ///
    /// # Errors
    /// [`HtmlError`], where the result is not one of this scene, or a picture is of no incident.
    pub fn build(&self) -> Result<String, HtmlError> {
        self.agree()?;
        let motions = self.motions()?;
        let kept = frames::kept(self.scene, self.result, &motions, self.position_bytes);
        let tracks = positions::tracks(self.scene, &motions, &kept)?;
        let series = series::series(self.scene, self.result, &motions)?;
        let content = data::Content {
            scene: self.scene,
            result: self.result,
            title: &self.title,
            up: self.upright(),
            contacts: contacts::columns(self.result, self.most_contacts),
            kept,
            tracks,
            series,
        };
        Ok(page::page(&content, &self.pictures))
    }

    fn motions(&self) -> Result<Vec<Motion>, HtmlError> {
        let bodies = 0..self.scene.bodies.len();
        Ok(bodies
            .map(|body| {
                let part = Part { exact: &self.result.times, ..Part::default() };
                self.scene.motion(body, self.result.span[0], part)
            })
            .collect::<Result<_, _>>()?)
    }

    fn upright(&self) -> usize {
        self.up.unwrap_or_else(|| positions::upright(self.scene))
    }

    /// Refuses a result of another scene.
    fn agree(&self) -> Result<(), HtmlError> {
        let (bodies, checked) = (&self.scene.bodies, &self.result.bodies);
        if bodies.len() != checked.len() {
            return Err(HtmlError::Bodies { scene: bodies.len(), result: checked.len() });
        }
        for (body, found) in bodies.iter().zip(checked) {
            let triangles = body.mesh.triangles.len();
            if body.name != found.name || triangles != found.triangles {
                let scene = (body.name.clone(), triangles);
                return Err(HtmlError::Body { scene, result: (found.name.clone(), found.triangles) });
            }
        }
        if self.result.contacts_left_out {
            return Err(HtmlError::ContactsLeftOut);
        }
        let count = |body: u32| checked.get(body as usize).map(|body| body.triangles);
        for (index, contact) in self.result.contacts.iter().enumerate() {
            for (body, triangle) in contact.bodies.into_iter().zip(contact.triangles) {
                if count(body).is_none_or(|triangles| triangle as usize >= triangles) {
                    return Err(HtmlError::Contact { contact: index, body, triangle });
                }
            }
        }
        for (index, incident) in self.result.incidents.iter().enumerate() {
            let outside = incident.contacts.iter().find(|&&contact| contact as usize >= self.result.contacts.len());
            if let Some(&contact) = outside {
                return Err(HtmlError::IncidentContact { incident: index, contact });
            }
            if let Some(&body) = incident.bodies.iter().find(|&&body| count(body).is_none()) {
                return Err(HtmlError::IncidentBody { incident: index, body });
            }
        }
        match self.pictures.iter().find(|picture| picture.incident >= self.result.incidents.len()) {
            Some(picture) => {
                Err(HtmlError::Picture { incident: picture.incident, incidents: self.result.incidents.len() })
            }
            None => Ok(()),
        }
    }
}
