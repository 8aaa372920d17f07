//! Bodies whose primitives or motion the scene states as numbers: their plans, spheres, checks.

use toml::Spanned;

use super::super::error::ReadError;
use super::super::format::FileFormat;
use super::super::matrix::{transform_wide, uniform_scale};
use super::super::part::Part;
use super::super::timing::check_times;
use super::super::transforms::read_transforms;
use super::super::world::flightplan;
use super::super::{MeshData, MotionData, PlannedMotion};
use super::file_or::FileOr;
use super::load::{Context, KeyTimes, later, named_file, refuse_keys_of_models, refuse_needless};
use super::model::offset;
use super::plan::{self, Moved, PlanError, PlanText, Read};
use super::shape::{self, ShapeError, StatedSpheres};
use super::text::BodyText;
use super::{SceneBody, SceneError, SceneShape};
use crate::mesh::Mesh;
use crate::motion::{KeyLayout, Motion, Sphere};

/// The motion of a plan of vertices at `rest`.
pub(super) fn plan(
    context: &Context<'_>,
    body: &BodyText,
    plan: &Spanned<FileOr<PlanText>>,
    rest: &[[f32; 3]],
) -> Result<MotionData, ReadError> {
    plan::refuse_needless(context, body)?;
    let mut motion = match plan::read(context, plan, &Moved::Vertices(rest))? {
        Read::Motion(motion) => motion,
        Read::Placed(times, transforms) => MotionData::Rigid { times, transforms },
    };
    delay(&mut motion, context, body)?;
    Ok(motion)
}

/// Plays a motion later by the body's `offset`.
fn delay(motion: &mut MotionData, context: &Context<'_>, body: &BodyText) -> Result<(), ReadError> {
    let times = match motion {
        MotionData::Keyframes { times, .. } | MotionData::Rigid { times, .. } => &mut times[..],
        MotionData::Planned(planned) => planned.times_mut(),
        MotionData::Fixed | MotionData::Velocity { .. } | MotionData::Cached { .. } | MotionData::Reduced(_) => {
            return Ok(());
        }
    };
    later(times, context, body)
}

/// A body of spheres, not placed yet.
pub(super) fn spheres(
    context: &Context<'_>,
    spanned: &Spanned<BodyText>,
    notes: &mut Vec<String>,
) -> Result<SceneBody, ReadError> {
    let (place, body) = (context.place, spanned.get_ref());
    refuse_keys_of_models(place, body)?;
    let Some(StatedSpheres { poses, path, notes: remarks }) = shape::spheres(context, body)? else {
        return Err(place.at(spanned, SceneError::NoMesh));
    };
    notes.extend(remarks);
    if let Some(velocity) = &body.velocity {
        return Err(place.at(velocity, SceneError::from(ShapeError::SpheresMotion { key: "velocity" })));
    }
    let (motion, motion_file) = match (&body.plan, &body.motion) {
        (Some(plan), _) => {
            plan::refuse_needless(context, body)?;
            let motion = match plan::read(context, plan, &Moved::Spheres(&poses))? {
                Read::Motion(motion) => motion,
                Read::Placed(times, matrices) => {
                    carried(times, &matrices, &poses[0]).map_err(|error| place.at(plan, error))?
                }
            };
            (motion, None)
        }
        (None, Some(motion)) => {
            if FileFormat::of_ending(motion.get_ref()) != Some(FileFormat::Transforms) {
                return Err(place.at(motion, SceneError::from(ShapeError::SpheresMotion { key: "motion" })));
            }
            let file = named_file(context, motion)?;
            let track = read_transforms(&file)?;
            let keys = KeyTimes { context, spanned, file: &file };
            let times = keys.resolve(track.transforms.len(), track.times, notes)?;
            let carried = carried(times, &track.transforms, &poses[0]);
            (carried.map_err(|error| ReadError::new(&file, error))?, Some(file))
        }
        (None, None) => {
            refuse_needless(place, body)?;
            let spheres = poses.into_iter().next().unwrap_or_default();
            (MotionData::Planned(PlannedMotion::Spheres { times: Vec::new(), spheres }), None)
        }
    };
    let mut made = SceneBody::new(body.name.get_ref(), MeshData::default(), motion);
    delay(&mut made.motion, context, body)?;
    Ok(SceneBody { shape: SceneShape::Spheres, mesh_file: path, motion_file, ..made })
}

/// Spheres that one matrix a key carries.
fn carried(times: Vec<f64>, matrices: &[[f64; 16]], spheres: &[Sphere]) -> Result<MotionData, SceneError> {
    plan::check_size(matrices.len(), spheres.len())?;
    let mut moved = Vec::with_capacity(matrices.len() * spheres.len());
    for (key, matrix) in matrices.iter().enumerate() {
        let scale = uniform_scale(matrix).ok_or(ShapeError::SpheresStretched { key: Some(key) })?;
        let carry =
            |sphere: &Sphere| Sphere { centre: transform_wide(matrix, sphere.centre), radius: scale * sphere.radius };
        moved.extend(spheres.iter().map(carry));
    }
    Ok(MotionData::Planned(PlannedMotion::Spheres { times, spheres: moved }))
}

/// Checks numbers that the scene states: positions and motion of a placed body. Bodies of spheres
/// get the mesh of their boxes.
pub(super) fn check(
    context: &Context<'_>,
    spanned: &Spanned<BodyText>,
    loaded: &mut SceneBody,
) -> Result<(), ReadError> {
    let body = spanned.get_ref();
    let is_stated = body.points.is_some() || body.segments.is_some() || body.triangles.is_some();
    if !is_stated && body.patches.is_none() && body.spheres.is_none() && body.plan.is_none() {
        return Ok(());
    }
    let refuse = |error: SceneError| match &body.plan {
        Some(plan) => context.place.at(plan, error),
        None => context.place.at(spanned, error),
    };
    // Frames of caches are checked as they are read.
    if !matches!(loaded.motion, MotionData::Cached { .. }) {
        check_motion(context, loaded, &refuse)?;
    }
    let vertices = loaded.mesh.positions.len();
    Mesh::new(vertices, loaded.mesh.triangles.clone())
        .map_err(|error| refuse(ShapeError::Mesh { key: "mesh", error }.into()))?;
    let ends = match &loaded.motion {
        MotionData::Planned(motion) => motion.times(),
        _ => &[],
    };
    check_times(ends, ends.len()).map_err(|error| refuse(PlanError::Times(error).into()))?;
    offset(context, body).map(|_| ())
}

/// Checks the plan of a motion. Spheres get the mesh of their boxes.
fn check_motion(
    context: &Context<'_>,
    loaded: &mut SceneBody,
    refuse: &dyn Fn(SceneError) -> ReadError,
) -> Result<(), ReadError> {
    // Only motions by few parameters are refused here, and no scene states these.
    let start = context.span.map_or(0.0, |[begin, _]| begin);
    let plan = flightplan(loaded, start, Part::default())
        .map_err(|error| refuse(SceneError::Toml { message: error.to_string() }))?;
    if loaded.shape == SceneShape::Spheres {
        let count = match &loaded.motion {
            MotionData::Planned(motion) => motion.spheres_at_key(0).map_or(0, <[_]>::len),
            _ => 0,
        };
        let corners = plan.rest_positions(2 * count).to_vec();
        let diagonals = (0..count as u32).map(|sphere| [2 * sphere, 2 * sphere + 1, 2 * sphere + 1]);
        loaded.mesh = MeshData { positions: corners, triangles: diagonals.collect() };
    }
    let vertices = loaded.mesh.positions.len();
    let checked = Motion::new(plan, vertices, KeyLayout::KeyMajor);
    checked.map(|_| ()).map_err(|error| refuse(PlanError::Motion(error).into()))
}
