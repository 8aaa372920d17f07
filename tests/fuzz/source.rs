//! Decisions read from bytes: a fuzzer changes the bytes, and so the scene. When they are used up,
//! every decision is the first choice.

/// Bytes that are left.
#[derive(Clone, Debug)]
pub(crate) struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    /// 0 to `count - 1`.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        match count {
            0 | 1 => 0,
            2..=256 => usize::from(self.byte()) % count,
            _ => (usize::from(self.byte()) << 8 | usize::from(self.byte())) % count,
        }
    }

    /// `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True `percent` times of a hundred.
    pub(crate) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) >= 100 - percent
    }

    pub(crate) fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        things[self.below(things.len())]
    }
}
