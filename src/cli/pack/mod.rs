//! `kinetree pack`: packs a closed mesh with spheres.

mod arguments;
mod picture;
mod poses;

use std::fmt::Write as _;
use std::path::PathBuf;

pub(super) use arguments::PackOptions;

use super::output::{Output, is_standard, keep_apart, say, warn};
use super::table::{counted, table};
use super::{Failure, Status, bold, tell};
use crate::io::{MeshMark, SphereFile, SpherePose};
use crate::motion::Sphere;
use crate::proxy::{
    DistanceField, Faults, Fit, GapDef, PackingDef, PoseMap, Proxy, ProxyError, Resolution, Solid, spheres_within,
    surface_samples,
};
use poses::Body;

/// Spheres where neither a number nor an error is given.
const USUAL_SPHERES: u32 = 64;

/// Most spheres that an error may need.
const MOST_SPHERES: usize = 65_536;

/// What was packed: spheres in every pose, and how well they fit.
struct Packed {
    names: Vec<String>,
    solids: Vec<Solid>,
    poses: Vec<Vec<Sphere>>,
    fits: Vec<Fit>,
    limit: f64,
    notes: Vec<String>,
}

pub(super) fn pack(options: &PackOptions) -> Result<Status, Failure> {
    check_numbers(options)?;
    let body = poses::read(options)?;
    keep_apart(&outputs(options), body.files.iter().map(PathBuf::as_path))?;
    let packed = packed(options, &body).map_err(|error| refused(options, &error))??;
    for note in &packed.notes {
        tell("note: ", note);
    }
    let file = file(&body, &packed)?;
    Output::whole(&options.out, file.to_json().as_bytes())?;
    if let Some(path) = &options.csv {
        Output::whole(path, list(&packed).as_bytes())?;
    }
    if let Some(path) = &options.picture {
        Output::whole(path, &picture::png(&packed, options.up)?)?;
    }
    if !options.quiet {
        let text = report(options, &packed);
        let is_taken = is_standard(&options.out) || options.csv.as_deref().is_some_and(is_standard);
        if is_taken { warn(&text) } else { say(&text)? }
    }
    Ok(Status::Answered)
}

fn outputs(options: &PackOptions) -> Vec<(&'static str, &std::path::Path)> {
    let others = [("--csv", options.csv.as_deref()), ("--picture", options.picture.as_deref())];
    let others = others.into_iter().filter_map(|(name, path)| Some((name, path?)));
    [("--out", options.out.as_path())].into_iter().chain(others).collect()
}

fn check_numbers(options: &PackOptions) -> Result<(), Failure> {
    let lengths = [("--error", options.error), ("--largest", options.largest), ("--limit", options.limit)];
    for (name, value) in lengths {
        if let Some(value) = value.filter(|value| !(*value > 0.0 && value.is_finite())) {
            return Err(Failure::Input(format!(
                "{name}: {value} is not a number of metres above 0; give one such as 2cm"
            )));
        }
    }
    Ok(())
}

/// The outer error is one of the mesh, the inner one of options that cannot be met.
fn packed(options: &PackOptions, body: &Body) -> Result<Result<Packed, Failure>, ProxyError> {
    let faults =
        if options.strict { Faults::Refuse } else { Faults::Repair { longest_loop: options.fill_holes as usize } };
    let (rest, repairs) = Solid::new(&body.mesh, &body.rest, faults)?;
    let resolution = Resolution::CellsAlongLongest(options.cells);
    let field = DistanceField::new(&rest, resolution)?;
    let samples = surface_samples(&rest, field.grid().cell())?;
    let longest = field.grid().cell() * f64::from(options.cells);
    let limit = options.limit.or(options.error).unwrap_or(0.02 * longest);
    let r_max = options.largest.unwrap_or(f64::INFINITY);
    let def = PackingDef { r_min: 0.0, r_max, max_count: options.spheres.unwrap_or(USUAL_SPHERES) as usize };
    let def = match options.error {
        None => def,
        Some(error) => {
            let all = PackingDef { max_count: MOST_SPHERES, ..def }.pack(&field)?;
            let Some(max_count) = spheres_within(&samples, all.spheres(), error) else {
                return Ok(Err(too_small(error, &samples, all.spheres(), field.grid().cell())));
            };
            PackingDef { max_count, ..def }
        }
    };
    let packing = def.pack(&field)?;
    let examples: Vec<Solid> = body
        .poses
        .iter()
        .enumerate()
        .map(|(pose, (_, positions))| rest.example(pose + 1, &body.mesh, positions))
        .collect::<Result<_, _>>()?;
    let mut proxy = Proxy::new(&rest, &packing, def, &examples, PoseMap::Surface)?;
    let mut notes: Vec<String> = repairs.iter().map(|repair| format!("the mesh was changed: {repair}")).collect();
    if options.fill_poses > 0 {
        let r_min = packing.spheres().iter().map(|sphere| sphere.radius).fold(f64::INFINITY, f64::min);
        for (pose, (name, _)) in body.poses.iter().enumerate() {
            let fill = GapDef { resolution, r_min, max_count: options.fill_poses as usize };
            let done = proxy.fill_gaps(&rest, &examples, PoseMap::Surface, pose + 1, fill)?;
            notes.push(format!("pose {name}: {} spheres were added in its gaps", done.added));
        }
    }
    let solids: Vec<Solid> = [rest].into_iter().chain(examples).collect();
    let poses: Vec<Vec<Sphere>> = (0..solids.len()).map(|pose| proxy.pose(pose).unwrap_or_default().to_vec()).collect();
    let mut fits = Vec::with_capacity(solids.len());
    for (solid, spheres) in solids.iter().zip(&poses) {
        let samples = surface_samples(solid, field.grid().cell())?;
        fits.push(Fit::measure(solid, &samples, spheres, limit, resolution)?);
    }
    let names = ["rest".to_owned()].into_iter().chain(body.poses.iter().map(|(name, _)| name.clone())).collect();
    Ok(Ok(Packed { names, solids, poses, fits, limit, notes }))
}

fn too_small(error: f64, samples: &[[f64; 3]], spheres: &[Sphere], cell: f64) -> Failure {
    let gaps = crate::proxy::signed_distances(samples, spheres);
    let largest = gaps.into_iter().fold(0.0, f64::max);
    Failure::Input(format!(
        "--error: {error} m is not reached: {} spheres, all that fit a grid of {cell:.4} m, leave {largest:.4} m; give more \
         --cells, or a larger --error",
        spheres.len()
    ))
}

/// The message of a mesh that cannot be packed, with a remedy.
fn refused(options: &PackOptions, error: &ProxyError) -> Failure {
    let remedy = match error {
        ProxyError::Open { .. } | ProxyError::LongLoop { .. } => {
            "; spheres need an inside: close the surface where it was modelled (sheets with Solidify in Blender), or close holes \
             with --fill-holes N"
        }
        ProxyError::NotManifold { .. } => "; separate or merge the parts that meet there, with a remesh for example",
        ProxyError::NotOrientable { .. } => "; cut the surface where it turns over, and close the parts",
        ProxyError::DegenerateTriangle { .. }
        | ProxyError::RepeatedTriangle { .. }
        | ProxyError::Misoriented { .. }
        | ProxyError::InsideOut { .. } => "; leave out --strict to have it repaired",
        ProxyError::NoVolume => "; give a flat surface some thickness, in Blender with Solidify",
        ProxyError::NothingFits { .. } => "; give more --cells",
        ProxyError::FieldTooLarge { .. } => "; give fewer --cells",
        ProxyError::PoseTriangles { .. } | ProxyError::PoseVertices { .. } => {
            "; export all poses from the same object, with the same modifiers"
        }
        _ => "",
    };
    Failure::Input(format!("{}: {error}{remedy}", options.mesh))
}

fn file(body: &Body, packed: &Packed) -> Result<SphereFile, Failure> {
    let poses = packed.names.iter().zip(&packed.poses).zip(&packed.fits).map(|((name, spheres), fit)| {
        let mut pose = SpherePose::new(name, spheres.clone());
        pose.quality = fit.entries();
        pose
    });
    let mut file = SphereFile::new(poses.collect())?;
    file.mesh = Some(MeshMark::new(&body.name, &body.data));
    file.notes.clone_from(&packed.notes);
    Ok(file)
}

/// All spheres as comma-separated values.
fn list(packed: &Packed) -> String {
    let mut text = String::from("pose,sphere,x,y,z,radius\n");
    for (pose, spheres) in packed.poses.iter().enumerate() {
        for (number, Sphere { centre: [x, y, z], radius }) in spheres.iter().enumerate() {
            let _ = writeln!(text, "{pose},{number},{x:?},{y:?},{z:?},{radius:?}");
        }
    }
    text
}

fn report(options: &PackOptions, packed: &Packed) -> String {
    let count = packed.poses.first().map_or(0, Vec::len);
    let head = format!(
        "{} in {}",
        counted(count as u64, "sphere", "spheres"),
        counted(packed.poses.len() as u64, "pose", "poses")
    );
    let metres = |value: f64| format!("{value:.4}");
    let row = |(name, fit): (&String, &Fit)| {
        vec![
            name.clone(),
            metres(fit.largest_gap),
            metres(fit.mean_gap),
            format!("{:.1} %", 100.0 * fit.covered),
            metres(fit.beyond),
            metres(fit.volume),
            format!("{:.1} %", 100.0 * fit.sphere_volume / fit.volume),
        ]
    };
    let rows: Vec<Vec<String>> = packed.names.iter().zip(&packed.fits).map(row).collect();
    let covered = format!("within {:.4} m", packed.limit);
    let headings = ["pose", "largest gap m", "mean gap m", &covered, "beyond mesh m", "volume m³", "filled by spheres"];
    format!("{}\n\n{}\n", bold(&format!("{}: ", options.out.display()), &head), table(&headings, &rows))
}
