//! Bytes of baked files: checksums, and numbers in variable-length coding. All little-endian.

/// A hash of 64-bit words, order included. Two inputs of equal length that differ in one word
/// always have different hashes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fingerprint(u64);

impl Fingerprint {
    pub(crate) fn new() -> Self {
        Self(0x6b69_6e65_7472_6565)
    }

    pub(crate) fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        self.0 = mixed ^ (mixed >> 29);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u64::from_le_bytes(last));
        self.word(bytes.len() as u64);
    }

    pub(crate) fn value(self) -> u64 {
        self.0
    }

    /// The hash of some bytes.
    pub(crate) fn of(bytes: &[u8]) -> u64 {
        let mut sum = Self::new();
        sum.bytes(bytes);
        sum.value()
    }
}

/// Reads numbers from the front of bytes; returns `None` if they end too early or are not valid.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// Number of bytes not yet read.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn short(&mut self) -> Option<u16> {
        self.take(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub(crate) fn long(&mut self) -> Option<u64> {
        self.take(8)?.try_into().ok().map(u64::from_le_bytes)
    }

    pub(crate) fn double(&mut self) -> Option<f64> {
        self.long().map(f64::from_bits)
    }

    pub(crate) fn words(&mut self, count: usize) -> Option<Vec<u32>> {
        let bytes = self.take(count.checked_mul(4)?)?;
        Some(bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
    }

    pub(crate) fn doubles(&mut self, count: usize) -> Option<Vec<f64>> {
        let bytes = self.take(count.checked_mul(8)?)?;
        Some(bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect())
    }

    /// Reads a number written by [`put_number`].
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            if part << shift >> shift != part {
                return None;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Reads a 32-bit index written by [`put_number`].
    pub(crate) fn index(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    /// Reads a count of items of at least `least` bytes each; `None` if the remaining bytes cannot
    /// hold them.
    pub(crate) fn count(&mut self, least: usize) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count.checked_mul(least)? <= self.left()).then_some(count)
    }
}

/// Writes a number, seven bits a byte, the lowest first; small numbers take few bytes.
pub(crate) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Folds a signed difference into an unsigned number; small magnitudes give small numbers.
pub(crate) fn folded(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)) as u64
}

/// The inverse of [`folded`].
pub(crate) fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The rank of a number among all `f64`: neighbours differ by one.
pub(crate) fn rank(x: f64) -> u64 {
    let bits = x.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// The inverse of [`rank`].
pub(crate) fn of_rank(rank: u64) -> f64 {
    f64::from_bits(if rank >> 63 == 1 { rank & !(1 << 63) } else { !rank })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| put_number(&mut bytes, number));
        let mut reader = Reader::new(&bytes);
        assert!(numbers.iter().all(|&number| reader.number() == Some(number)));
        assert_eq!((reader.left(), reader.number(), reader.byte()), (0, None, None));
        // Too long, and too large.
        assert_eq!(Reader::new(&[0x80; 12]).number(), None);
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]).number(), None);
        for difference in [0, -1, 1, i64::MIN, i64::MAX] {
            assert_eq!(unfolded(folded(difference)), difference);
        }
        assert_eq!([folded(0), folded(-1), folded(1)], [0, 1, 2]);
    }

    #[test]
    fn ranks_keep_the_order() {
        let numbers = [f64::NEG_INFINITY, -2.5, -5e-324, -0.0, 0.0, 5e-324, 1.0, 1.0f64.next_up(), f64::INFINITY];
        assert!(numbers.windows(2).all(|pair| rank(pair[0]) < rank(pair[1])));
        assert!(numbers.iter().all(|&x| of_rank(rank(x)).to_bits() == x.to_bits()));
        assert_eq!(rank(1.0f64.next_up()) - rank(1.0), 1);
    }

    #[test]
    fn counts_are_bounded_by_what_there_is() {
        let mut bytes = Vec::new();
        put_number(&mut bytes, 3);
        bytes.extend([0; 6]);
        assert_eq!(Reader::new(&bytes).count(2), Some(3));
        assert_eq!(Reader::new(&bytes).count(3), None);
        assert_eq!(Reader::new(&[0xff, 0xff, 0xff, 0xff, 0x7f]).count(1), None);
    }
}
