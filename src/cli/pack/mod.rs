//! `kinetree pack`: packs a closed mesh with spheres.

mod arguments;
mod cache;
mod picture;
mod poses;
mod skin;
mod surface;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

pub(super) use arguments::PackOptions;
use arguments::{UpName, WrapAt};

use super::output::{Output, folder_of, is_standard, keep_apart, say, warn};
use super::table::{counted, table};
use super::{Failure, Status, bold, tell};
use crate::io::gltf::{SphereModel, is_gltf};
use crate::io::{CompoundCode, MeshMark, SphereFile, SpherePose, SphereSkin};
use crate::math::Aabb;
use crate::motion::Sphere;
use crate::proxy::{
    Fit, GapDef, Packing, PackingDef, PackingEnd, PoseMap, Proxy, ProxyError, Resolution, Solid, joints_of_spheres,
    order_by_joints, spheres_within, surface_samples,
};
use crate::threads;
use cache::FieldCache;
use poses::Body;
use skin::Skin;
use surface::{Closed, Filled};

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
    skin: Option<SphereSkin>,
}

/// Spheres in every pose.
struct Posed {
    poses: Vec<Vec<Sphere>>,
    notes: Vec<String>,
    skin: Option<SphereSkin>,
}

pub(super) fn pack(options: &PackOptions) -> Result<Status, Failure> {
    check_numbers(options)?;
    let body = poses::read(options)?;
    let source = &body.files[0];
    let model = is_gltf(source).then(|| SphereModel::read(source, &SphereSkin::default())).transpose()?;
    // No output may replace data that a model names.
    let data: Vec<PathBuf> =
        model.iter().flat_map(|model| &model.files).map(|file| folder_of(source).join(file)).collect();
    keep_apart(&outputs(options), body.files.iter().chain(&data).map(PathBuf::as_path))?;
    if let (Some(out), Some(model)) = (&options.gltf, &model) {
        check_output(out, source, model)?;
    }
    let jobs = match options.jobs {
        0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        jobs => jobs,
    };
    let mut cache = FieldCache::new(options.cache.as_deref());
    let packed = threads::on(jobs, || packed(options, &body, &mut cache));
    let FieldCache { said, faults, .. } = cache;
    faults.iter().for_each(|fault| tell("note: ", fault));
    let packed = packed.map_err(|error| refused(options, &error))??;
    for note in &packed.notes {
        tell("note: ", note);
    }
    let file = file(&body, &packed)?;
    let is_binary = options.out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bin"));
    let bytes = if is_binary { file.to_bytes() } else { file.to_json().into_bytes() };
    let model = match (&options.gltf, &packed.skin) {
        (Some(_), Some(skin)) => Some(SphereModel::read(source, skin)?),
        _ => None,
    };
    Output::whole(&options.out, &bytes)?;
    if let (Some(path), Some(model)) = (&options.gltf, model) {
        Output::whole(path, &model.bytes)?;
    }
    if let Some(path) = &options.csv {
        Output::whole(path, list(&packed).as_bytes())?;
    }
    if let Some(path) = &options.compound {
        Output::whole(path, code_of(path).write(&file.compounds()).as_bytes())?;
    }
    if let Some(path) = &options.picture {
        let usual = if is_gltf(source) { UpName::Y } else { UpName::Z };
        Output::whole(path, &picture::png(&packed, options.up.unwrap_or(usual))?)?;
    }
    if !options.quiet {
        let text = report(options, &packed, &said);
        let lists = [&options.csv, &options.compound];
        let is_taken = is_standard(&options.out) || lists.into_iter().flatten().any(|path| is_standard(path));
        if is_taken { warn(&text) } else { say(&text)? }
    }
    Ok(Status::Answered)
}

fn outputs(options: &PackOptions) -> Vec<(&'static str, &Path)> {
    let others = [
        ("--csv", options.csv.as_deref()),
        ("--compound", options.compound.as_deref()),
        ("--gltf", options.gltf.as_deref()),
        ("--picture", options.picture.as_deref()),
    ];
    let others = others.into_iter().filter_map(|(name, path)| Some((name, path?)));
    [("--out", options.out.as_path())].into_iter().chain(others).collect()
}

fn check_numbers(options: &PackOptions) -> Result<(), Failure> {
    let distance = match options.wrap {
        Some(WrapAt::Distance(distance)) => Some(distance),
        _ => None,
    };
    if distance.is_some() && options.fill_holes > 0 {
        return Err(Failure::Input(
            "--fill-holes: with --wrap D all of the mesh is wrapped; leave it out, or give --wrap auto".into(),
        ));
    }
    let lengths =
        [("--error", options.error), ("--largest", options.largest), ("--limit", options.limit), ("--wrap", distance)];
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
fn packed(options: &PackOptions, body: &Body, cache: &mut FieldCache) -> Result<Result<Packed, Failure>, ProxyError> {
    let resolution = Resolution::CellsAlongLongest(options.cells);
    let r_max = options.largest.unwrap_or(f64::INFINITY);
    let def = PackingDef { r_min: 0.0, r_max, max_count: options.spheres.unwrap_or(USUAL_SPHERES) as usize };
    let is_chosen = options.error.is_some() || body.skin.is_some();
    let most = PackingDef { max_count: if is_chosen { MOST_SPHERES } else { def.max_count }, ..def };
    let Filled { closed, field, mut packing } = surface::fill(options, body, most, resolution, cache)?;
    let rest = &closed.rest;
    let samples = surface_samples(rest, field.grid().cell())?;
    let limit = options.limit.or(options.error).unwrap_or(0.02 * longest_side(body));
    // In the order in which they are taken.
    let limbs = match &body.skin {
        None => packing.spheres().to_vec(),
        Some(skin) => by_limbs(&closed, skin, packing.spheres())?,
    };
    let max_count = match options.error {
        None => def.max_count,
        Some(error) => match spheres_within(&samples, &limbs, error) {
            Some(count) => count,
            None => return Ok(Err(too_small(error, &samples, &limbs, field.grid().cell(), packing.end()))),
        },
    };
    let def = PackingDef { max_count, ..def };
    let spheres = &limbs[..max_count.min(limbs.len())];
    let examples: Vec<Solid> = body
        .poses
        .iter()
        .enumerate()
        .map(|(pose, (_, positions))| closed.example(body, pose + 1, positions))
        .collect::<Result<_, _>>()?;
    let posed = match &body.skin {
        None => {
            if is_chosen {
                packing = def.pack(&field)?;
            }
            followed(options, body, rest, &packing, def, &examples)?
        }
        Some(skin) => {
            let weights = |vertex| closed.weights(skin, vertex);
            // Over the poses, unless the number follows from the rest pose.
            let bound = if examples.is_empty() || options.error.is_some() {
                let joints = joints_of_spheres(rest, spheres, skin.joints.len(), weights)?;
                spheres.iter().copied().zip(joints).collect()
            } else {
                let solids: Vec<Solid> = [rest].into_iter().chain(&examples).cloned().collect();
                skin.chosen(&solids, &limbs, weights, max_count)?
            };
            let (spheres, joints): (Vec<Sphere>, Vec<u32>) = bound.into_iter().unzip();
            match carried(skin, &spheres, &joints) {
                Ok(posed) => posed,
                Err(error) => return Ok(Err(error)),
            }
        }
    };
    let Posed { poses, notes: added, skin } = posed;
    let Closed { rest, notes: mut changes, .. } = closed;
    changes.extend(added);
    let solids: Vec<Solid> = [rest].into_iter().chain(examples).collect();
    let mut fits = Vec::with_capacity(solids.len());
    for (solid, spheres) in solids.iter().zip(&poses) {
        let samples = surface_samples(solid, field.grid().cell())?;
        fits.push(Fit::measure(solid, &samples, spheres, limit, resolution)?);
    }
    let names: Vec<String> =
        ["rest".to_owned()].into_iter().chain(body.poses.iter().map(|(name, _)| name.clone())).collect();
    for (name, fit) in names.iter().zip(&fits) {
        if let Err(error) = check_pose(options, name, fit) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(Packed { names, solids, poses, fits, limit, notes: changes, skin }))
}

/// Spheres in the order in which they are taken, so that all limbs get their share.
fn by_limbs(closed: &Closed, skin: &Skin, spheres: &[Sphere]) -> Result<Vec<Sphere>, ProxyError> {
    let weights = |vertex| closed.weights(skin, vertex);
    let order = order_by_joints(&closed.rest, spheres, skin.joints.len(), weights)?;
    Ok(order.into_iter().map(|number| spheres[number as usize]).collect())
}

/// Spheres that follow the surface: each pose has its own centres and radii.
fn followed(
    options: &PackOptions,
    body: &Body,
    rest: &Solid,
    packing: &Packing,
    def: PackingDef,
    examples: &[Solid],
) -> Result<Posed, ProxyError> {
    let mut proxy = Proxy::new(rest, packing, def, examples, PoseMap::Surface)?;
    let mut notes = Vec::new();
    if options.fill_poses > 0 {
        let resolution = Resolution::CellsAlongLongest(options.cells);
        let r_min = packing.spheres().iter().map(|sphere| sphere.radius).fold(f64::INFINITY, f64::min);
        for (pose, (name, _)) in body.poses.iter().enumerate() {
            let fill = GapDef { resolution, r_min, max_count: options.fill_poses as usize };
            let done = proxy.fill_gaps(rest, examples, PoseMap::Surface, pose + 1, fill)?;
            notes.push(format!("pose {name}: {} spheres were added in its gaps", done.added));
        }
    }
    let poses = (0..=examples.len()).map(|pose| proxy.pose(pose).unwrap_or_default().to_vec()).collect();
    Ok(Posed { poses, notes, skin: None })
}

/// Spheres that joints carry.
fn carried(skin: &Skin, spheres: &[Sphere], joints: &[u32]) -> Result<Posed, Failure> {
    let rest = skin.poses.first().map_or(&[][..], |pose| &pose.joints);
    let bound = SphereSkin::new(&skin.name, skin.joints.clone(), rest, spheres, joints)?;
    let poses = skin.poses.iter().map(|pose| bound.posed(&pose.joints)).collect::<Result<_, _>>()?;
    Ok(Posed { poses, notes: Vec::new(), skin: Some(bound) })
}

/// Refuses a name or folder that does not suit a model to be written.
fn check_output(out: &Path, path: &Path, model: &SphereModel) -> Result<(), Failure> {
    let refuse = |what: String| Err(Failure::Input(format!("--gltf: {}: {what}", out.display())));
    let wanted = if model.is_binary { "glb" } else { "gltf" };
    if !out.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(wanted)) {
        let form = if model.is_binary { "binary" } else { "JSON" };
        return refuse(format!("{} is {form}; give a name that ends in .{wanted}", path.display()));
    }
    let folder = |path: &Path| folder_of(path).canonicalize().ok();
    if let Some(file) = model.files.first()
        && folder(out) != folder(path)
    {
        let (file, path) = (file.display(), path.display());
        return refuse(format!("the model names {file} beside it; write into the folder of {path}"));
    }
    Ok(())
}

/// Refuses a pose that spheres cannot follow: its measurements would be no numbers from 0 on.
fn check_pose(options: &PackOptions, pose: &str, fit: &Fit) -> Result<(), Failure> {
    let what = if fit.volume <= 0.0 {
        format!("is mirrored, or encloses nothing: its volume is {} m³", fit.volume)
    } else if !fit.largest_gap.is_finite() {
        "has the centres of all spheres outside of its surface".to_owned()
    } else {
        return Ok(());
    };
    Err(Failure::Input(format!("{}: pose {pose} {what}; leave it out", options.mesh)))
}

/// The longest side of the box around the triangles of a mesh at rest, metres.
fn longest_side(body: &Body) -> f64 {
    let corners = body.mesh.triangles().as_flattened().iter().map(|&vertex| &body.rest[vertex as usize]);
    Aabb::of_points(corners).longest_side()
}

fn too_small(error: f64, samples: &[[f64; 3]], spheres: &[Sphere], cell: f64, end: PackingEnd) -> Failure {
    let gaps = crate::proxy::signed_distances(samples, spheres);
    let largest = gaps.into_iter().fold(0.0, f64::max);
    let count = spheres.len();
    let (which, remedy) = match end {
        PackingEnd::CountReached => ("the most that an error may need".to_owned(), "give a larger --error"),
        PackingEnd::RadiusReached => {
            (format!("all that fit a grid of {cell:.4} m"), "give more --cells, or a larger --error")
        }
    };
    Failure::Input(format!(
        "--error: {error} m is not reached: {count} spheres, {which}, leave {largest:.4} m; {remedy}"
    ))
}

/// The message of a mesh that cannot be packed, with a remedy.
fn refused(options: &PackOptions, error: &ProxyError) -> Failure {
    let remedy = match error {
        ProxyError::Open { .. } | ProxyError::LongLoop { .. } if options.joints => {
            "; spheres need an inside: close the surface where it was modelled, close holes with --fill-holes N, pack the parts \
             that are closed by themselves, with #NODE after the file, or wrap it with --wrap auto"
        }
        ProxyError::Open { .. } | ProxyError::LongLoop { .. } => {
            "; spheres need an inside: close the surface where it was modelled (sheets with Solidify in Blender), close holes with \
             --fill-holes N, or wrap it with --wrap auto"
        }
        ProxyError::NotManifold { .. } => {
            "; separate or merge the parts that meet there, with a remesh for example, or wrap it with --wrap auto"
        }
        ProxyError::NotOrientable { .. } => {
            "; cut the surface where it turns over, and close the parts, or wrap it with --wrap auto"
        }
        ProxyError::DegenerateTriangle { .. }
        | ProxyError::RepeatedTriangle { .. }
        | ProxyError::Misoriented { .. }
        | ProxyError::InsideOut { .. } => "; leave out --strict to have it repaired",
        ProxyError::NoVolume => "; give a flat surface some thickness, in Blender with Solidify, or with --wrap auto",
        ProxyError::NothingFits { .. } => "; give more --cells, or thicken it with --wrap auto",
        ProxyError::WrapTooThin { .. } => "; give more --cells, or a larger --wrap, or --wrap auto",
        ProxyError::FieldTooLarge { .. } => "; give fewer --cells",
        ProxyError::PoseTriangles { .. } | ProxyError::PoseVertices { .. } => {
            "; export all poses from the same object, with the same modifiers"
        }
        _ => "",
    };
    Failure::Input(format!("{}: {}{remedy}", options.mesh, surface::reason(error)))
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
    file.skin.clone_from(&packed.skin);
    Ok(file)
}

/// The language of a file of compounds, by its name.
fn code_of(path: &Path) -> CompoundCode {
    let ends_in = |ending: &str| path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending));
    match path {
        _ if ends_in("rs") => CompoundCode::Rust,
        _ if ends_in("h") => CompoundCode::C,
        _ => CompoundCode::Json,
    }
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

fn report(options: &PackOptions, packed: &Packed, cached: &[String]) -> String {
    let count = packed.poses.first().map_or(0, Vec::len);
    let head = format!(
        "{}{} in {}",
        counted(count as u64, "sphere", "spheres"),
        packed.skin.as_ref().map_or(String::new(), on_joints),
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
    let mut text = format!("{}\n\n{}\n", bold(&format!("{}: ", options.out.display()), &head), table(&headings, &rows));
    for line in cached {
        let _ = writeln!(text, "{line}");
    }
    text
}

/// How many joints of a skin carry spheres.
fn on_joints(skin: &SphereSkin) -> String {
    let mut used: Vec<u32> = skin.spheres.iter().map(|bound| bound.joint).collect();
    used.sort_unstable();
    used.dedup();
    format!(" on {} of {}", used.len(), counted(skin.joints.len() as u64, "joint", "joints"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_cells_are_no_remedy_where_spheres_run_out() {
        let ball = Sphere { centre: [0.0; 3], radius: 1.0 };
        let said = |end| match too_small(0.5, &[[3.0, 0.0, 0.0]], &[ball], 0.1, end) {
            Failure::Input(said) => said,
            other => panic!("{other:?}"),
        };
        let all = "--error: 0.5 m is not reached: 1 spheres, all that fit a grid of 0.1000 m, leave 2.0000 m; give more --cells, \
                   or a larger --error";
        assert_eq!(said(PackingEnd::RadiusReached), all);
        let most = "--error: 0.5 m is not reached: 1 spheres, the most that an error may need, leave 2.0000 m; give a larger --error";
        assert_eq!(said(PackingEnd::CountReached), most);
    }
}
