//! A reproducible source of numbers: SplitMix64, integers and division by powers of two only.

/// What coordinates and times are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Any number: hardly anything happens twice at once.
    Real,
    /// Integers and halves: everything happens at once, and exactly.
    Lattice,
    /// Tenths and thirds, some times a rounding off: what should happen at once happens nearly so.
    Crooked,
}

impl Grain {
    /// A coordinate within ± `range`.
    pub fn coordinate(self, dice: &mut Dice, range: i32) -> f32 {
        match self {
            Self::Real => dice.real(-f64::from(range), f64::from(range)) as f32,
            Self::Lattice => dice.between(-range, range) as f32,
            Self::Crooked => 0.1 * dice.between(-range, range) as f32,
        }
    }

    /// A speed within ± 1.
    pub fn speed(self, dice: &mut Dice) -> f64 {
        match self {
            Self::Real => dice.real(-1.0, 1.0),
            Self::Lattice => f64::from(dice.between(-2, 2)) / 2.0,
            Self::Crooked => f64::from(0.1 * dice.between(-1, 1) as f32),
        }
    }

    /// A time after `from`, by `low` to `high` seconds.
    pub fn later(self, dice: &mut Dice, from: f64, low: f64, high: f64) -> f64 {
        match self {
            Self::Real => from + dice.real(low, high),
            Self::Lattice => from + f64::from(dice.between((2.0 * low) as i32, (2.0 * high) as i32)) / 2.0,
            Self::Crooked => {
                let third = (3.0 * from).round() + f64::from(dice.between((3.0 * low) as i32, (3.0 * high) as i32));
                let time = if dice.percent(50) { third / 3.0 } else { third * (1.0 / 3.0) };
                match dice.below(8) {
                    0 => time.next_up(),
                    1 => time.next_down(),
                    _ => time,
                }
            }
        }
    }
}

/// A stream of numbers that depends on its seed and tags alone.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// A stream of its own for every seed and list of tags, so that a smaller scene keeps what it has in common with a
    /// larger one.
    pub fn new(seed: u64, tags: &[u64]) -> Self {
        let mut dice = Self(seed);
        for &tag in tags {
            dice.0 = dice.bits() ^ tag.wrapping_mul(0xd6e8_feb8_6659_fd93);
        }
        dice
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to `count - 1`.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// `low` to `high`, both included.
    pub fn between(&mut self, low: i32, high: i32) -> i32 {
        low + self.below((high - low + 1) as usize) as i32
    }

    /// 0 to 1, 1 excluded.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// `low` to `high`.
    pub fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// True `percent` times of a hundred.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of some things.
    pub fn pick<T: Clone>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())].clone()
    }
}
