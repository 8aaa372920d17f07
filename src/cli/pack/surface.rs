//! The closed surface that is packed: the mesh as it is, repaired, or wrapped.

use super::super::table::counted;
use super::arguments::{PackOptions, WrapAt};
use super::cache::FieldCache;
use super::poses::Body;
use super::skin::Skin;
use crate::proxy::{
    Displacement, DistanceField, Faults, Packing, PackingDef, ProxyError, Repair, Resolution, Solid, Wrap,
};

/// A surface whose deepest node is less deep than this, in cells, is too thin for its grid.
const LEAST_DEPTH: f64 = 0.5;

/// A closed surface at rest, and how it came about.
pub(super) struct Closed {
    pub(super) rest: Solid,
    /// What was changed of the mesh.
    pub(super) notes: Vec<String>,
    wrap: Option<Wrap>,
}

/// A closed surface with its field, and all spheres that fit.
pub(super) struct Filled {
    pub(super) closed: Closed,
    pub(super) field: DistanceField,
    pub(super) packing: Packing,
}

/// Closes a mesh and packs it. With `--wrap auto` it is wrapped if it has no inside, or one that is
/// too thin for the grid.
pub(super) fn fill(
    options: &PackOptions,
    body: &Body,
    def: PackingDef,
    resolution: Resolution,
    cache: &mut FieldCache,
) -> Result<Filled, ProxyError> {
    let is_auto = options.wrap == Some(WrapAt::Auto);
    if let Some(WrapAt::Distance(offset)) = options.wrap {
        return Closed::wrapped(body, offset, resolution)?.filled(def, resolution, cache, false);
    }
    let closed = Closed::repaired(options, body, resolution);
    match closed.and_then(|closed| closed.filled(def, resolution, cache, is_auto)) {
        Err(error) if is_auto && is_of_surface(&error) => {
            let offset = Wrap::usual_offset(&body.mesh, &body.rest, resolution)?;
            let mut closed = Closed::wrapped(body, offset, resolution)?;
            closed.notes.insert(0, format!("the mesh was wrapped because of this: {}", reason(&error)));
            closed.filled(def, resolution, cache, false)
        }
        other => other,
    }
}

/// Why a mesh cannot be packed, in words of the command line.
pub(super) fn reason(error: &ProxyError) -> String {
    match error {
        ProxyError::LongLoop { sides, limit: 0, .. } => format!("the mesh is open: a border of {sides} sides"),
        ProxyError::LongLoop { sides, limit, .. } => {
            format!("the mesh is open: a border of {sides} sides, more than --fill-holes {limit}")
        }
        _ => error.to_string(),
    }
}

/// Whether a wrap helps.
fn is_of_surface(error: &ProxyError) -> bool {
    matches!(
        error,
        ProxyError::Open { .. }
            | ProxyError::LongLoop { .. }
            | ProxyError::NotManifold { .. }
            | ProxyError::NotOrientable { .. }
            | ProxyError::NoVolume
            | ProxyError::NothingFits { .. }
    )
}

impl Closed {
    fn repaired(options: &PackOptions, body: &Body, resolution: Resolution) -> Result<Self, ProxyError> {
        let longest_loop = options.fill_holes as usize;
        let faults = if options.strict { Faults::Refuse } else { Faults::Repair { longest_loop } };
        let (rest, repairs) = Solid::new(&body.mesh, &body.rest, faults)?;
        let mut notes: Vec<String> = repairs.iter().map(|repair| format!("the mesh was changed: {repair}")).collect();
        // Turned triangles and second copies leave the surface where it is.
        let is_still = |repair: &Repair| {
            matches!(repair, Repair::Turned { .. } | Repair::TurnedPart { .. } | Repair::DroppedRepeated { .. })
        };
        if !repairs.iter().all(is_still) {
            notes.push(moved("repaired", &rest, body, resolution)?);
        }
        Ok(Self { rest, notes, wrap: None })
    }

    fn wrapped(body: &Body, offset: f64, resolution: Resolution) -> Result<Self, ProxyError> {
        let wrap = Wrap::new(&body.mesh, &body.rest, offset, resolution)?;
        let (rest, _) = Solid::new(&wrap.mesh, &wrap.positions, Faults::Refuse)?;
        let triangles = counted(wrap.mesh.triangles().len() as u64, "triangle", "triangles");
        let notes = vec![
            format!("the mesh was wrapped by {triangles}, {offset:.4} m around it"),
            moved("wrapped", &rest, body, resolution)?,
        ];
        Ok(Self { rest, notes, wrap: Some(wrap) })
    }

    fn filled(
        self,
        def: PackingDef,
        resolution: Resolution,
        cache: &mut FieldCache,
        is_thin_refused: bool,
    ) -> Result<Filled, ProxyError> {
        let field = cache.field(&self.rest, resolution)?;
        let packing = def.pack(&field)?;
        if is_thin_refused && field.deepest() < LEAST_DEPTH * field.grid().cell() {
            return Err(ProxyError::NothingFits { depth: field.deepest(), r_min: LEAST_DEPTH * field.grid().cell() });
        }
        Ok(Filled { closed: self, field, packing })
    }

    /// The surface in a pose of the mesh, numbered from 1.
    pub(super) fn example(&self, body: &Body, pose: usize, positions: &[[f64; 3]]) -> Result<Solid, ProxyError> {
        match &self.wrap {
            None => self.rest.example(pose, &body.mesh, positions),
            Some(wrap) => self.rest.posed(&wrap.posed(positions)?),
        }
    }

    /// Places in the joints of a skin, and weights, of a vertex of the surface.
    pub(super) fn weights(&self, skin: &Skin, vertex: u32) -> Vec<(u32, f64)> {
        let Some(wrap) = &self.wrap else { return skin.weights(vertex).collect() };
        let of = |(corner, share): (u32, f64)| skin.weights(corner).map(move |(joint, weight)| (joint, share * weight));
        wrap.influences(vertex).into_iter().flatten().flat_map(of).collect()
    }
}

/// How far a surface lies from the mesh.
fn moved(how: &str, solid: &Solid, body: &Body, resolution: Resolution) -> Result<String, ProxyError> {
    let spacing = resolution.grid(&solid.bounds())?.cell();
    let Displacement { farthest, mean, left_behind, .. } =
        Displacement::measure(solid, &body.mesh, &body.rest, spacing)?;
    Ok(format!(
        "the {how} surface lies {mean:.4} m from the mesh on average, {farthest:.4} m at most; no place of the mesh is \
         farther than {left_behind:.4} m from it"
    ))
}
