//! The six extents of a box, and the six directions in which two boxes can be separated.

/// One of the six sides of an axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Extent(u8);

impl Extent {
    /// Minimum and maximum along x, y, z, in that order.
    pub const ALL: [Self; 6] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// The smallest coordinate along `axis` (0, 1, 2; counted cyclically).
    pub const fn min(axis: usize) -> Self {
        Self(2 * (axis % 3) as u8)
    }

    /// The largest coordinate along `axis` (0, 1, 2; counted cyclically).
    pub const fn max(axis: usize) -> Self {
        Self(2 * (axis % 3) as u8 + 1)
    }

    /// The extent with this [`Extent::index`]; `None` from 6 on.
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < 6 { Some(Self(index as u8)) } else { None }
    }

    /// 0 to 5, in the order of [`Extent::ALL`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0, 1, 2 for x, y, z.
    pub const fn axis(self) -> usize {
        (self.0 / 2) as usize
    }

    /// Whether the extent is a largest coordinate.
    pub const fn is_max(self) -> bool {
        self.0 % 2 == 1
    }

    /// Whether `a` is strictly beyond `b` in this extent's direction.
    pub fn beyond(self, a: f64, b: f64) -> bool {
        if self.is_max() { a > b } else { a < b }
    }
}

/// A direction in which box `a` may be separated from box `b`: along an axis, `a` below `b` or `a`
/// above `b`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct GapDirection(u8);

impl GapDirection {
    /// x, y, z; `a` below `b` before `a` above `b`.
    pub const ALL: [Self; 6] = [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5)];

    /// 0 to 5, in the order of [`GapDirection::ALL`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// 0, 1, 2 for x, y, z.
    pub const fn axis(self) -> usize {
        (self.0 / 2) as usize
    }

    /// Whether `a` is the lower box.
    pub const fn a_is_below(self) -> bool {
        self.0.is_multiple_of(2)
    }

    /// The side of `a` that faces `b`.
    pub const fn extent_of_a(self) -> Extent {
        if self.a_is_below() { Extent::max(self.axis()) } else { Extent::min(self.axis()) }
    }

    /// The side of `b` that faces `a`.
    pub const fn extent_of_b(self) -> Extent {
        if self.a_is_below() { Extent::min(self.axis()) } else { Extent::max(self.axis()) }
    }

    /// The direction in which the given side of `a` faces `b`.
    pub const fn facing_a(extent: Extent) -> Self {
        Self(2 * extent.axis() as u8 + if extent.is_max() { 0 } else { 1 })
    }

    /// The direction in which the given side of `b` faces `a`.
    pub const fn facing_b(extent: Extent) -> Self {
        Self(2 * extent.axis() as u8 + if extent.is_max() { 1 } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_gives_an_extent_or_none() {
        for (index, extent) in Extent::ALL.into_iter().enumerate() {
            assert_eq!(Extent::from_index(index), Some(extent));
        }
        assert!([6, 7, 255, 256, usize::MAX].into_iter().all(|index| Extent::from_index(index).is_none()));
        for axis in [0, 1, 2, 3, 127, 128, usize::MAX] {
            assert_eq!(
                (Extent::min(axis), Extent::max(axis)),
                (Extent::ALL[axis % 3 * 2], Extent::ALL[axis % 3 * 2 + 1])
            );
        }
    }
}
