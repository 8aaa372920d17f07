//! The arguments of `kinetree pack`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::args::STATUSES_OF_WRITING;
use super::super::numbers;

#[derive(Args)]
#[command(after_help = STATUSES_OF_WRITING)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(in crate::cli) struct PackOptions {
    /// A closed mesh (car.obj, .ply, .stl), a mesh with its motion (car.obj:car.pc2), or a node and
    /// clip of a glTF model (hero.glb#Body@Walk); see docs/formats/inputs.md
    #[arg(value_name = "MESH")]
    pub(super) mesh: String,
    /// A mesh of the same triangles in another pose, given again for each further one: each sphere
    /// gets a centre and radius in each
    #[arg(long, value_name = "FILE")]
    pub(super) poses: Vec<PathBuf>,
    /// Poses of the mesh's own motion: N times, evenly from its first key to its last
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(super) clip_poses: u32,
    /// Binds each sphere to the joint that moves the surface near it, or to the node of a mesh
    /// without a skin, for a glTF model. Packs the rest pose of all its meshes together, each limb
    /// with spheres in proportion to its surface. With --clip-poses spheres and joints are chosen
    /// for these poses of the clip and the rest pose together, and measured in each; with --error
    /// they are only measured
    #[arg(long, conflicts_with_all = ["poses", "fill_poses", "fps"])]
    pub(super) joints: bool,
    /// Frames a second of a motion that states no times; names the poses only
    #[arg(long, value_name = "F", allow_negative_numbers = true, value_parser = numbers::rate)]
    pub(super) fps: Option<f64>,
    /// Most spheres [default: 64]
    #[arg(long, value_name = "N", conflicts_with = "error", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub(super) spheres: Option<u32>,
    /// As few spheres as leave no place of the surface farther from them than this: metres, or a
    /// number with its unit, such as 2cm
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = numbers::length)]
    pub(super) error: Option<f64>,
    /// Largest radius of a sphere: metres, or a number with its unit [default: no limit]
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = numbers::length)]
    pub(super) largest: Option<f64>,
    /// Cells along the longest side of the grid that centres lie on: more take longer, and place
    /// spheres better
    #[arg(long, value_name = "N", default_value_t = 96, value_parser = clap::value_parser!(u32).range(2..=2048))]
    pub(super) cells: u32,
    /// Keeps the distance field of the packed surface in this folder, by a hash of surface and
    /// grid, and reads it from there the next time. The spheres are the same, bit for bit; a file
    /// that is damaged is made again, with a note
    #[arg(long, value_name = "DIR")]
    pub(super) cache: Option<PathBuf>,
    /// Adds up to N spheres where a pose opens gaps, for each pose
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) fill_poses: u32,
    /// Closes holes of up to N sides with flat triangles, and tells how far the surface moved;
    /// without, a mesh with holes is refused
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=256))]
    pub(super) fill_holes: u32,
    /// Packs a closed surface at this distance around a mesh that is open, not manifold or flat,
    /// and tells how far the surface moved; poses and joints carry it along. Metres, a number with
    /// its unit, or `auto`: a mesh that has an inside, or gets one by repair, is packed as without.
    /// Others, and meshes nowhere thicker than a cell of the grid, are wrapped at 1.5 cells: 1.6 %
    /// of the longest side with 96 --cells
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = wrap_at,
        conflicts_with_all = ["fill_poses", "strict"])]
    pub(super) wrap: Option<WrapAt>,
    /// Refuses a mesh with degenerate, repeated or wrongly turned triangles instead of repairing it
    #[arg(long, conflicts_with = "fill_holes")]
    pub(super) strict: bool,
    /// From which distance on a place of the surface counts as uncovered [default: --error, or a
    /// fiftieth of the mesh's longest side]
    #[arg(long, value_name = "D", allow_negative_numbers = true, value_parser = numbers::length)]
    pub(super) limit: Option<f64>,
    /// The file to write (docs/formats/spheres.md): binary if its name ends in .bin, otherwise
    /// JSON. `-` for JSON to standard output, the report then goes to standard error
    #[arg(long, short, value_name = "FILE")]
    pub(super) out: PathBuf,
    /// Writes the spheres as a list too: pose, number, centre, radius, as CSV; `-` as above
    #[arg(long, value_name = "FILE")]
    pub(super) csv: Option<PathBuf>,
    /// Writes the balls of rigid bodies as code: constants of Rust if the name ends in .rs, arrays
    /// of C if it ends in .h, otherwise JSON; `-` as above. With --joints one body per joint that
    /// carries spheres, otherwise one, in the rest pose (docs/formats/spheres.md)
    #[arg(long, value_name = "FILE")]
    pub(super) compound: Option<PathBuf>,
    /// Writes the model again with the spheres at its nodes, as a glTF extension
    /// (docs/formats/spheres.md); with --joints
    #[arg(long, value_name = "FILE", requires = "joints")]
    pub(super) gltf: Option<PathBuf>,
    /// Draws mesh and spheres side by side, as PNG; triangles with a corner that is uncovered are
    /// red
    #[arg(long, value_name = "FILE")]
    pub(super) picture: Option<PathBuf>,
    /// Which axis of the picture leads upward [default: y for glTF, z for other files]
    #[arg(long, value_enum, value_name = "AXIS")]
    pub(super) up: Option<UpName>,
    /// Threads to use, 0 for one per processor; results are the same
    #[arg(long, short = 'j', value_name = "N", default_value_t = 0, value_parser = numbers::threads)]
    pub(super) jobs: usize,
    /// Lets a glTF model name files outside its own folder
    #[arg(long)]
    pub(super) allow_outside: bool,
    /// No report
    #[arg(long, short)]
    pub(super) quiet: bool,
}

/// The distance of a wrap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WrapAt {
    /// By the grid, and only where it is needed.
    Auto,
    /// Metres.
    Distance(f64),
}

fn wrap_at(text: &str) -> Result<WrapAt, String> {
    if text.trim() == "auto" {
        return Ok(WrapAt::Auto);
    }
    numbers::length(text).map(WrapAt::Distance).map_err(|remedy| format!("{remedy}; or auto"))
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum UpName {
    /// As in glTF
    Y,
    /// As in Blender
    Z,
}
