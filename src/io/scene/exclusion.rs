//! `[[exclude]]`: names of bodies and groups to pairs of body indices.
//!
//! `bodies` excludes every pair among those listed, `inside` every pair among a group's bodies,
//! `between` every pair of one body from either side. A body's contact with itself is
//! `self_contact`'s business and never excluded here.

use std::collections::BTreeSet;

use toml::Spanned;

use super::super::error::ReadError;
use super::SceneError;
use super::text::{BodyText, ExcludeText, SceneFile, SceneText};

/// Sorted pairs, lower index first, none twice.
pub(super) fn pairs(place: SceneFile<'_>, scene: &SceneText) -> Result<Vec<[usize; 2]>, ReadError> {
    let mut pairs = BTreeSet::new();
    for exclude in &scene.exclude {
        let [left, right] = sides(&scene.body, exclude.get_ref()).map_err(|error| place.at(exclude, error))?;
        for &a in &left {
            for &b in right.iter().filter(|&&b| b != a) {
                pairs.insert([a.min(b), a.max(b)]);
            }
        }
    }
    Ok(pairs.into_iter().collect())
}

/// Two lists of bodies; every body of one is excluded with every other body of the other.
fn sides(bodies: &[Spanned<BodyText>], exclude: &ExcludeText) -> Result<[Vec<usize>; 2], SceneError> {
    match exclude {
        ExcludeText { bodies: Some(names), inside: None, between: None } => {
            let mut listed = Vec::with_capacity(names.len());
            for name in names {
                let body = find_body(bodies, name).ok_or_else(|| unknown(bodies, "body", name, true, false))?;
                if listed.contains(&body) {
                    return Err(SceneError::ExcludeRepeated { name: name.clone() });
                }
                listed.push(body);
            }
            if listed.len() < 2 {
                let found = listed.len();
                return Err(SceneError::ExcludeTooFew { found });
            }
            Ok([listed.clone(), listed])
        }
        ExcludeText { bodies: None, inside: Some(name), between: None } => {
            let members = find_group(bodies, name).ok_or_else(|| unknown(bodies, "group", name, false, true))?;
            Ok([members.clone(), members])
        }
        ExcludeText { bodies: None, inside: None, between: Some(names) } => {
            let [left, right] = &names[..] else {
                let found = names.len();
                return Err(SceneError::ExcludeBetween { found });
            };
            if left == right {
                return Err(SceneError::ExcludeRepeated { name: left.clone() });
            }
            let side = |name: &String| {
                find_body(bodies, name)
                    .map(|body| vec![body])
                    .or_else(|| find_group(bodies, name))
                    .ok_or_else(|| unknown(bodies, "body or group", name, true, true))
            };
            Ok([side(left)?, side(right)?])
        }
        _ => Err(SceneError::ExcludeForm),
    }
}

fn find_body(bodies: &[Spanned<BodyText>], name: &str) -> Option<usize> {
    bodies.iter().position(|body| body.get_ref().name.get_ref() == name)
}

fn find_group(bodies: &[Spanned<BodyText>], name: &str) -> Option<Vec<usize>> {
    let in_group = |body: &BodyText| body.group.as_ref().is_some_and(|group| group.get_ref() == name);
    let members: Vec<usize> = (0..bodies.len()).filter(|&index| in_group(bodies[index].get_ref())).collect();
    (!members.is_empty()).then_some(members)
}

fn unknown(
    bodies: &[Spanned<BodyText>],
    kind: &'static str,
    name: &str,
    list_bodies: bool,
    list_groups: bool,
) -> SceneError {
    let mut known = Vec::new();
    for body in bodies {
        let body = body.get_ref();
        if list_bodies {
            known.push(body.name.get_ref().clone());
        }
        if let Some(group) = body.group.as_ref().filter(|_| list_groups) {
            known.push(group.get_ref().clone());
        }
    }
    known.sort_unstable();
    known.dedup();
    SceneError::ExcludeUnknown { kind, name: name.to_owned(), known }
}
