//! Result files of checks: `kinetree-contacts/1`, `docs/formats/contacts.md`.
//!
//! | file | does |
//! |---|---|
//! | `write` | [`JsonWriter`]: a check as JSON, sample by sample |
//! | `read` | [`ResultFile`] from JSON |
//! | `merge` | parts of one check, joined |
//! | `error` | what is wrong with a file, or with parts |

mod error;
mod merge;
mod read;
mod write;

use super::run::begin_of;
use super::{BaselineChoice, CheckError, CheckIdentity, CheckResult, SampledContact, incidents_of};
use crate::io::{Part, Scene};
use crate::world::{Engine, IgnoredContacts, WorldDef};

pub use error::{MergeError, ResultFileError};
pub(super) use merge::join_contacts;
pub use merge::merge;
pub use read::{parse_result, read_result};
pub use write::JsonWriter;

/// The name of the format.
pub(super) const FORMAT: &str = "kinetree-contacts/1";

/// Counts additions to the format: members that earlier writers did not have.
pub(super) const REVISION: u32 = 1;

/// The revision of files whose triangles have names.
pub(super) const NAMED_REVISION: u32 = 2;

/// One sampled time of a result file.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct FileSample {
    /// Seconds.
    pub time: f64,
    /// What touches, by bodies and triangles.
    pub contacts: Vec<SampledContact>,
}

/// A whole result file: a check, and what touches at its samples.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ResultFile {
    /// The check. Its counters are empty.
    pub result: CheckResult,
    /// What touches at the sampled times, in order of time.
    pub samples: Vec<FileSample>,
    /// Whether the incidents of the result were found.
    has_incidents: bool,
}

impl ResultFile {
    /// Finds the incidents of the contacts, with the scene that was checked.
    ///
    /// # Errors
    /// [`CheckError::OtherScene`] for a scene that was not checked, where the file tells;
    /// [`CheckError::OtherRules`] where contacts of the scene are the baseline, and others count in
    /// it than in the check;
    /// [`CheckError::ContactsLeftOut`]; otherwise as [`incidents_of`].
    pub fn add_incidents(&mut self, scene: &Scene, baseline: &BaselineChoice) -> Result<(), CheckError> {
        let result = &mut self.result;
        if result.contacts_left_out {
            return Err(CheckError::ContactsLeftOut);
        }
        if let Some(identity) = &result.identity {
            let def = WorldDef { start: result.whole[0], engine: Engine::Refit, ..WorldDef::default() };
            let held = [result.whole[0]; 2];
            let part = Part { span: Some(held), ..Part::default() };
            let is_searched = !matches!(baseline, BaselineChoice::None | BaselineChoice::Contacts(_));
            let world = |ignored| scene.world_of_pairs(def, ignored, part, |_, _| is_searched);
            let (start, _) = world(IgnoredContacts::None)?;
            let CheckIdentity { bodies: found, rules, .. } =
                CheckIdentity::new(scene, &start, held, result.whole, identity.sampling)?;
            if found != identity.bodies {
                let place = found.iter().zip(&identity.bodies).position(|(found, expected)| found != expected);
                let body = place.map(|place| scene.bodies[place].name.clone());
                return Err(CheckError::OtherScene { body });
            }
            // Contacts of the scene are the baseline, by the same rules. It has those at rest also
            // where the check left them out.
            let is_without_rest =
                || world(IgnoredContacts::AtRest).map(|(world, _)| world.identity_frame().rules() == identity.rules);
            if is_searched && rules != identity.rules && !is_without_rest()? {
                return Err(CheckError::OtherRules);
            }
        }
        result.incidents = incidents_of(scene, &result.contacts, &result.times, begin_of(scene, result), baseline)?;
        (self.has_incidents, result.incidents_left_out) = (true, false);
        Ok(())
    }
}
