//! Joining the parts of a check.
//!
//! A contact that exists at a cut is in both parts: it ends there in one, and begins there in the
//! other. It is found over the same stretches of linear motion in both, so that its other ends have
//! the bits of an undivided run, wherever the cut is.

use super::{FileSample, MergeError, ResultFile};
use crate::check::contacts::compare;
use crate::check::run::sum_up;
use crate::check::{CheckEnding, CheckResult};
use crate::incident::TriangleContact;

/// Joins the parts of one check, in any order, to what an undivided run finds. Counters are left
/// empty.
///
/// Parts meet at their ends: each begins at the time at which the one before it ends.
/// O(n log n) in contacts and samples.
///
/// # Errors
/// Parts of different scenes or settings, time that no part covers, or that two cover; a part whose
/// contacts were handed over.
pub fn merge(parts: Vec<ResultFile>) -> Result<ResultFile, MergeError> {
    let Some(first) = parts.first() else { return Err(MergeError::Nothing) };
    let whole = first.result.whole;
    for (part, other) in parts.iter().enumerate() {
        if other.result.contacts_left_out {
            return Err(MergeError::ContactsLeftOut { part });
        }
        check_same(&first.result, &other.result, part)?;
    }
    let mut parts: Vec<(usize, ResultFile)> = parts.into_iter().enumerate().collect();
    parts.sort_by(|(_, x), (_, y)| {
        x.result.span[0].total_cmp(&y.result.span[0]).then(x.result.span[1].total_cmp(&y.result.span[1]))
    });
    check_cover(whole, &parts)?;
    let mut joined: Option<(usize, ResultFile)> = None;
    for (number, part) in parts {
        joined = Some(match joined {
            None => (number, part),
            Some((last, joined)) => (number, join(joined, part, [last, number])?),
        });
    }
    let Some((_, mut joined)) = joined else { return Err(MergeError::Nothing) };
    joined.result.contacts.sort_by(compare);
    joined.result.ending = CheckEnding::Complete;
    joined.result.times = joined.samples.iter().map(|sample| sample.time).collect();
    joined.result.pairs =
        sum_up(&joined.result, joined.samples.iter().map(|sample| (sample.time, &sample.contacts[..])));
    Ok(joined)
}

/// Refuses a part of another scene or with other settings.
fn check_same(first: &CheckResult, other: &CheckResult, part: usize) -> Result<(), MergeError> {
    let (Some(one), Some(two)) = (&first.identity, &other.identity) else {
        let part = if first.identity.is_none() { 0 } else { part };
        return Err(MergeError::NoIdentity { part });
    };
    let scene = |what: String| Err(MergeError::OtherScene { part, what });
    if first.bodies.len() != other.bodies.len() {
        return scene("the number of bodies".into());
    }
    if let Some((body, other)) = first.bodies.iter().zip(&other.bodies).find(|(one, two)| one != two) {
        if body.is_same_but_for_names(other) {
            return scene(format!("what the parts of body '{}' are called", body.name));
        }
        return scene(format!("the name or the number of triangles of body '{}'", body.name));
    }
    let settings = |what| Err(MergeError::OtherSettings { part, what });
    if first.whole != other.whole {
        return settings("the span of the whole check");
    }
    if let Some(place) = one.bodies.iter().zip(&two.bodies).position(|(one, two)| one != two) {
        let name = first.bodies.get(place).map_or("", |body| &body.name);
        return scene(format!("the mesh or the motion of body '{name}'"));
    }
    if one.rules != two.rules {
        return settings("thickness, contacts of bodies with themselves, exclusions or ignored contacts");
    }
    // Files without `still` tell of scenes in which nothing moves as of others.
    let has_intervals = |result: &CheckResult| result.is_over_time || result.is_still;
    if one.sampling != two.sampling || has_intervals(first) != has_intervals(other) {
        return settings("the sampled times, or whether contacts over time are found");
    }
    Ok(())
}

/// Refuses gaps and overlaps. The parts are sorted.
fn check_cover(whole: [f64; 2], parts: &[(usize, ResultFile)]) -> Result<(), MergeError> {
    let mut reached = whole[0];
    let mut last = 0;
    for (place, (number, part)) in parts.iter().enumerate() {
        let [begin, end] = part.result.span;
        if begin > reached {
            return Err(MergeError::Gap { from: reached, to: begin });
        }
        // Two parts may touch, and a part may be an instant.
        if begin < reached && (place > 0 || begin < whole[0]) {
            return Err(MergeError::Overlap { parts: [last, *number], from: begin, to: reached.min(end) });
        }
        (reached, last) = (end, *number);
    }
    if reached < whole[1] { Err(MergeError::Gap { from: reached, to: whole[1] }) } else { Ok(()) }
}

fn join(mut before: ResultFile, after: ResultFile, parts: [usize; 2]) -> Result<ResultFile, MergeError> {
    let mut samples = after.samples;
    if let (Some(last), Some(first)) = (before.samples.last(), samples.first())
        && last.time == first.time
    {
        let FileSample { time, contacts } = samples.remove(0);
        if last.contacts != contacts {
            return Err(MergeError::Samples { parts, time });
        }
    }
    before.samples.append(&mut samples);
    before.result.span[1] = after.result.span[1];
    before.result.contacts = join_contacts(before.result.contacts, after.result.contacts);
    Ok(before)
}

/// Joins the contacts of two parts that meet. Both are sorted; so is the outcome.
pub(crate) fn join_contacts(mut before: Vec<TriangleContact>, after: Vec<TriangleContact>) -> Vec<TriangleContact> {
    let pair = |contact: &TriangleContact| (contact.bodies, contact.triangles);
    // Of one pair of triangles one contact exists at a time: the one that began last.
    let mut open: Vec<usize> = (0..before.len()).filter(|&place| before[place].is_clipped[1]).collect();
    open.reverse();
    let mut rest = Vec::new();
    for mut contact in after {
        if !contact.is_clipped[0] {
            rest.push(contact);
            continue;
        }
        while let Some(place) = open.pop_if(|place| pair(&before[*place]) < pair(&contact)) {
            // It exists at the cut in one part only, and ends there.
            before[place].is_clipped[1] = false;
        }
        if let Some(place) = open.pop_if(|place| pair(&before[*place]) == pair(&contact)) {
            let present = &mut before[place];
            (present.end, present.is_open[1], present.is_clipped[1]) =
                (contact.end, contact.is_open[1], contact.is_clipped[1]);
            present.is_undecided |= contact.is_undecided;
        } else {
            contact.is_clipped[0] = false;
            rest.push(contact);
        }
    }
    open.into_iter().for_each(|place| before[place].is_clipped[1] = false);
    before.append(&mut rest);
    before.sort_by(compare);
    before
}
