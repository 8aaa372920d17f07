//! What a check covers, before it runs.

use super::identity::of_sampling;
use super::run::Plan;
use super::{CheckError, CheckIdentity, CheckSettings};
use crate::io::Scene;

/// What a check covers. All times are seconds.
///
/// Programs that divide a check choose the cuts by it, and find earlier results by its identity.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CheckOutline {
    /// The sampled times of the span, increasing.
    pub times: Vec<f64>,
    /// First and last second that the settings ask for.
    pub span: [f64; 2],
    /// First and last second of the whole check, as [`CheckResult::whole`](super::CheckResult).
    pub whole: [f64; 2],
    /// Frames a second, where the scene or the settings say so.
    pub fps: Option<f64>,
    /// Whether nothing moves and one time is sampled.
    pub is_still: bool,
    /// Whether contacts over time are found.
    pub is_over_time: bool,
    /// The identity that the result of the check has.
    pub identity: CheckIdentity,
}

/// What a check of a scene covers. Builds the world of the check, and does not run it.
/// O(keys × vertices).
///
/// # Errors
/// As [`super::check`].
///
/// ```
/// use kinetree::check::{CheckSettings, outline};
///
/// let scene = kinetree::io::read_scene("fixtures/cloth_ball/scene.toml")?;
/// let outline = outline(&scene, &CheckSettings::default())?;
/// assert_eq!((outline.whole, outline.times.len()), ([0.0, 3.875], 94));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn outline(scene: &Scene, settings: &CheckSettings) -> Result<CheckOutline, CheckError> {
    let plan = Plan::new(scene, settings)?;
    let source = plan.world(scene, settings)?;
    let (whole, all, fps) = plan.sampling();
    let sampling = of_sampling(all, fps, plan.is_over_time());
    Ok(CheckOutline {
        times: plan.times().to_vec(),
        span: plan.span(),
        whole,
        fps,
        is_still: plan.is_still(),
        is_over_time: plan.is_over_time(),
        identity: CheckIdentity::new(scene, source.world(), plan.first_part(scene, settings), whole, sampling)?,
    })
}
