//! Independent work on many items: on the current thread pool with the feature `rayon`, sequential
//! without it. Results are equal bit for bit: shared data is only read, and sums are made
//! afterwards, in order.

/// Applies a function to every item.
#[cfg(feature = "rayon")]
pub(crate) fn for_each<T: Send>(items: &mut [T], act: impl Fn(&mut T) + Send + Sync) {
    use rayon::prelude::*;
    if items.len() > 1 && count() > 1 {
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

/// Threads of the current pool; 1 without the feature `rayon`. The program has no pool but those it
/// makes by [`on`] and [`side_by_side`].
#[cfg(feature = "rayon")]
pub(crate) fn count() -> usize {
    let has_none = cfg!(feature = "cli") && rayon::current_thread_index().is_none();
    if has_none { 1 } else { rayon::current_num_threads() }
}

/// Threads of the current pool; 1 without the feature `rayon`.
#[cfg(not(feature = "rayon"))]
pub(crate) fn count() -> usize {
    1
}

/// Calls a function so that work within is shared by `threads` threads; on the current thread and
/// pool for up to one.
#[cfg(feature = "rayon")]
pub(crate) fn on<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
    match pool(threads) {
        Some(pool) => pool.install(act),
        None => act(),
    }
}

/// Calls a function.
#[cfg(not(feature = "rayon"))]
pub(crate) fn on<R: Send>(_: usize, act: impl FnOnce() -> R + Send) -> R {
    act()
}

/// A pool; `None` for up to one thread, and where the system has no threads to give.
#[cfg(feature = "rayon")]
fn pool(threads: usize) -> Option<rayon::ThreadPool> {
    if threads < 2 {
        return None;
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()
}

/// Runs tasks, each on a thread of its own, while `here` runs on the current one. Work within tasks
/// is shared by those of `threads` threads that have nothing to do.
#[cfg(feature = "rayon")]
pub(crate) fn side_by_side<R>(threads: usize, tasks: Vec<impl FnOnce() + Send>, here: impl FnOnce() -> R) -> R {
    let Some(pool) = pool(threads.max(tasks.len())) else { return spawned(tasks, here) };
    pool.in_place_scope(|scope| {
        tasks.into_iter().for_each(|task| scope.spawn(|_| task()));
        here()
    })
}

/// Runs tasks, each on a thread of its own, while `here` runs on the current one.
#[cfg(not(feature = "rayon"))]
pub(crate) fn side_by_side<R>(_: usize, tasks: Vec<impl FnOnce() + Send>, here: impl FnOnce() -> R) -> R {
    spawned(tasks, here)
}

fn spawned<R>(tasks: Vec<impl FnOnce() + Send>, here: impl FnOnce() -> R) -> R {
    std::thread::scope(|scope| {
        for task in tasks {
            scope.spawn(task);
        }
        here()
    })
}

/// Items of a task of [`map_in_order`].
const ITEMS_OF_A_TASK: usize = 64;

/// Rounds of [`map_in_order`] have that number of tasks a thread: values of one round are held at once.
const TASKS_OF_A_ROUND: usize = 16;

/// Computes a value for every item, and passes items with their values in order.
pub(crate) fn map_in_order<T: Sync, R: Send>(
    items: &[T],
    compute: impl Fn(&T) -> R + Send + Sync,
    mut take: impl FnMut(&T, R),
) {
    if count() < 2 || items.len() < 2 * ITEMS_OF_A_TASK {
        return items.iter().for_each(|item| take(item, compute(item)));
    }
    for round in items.chunks(ITEMS_OF_A_TASK * TASKS_OF_A_ROUND * count()) {
        let mut tasks: Vec<(&[T], Vec<R>)> = round.chunks(ITEMS_OF_A_TASK).map(|part| (part, Vec::new())).collect();
        for_each(&mut tasks, |(part, values)| values.extend(part.iter().map(&compute)));
        for (part, values) in tasks {
            part.iter().zip(values).for_each(|(item, value)| take(item, value));
        }
    }
}
