//! The times that a check samples.

use super::{CheckError, CheckSettings, Sampling};
use crate::io::{MAX_FRAME_NUMBER, MotionData, Outside, Scene, SceneBody};
use crate::limits;

/// Whether nothing in a scene ever moves.
pub(crate) fn is_still(scene: &Scene) -> bool {
    scene.bodies.iter().all(|body| body.motion.is_fixed())
}

/// The times of a check.
pub(super) struct Times {
    /// To be sampled, increasing, inside `span`.
    pub(super) sampled: Vec<f64>,
    /// What is checked, seconds.
    pub(super) span: [f64; 2],
    /// What is checked where the settings have no span.
    pub(super) whole: [f64; 2],
    /// All sampled times of the whole check.
    pub(super) all: Vec<f64>,
    /// Frames a second.
    pub(super) fps: Option<f64>,
}

/// The times that settings ask for.
pub(super) fn sample_times(settings: &CheckSettings, scene: &Scene) -> Result<Times, CheckError> {
    let (all, fps) = match &settings.sampling {
        Sampling::Scene => (frame_times(None, scene)?, scene.fps),
        Sampling::Fps(fps) => (frame_times(Some(*fps), scene)?, Some(*fps)),
        Sampling::Times(times) => {
            check_sampled(times, scene, scene.fps)?;
            (times.clone(), scene.fps)
        }
    };
    // All of the scene's span, samples or not; of times that were named, from the first to the
    // last.
    let span = if let Sampling::Times(_) = settings.sampling { None } else { scene.default_span() };
    let sampled = all.first().copied().zip(all.last().copied()).map(|(first, last)| [first, last]);
    let whole = span.into_iter().chain(sampled).reduce(|[a, b], [first, last]| [a.min(first), b.max(last)]);
    let Some(span) = settings.span else {
        let whole = whole.ok_or(CheckError::NoTimes)?;
        return Ok(Times { sampled: all.clone(), span: whole, whole, all, fps });
    };
    check_span(span)?;
    span.iter().try_for_each(|&time| check_inside(time, scene, fps))?;
    // A span that goes beyond the samples is no part of a check without it.
    let whole = whole.map_or(span, |[first, last]| [first.min(span[0]), last.max(span[1])]);
    let sampled = all.iter().copied().filter(|time| (span[0]..=span[1]).contains(time)).collect();
    Ok(Times { sampled, span, whole, all, fps })
}

/// Refuses times that are not increasing, and times at which the scene does not move, with `fps`
/// frames a second.
pub(crate) fn check_sampled(times: &[f64], scene: &Scene, fps: Option<f64>) -> Result<(), CheckError> {
    check_times(times)?;
    times.iter().try_for_each(|&time| check_inside(time, scene, fps))
}

fn check_span(span: [f64; 2]) -> Result<(), CheckError> {
    let is_usable = |time: f64| time.abs() <= limits::MAX_TIME;
    if span.into_iter().all(is_usable) && span[0] <= span[1] { Ok(()) } else { Err(CheckError::Span { span }) }
}

fn check_times(times: &[f64]) -> Result<(), CheckError> {
    for (index, &value) in times.iter().enumerate() {
        if !value.is_finite() {
            return Err(CheckError::TimeNotFinite { index, value });
        }
        if value.abs() > limits::MAX_TIME {
            return Err(CheckError::TimeTooLarge { index, value });
        }
        if index > 0 && times[index - 1] >= value {
            return Err(CheckError::TimeOrder { index, previous: times[index - 1], value });
        }
    }
    Ok(())
}

/// Refuses a time outside the scene's span; where it has none, one at which all bodies are held at
/// their first or last keys. The frames that these keys belong to are inside.
fn check_inside(time: f64, scene: &Scene, fps: Option<f64>) -> Result<(), CheckError> {
    if let Some(span) = scene.span {
        return if (span[0]..=span[1]).contains(&time) { Ok(()) } else { Err(CheckError::OutsideSpan { time, span }) };
    }
    let moves_on = |body: &SceneBody| match &body.motion {
        MotionData::Velocity { .. } => true,
        MotionData::Planned(motion) if motion.is_endless() => true,
        _ => body.outside == Outside::Loop && body.motion.key_count() > 0,
    };
    let ends =
        |body: &SceneBody| Some((*body.motion.times().first()?, *body.motion.times().last()?, body.name.clone()));
    let ends: Vec<_> = scene.bodies.iter().filter_map(ends).collect();
    let first = ends.iter().min_by(|a, b| a.0.total_cmp(&b.0));
    let last = ends.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let (Some((first, _, starter)), Some((_, last, ender))) = (first, last) else { return Ok(()) };
    let mut inside = [fps, scene.fps].into_iter().filter_map(|fps| scene.span_at(fps)).chain([[*first, *last]]);
    if scene.bodies.iter().any(moves_on) || inside.any(|[first, last]| (first..=last).contains(&time)) {
        return Ok(());
    }
    let is_before = time < *first;
    let body = if is_before { starter } else { ender }.clone();
    Err(CheckError::OutsideKeys { time, is_before, body, keys: [*first, *last] })
}

/// `fps` times a second over the scene's span, or the scene's own samples.
pub(crate) fn frame_times(fps: Option<f64>, scene: &Scene) -> Result<Vec<f64>, CheckError> {
    let is_any_time_as_good = scene.span.is_none() && is_still(scene);
    let Some(fps) = fps else {
        return Ok(if is_any_time_as_good { vec![0.0] } else { scene.sample_times() });
    };
    if !(fps > 0.0 && fps.is_finite()) {
        return Err(CheckError::Fps { value: fps });
    }
    if let Some(span) = scene.default_span()
        && span[0].abs().max(span[1].abs()) * fps > MAX_FRAME_NUMBER as f64
    {
        return Err(CheckError::TooManySamples { fps, span });
    }
    if is_any_time_as_good {
        return Ok(vec![0.0]);
    }
    Ok(scene.times_at(Some(fps)))
}
