//! Kernels over eight `f32` or four `f64` lanes, compiled for the widest instructions of the
//! processor and selected at run time.
//!
//! A [`Kernel`] is written once, over a [`Simd`]; [`run`] passes it the best one available.
//! [`Plain`] uses no vector instructions. It is used without the feature `simd`, and every kernel
//! is tested against it.
//!
//! Every kernel and every function it calls states
//! `#[cfg_attr(not(debug_assertions), inline(always))]`: only what is inlined is compiled for the
//! machine. In debug builds inlining would cost minutes of compiling and win nothing. Without the
//! feature it costs one copy of each kernel for [`Plain`], of which the feature has a copy too.

use std::ops::{Add, Div, Mul, Sub};

/// Number of lanes.
pub(crate) const LANES: usize = 8;

/// Eight numbers.
pub(crate) trait F32x8: Number {
    /// Minimum per lane.
    fn less(self, other: Self) -> Self;
    /// Maximum per lane.
    fn more(self, other: Self) -> Self;
    /// Absolute value per lane.
    fn size(self) -> Self;
    /// Square root per lane.
    fn root(self) -> Self;
    /// One bit per lane: whether the number is greater than that of `other`.
    fn above(self, other: Self) -> u32;
    /// Per lane, `yes` where the number is greater than `other`, else `no`.
    fn pick(self, other: Self, yes: Self, no: Self) -> Self;
    /// The lanes in memory order.
    fn lanes(self) -> [f32; LANES];
}

/// Number of lanes of `f64`.
pub(crate) const WIDE_LANES: usize = 4;

/// Four numbers.
pub(crate) trait F64x4: Number {
    /// Absolute value per lane.
    fn size(self) -> Self;
    /// Square root per lane.
    fn root(self) -> Self;
    /// Minimum per lane.
    fn less(self, other: Self) -> Self;
    /// Maximum per lane.
    fn more(self, other: Self) -> Self;
    /// One bit per lane: whether the number is greater than that of `other`.
    fn above(self, other: Self) -> u32;
    /// The lanes in memory order.
    fn lanes(self) -> [f64; WIDE_LANES];
}

/// A number, or lanes of numbers: what is computed alike one by one and in lanes.
pub(crate) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>> Number for T {}

/// A machine: creates vectors of numbers.
pub(crate) trait Simd: Copy {
    /// Its vector of eight numbers.
    type F32x8: F32x8;
    /// Loads eight numbers from memory.
    fn load(self, from: &[f32; LANES]) -> Self::F32x8;
    /// Broadcasts one number to all lanes.
    fn splat(self, value: f32) -> Self::F32x8;
    /// Its vector of four numbers.
    type F64x4: F64x4;
    /// Loads four numbers from memory.
    fn load_wide(self, from: &[f64; WIDE_LANES]) -> Self::F64x4;
    /// Broadcasts one number to all lanes.
    fn splat_wide(self, value: f64) -> Self::F64x4;
}

/// A computation that runs on a machine.
pub(crate) trait Kernel {
    /// Its result.
    type Output;
    /// Does it; inlined as the module says.
    fn run<M: Simd>(self, machine: M) -> Self::Output;
}

/// Runs a kernel on the best machine available. On x86 that has 256 or 128 bits: eight lanes are no
/// wider, and every further machine adds a copy of every kernel.
#[cfg(feature = "simd")]
#[inline(always)]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    use fearless_simd::Level;
    let level = Level::new();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    {
        use fearless_simd::Simd as _;
        if let Some(machine) = level.as_avx2() {
            return machine.vectorize(
                #[inline(always)]
                || kernel.run(wide::Wide(machine)),
            );
        }
        match level.as_sse2() {
            Some(machine) => machine.vectorize(
                #[inline(always)]
                || kernel.run(wide::Wide(machine)),
            ),
            None => kernel.run(Plain),
        }
    }
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    fearless_simd::dispatch!(level, simd => kernel.run(wide::Wide(simd)))
}

/// Runs a kernel with the instructions that the build's flags allow.
#[cfg(not(feature = "simd"))]
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Plain)
}

#[cfg(any(not(feature = "simd"), test, target_arch = "x86", target_arch = "x86_64"))]
pub(crate) use plain::Plain;

#[cfg(any(not(feature = "simd"), test, target_arch = "x86", target_arch = "x86_64"))]
mod plain {
    use super::{F32x8, F64x4, LANES, Simd, WIDE_LANES};
    use std::ops::{Add, Div, Mul, Sub};

    /// The machine without vector instructions.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Plain;

    /// Its vector of eight numbers.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct PlainF32x8([f32; LANES]);

    /// Its vector of four numbers.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct PlainF64x4([f64; WIDE_LANES]);

    macro_rules! lane_by_lane {
    ($trait:ident, $name:ident, $op:tt) => {
        lane_by_lane!($trait, $name, $op, PlainF32x8, LANES);
        lane_by_lane!($trait, $name, $op, PlainF64x4, WIDE_LANES);
    };
    ($trait:ident, $name:ident, $op:tt, $vector:ident, $lanes:ident) => {
        impl $trait for $vector {
            type Output = Self;
            #[inline]
            fn $name(mut self, other: Self) -> Self {
                for lane in 0..$lanes {
                    self.0[lane] $op other.0[lane];
                }
                self
            }
        }
    };
}

    lane_by_lane!(Add, add, +=);
    lane_by_lane!(Sub, sub, -=);
    lane_by_lane!(Mul, mul, *=);
    lane_by_lane!(Div, div, /=);

    impl F32x8 for PlainF32x8 {
        #[inline]
        fn less(mut self, other: Self) -> Self {
            for lane in 0..LANES {
                self.0[lane] = if self.0[lane] < other.0[lane] { self.0[lane] } else { other.0[lane] };
            }
            self
        }

        #[inline]
        fn more(mut self, other: Self) -> Self {
            for lane in 0..LANES {
                self.0[lane] = if self.0[lane] > other.0[lane] { self.0[lane] } else { other.0[lane] };
            }
            self
        }

        #[inline]
        fn size(self) -> Self {
            Self(self.0.map(f32::abs))
        }

        #[inline]
        fn root(self) -> Self {
            Self(self.0.map(f32::sqrt))
        }

        #[inline]
        fn above(self, other: Self) -> u32 {
            let mut bits = 0;
            for lane in 0..LANES {
                bits |= u32::from(self.0[lane] > other.0[lane]) << lane;
            }
            bits
        }

        #[inline]
        fn pick(self, other: Self, mut yes: Self, no: Self) -> Self {
            for lane in 0..LANES {
                yes.0[lane] = if self.0[lane] > other.0[lane] { yes.0[lane] } else { no.0[lane] };
            }
            yes
        }

        #[inline]
        fn lanes(self) -> [f32; LANES] {
            self.0
        }
    }

    impl F64x4 for PlainF64x4 {
        #[inline]
        fn size(self) -> Self {
            Self(self.0.map(f64::abs))
        }

        #[inline]
        fn root(self) -> Self {
            Self(self.0.map(f64::sqrt))
        }

        #[inline]
        fn less(mut self, other: Self) -> Self {
            for lane in 0..WIDE_LANES {
                self.0[lane] = if self.0[lane] < other.0[lane] { self.0[lane] } else { other.0[lane] };
            }
            self
        }

        #[inline]
        fn more(mut self, other: Self) -> Self {
            for lane in 0..WIDE_LANES {
                self.0[lane] = if self.0[lane] > other.0[lane] { self.0[lane] } else { other.0[lane] };
            }
            self
        }

        #[inline]
        fn above(self, other: Self) -> u32 {
            let mut bits = 0;
            for lane in 0..WIDE_LANES {
                bits |= u32::from(self.0[lane] > other.0[lane]) << lane;
            }
            bits
        }

        #[inline]
        fn lanes(self) -> [f64; WIDE_LANES] {
            self.0
        }
    }

    impl Simd for Plain {
        type F32x8 = PlainF32x8;
        type F64x4 = PlainF64x4;

        #[inline]
        fn load_wide(self, from: &[f64; WIDE_LANES]) -> PlainF64x4 {
            PlainF64x4(*from)
        }

        #[inline]
        fn splat_wide(self, value: f64) -> PlainF64x4 {
            PlainF64x4([value; WIDE_LANES])
        }

        #[inline]
        fn load(self, from: &[f32; LANES]) -> PlainF32x8 {
            PlainF32x8(*from)
        }

        #[inline]
        fn splat(self, value: f32) -> PlainF32x8 {
            PlainF32x8([value; LANES])
        }
    }
}

#[cfg(feature = "simd")]
mod wide {
    use super::{F32x8, F64x4, LANES, Simd, WIDE_LANES};
    use fearless_simd::{Select as _, SimdBase as _, SimdFloat as _, SimdMask as _, f32x8, f64x4};

    /// The vector instructions of a processor.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Wide<S>(pub(crate) S);

    impl<S: fearless_simd::Simd> Simd for Wide<S> {
        type F32x8 = f32x8<S>;
        type F64x4 = f64x4<S>;

        #[inline(always)]
        fn load_wide(self, from: &[f64; WIDE_LANES]) -> f64x4<S> {
            f64x4::from_slice(self.0, from)
        }

        #[inline(always)]
        fn splat_wide(self, value: f64) -> f64x4<S> {
            f64x4::splat(self.0, value)
        }

        #[inline(always)]
        fn load(self, from: &[f32; LANES]) -> f32x8<S> {
            f32x8::from_slice(self.0, from)
        }

        #[inline(always)]
        fn splat(self, value: f32) -> f32x8<S> {
            f32x8::splat(self.0, value)
        }
    }

    impl<S: fearless_simd::Simd> F32x8 for f32x8<S> {
        // On x86 one instruction makes this selection, also for NaN.
        #[inline(always)]
        fn less(self, other: Self) -> Self {
            if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
                self.min(other)
            } else {
                self.simd_lt(other).select(self, other)
            }
        }

        #[inline(always)]
        fn more(self, other: Self) -> Self {
            if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
                self.max(other)
            } else {
                self.simd_gt(other).select(self, other)
            }
        }

        #[inline(always)]
        fn size(self) -> Self {
            self.abs()
        }

        #[inline(always)]
        fn root(self) -> Self {
            self.sqrt()
        }

        #[inline(always)]
        fn above(self, other: Self) -> u32 {
            self.simd_gt(other).to_bitmask() as u32
        }

        #[inline(always)]
        fn pick(self, other: Self, yes: Self, no: Self) -> Self {
            self.simd_gt(other).select(yes, no)
        }

        #[inline(always)]
        fn lanes(self) -> [f32; LANES] {
            self.to_array()
        }
    }

    impl<S: fearless_simd::Simd> F64x4 for f64x4<S> {
        #[inline(always)]
        fn size(self) -> Self {
            self.abs()
        }

        #[inline(always)]
        fn root(self) -> Self {
            self.sqrt()
        }

        #[inline(always)]
        fn less(self, other: Self) -> Self {
            if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
                self.min(other)
            } else {
                self.simd_lt(other).select(self, other)
            }
        }

        #[inline(always)]
        fn more(self, other: Self) -> Self {
            if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
                self.max(other)
            } else {
                self.simd_gt(other).select(self, other)
            }
        }

        #[inline(always)]
        fn above(self, other: Self) -> u32 {
            self.simd_gt(other).to_bitmask() as u32
        }

        #[inline(always)]
        fn lanes(self) -> [f64; WIDE_LANES] {
            self.to_array()
        }
    }
}
