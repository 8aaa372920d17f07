//! Independent work on many items: on the current thread pool with the feature `rayon`, sequential
//! without it. Results are equal bit for bit: shared data is only read, and sums are made
//! afterwards, in order.

/// Applies a function to every item.
#[cfg(feature = "rayon")]
pub(crate) fn for_each<T: Send>(items: &mut [T], act: impl Fn(&mut T) + Send + Sync) {
    use rayon::prelude::*;
    if items.len() > 1 {
        items.par_iter_mut().for_each(act);
    } else {
        items.iter_mut().for_each(act);
    }
}

/// Applies a function to every item.
#[cfg(not(feature = "rayon"))]
pub(crate) fn for_each<T>(items: &mut [T], act: impl Fn(&mut T)) {
    items.iter_mut().for_each(act);
}

/// Applies a function to every item of a sequence.
#[cfg(feature = "rayon")]
pub(crate) fn for_each_in<T: Send>(items: impl Iterator<Item = T>, act: impl Fn(&mut T) + Send + Sync) {
    let mut items: Vec<T> = items.collect();
    for_each(&mut items, act);
}

/// Applies a function to every item of a sequence.
#[cfg(not(feature = "rayon"))]
pub(crate) fn for_each_in<T>(items: impl Iterator<Item = T>, act: impl Fn(&mut T)) {
    items.for_each(|mut item| act(&mut item));
}

/// Threads of the current pool; 1 without the feature `rayon`.
#[cfg(feature = "rayon")]
pub(crate) fn count() -> usize {
    rayon::current_num_threads()
}

/// Threads of the current pool; 1 without the feature `rayon`.
#[cfg(not(feature = "rayon"))]
pub(crate) fn count() -> usize {
    1
}
