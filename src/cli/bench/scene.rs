//! The scenes of the paper, generated.

use clap::ValueEnum;

use crate::cli::Failure;
use crate::scenes::{
    ExpandingSpheresDef, Garment, GeneratedBody, GeneratedScene, TableclothDef, VelocityBody, WalkDef,
};

/// Keys a second of all scenes.
const KEY_RATE: f64 = 30.0;

/// The scenes, as they are named on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SceneName {
    /// A cloth falls on a table
    Tablecloth,
    /// Two expanding spheres; triangles in contact turn round at every key time
    Spheres,
    /// A walking figure in a dress
    Dress,
    /// A walking figure in a shirt
    Shirt,
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Seconds.
    Quick,
    /// Minutes.
    Usual,
    /// The paper's largest meshes.
    Full,
}

impl SceneName {
    pub(super) const ALL: [Self; 4] = [Self::Tablecloth, Self::Spheres, Self::Dress, Self::Shirt];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Tablecloth => "tablecloth",
            Self::Shirt => "shirt",
            Self::Dress => "dress",
            Self::Spheres => "spheres",
        }
    }

    /// The scene of this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scene| scene.name() == name)
    }

    /// Requests of triangles, ascending: the paper's ranges, cut short unless all of it is wanted.
    pub(super) fn sizes(self, extent: Amount) -> &'static [usize] {
        match (self, extent) {
            (Self::Tablecloth | Self::Spheres, Amount::Quick) => &[2_000],
            (Self::Shirt | Self::Dress, Amount::Quick) => &[8_000],
            (Self::Tablecloth, Amount::Usual) => &[2_000, 4_000, 8_000, 16_000],
            (Self::Shirt, Amount::Usual) => &[32_000, 65_000, 130_000],
            (Self::Dress, Amount::Usual) => &[65_000, 130_000, 260_000, 500_000],
            (Self::Tablecloth, Amount::Full) => &[2_000, 4_000, 8_000, 16_000, 32_000, 64_000],
            (Self::Shirt, Amount::Full) => &[32_000, 65_000, 130_000, 326_000],
            (Self::Dress, Amount::Full) => &[65_000, 130_000, 260_000, 580_000],
            (Self::Spheres, _) => &[2_000, 10_000, 20_000, 40_000],
        }
    }

    /// Key times of a whole run.
    pub(super) fn keys(self, extent: Amount) -> usize {
        match (self, extent) {
            (Self::Tablecloth, Amount::Quick) => 20,
            (Self::Shirt | Self::Dress, Amount::Quick) => 6,
            (Self::Tablecloth, _) => 60,
            // Half a walk cycle.
            (Self::Shirt | Self::Dress, Amount::Usual) => 16,
            (Self::Shirt | Self::Dress, _) => 30,
            // They meet after 2 s.
            (Self::Spheres, Amount::Quick) => 76,
            (Self::Spheres, _) => 91,
        }
    }
}

/// A scene of two bodies.
#[derive(Clone)]
pub(super) struct Scene {
    pub(super) name: SceneName,
    /// Of the bodies that move.
    pub(super) triangles: usize,
    pub(super) bodies: [GeneratedBody; 2],
    /// Ascending, seconds.
    pub(super) key_times: Vec<f64>,
}

impl Scene {
    pub(super) fn generate(name: SceneName, triangles: usize, keys: usize) -> Result<Self, Failure> {
        let walk = |garment| WalkDef { triangles, keys, garment, ..WalkDef::default() }.generate();
        let scene = match name {
            SceneName::Tablecloth => TableclothDef { triangles, keys, ..TableclothDef::default() }.generate(),
            SceneName::Shirt => walk(Garment::Shirt),
            SceneName::Dress => walk(Garment::Dress),
            SceneName::Spheres => ExpandingSpheresDef { triangles, ..ExpandingSpheresDef::default() }.generate(),
        };
        let moving = scene.bodies.iter().filter(|body| !matches!(body, GeneratedBody::Fixed(_)));
        let triangles = moving.map(|body| body.triangles().len()).sum();
        let GeneratedScene { name: made, bodies, .. } = scene;
        let bodies =
            <[GeneratedBody; 2]>::try_from(bodies).map_err(|_| Failure::Input(format!("{made}: not two bodies")))?;
        let key_times = match &bodies[0] {
            GeneratedBody::Keyed(clip) => clip.times.clone(),
            _ => (0..keys).map(|key| key as f64 / KEY_RATE).collect(),
        };
        Ok(Self { name, triangles, bodies, key_times })
    }

    /// The bodies as moving ones, if triangles in contact turn round.
    pub(super) fn reversible(&self) -> Option<[VelocityBody; 2]> {
        match &self.bodies {
            [GeneratedBody::Moving(a), GeneratedBody::Moving(b)] => Some([a.clone(), b.clone()]),
            _ => None,
        }
    }
}
