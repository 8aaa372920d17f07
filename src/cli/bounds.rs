//! Bounds of a world that a scene exceeds, for people: what there is too much of, and what to do.

use super::table::grouped;
use super::when::digits;
use crate::check::CheckError;
use crate::io::{BakedSceneError, SceneWorldError};
use crate::world::{AdvanceError, BakedContactsError, WorldError};

/// The message of a check that was refused.
pub(super) fn of_check(error: &CheckError) -> String {
    let bound = match error {
        CheckError::Advance(error) => of_advance(error),
        CheckError::Scene(error) => of_scene(error),
        CheckError::Baked(error) => return of_bake(error),
        _ => None,
    };
    bound.unwrap_or_else(|| error.to_string())
}

/// The message of a scene that was not baked.
pub(super) fn of_bake(error: &BakedSceneError) -> String {
    let bound = match error {
        BakedSceneError::World(error) => of_scene(error),
        BakedSceneError::Contacts(BakedContactsError::Advance(error)) => of_advance(error),
        _ => None,
    };
    bound.unwrap_or_else(|| error.to_string())
}

fn of_advance(error: &AdvanceError) -> Option<String> {
    match *error {
        AdvanceError::Limit { what: AdvanceError::CONTACTS, limit, time } => Some(contacts(limit, Some(time))),
        AdvanceError::Limit { what: AdvanceError::CANDIDATES, .. } => Some(candidates(error)),
        _ => None,
    }
}

fn of_scene(error: &SceneWorldError) -> Option<String> {
    match *error {
        SceneWorldError::World(WorldError::Limit { what: AdvanceError::CONTACTS, limit }) => {
            Some(contacts(limit, None))
        }
        SceneWorldError::World(WorldError::Limit { what: AdvanceError::CANDIDATES, .. }) => Some(candidates(error)),
        _ => None,
    }
}

/// What to do about more contacts than are held.
fn contacts(limit: u64, time: Option<f64>) -> String {
    let when = time.map_or(String::new(), |time| format!(" by {} s", digits(time)));
    format!(
        "there are more than {} contacts of pairs of triangles{when}, the most that are held; bodies within their \
         thickness of each other touch with all their triangles: try a smaller --thickness, or leave out what touches at \
         the begin with --ignore-rest-contacts",
        grouped(limit)
    )
}

/// What to do about more pairs of triangles that may touch than are held.
fn candidates(error: &dyn std::fmt::Display) -> String {
    format!(
        "{error}; boxes are rounded in proportion to the largest coordinate: look for a vertex or a body that is very \
         far away (`kinetree info` has sizes), or try --engine kinetic"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_contacts_name_what_to_do() {
        let limit = 1 << 20;
        let advance = || AdvanceError::Limit { what: AdvanceError::CONTACTS, limit, time: 0.5 };
        let start = || SceneWorldError::World(WorldError::Limit { what: AdvanceError::CONTACTS, limit });
        let told = [
            of_check(&CheckError::Advance(advance())),
            of_check(&CheckError::Scene(start())),
            of_bake(&BakedSceneError::World(start())),
            of_bake(&BakedSceneError::Contacts(BakedContactsError::Advance(advance()))),
        ];
        for text in &told {
            assert!(text.starts_with("there are more than 1 048 576 contacts"), "{text}");
            assert!(text.contains("smaller --thickness") && text.contains("--ignore-rest-contacts"), "{text}");
        }
        assert!(told[0].contains("triangles by 0.5 s, the most") && told[1].contains("triangles, the most"));
        let near = CheckError::Advance(AdvanceError::Limit { what: AdvanceError::CANDIDATES, limit, time: 0.5 });
        let told = of_check(&near);
        assert!(told.starts_with(&near.to_string()) && told.contains("--engine kinetic"), "{told}");
        let other = CheckError::Advance(AdvanceError::Limit { what: AdvanceError::EVENTS, limit, time: 0.5 });
        assert_eq!(of_check(&other), other.to_string());
    }
}
