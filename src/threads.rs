//! Work on many things that know nothing of each other: on the threads of the present pool with the feature `rayon`, one after the
//! other without. What comes out is the same, bit for bit: nothing is shared but what is only read, and sums are made afterwards, in order.

/// Does the same to every item.
#[cfg(feature = "rayon")]
pub(crate) fn for_each<T: Send>(items: &mut [T], act: impl Fn(&mut T) + Send + Sync) {
    use rayon::prelude::*;
    if items.len() > 1 {
        items.par_iter_mut().for_each(act);
    } else {
        items.iter_mut().for_each(act);
    }
}

/// Does the same to every item.
#[cfg(not(feature = "rayon"))]
pub(crate) fn for_each<T>(items: &mut [T], act: impl Fn(&mut T)) {
    items.iter_mut().for_each(act);
}
