//! `plan`: a motion that is stated as numbers, in the scene file or in a JSON file of the same
//! keys.

mod error;

use std::path::Path;

use serde::Deserialize;
use toml::Spanned;

pub use error::PlanError;

use super::super::error::ReadError;
use super::super::matrix::{MatrixEntries, MatrixError};
use super::super::source::read_first_bytes;
use super::super::timing::check_times;
use super::super::transforms::json_fault;
use super::super::{MotionData, PlannedMotion};
use super::SceneError;
use super::file_or::FileOr;
use super::load::{Context, named};
use super::placement::at_key;
use super::text::{BodyText, RotateText, ScaleText};
use crate::motion::Sphere;

/// Most positions, terms or spheres of all keys, where few numbers of a file state many.
const MOST_ENTRIES: usize = 1 << 26;

/// The keys of a plan, by its kind.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum PlanText {
    Velocity {
        begin: Option<f64>,
        end: Option<f64>,
        velocity: Option<[f64; 3]>,
        velocities: Option<Vec<[f64; 3]>>,
    },
    Ballistic {
        begin: Option<f64>,
        end: Option<f64>,
        velocity: Option<[f64; 3]>,
        velocities: Option<Vec<[f64; 3]>>,
        acceleration: Option<[f64; 3]>,
        accelerations: Option<Vec<[f64; 3]>>,
    },
    Keyframes {
        times: Vec<f64>,
        positions: Vec<Vec<[f64; 3]>>,
    },
    Cubic {
        times: Vec<f64>,
        positions: Vec<Vec<[f64; 3]>>,
        in_tangents: Vec<Vec<[f64; 3]>>,
        out_tangents: Vec<Vec<[f64; 3]>>,
    },
    Polynomials {
        times: Vec<f64>,
        path: Option<Vec<Vec<[f64; 3]>>>,
        coefficients: Option<Vec<Vec<Vec<[f64; 3]>>>>,
    },
    Placed {
        times: Vec<f64>,
        transforms: Option<Vec<MatrixEntries>>,
        keys: Option<Vec<KeyText>>,
    },
    Spheres {
        times: Vec<f64>,
        spheres: Vec<Vec<[f64; 4]>>,
    },
    Poses {
        times: Vec<f64>,
        poses: Vec<usize>,
    },
}

/// A place, as a body's placement states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyText {
    translate: Option<Vec<f64>>,
    rotate: Option<RotateText>,
    scale: Option<ScaleText>,
}

/// What a plan moves.
pub(super) enum Moved<'a> {
    /// Vertices at their mesh positions.
    Vertices(&'a [[f32; 3]]),
    /// Spheres in one pose or several.
    Spheres(&'a [Vec<Sphere>]),
}

/// The motion of a plan.
pub(super) enum Read {
    /// Of vertices.
    Motion(MotionData),
    /// One matrix a key, for whatever is moved.
    Placed(Vec<f64>, Vec<[f64; 16]>),
}

/// Refuses keys that say what a plan says by itself.
pub(super) fn refuse_needless(context: &Context<'_>, body: &BodyText) -> Result<(), ReadError> {
    let place = context.place;
    let twice = |key| PlanError::Twice { key };
    let own = |key| PlanError::OwnTimes { key };
    if let Some(motion) = &body.motion {
        return Err(place.at(motion, SceneError::from(twice("motion"))));
    }
    if let Some(velocity) = &body.velocity {
        return Err(place.at(velocity, SceneError::from(twice("velocity"))));
    }
    if let Some(fps) = &body.fps {
        return Err(place.at(fps, SceneError::from(own("fps"))));
    }
    if let Some(times) = &body.times {
        return Err(place.at(times, SceneError::from(own("times"))));
    }
    match &body.check_order {
        Some(check) => Err(place.at(check, SceneError::NeedlessOrder)),
        None => Ok(()),
    }
}

/// Reads a plan, from its file if it names one.
pub(super) fn read(
    context: &Context<'_>,
    plan: &Spanned<FileOr<PlanText>>,
    moved: &Moved<'_>,
) -> Result<Read, ReadError> {
    match plan.get_ref() {
        FileOr::Here(text) => motion(text, moved).map_err(|error| context.place.at(plan, error)),
        FileOr::File(name) => {
            let file = named(context, plan, name)?;
            motion(&read_file(&file)?, moved).map_err(|error| ReadError::new(&file, error))
        }
    }
}

fn read_file(file: &Path) -> Result<PlanText, ReadError> {
    let bytes = read_first_bytes(file, u64::MAX)?;
    serde_json::from_slice(&bytes).map_err(|error| {
        let message = json_fault(&bytes, &error);
        let refused = ReadError::new(file, SceneError::from(PlanError::Json { message }));
        // Of a plan of the wrong keys, JSON has no line.
        if error.line() == 0 { refused } else { refused.at_line(error.line()).at_column(error.column()) }
    })
}

fn motion(text: &PlanText, moved: &Moved<'_>) -> Result<Read, SceneError> {
    if let PlanText::Placed { times, transforms, keys } = text {
        let matrices = match (transforms, keys) {
            (Some(transforms), None) => matrices(transforms)?,
            (None, Some(keys)) => keys.iter().map(matrix).collect::<Result<_, _>>()?,
            _ => return Err(one_of("placed", "transforms", "keys").into()),
        };
        check_count("transforms or keys", matrices.len(), times)?;
        return Ok(Read::Placed(times.clone(), matrices));
    }
    let planned = match moved {
        Moved::Vertices(rest) => of_vertices(text, rest)?,
        Moved::Spheres(poses) => MotionData::Planned(of_spheres(text, poses)?),
    };
    Ok(Read::Motion(planned))
}

fn of_spheres(text: &PlanText, poses: &[Vec<Sphere>]) -> Result<PlannedMotion, SceneError> {
    let count = poses.first().map_or(0, Vec::len);
    match text {
        PlanText::Spheres { times, spheres } => {
            check_count("spheres", spheres.len(), times)?;
            check_rows("spheres", "key", spheres, count, "spheres")?;
            let spheres = spheres.concat().iter().map(super::super::spheres::sphere_of).collect();
            Ok(PlannedMotion::Spheres { times: times.clone(), spheres })
        }
        PlanText::Poses { times, poses: wanted } => {
            check_count("poses", wanted.len(), times)?;
            check_size(wanted.len(), count)?;
            let mut spheres = Vec::with_capacity(count * wanted.len());
            for (key, &pose) in wanted.iter().enumerate() {
                let missing = PlanError::NoSuchPose { key, pose, poses: poses.len() };
                spheres.extend_from_slice(poses.get(pose).ok_or(missing)?);
            }
            Ok(PlannedMotion::Spheres { times: times.clone(), spheres })
        }
        _ => Err(PlanError::NotForSpheres { kind: kind(text) }.into()),
    }
}

fn of_vertices(text: &PlanText, rest: &[[f32; 3]]) -> Result<MotionData, SceneError> {
    let count = rest.len();
    let planned = match text {
        PlanText::Velocity { begin, end, velocity, velocities } => PlannedMotion::Velocities {
            span: span(*begin, *end),
            velocities: each("velocity", ["velocity", "velocities"], *velocity, velocities.as_deref(), count)?,
        },
        PlanText::Ballistic { begin, end, velocity, velocities, acceleration, accelerations } => {
            let pulls = ["acceleration", "accelerations"];
            PlannedMotion::Ballistic {
                span: span(*begin, *end),
                velocities: each("ballistic", ["velocity", "velocities"], *velocity, velocities.as_deref(), count)?,
                accelerations: each("ballistic", pulls, *acceleration, accelerations.as_deref(), count)?,
            }
        }
        PlanText::Keyframes { times, positions } => {
            let positions = rows("positions", times, positions, count)?.into_flattened();
            return Ok(MotionData::Keyframes { times: times.clone(), positions });
        }
        PlanText::Cubic { times, positions, in_tangents, out_tangents } => PlannedMotion::Cubic {
            times: times.clone(),
            positions: rows("positions", times, positions, count)?,
            in_tangents: rows("in_tangents", times, in_tangents, count)?,
            out_tangents: rows("out_tangents", times, out_tangents, count)?,
        },
        PlanText::Polynomials { times, path: Some(path), coefficients: None } => along_path(times, path, rest)?,
        PlanText::Polynomials { times, path: None, coefficients: Some(coefficients) } => {
            polynomials(times, coefficients, count)?
        }
        PlanText::Polynomials { .. } => return Err(one_of("polynomials", "path", "coefficients").into()),
        PlanText::Placed { .. } | PlanText::Spheres { .. } | PlanText::Poses { .. } => {
            return Err(PlanError::NeedsSpheres { kind: kind(text) }.into());
        }
    };
    Ok(MotionData::Planned(planned))
}

fn kind(text: &PlanText) -> &'static str {
    match text {
        PlanText::Velocity { .. } => "velocity",
        PlanText::Ballistic { .. } => "ballistic",
        PlanText::Keyframes { .. } => "keyframes",
        PlanText::Cubic { .. } => "cubic",
        PlanText::Polynomials { .. } => "polynomials",
        PlanText::Placed { .. } => "placed",
        PlanText::Spheres { .. } => "spheres",
        PlanText::Poses { .. } => "poses",
    }
}

fn one_of(kind: &'static str, one: &'static str, other: &'static str) -> PlanError {
    PlanError::OneOf { kind, one, other }
}

fn span(begin: Option<f64>, end: Option<f64>) -> Vec<f64> {
    [begin.unwrap_or(0.0)].into_iter().chain(end).collect()
}

/// One vector for every vertex, or one each.
fn each(
    kind: &'static str,
    [one, other]: [&'static str; 2],
    common: Option<[f64; 3]>,
    all: Option<&[[f64; 3]]>,
    count: usize,
) -> Result<Vec<[f32; 3]>, SceneError> {
    match (common, all) {
        (Some(common), None) => Ok(vec![narrow(common); count]),
        (None, Some(all)) if all.len() == count => Ok(all.iter().copied().map(narrow).collect()),
        (None, Some(all)) => Err(PlanError::EachVertex { key: other, found: all.len(), expected: count }.into()),
        _ => Err(one_of(kind, one, other).into()),
    }
}

fn narrow(vector: [f64; 3]) -> [f32; 3] {
    vector.map(|x| x as f32)
}

fn check_count(key: &'static str, found: usize, times: &[f64]) -> Result<(), SceneError> {
    if times.is_empty() {
        return Err(PlanError::NoKeys.into());
    }
    if found != times.len() {
        return Err(PlanError::KeyCount { key, found, times: times.len() }.into());
    }
    check_times(times, times.len()).map_err(|error| PlanError::Times(error).into())
}

/// Refuses motions whose numbers are a product of two lists and do not fit into memory.
pub(super) fn check_size(keys: usize, items: usize) -> Result<(), PlanError> {
    match keys.checked_mul(items) {
        Some(entries) if entries <= MOST_ENTRIES => Ok(()),
        _ => Err(PlanError::TooLarge { keys, items }),
    }
}

/// Refuses lists of another length than one entry a vertex or sphere.
fn check_rows<T>(
    key: &'static str,
    place: &'static str,
    lists: &[Vec<T>],
    expected: usize,
    items: &'static str,
) -> Result<(), PlanError> {
    match lists.iter().position(|list| list.len() != expected) {
        Some(number) => {
            let found = lists[number].len();
            Err(PlanError::RowLength { key, place, number, found, expected, items })
        }
        None => Ok(()),
    }
}

fn rows(key: &'static str, times: &[f64], lists: &[Vec<[f64; 3]>], count: usize) -> Result<Vec<[f32; 3]>, SceneError> {
    check_count(key, lists.len(), times)?;
    check_rows(key, "key", lists, count, "vertices")?;
    Ok(lists.iter().flatten().copied().map(narrow).collect())
}

fn check_segments(key: &'static str, found: usize, times: &[f64]) -> Result<(), SceneError> {
    let wanted = times.len().saturating_sub(1);
    if found != wanted || found == 0 {
        return Err(PlanError::SegmentCount { key, found, times: times.len() }.into());
    }
    check_times(times, times.len()).map_err(|error| PlanError::Times(error).into())
}

/// One polynomial a segment, added to the positions of all vertices.
fn along_path(times: &[f64], path: &[Vec<[f64; 3]>], rest: &[[f32; 3]]) -> Result<PlannedMotion, SceneError> {
    check_segments("path", path.len(), times)?;
    let terms = path[0].len();
    check_rows("path", "segment", path, terms, "terms in segment 0")?;
    let degree = degree_of("path", terms)?;
    check_size(path.len() * terms, rest.len())?;
    let mut coefficients = Vec::with_capacity(path.len() * rest.len() * terms);
    for segment in path {
        for point in rest {
            let constant = [0, 1, 2].map(|axis| f64::from(point[axis]) + segment[0][axis]);
            coefficients.push(constant);
            coefficients.extend_from_slice(&segment[1..]);
        }
    }
    Ok(PlannedMotion::Polynomials { times: times.to_vec(), degree, coefficients })
}

fn polynomials(times: &[f64], given: &[Vec<Vec<[f64; 3]>>], count: usize) -> Result<PlannedMotion, SceneError> {
    check_segments("coefficients", given.len(), times)?;
    check_rows("coefficients", "segment", given, count, "vertices")?;
    let terms = given.first().and_then(|vertices| vertices.first()).map_or(0, Vec::len);
    let degree = degree_of("coefficients", terms)?;
    for (segment, vertices) in given.iter().enumerate() {
        if let Some(vertex) = vertices.iter().position(|list| list.len() != terms) {
            let found = vertices[vertex].len();
            return Err(PlanError::TermCount { segment, vertex, found, expected: terms }.into());
        }
    }
    let coefficients = given.iter().flatten().flatten().copied().collect();
    Ok(PlannedMotion::Polynomials { times: times.to_vec(), degree, coefficients })
}

fn degree_of(key: &'static str, terms: usize) -> Result<usize, PlanError> {
    if (1..=4).contains(&terms) { Ok(terms - 1) } else { Err(PlanError::Degree { key, terms }) }
}

fn matrices(transforms: &[MatrixEntries]) -> Result<Vec<[f64; 16]>, PlanError> {
    let matrix = |(key, entries): (usize, &MatrixEntries)| {
        entries.matrix().map_err(|kind| PlanError::Matrix(MatrixError { frame: Some(key), kind }))
    };
    transforms.iter().enumerate().map(matrix).collect()
}

fn matrix(key: &KeyText) -> Result<[f64; 16], SceneError> {
    at_key(key.translate.as_deref(), key.rotate.as_ref(), key.scale.as_ref())
}
