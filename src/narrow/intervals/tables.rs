//! The combinatorial half of the interval test: contact of two simplices from orientation signs.
//!
//! Two convex hulls share a point iff some affine dependence of their vertices is nonnegative on
//! one side and nonpositive on the other (Radon), and then a minimal one does. Among points that
//! span a space of rank `r` (4: space, 3: a plane, 2: a line) a minimal dependence is the *only*
//! dependence of some `r + 1` points of full rank. Its coefficients are the `r + 1` minors of those
//! points with alternating signs. So the hulls touch iff, for some mixed set of `r + 1` points (a
//! **witness**), the minors are not all zero and their signs fit one of two opposite patterns;
//! zeros fit any.
//!
//! This covers piercing, grazing and degenerate simplices alike. If all minors are zero the rank is
//! lower: project and repeat. Two triangles have 15 minors and 6 witnesses in space, 20 and 15 in a
//! plane, 15 and 18 on a line.

/// Most points of a pair.
pub(crate) const POINTS: usize = 6;
/// Most minors of one rank: triples of six points.
pub(crate) const MINORS: usize = 20;
/// Most witnesses of one rank: mixed triples of six points.
const WITNESSES: usize = 18;

/// Witnesses side by side.
const GROUP: usize = 8;

/// A mixed point set with one point more than the rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Witness {
    /// The minors that leave out one of its points.
    bits: u32,
    /// The minors that must be negative (or zero) in the first pattern.
    flip: u32,
    /// Its points.
    points: u8,
}

/// Signs of all minors of one rank; a bit in none of the masks is a known zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Signs {
    pub(crate) positive: u32,
    pub(crate) negative: u32,
    pub(crate) unknown: u32,
}

impl Signs {
    /// The signs with some minors set to zero and all known.
    pub(crate) fn without(self, zero: u32) -> Self {
        Self { positive: self.positive & !zero, negative: self.negative & !zero, unknown: 0 }
    }

    /// Changes the sign of some minors.
    pub(crate) fn flip(&mut self, bits: u32) {
        let changed = (self.positive ^ self.negative) & bits;
        self.positive ^= changed;
        self.negative ^= changed;
    }
}

/// The status that follows from the signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Apart,
    Touching,
    /// All minors are zero: the points span less than this rank.
    LowerRank,
    Unknown,
}

/// Minors and witnesses of one rank.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) rank: usize,
    pub(crate) minor_count: usize,
    /// Point indices of each minor, ascending; the first `rank` are used.
    pub(crate) minors: [[usize; 4]; MINORS],
    witness_count: usize,
    witnesses: [Witness; WITNESSES],
    /// What the witnesses are, eight side by side; those behind the last have no minors, and so fit
    /// nothing.
    groups: [[[u32; GROUP]; 2]; WITNESSES.div_ceil(GROUP)],
}

/// Two simplices: their numbers of points, and the tables of the three ranks.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Points of the first simplex; the others belong to the second.
    pub(crate) first: usize,
    pub(crate) points: usize,
    pub(crate) space: Table,
    pub(crate) plane: Table,
    pub(crate) line: Table,
}

pub(crate) static TRIANGLES: Shape = Shape::new(3, 3);
pub(crate) static VERTEX_FACE: Shape = Shape::new(1, 3);
pub(crate) static EDGE_EDGE: Shape = Shape::new(2, 2);

impl Shape {
    const fn new(first: usize, second: usize) -> Self {
        let points = first + second;
        Self {
            first,
            points,
            space: Table::new(first, points, 4),
            plane: Table::new(first, points, 3),
            line: Table::new(first, points, 2),
        }
    }
}

impl Table {
    const fn new(first: usize, points: usize, rank: usize) -> Self {
        let mut table = Self {
            rank,
            minor_count: 0,
            minors: [[0; 4]; MINORS],
            witness_count: 0,
            witnesses: [Witness { bits: 0, flip: 0, points: 0 }; WITNESSES],
            groups: [[[0; GROUP]; 2]; WITNESSES.div_ceil(GROUP)],
        };
        let mut minor_of_set = [0_usize; 1 << POINTS];
        let mut set = 0_usize;
        while set < 1 << points {
            if set.count_ones() as usize == rank {
                let mut point = 0;
                let mut slot = 0;
                while point < points {
                    if set >> point & 1 == 1 {
                        table.minors[table.minor_count][slot] = point;
                        slot += 1;
                    }
                    point += 1;
                }
                minor_of_set[set] = table.minor_count;
                table.minor_count += 1;
            }
            set += 1;
        }
        let first_set = (1 << first) - 1;
        set = 0;
        while set < 1 << points {
            let mixed = set & first_set != 0 && set & !first_set != 0;
            if set.count_ones() as usize == rank + 1 && mixed {
                let mut witness = Witness { bits: 0, flip: 0, points: set as u8 };
                let mut point = 0;
                let mut place = 0;
                while point < points {
                    if set >> point & 1 == 1 {
                        let bit = 1 << minor_of_set[set & !(1 << point)];
                        witness.bits |= bit;
                        // Coefficients alternate along the set and change sides between the
                        // simplices.
                        if (place % 2 == 1) != (point >= first) {
                            witness.flip |= bit;
                        }
                        place += 1;
                    }
                    point += 1;
                }
                table.witnesses[table.witness_count] = witness;
                let [bits, flips] = &mut table.groups[table.witness_count / GROUP];
                bits[table.witness_count % GROUP] = witness.bits;
                flips[table.witness_count % GROUP] = witness.flip;
                table.witness_count += 1;
            }
            set += 1;
        }
        table
    }

    fn witnesses(&self) -> &[Witness] {
        &self.witnesses[..self.witness_count]
    }

    /// Decides as far as the known signs allow.
    #[inline]
    pub(crate) fn status(&self, signs: Signs) -> Status {
        self.judge(signs).0
    }

    /// Decides as far as the known signs allow, and says on which unknown minors the status may
    /// still depend.
    #[inline(always)]
    pub(crate) fn judge(&self, signs: Signs) -> (Status, u32) {
        let Signs { positive, negative, unknown } = signs;
        let known = positive | negative;
        let (mut certain, mut relevant) = ([0_u32; GROUP], [0_u32; GROUP]);
        for [bits, flips] in &self.groups[..self.witness_count.div_ceil(GROUP)] {
            for lane in 0..GROUP {
                let (bits, flip) = (bits[lane], flips[lane]);
                // The minors whose signs break the first pattern, and the second one.
                let (first, second) = (bits & known & (negative ^ flip), bits & known & (positive ^ flip));
                let fitting = if first == 0 || second == 0 { bits } else { 0 };
                relevant[lane] |= fitting & unknown;
                certain[lane] |= if bits & unknown == 0 { fitting & known } else { 0 };
            }
        }
        let any = |lanes: [u32; GROUP]| lanes.iter().fold(0, |all, lane| all | lane);
        let (certain, relevant) = (any(certain), any(relevant));
        let status = match (known, unknown) {
            _ if certain != 0 => Status::Touching,
            (0, 0) => Status::LowerRank,
            (_, 0) => Status::Apart,
            (0, _) => Status::Unknown,
            _ if relevant != 0 => Status::Unknown,
            _ => Status::Apart,
        };
        (status, if self.witness_count == 0 || known == 0 { unknown } else { relevant })
    }

    /// Decides if no relevant sign is unknown. Irrelevant unknown signs count as zero, which does
    /// not change the result.
    #[inline]
    pub(crate) fn settled_status(&self, positive: u32, negative: u32) -> Status {
        let known = positive | negative;
        let mut touching = [0_u32; GROUP];
        for [bits, flips] in &self.groups[..self.witness_count.div_ceil(GROUP)] {
            for lane in 0..GROUP {
                let (bits, flip) = (bits[lane], flips[lane]);
                let (first, second) = (bits & known & (negative ^ flip), bits & known & (positive ^ flip));
                // One pattern is broken and the other is not: some sign is known, and all fit.
                touching[lane] |= u32::from((first == 0) != (second == 0));
            }
        }
        match (touching.iter().fold(0, |all, lane| all | lane), known) {
            (0, 0) => Status::LowerRank,
            (0, _) => Status::Apart,
            _ => Status::Touching,
        }
    }

    /// Unknown minors on which the status may still depend.
    #[inline]
    pub(crate) fn relevant(&self, signs: Signs) -> u32 {
        self.judge(signs).1
    }

    /// The points (as bits) of a smallest touching dependence: the parts of both simplices that
    /// meet.
    pub(crate) fn support(&self, signs: Signs) -> Option<u8> {
        let known = signs.positive | signs.negative;
        let certain = self
            .witnesses()
            .iter()
            .filter(|witness| witness.fits(signs) && witness.bits & signs.unknown == 0 && witness.bits & known != 0);
        let supports = certain.map(|witness| {
            let mut support = witness.points;
            for (k, minor) in self.minors[..self.minor_count].iter().enumerate() {
                if witness.bits & !known & (1 << k) != 0 {
                    // A zero minor: the omitted point takes no part.
                    let kept = minor[..self.rank].iter().fold(0, |set, &p| set | 1 << p);
                    support &= kept;
                }
            }
            support
        });
        supports.min_by_key(|support| support.count_ones())
    }
}

impl Witness {
    /// Whether no known sign rules the witness out.
    #[inline(always)]
    fn fits(self, signs: Signs) -> bool {
        let (p, n) = (signs.positive & self.bits, signs.negative & self.bits);
        let against_first = (p & self.flip) | (n & !self.flip);
        let against_second = (n & self.flip) | (p & !self.flip);
        against_first == 0 || against_second == 0
    }
}

#[cfg(test)]
mod tests {
    use super::{EDGE_EDGE, Signs, Status, TRIANGLES, VERTEX_FACE};

    #[test]
    fn table_sizes() {
        let sizes =
            |shape: &super::Shape| [&shape.space, &shape.plane, &shape.line].map(|t| (t.minor_count, t.witness_count));
        assert_eq!(sizes(&TRIANGLES), [(15, 6), (20, 15), (15, 18)]);
        assert_eq!(sizes(&VERTEX_FACE), [(1, 0), (4, 1), (6, 3)]);
        assert_eq!(sizes(&EDGE_EDGE), [(1, 0), (4, 1), (6, 4)]);
    }

    #[test]
    fn four_independent_points_are_apart() {
        let signs = Signs { positive: 1, ..Signs::default() };
        assert_eq!(VERTEX_FACE.space.status(signs), Status::Apart);
        assert_eq!(VERTEX_FACE.space.status(Signs::default()), Status::LowerRank);
    }
}
