//! The frames whose positions the file has: all, or those around incidents.

use crate::check::CheckResult;
use crate::io::Scene;
use crate::motion::Motion;
use crate::time::Moment;

/// Bytes of a position: three numbers of 16 bits.
const BYTES_A_VERTEX: usize = 6;

/// Frames kept before the begin and after the end of an incident.
const MARGIN: usize = 3;

/// Incidents whose worst time is compared with the line between its neighbouring frames.
const MOST_COMPARED: usize = 20;

/// The frames whose positions the file has.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    /// Their times, increasing, seconds.
    pub(super) times: Vec<f64>,
    /// Whether frames of the clip are missing between a kept one and the next.
    pub(super) is_gap_after: Vec<bool>,
    /// Frames of the clip.
    pub(super) all: usize,
}

/// Chooses the frames to keep, so that positions of moving bodies take `bytes` or less.
pub(super) fn kept(scene: &Scene, result: &CheckResult, motions: &[Motion], bytes: usize) -> Kept {
    let frames = candidates(result, motions);
    let moving = scene.bodies.iter().filter(|body| !body.motion.is_fixed());
    let a_frame = BYTES_A_VERTEX * moving.map(|body| body.mesh.positions.len()).sum::<usize>();
    let most = (bytes / a_frame.max(1)).max(2);
    if frames.len() <= most {
        let is_gap_after = vec![false; frames.len()];
        return Kept { all: frames.len(), times: frames, is_gap_after };
    }
    let marks = around_incidents(result, &frames, most);
    let places: Vec<usize> = (0..frames.len()).filter(|&place| marks[place]).collect();
    let next = places.iter().skip(1).copied().chain([frames.len()]);
    Kept {
        times: places.iter().map(|&place| frames[place]).collect(),
        is_gap_after: places.iter().zip(next).map(|(&place, next)| next != place + 1 && next < frames.len()).collect(),
        all: frames.len(),
    }
}

/// The samples, both ends of the span, and worst times at which motion between samples is not a
/// line.
fn candidates(result: &CheckResult, motions: &[Motion]) -> Vec<f64> {
    let mut frames: Vec<f64> = result.times.iter().copied().chain(result.span).filter(|t| t.is_finite()).collect();
    frames.sort_unstable_by(f64::total_cmp);
    frames.dedup();
    let bent: Vec<f64> = result
        .incidents
        .iter()
        .take(MOST_COMPARED)
        .filter(|incident| {
            let bodies = incident.bodies.iter().filter_map(|&body| motions.get(body as usize));
            bodies.into_iter().any(|motion| is_bent(motion, incident.worst_time, &frames))
        })
        .map(|incident| incident.worst_time)
        .collect();
    frames.extend(bent);
    frames.sort_unstable_by(f64::total_cmp);
    frames.dedup();
    frames
}

/// Whether a body at a time is visibly off the line between the frames around that time.
fn is_bent(motion: &Motion, time: f64, frames: &[f64]) -> bool {
    let next = frames.partition_point(|&frame| frame <= time);
    if next == 0 || next == frames.len() || frames[next - 1] == time {
        return false;
    }
    let ([t0, t1], at) = ([frames[next - 1], frames[next]], |time, out: &mut Vec<_>| {
        out.clear();
        motion.positions(Moment::at(time), out);
    });
    let (mut before, mut here, mut after) = (Vec::new(), Vec::new(), Vec::new());
    at(t0, &mut before);
    at(time, &mut here);
    at(t1, &mut after);
    let u = (time - t0) / (t1 - t0);
    let bounds = crate::math::Aabb::of_points(&here);
    let size = bounds.longest_side();
    // A ten-thousandth of the body is less than a pixel of its picture.
    let off = |v: usize, axis: usize| (before[v][axis] * (1.0 - u) + after[v][axis] * u - here[v][axis]).abs();
    (0..here.len()).any(|v| (0..3).any(|axis| off(v, axis) > 1e-4 * size))
}

/// Marks the first and last frame, the frames at both sides of each worst time, and then frames
/// further and further from the worst times, one a round for each incident, up to `most` frames.
fn around_incidents(result: &CheckResult, frames: &[f64], most: usize) -> Vec<bool> {
    let (mut marks, mut count) = (vec![false; frames.len()], 0);
    let mut mark = |place: usize, marks: &mut Vec<bool>| {
        if count < most && !std::mem::replace(&mut marks[place], true) {
            count += 1;
        }
        count < most
    };
    let last = frames.len() - 1;
    mark(0, &mut marks);
    mark(last, &mut marks);
    // Per incident the place of its worst time, and the places it reaches.
    let ranges: Vec<[usize; 3]> = result
        .incidents
        .iter()
        .map(|incident| {
            let place = |time: f64| frames.partition_point(|&frame| frame <= time).saturating_sub(1);
            let (low, high) = (place(incident.begin).saturating_sub(MARGIN), place(incident.end) + 1 + MARGIN);
            [low, place(incident.worst_time), high.min(last)]
        })
        .collect();
    for distance in 0..frames.len() {
        let mut is_anything_left = false;
        for &[low, worst, high] in &ranges {
            let before = worst.checked_sub(distance).filter(|&place| place >= low);
            let after = Some(worst + 1 + distance).filter(|&place| place <= high);
            for place in before.into_iter().chain(after) {
                is_anything_left = true;
                if !mark(place, &mut marks) {
                    return marks;
                }
            }
        }
        if !is_anything_left {
            break;
        }
    }
    marks
}
