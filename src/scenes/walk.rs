//! Scene B: a walking figure in a shirt or in a dress.
//!
//! The body comes from `figure` and `gait`, the garments from `shirt` and `dress`. Nothing is
//! simulated: cloth follows from formulas of position and time, so keys of any size are generated
//! in linear time. About one garment vertex in a hundred is inside the body: by less than a
//! millimetre at light contacts, by up to a centimetre under the arms, where trunk and limb meet.
//! Coarse triangles cut the skin between vertices. The shirt's sleeves overlap its trunk at the
//! seams; the dress is one piece.

use super::dress::Dress;
use super::figure::{BodyMesh, Build, Tube, tubes};
use super::gait::{BONES, Gait, Pose};
use super::shirt::Shirt;
use super::{Clip, GeneratedBody, GeneratedScene, MOST_KEYS, MOST_TRIANGLES, Random, key_times, nominal};

/// Usual distance of pressed cloth from the body, in metres; ripples vary it from twice that to
/// just below the skin.
const CONTACT_GAP: f64 = 0.0006;
/// Keys per second: 30 keys make one walk cycle.
const KEY_RATE: f64 = 30.0;
/// Fraction of the triangles that belongs to the garment.
const GARMENT_SHARE: f64 = 0.4;
/// Fewest triangles the figure and its garment are made of.
const LEAST_TRIANGLES: usize = 2_000;

/// The garment of the walking figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garment {
    /// A loose short-sleeved shirt: three pieces around trunk and upper arms.
    Shirt,
    /// A strapless dress with a skirt in folds: one piece.
    Dress,
}

/// A walking figure and its garment, two [`Clip`]s with common key times; the garment is the first
/// body.
///
/// One walk cycle lasts a second. The seed determines gait, folds and wrinkles. The garment has two
/// fifths of the triangles.
///
/// ```
/// use kinetree::scenes::{Garment, WalkDef};
/// let scene = WalkDef { triangles: 4_000, keys: 3, garment: Garment::Shirt, ..Default::default() }.generate();
/// assert_eq!(scene.bodies.len(), 2);
/// assert!(scene.triangle_count().abs_diff(4_000) < 200);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WalkDef {
    /// Seed of gait, folds and wrinkles.
    pub seed: u64,
    /// Triangles of both bodies together; met within 5 % from 2,000, which is the least, and within
    /// 1 % from 30,000.
    pub triangles: usize,
    /// Number of keyframes at 30 per second, at least 1.
    pub keys: usize,
    /// The garment.
    pub garment: Garment,
    /// Whether the figure walks on along `z`, at about 1.4 m/s, rather than on the spot. On the
    /// spot a vertex moves two or three edge lengths per key at 130,000 triangles; walking on adds
    /// six.
    pub forward: bool,
}

impl Default for WalkDef {
    fn default() -> Self {
        Self { seed: 1, triangles: 130_000, keys: 30, garment: Garment::Dress, forward: false }
    }
}

enum Cut {
    Shirt(Shirt),
    Dress(Dress),
}

impl WalkDef {
    /// Requests at which engines are compared: triangles of both bodies.
    pub const SIZES: [usize; 3] = [32_000, 130_000, 500_000];

    /// Generates the scene. Linear in triangles × keys.
    pub fn generate(&self) -> GeneratedScene {
        let mut random = Random::for_part(self.seed, 0x5741);
        let (gait, build) = match self.garment {
            Garment::Shirt => {
                (Gait::new(&mut random, 0.092, 0.198), Build { hips: 0.97, waist: 1.08, shoulders: 1.10, limbs: 1.06 })
            }
            Garment::Dress => {
                (Gait::new(&mut random, 0.088, 0.168), Build { hips: 1.03, waist: 0.90, shoulders: 0.93, limbs: 0.93 })
            }
        };
        let tubes = tubes(&gait, build);
        let wanted = self.triangles.clamp(LEAST_TRIANGLES, MOST_TRIANGLES);
        let for_garment = wanted as f64 * GARMENT_SHARE;
        let cut = self.cut(&tubes, for_garment as usize, &mut random);
        let for_body = wanted - cut.triangles().len().min(wanted);
        let edge = edge_for(for_body, |edge| tubes.iter().map(|tube| tube.triangle_count(edge)).sum());
        let body = BodyMesh::new(&tubes, edge);

        let times = key_times(self.keys.clamp(1, MOST_KEYS), KEY_RATE);
        let mut garment_positions = Vec::with_capacity(times.len() * cut.vertex_count() * 3);
        let mut body_positions = Vec::with_capacity(times.len() * body.vertex_count() * 3);
        let speed = if self.forward { gait.natural_speed() } else { 0.0 };
        for &time in &times {
            let poses = gait.poses(time);
            let place = [time, speed * time];
            cut.append(&gait, &tubes, &poses, place, &mut garment_positions);
            body.append(&poses, place[1], &mut body_positions);
        }
        let garment = Clip {
            name: cut.name().into(),
            vertex_count: cut.vertex_count(),
            triangles: cut.into_triangles(),
            times: times.clone(),
            positions: garment_positions,
        };
        let body = Clip {
            name: "figure".into(),
            vertex_count: body.vertex_count(),
            triangles: body.triangles,
            times,
            positions: body_positions,
        };
        let total = garment.triangles.len() + body.triangles.len();
        GeneratedScene {
            name: format!("walk-{}-{}", garment.name, nominal(total)),
            seed: self.seed,
            bodies: vec![GeneratedBody::Keyed(garment), GeneratedBody::Keyed(body)],
        }
    }

    fn cut(&self, tubes: &[Tube], triangles: usize, random: &mut Random) -> Cut {
        match self.garment {
            Garment::Dress => Cut::Dress(Dress::new(Dress::resolution(triangles), random)),
            Garment::Shirt => {
                // Trimming makes the count irregular: repeat with the same random numbers until it
                // fits.
                let edge = edge_for(triangles, |edge| Shirt::new(tubes, edge, &mut random.clone()).triangles.len());
                Cut::Shirt(Shirt::new(tubes, edge, random))
            }
        }
    }
}

impl Cut {
    fn name(&self) -> &'static str {
        match self {
            Self::Shirt(_) => "shirt",
            Self::Dress(_) => "dress",
        }
    }

    fn triangles(&self) -> &[[u32; 3]] {
        match self {
            Self::Shirt(shirt) => &shirt.triangles,
            Self::Dress(dress) => &dress.triangles,
        }
    }

    fn into_triangles(self) -> Vec<[u32; 3]> {
        match self {
            Self::Shirt(shirt) => shirt.triangles,
            Self::Dress(dress) => dress.triangles,
        }
    }

    fn vertex_count(&self) -> usize {
        match self {
            Self::Shirt(shirt) => shirt.vertex_count(),
            Self::Dress(dress) => dress.vertex_count(),
        }
    }

    fn append(&self, gait: &Gait, tubes: &[Tube], now: &[Pose; BONES], place: [f64; 2], positions: &mut Vec<f32>) {
        match self {
            Self::Shirt(shirt) => shirt.append(gait, tubes, now, place, positions),
            Self::Dress(dress) => dress.append(gait, tubes, now, place, positions),
        }
    }
}

/// Margin by which cloth pressed against the body is pushed out of it, in metres; negative in the
/// troughs of the ripples, which leaves light contact there.
pub(super) fn pressed_margin(ripple: f64) -> f64 {
    CONTACT_GAP * (0.9 + ripple)
}

/// The edge length in metres for which `count`, a decreasing function, comes nearest to `wanted`.
pub(super) fn edge_for(wanted: usize, count: impl Fn(f64) -> usize) -> f64 {
    const HALVINGS: usize = 24;
    // One and a half square metres of skin: right within a factor of three for body and garments.
    let guess = (3.0 / wanted.max(1) as f64).sqrt();
    let (mut short, mut long) = (guess / 3.0, guess * 3.0);
    let mut best = (usize::MAX, guess);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(short, long);
        let made = count(middle);
        let off = made.abs_diff(wanted);
        if off < best.0 {
            best = (off, middle);
        }
        if made > wanted {
            short = middle;
        } else {
            long = middle;
        }
    }
    best.1
}
