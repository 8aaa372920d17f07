//! Depth and length of a crossing, as far as a search for the worst instant needs them.

use super::depth::Aim;
use super::error::GeometryError;
use super::measure::check;
use super::pieces::Pieces;
use super::region::Region;
use super::surface::Surface;

/// What a search for the worst instant of a crossing compares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    /// Lower bound of the depth, metres, as of [`Measure`].
    pub(crate) depth: Option<f64>,
    /// Length of the crossing curve, metres.
    pub(crate) length: f64,
}

/// What pairs of triangles of two surfaces, or of one with itself, have in common at an instant.
/// Does not depend on what else is compared, so that several can be found at once.
pub(crate) struct Common(Pieces);

impl Common {
    /// # Errors
    /// As [`measure`](super::measure()).
    pub(crate) fn new([a, b]: [&Surface; 2], is_self: bool, pairs: &[[u32; 2]]) -> Result<Self, GeometryError> {
        check([a, b], pairs)?;
        Ok(Self(if is_self { Pieces::of_self(a, pairs) } else { Pieces::new(a, b, pairs) }))
    }

    /// Depth and length as [`measure`](super::measure()), or
    /// [`measure_self`](super::measure_self()) for a surface with itself, where the depth exceeds
    /// `floor`, metres. Otherwise the depth is any value up to `floor`: the search ends as soon as
    /// no point can lie deeper. The enclosure of a `coarse` depth is 8 times as wide as there. The
    /// surfaces must be those of [`Common::new`]; without any that touch there is nothing.
    pub(crate) fn extent(&self, [a, b]: [&Surface; 2], is_self: bool, floor: f64, coarse: bool) -> Option<Extent> {
        let Self(pieces) = self;
        if pieces.touching.is_empty() {
            return None;
        }
        let mut depth: Option<f64> = None;
        for (side, [of, body]) in [[a, b], [b, a]].into_iter().enumerate() {
            if !is_self && body.has_closed_part() {
                let floor = depth.map_or(floor, |depth| depth.max(floor));
                let mut region = Region::new(of, body, side, Aim::above(floor, coarse));
                region.flood(pieces.touching.iter().map(|pair| pair[side]));
                if !region.meets_closed_parts(pieces) {
                    continue;
                }
                let found = region.depth(pieces).lo;
                depth = Some(depth.map_or(found, |depth| depth.max(found)));
            }
        }
        Some(Extent { depth, length: pieces.length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{measure, touching_pairs};
    use crate::mesh::Mesh;

    fn extent(
        of: [&Surface; 2],
        is_self: bool,
        pairs: &[[u32; 2]],
        floor: f64,
        coarse: bool,
    ) -> Result<Option<Extent>, GeometryError> {
        Ok(Common::new(of, is_self, pairs)?.extent(of, is_self, floor, coarse))
    }

    /// A ball of 96 triangles, with its poles on an axis.
    fn ball(centre: [f64; 3], radius: f64, axis: usize) -> Surface {
        const ROUND: u32 = 8;
        const RINGS: u32 = 6;
        let mut positions = Vec::new();
        let mut add = |ring: u32, place: u32| {
            let (s, c) = libm::sincos(std::f64::consts::PI * f64::from(ring) / f64::from(RINGS + 1));
            let (sin, cos) = libm::sincos(std::f64::consts::TAU * f64::from(place) / f64::from(ROUND));
            let mut point = centre;
            for (k, x) in [c, s * cos, s * sin].into_iter().enumerate() {
                point[(axis + k) % 3] += radius * x;
            }
            positions.push(point);
        };
        for ring in 1..=RINGS {
            (0..ROUND).for_each(|place| add(ring, place));
        }
        add(0, 0);
        add(RINGS + 1, 0);
        let at = |ring: u32, place: u32| ring * ROUND + place % ROUND;
        let (top, bottom) = (RINGS * ROUND, RINGS * ROUND + 1);
        let mut triangles = Vec::new();
        for place in 0..ROUND {
            triangles.push([top, at(0, place), at(0, place + 1)]);
            triangles.push([bottom, at(RINGS - 1, place + 1), at(RINGS - 1, place)]);
            for ring in 0..RINGS - 1 {
                let [p, q] = [at(ring, place), at(ring, place + 1)];
                let [r, s] = [at(ring + 1, place), at(ring + 1, place + 1)];
                triangles.extend([[p, r, s], [p, s, q]]);
            }
        }
        Surface::new(&Mesh::new(positions.len(), triangles).unwrap(), &positions).unwrap()
    }

    #[test]
    fn depths_are_those_of_the_measure_where_they_exceed_the_floor() {
        let mut compared = 0;
        for step in 0..60 {
            let shift = f64::from(step);
            let a = ball([0.0; 3], 1.0, 0);
            let b = ball([0.02 * shift, 0.3 * libm::sin(shift), 0.7 + 0.4 * libm::cos(2.0 * shift)], 0.6, 1);
            assert!(a.is_closed() && b.is_closed());
            let pairs = touching_pairs(&a, &b);
            let Some(expected) = measure(&a, &b, &pairs).unwrap() else { continue };
            let depth = expected.depth.unwrap();
            let found = |floor: f64| {
                let found = extent([&a, &b], false, &pairs, floor, step % 2 == 0).unwrap().unwrap();
                assert_eq!(found.length, expected.length);
                found.depth.unwrap()
            };
            for floor in [0.0, 0.5 * depth.lo, 0.98 * depth.lo] {
                let lo = found(floor);
                assert!(lo <= depth.hi && depth.lo <= lo * (1.0 + 1.0 / 100.0) && lo > floor, "{lo} {depth:?} {floor}");
            }
            for floor in [1.02 * depth.hi, 3.0 * depth.hi] {
                assert!(found(floor) <= floor, "{depth:?} {floor}");
            }
            compared += 1;
        }
        assert!(compared > 40, "{compared}");
    }

    #[test]
    fn a_surface_with_itself_has_a_length_only() {
        let corners = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.5, 0.5, -1.0], [0.5, 0.5, 1.0], [3.0, 3.0, 1.0]];
        let surface = Surface::new(&Mesh::new(6, vec![[0, 1, 2], [3, 4, 5]]).unwrap(), &corners).unwrap();
        let found = extent([&surface; 2], true, &[[1, 0], [0, 0]], 0.0, false).unwrap().unwrap();
        assert_eq!(found.depth, None);
        assert!(found.length > 0.1);
        assert_eq!(extent([&surface; 2], true, &[[1, 1]], 0.0, false), Ok(None));
    }
}
