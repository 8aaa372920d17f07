//! Processor time of the calling thread: what a run costs, whatever else the machine does.
//!
//! Caches and memory are shared with others all the same, so compare figures of one run only.

use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter};

/// Nanoseconds of processor time this thread has used.
#[cfg(unix)]
pub fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

/// Nanoseconds by the wall clock, where there is no other.
#[cfg(not(unix))]
pub fn now() -> f64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed().as_nanos() as f64
}

/// What `work` gives, and the nanoseconds it took.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = now();
    let result = work();
    (result, now() - begin)
}

/// The median time of some runs, nanoseconds.
pub fn median(runs: usize, mut work: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..runs).map(|_| time(&mut work).1).collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Processor time as a criterion measurement.
pub struct ProcessorTime;

impl Measurement for ProcessorTime {
    type Intermediate = f64;
    type Value = f64;

    fn start(&self) -> f64 {
        now()
    }

    fn end(&self, begin: f64) -> f64 {
        now() - begin
    }

    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }

    fn zero(&self) -> f64 {
        0.0
    }

    fn to_f64(&self, value: &f64) -> f64 {
        *value
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Nanoseconds
    }
}

struct Nanoseconds;

impl ValueFormatter for Nanoseconds {
    fn scale_values(&self, typical: f64, values: &mut [f64]) -> &'static str {
        let (factor, unit) = if typical < 1e3 {
            (1.0, "ns")
        } else if typical < 1e6 {
            (1e-3, "us")
        } else {
            (1e-6, "ms")
        };
        values.iter_mut().for_each(|value| *value *= factor);
        unit
    }

    fn scale_throughputs(&self, _typical: f64, throughput: &Throughput, values: &mut [f64]) -> &'static str {
        let (Throughput::Elements(count)
        | Throughput::Bytes(count)
        | Throughput::BytesDecimal(count)
        | Throughput::Bits(count)
        | Throughput::ElementsAndBytes { elements: count, .. }) = *throughput;
        values.iter_mut().for_each(|value| *value /= count as f64);
        "ns each"
    }

    fn scale_for_machines(&self, _values: &mut [f64]) -> &'static str {
        "ns"
    }
}
