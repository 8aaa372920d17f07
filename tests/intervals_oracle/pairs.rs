//! Pairs of moving triangles: generic ones, and every kind of degeneracy on purpose.

use kinetree::narrow::intervals::MovingTriangle;
use kinetree::scenes;

pub(crate) struct Random(scenes::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(scenes::Random::new(seed))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0.next_bits() % bound
    }

    /// An f32 value in `-1 .. 1`.
    fn real(&mut self) -> f64 {
        let unit = (self.0.next_bits() >> 40) as f64 / (1_u64 << 23) as f64;
        f64::from((unit - 1.0) as f32)
    }

    fn grid(&mut self, size: u64) -> f64 {
        self.below(size) as f64
    }
}

pub(crate) type Points = [[f64; 3]; 3];

pub(crate) fn triangle(mut coordinate: impl FnMut() -> f64) -> Points {
    std::array::from_fn(|_| std::array::from_fn(|_| coordinate()))
}

pub(crate) fn moved(points: Points, by: [f64; 3]) -> Points {
    points.map(|p| [0, 1, 2].map(|k| f64::from((p[k] + by[k]) as f32)))
}

pub(crate) fn moving(begin: Points, end: Points) -> MovingTriangle {
    MovingTriangle { begin, end }
}

pub(crate) fn generic(random: &mut Random) -> [MovingTriangle; 2] {
    [(); 2].map(|()| {
        let begin = triangle(|| random.real());
        moving(begin, triangle(|| random.real()))
    })
}

/// Small triangles that drift and turn a little, as neighbours in cloth do: most pairs stay apart.
pub(crate) fn near(random: &mut Random) -> [MovingTriangle; 2] {
    [(); 2].map(|()| {
        let place: [f64; 3] = std::array::from_fn(|_| 0.6 * random.real());
        let drift: [f64; 3] = std::array::from_fn(|_| 0.5 * random.real());
        let begin = moved(triangle(|| 0.5 * random.real()), place);
        let turned = begin.map(|p| p.map(|x| x + 0.2 * random.real()));
        moving(begin, moved(turned, drift))
    })
}

pub(crate) fn integer_grid(random: &mut Random, size: u64) -> [MovingTriangle; 2] {
    [(); 2].map(|()| moving(triangle(|| random.grid(size)), triangle(|| random.grid(size))))
}

/// Both with one velocity, in one plane half of the time.
pub(crate) fn equal_velocity(random: &mut Random) -> [MovingTriangle; 2] {
    let velocity: [f64; 3] = std::array::from_fn(|_| random.grid(5) - 2.0);
    let flat = random.below(2) == 0;
    [(); 2].map(|()| {
        let mut begin = triangle(|| random.grid(4));
        if flat {
            begin = begin.map(|[x, y, _]| [x, y, x + 2.0 * y]);
        }
        moving(begin, moved(begin, velocity))
    })
}

/// In one plane for all time: an axis plane, a tilted one, or one that itself moves.
pub(crate) fn sliding(random: &mut Random) -> [MovingTriangle; 2] {
    let kind = random.below(4);
    let real = random.below(2) == 0;
    [(); 2].map(|()| {
        let mut flat = |lift: f64| {
            triangle(|| if real { random.real() } else { random.grid(4) }).map(|[x, y, _]| match kind {
                0 => [x, y, 0.5],
                1 => [lift, x, y],
                2 => [x, y, x - y],
                _ => [x, x, y],
            })
        };
        moving(flat(0.0), flat(3.0))
    })
}

/// One triangle falls, perhaps with a vertex that just reaches the other or parallel to it.
pub(crate) fn touching(random: &mut Random) -> [MovingTriangle; 2] {
    let rest = triangle(|| random.grid(4)).map(|[x, y, _]| [x, y, 0.0]);
    let mut begin = triangle(|| random.grid(4));
    let mut end = begin;
    let height = 1.0 + random.grid(3);
    let kind = random.below(5);
    for k in 0..3 {
        let lift = if kind == 1 { 0.0 } else { random.grid(3) };
        (begin[k][2], end[k][2]) = match kind {
            // Exactly at the end, exactly at the begin, through, and one vertex that stays behind.
            0 => (height + lift, lift),
            1 => (height, -height),
            2 => (lift, height + lift),
            3 => (height + lift, lift - random.grid(2)),
            _ => (lift, lift),
        };
        end[k][0] += random.grid(2);
    }
    let floor = moving(rest, rest);
    if random.below(2) == 0 { [moving(begin, end), floor] } else { [floor, moving(begin, end)] }
}

/// An edge passes an edge; sometimes they graze at one instant.
pub(crate) fn edges(random: &mut Random) -> [MovingTriangle; 2] {
    let h = random.grid(3) - 1.0;
    let far = 2.0 + random.grid(2);
    let a = [[-far, 0.0, 0.0], [far, 0.0, 0.0], [0.0, 0.0, -far]];
    let top = [[h, -2.0, 1.0], [h, 2.0, 1.0], [h, 0.0, 4.0]];
    let drop = 1.0 + random.grid(3);
    let begin = moved(top, [0.0, 0.0, 0.0]);
    let mut end = moved(top, [random.grid(3), 0.0, -drop]);
    if random.below(3) == 0 {
        end[0][2] += 1.0;
    }
    [moving(a, a), moving(begin, end)]
}

/// Segments and points instead of triangles.
pub(crate) fn degenerate(random: &mut Random) -> [MovingTriangle; 2] {
    integer_grid(random, 4).map(|mut t| {
        match random.below(4) {
            0 => t.begin[1] = t.begin[0],
            1 => {
                (t.begin[1], t.end[1]) = (t.begin[0], t.end[0]);
            }
            2 => {
                (t.begin, t.end) = ([t.begin[0]; 3], [t.end[0]; 3]);
            }
            _ => {
                // Collinear for all time.
                for points in [&mut t.begin, &mut t.end] {
                    points[2] = [0, 1, 2].map(|k| 2.0 * points[1][k] - points[0][k]);
                }
            }
        }
        t
    })
}

pub(crate) fn scaled(pair: &[MovingTriangle; 2], factor: f64) -> [MovingTriangle; 2] {
    pair.map(|t| {
        let by = |points: Points| points.map(|p| p.map(|x| x * factor));
        moving(by(t.begin), by(t.end))
    })
}

/// Tiny offsets on large coordinates: far beyond 53 bits, and beyond 126 bits for the cubics.
pub(crate) fn mixed_scales(random: &mut Random) -> [MovingTriangle; 2] {
    let mut pair = integer_grid(random, 4);
    for t in &mut pair {
        for points in [&mut t.begin, &mut t.end] {
            for x in points.iter_mut().flatten() {
                *x += match random.below(8) {
                    0 => f64::EPSILON,
                    1 => -f64::EPSILON / 2.0,
                    2 if *x == 0.0 => 2.0_f64.powi(-60 - random.below(20) as i32),
                    _ => 0.0,
                };
            }
        }
    }
    pair
}
