//! What a run costs: processor time of the calling thread, whatever else the machine does; the wall
//! clock where there is no other. Caches and memory are shared with others all the same, so compare
//! figures of one run only.

/// Which clock this is, for reports.
pub(super) const CLOCK: &str = if cfg!(unix) { "processor time of one thread" } else { "wall clock" };

/// Milliseconds of processor time this thread has used.
#[cfg(unix)]
fn now() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 * 1e-6
}

/// Milliseconds by the wall clock.
#[cfg(not(unix))]
fn now() -> f64 {
    static BEGIN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGIN.get_or_init(std::time::Instant::now).elapsed().as_secs_f64() * 1e3
}

/// What `work` gives; adds the milliseconds it took to `spent`.
pub(super) fn timed<T>(spent: &mut f64, work: impl FnOnce() -> T) -> T {
    let begin = now();
    let result = work();
    *spent += now() - begin;
    result
}
