//! Where vertices are: rational numbers, from the documentation of flightplans. Times are counted
//! in ticks, 64 to the second; key times are whole ticks, and stored coordinates whole units.

use super::exact::{Vector, Whole};
use super::reduced::Maker;

/// Ticks in a second.
pub(crate) const TICKS: i64 = 64;

pub(crate) type Units = [i64; 3];

/// A time: `numerator / denominator` ticks; the denominator is positive.
#[derive(Clone, Debug)]
pub(crate) struct Time<T> {
    pub(crate) numerator: T,
    pub(crate) denominator: T,
}

impl<T: Whole> Time<T> {
    pub(crate) fn ticks(ticks: i64) -> Self {
        Self { numerator: T::from(ticks), denominator: T::from(1) }
    }

    fn is_before(&self, ticks: i64) -> bool {
        self.numerator < T::from(ticks) * self.denominator.clone()
    }

    fn since(&self, ticks: i64) -> Self {
        let passed = self.numerator.clone() - T::from(ticks) * self.denominator.clone();
        Self { numerator: passed, denominator: self.denominator.clone() }
    }
}

/// A position: numerators over one positive denominator.
#[derive(Clone, Debug)]
pub(crate) struct Place<T> {
    pub(crate) numerators: Vector<T>,
    pub(crate) denominator: T,
}

impl<T: Whole> Place<T> {
    pub(crate) fn units(units: Units) -> Self {
        Self { numerators: units.map(T::from), denominator: T::from(1) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beyond {
    Hold,
    Loop,
}

/// Keys: positions on arrival and, where the motion jumps, on departure.
#[derive(Clone, Debug)]
pub(crate) struct Keys {
    pub(crate) times: Vec<i64>,
    pub(crate) arrive: Vec<Vec<Units>>,
    /// Empty unless a host's sampler jumps.
    pub(crate) leave: Vec<Vec<Units>>,
    pub(crate) beyond: Beyond,
}

#[derive(Clone, Debug)]
pub(crate) enum Plan {
    Fixed(Vec<Units>),
    Keys(Keys),
    /// Units per second.
    Velocities {
        begin: i64,
        end: Option<i64>,
        from: Vec<Units>,
        velocities: Vec<Units>,
        beyond: Beyond,
    },
    /// Keys computed by a host.
    Sampled(Keys, Maker),
}

/// A plan of a single vertex.
#[derive(Clone, Debug)]
pub(crate) enum Own {
    Fixed(Units),
    /// From where the vertex was when the plan was given.
    Velocity {
        begin: i64,
        from: Place<i128>,
        velocity: Units,
    },
    Keys {
        times: Vec<i64>,
        places: Vec<Units>,
    },
}

/// Brings a time into a loop: at a wrap the old round counts, at the first key the key itself.
fn into_round<T: Whole>(time: Time<T>, first: i64, last: i64) -> Time<T> {
    let (period, since) = (T::from(last - first), time.since(first));
    if since.numerator.is_zero() {
        return time;
    }
    let length = period.clone() * since.denominator.clone();
    // (0, period]: the remainder, rounded up.
    let mut rest = since.numerator.clone() % length.clone();
    if !rest.is_positive() {
        rest = rest + length;
    }
    let whole = rest + T::from(first) * time.denominator.clone();
    Time { numerator: whole, denominator: time.denominator }
}

/// Part of the way from one position to another.
fn between<T: Whole>(from: Units, to: Units, part: &Time<T>, length: i64) -> Place<T> {
    let denominator = part.denominator.clone() * T::from(length);
    let numerators = std::array::from_fn(|k| {
        T::from(from[k]) * denominator.clone() + T::from(to[k] - from[k]) * part.numerator.clone()
    });
    Place { numerators, denominator }
}

/// The position on a list of keys, the old one at a jump.
fn on_keys<T: Whole>(
    times: &[i64],
    arrive: impl Fn(usize) -> Units,
    leave: impl Fn(usize) -> Units,
    time: &Time<T>,
) -> Place<T> {
    let last = times.len() - 1;
    let Some(next) = times.iter().position(|&key| !time.since(key).numerator.is_positive()) else {
        return Place::units(arrive(last));
    };
    if next == 0 {
        return Place::units(arrive(0));
    }
    let key = next - 1;
    between(leave(key), arrive(next), &time.since(times[key]), times[next] - times[key])
}

impl Keys {
    pub(crate) fn leave(&self, key: usize, vertex: usize) -> Units {
        self.leave.get(key).unwrap_or(&self.arrive[key])[vertex]
    }

    fn place<T: Whole>(&self, vertex: usize, time: &Time<T>) -> Place<T> {
        let (first, last) = (self.times[0], self.times[self.times.len() - 1]);
        let time = if self.beyond == Beyond::Loop { into_round(time.clone(), first, last) } else { time.clone() };
        on_keys(&self.times, |key| self.arrive[key][vertex], |key| self.leave(key, vertex), &time)
    }
}

impl Plan {
    /// Where a vertex is; at a jump, where it was before.
    pub(crate) fn place<T: Whole>(&self, vertex: usize, time: &Time<T>) -> Place<T> {
        match self {
            Self::Fixed(places) => Place::units(places[vertex]),
            Self::Keys(keys) | Self::Sampled(keys, _) => keys.place(vertex, time),
            Self::Velocities { begin, end, from, velocities, beyond } => {
                let mut time = time.clone();
                if let (Some(end), Beyond::Loop) = (end, beyond) {
                    time = into_round(time, *begin, *end);
                }
                if time.is_before(*begin) {
                    time = Time::ticks(*begin);
                }
                if let Some(end) = end.filter(|&end| !time.is_before(end)) {
                    time = Time::ticks(end);
                }
                let (from, velocity) = (from[vertex], velocities[vertex]);
                let to = std::array::from_fn(|k| from[k] + velocity[k]);
                between(from, to, &time.since(*begin), TICKS)
            }
        }
    }

    /// Whether vertices leave from elsewhere than where they arrive at a tick; loops may.
    pub(crate) fn may_jump_at(&self, tick: i64) -> bool {
        let wraps = |first: i64, last: i64| tick > first && (tick - first) % (last - first).max(1) == 0;
        match self {
            Self::Fixed(_) => false,
            Self::Velocities { begin, end, beyond, .. } => {
                *beyond == Beyond::Loop && end.is_some_and(|end| wraps(*begin, end))
            }
            Self::Keys(keys) | Self::Sampled(keys, _) => {
                let (first, last) = (keys.times[0], keys.times[keys.times.len() - 1]);
                let jumps = |key: usize| keys.leave.get(key).is_some_and(|leave| *leave != keys.arrive[key]);
                match keys.beyond {
                    Beyond::Hold => keys.times.iter().position(|&time| time == tick).is_some_and(jumps),
                    Beyond::Loop => {
                        let phase = into_round(Time::<i128>::ticks(tick), first, last).numerator as i64;
                        wraps(first, last) || keys.times.iter().position(|&time| time == phase).is_some_and(jumps)
                    }
                }
            }
        }
    }

    /// Largest change of a coordinate, units per second.
    pub(crate) fn speed(&self) -> i64 {
        let most = |from: &[Units], to: &[Units]| -> i64 {
            let changes = from.iter().zip(to).flat_map(|(p, q)| (0..3).map(|k| (q[k] - p[k]).abs()));
            changes.max().unwrap_or(0)
        };
        match self {
            Self::Fixed(_) => 0,
            Self::Velocities { velocities, .. } => most(velocities, &vec![[0; 3]; velocities.len()]),
            Self::Keys(keys) | Self::Sampled(keys, _) => {
                let leave = |key: usize| keys.leave.get(key).unwrap_or(&keys.arrive[key]);
                let speeds = (1..keys.times.len()).map(|key| {
                    most(leave(key - 1), &keys.arrive[key]) * TICKS / (keys.times[key] - keys.times[key - 1])
                });
                speeds.max().unwrap_or(0)
            }
        }
    }

    /// Positions by which seams are welded.
    pub(crate) fn rest(&self) -> &[Units] {
        match self {
            Self::Fixed(places) => places,
            Self::Sampled(_, Maker::Reduced(body)) => &body.rest,
            Self::Keys(keys) | Self::Sampled(keys, _) => &keys.arrive[0],
            Self::Velocities { from, .. } => from,
        }
    }

    /// Times of keys and of wraps from a time on.
    pub(crate) fn turns(&self, from: i64) -> Vec<i64> {
        let (times, beyond) = match self {
            Self::Fixed(_) => return Vec::new(),
            Self::Keys(keys) | Self::Sampled(keys, _) => (keys.times.clone(), keys.beyond),
            Self::Velocities { begin, end, beyond, .. } => (std::iter::once(*begin).chain(*end).collect(), *beyond),
        };
        let period = times[times.len() - 1] - times[0];
        if beyond == Beyond::Hold || period == 0 {
            return times.into_iter().filter(|&time| time > from).collect();
        }
        let round = (from - times[0]).div_euclid(period) * period;
        times.iter().flat_map(|time| [time + round, time + round + period]).filter(|&time| time > from).collect()
    }

    /// Whether `f64` arithmetic meets a vertex' place at a tick exactly.
    pub(crate) fn is_exact_at(&self, time: i64) -> bool {
        let (times, beyond) = match self {
            Self::Fixed(_) | Self::Velocities { .. } => return true,
            Self::Keys(keys) | Self::Sampled(keys, _) => (&keys.times, keys.beyond),
        };
        let phase = match beyond {
            Beyond::Hold => time,
            Beyond::Loop => into_round(Time::<i128>::ticks(time), times[0], times[times.len() - 1]).numerator as i64,
        };
        let next = times.partition_point(|&key| key < phase);
        let is_whole = next == 0 || next == times.len() || times[next] == phase;
        is_whole || (times[next] - times[next - 1]).count_ones() == 1
    }

    /// The times of keys between which motions are linear; two bodies with equal ones are compared
    /// exactly over time.
    pub(crate) fn key_times(&self) -> Option<(&[i64], Beyond)> {
        match self {
            Self::Keys(keys) | Self::Sampled(keys, _) if keys.times.len() > 1 => Some((&keys.times, keys.beyond)),
            _ => None,
        }
    }
}

impl Own {
    /// Largest change of a coordinate, units per second.
    pub(crate) fn speed(&self) -> i64 {
        let most = |from: Units, to: Units| (0..3).map(|k| (to[k] - from[k]).abs()).max().unwrap_or(0);
        match self {
            Self::Fixed(_) => 0,
            Self::Velocity { velocity, .. } => most([0; 3], *velocity),
            Self::Keys { times, places } => {
                let speed = |key: usize| most(places[key - 1], places[key]) * TICKS / (times[key] - times[key - 1]);
                (1..times.len()).map(speed).max().unwrap_or(0)
            }
        }
    }

    pub(crate) fn place<T: Whole + From<i128>>(&self, time: &Time<T>) -> Place<T> {
        match self {
            Self::Fixed(place) => Place::units(*place),
            Self::Velocity { begin, from, velocity } => {
                let passed = time.since(*begin);
                // from / d + velocity * passed / (TICKS * e)
                let whole = T::from(TICKS) * passed.denominator.clone();
                let from_whole = <T as From<i128>>::from(from.denominator);
                let numerators = std::array::from_fn(|k| {
                    <T as From<i128>>::from(from.numerators[k]) * whole.clone()
                        + T::from(velocity[k]) * passed.numerator.clone() * from_whole.clone()
                });
                Place { numerators, denominator: whole * from_whole }
            }
            Self::Keys { times, places } => on_keys(times, |key| places[key], |key| places[key], time),
        }
    }
}
