//! The only source of randomness of the generators: `SplitMix64` (Steele, Lea and Flood, OOPSLA
//! 2014).

use core::f64::consts::TAU;

/// A seeded generator of numbers, the same on every platform and in every build.
///
/// ```
/// use kinetree::scenes::Random;
/// let mut one = Random::new(7);
/// let mut two = Random::new(7);
/// assert_eq!(one.unit().to_bits(), two.unit().to_bits());
/// ```
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Creates a generator that depends only on `seed`.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// Creates a generator for part `part` of an object described by `seed`, independent of those
    /// of other parts.
    pub fn for_part(seed: u64, part: u64) -> Self {
        let mut mixer = Self::new(seed);
        let salt = mixer.next_bits();
        Self::new(salt ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93))
    }

    /// 64 uniform bits.
    pub fn next_bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1), a multiple of 2⁻⁵³.
    pub fn unit(&mut self) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.next_bits() >> 11) as f64 * STEP
    }

    /// Uniform in [`low`, `high`).
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// Uniform in 0..`bound`; 0 when `bound` is 0. The bias is below `bound` · 2⁻⁶⁴.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next_bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Each coordinate uniform in [−`extent`, `extent`).
    pub fn in_cube(&mut self, extent: f64) -> [f64; 3] {
        [self.between(-extent, extent), self.between(-extent, extent), self.between(-extent, extent)]
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> [f64; 3] {
        let y = self.between(-1.0, 1.0);
        let angle = self.between(0.0, TAU);
        let radius = (1.0 - y * y).sqrt();
        [radius * libm::cos(angle), y, radius * libm::sin(angle)]
    }
}

/// A sum of travelling sine waves over a surface with coordinates (angle around, length along),
/// values about ±1.
#[derive(Clone, Debug)]
pub(super) struct Ripples {
    waves: Vec<Wave>,
}

#[derive(Clone, Debug)]
struct Wave {
    amplitude: f64,
    around: f64,
    along: f64,
    speed: f64,
    phase: f64,
}

impl Ripples {
    /// `count` waves with whole periods around the tube up to `most_around`, lengths along down to
    /// `shortest` metres, and whole periods per second up to `fastest`. The pattern therefore
    /// closes around the tube and over a walk cycle.
    pub(super) fn new(random: &mut Random, count: usize, most_around: u64, shortest: f64, fastest: u64) -> Self {
        let scale = 1.0 / (count as f64).sqrt();
        let waves = (0..count)
            .map(|_| Wave {
                amplitude: scale * random.between(0.6, 1.2),
                around: (1 + random.below(most_around)) as f64,
                along: TAU / (shortest * random.between(1.0, 4.0)) * if random.below(2) == 0 { 1.0 } else { -1.0 },
                speed: TAU * (random.below(2 * fastest + 1) as f64 - fastest as f64),
                phase: random.between(0.0, TAU),
            })
            .collect();
        Self { waves }
    }

    /// Value at the angle around, the length along in metres and the time in seconds.
    pub(super) fn at(&self, around: f64, along: f64, time: f64) -> f64 {
        let mut sum = 0.0;
        for wave in &self.waves {
            sum +=
                wave.amplitude * libm::sin(wave.around * around + wave.along * along + wave.speed * time + wave.phase);
        }
        sum
    }
}
