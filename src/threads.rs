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
    if count() > 1 {
        let mut items: Vec<T> = items.collect();
        for_each(&mut items, act);
    } else {
        items.for_each(|mut item| act(&mut item));
    }
}

/// Applies a function to every item of a sequence.
#[cfg(not(feature = "rayon"))]
pub(crate) fn for_each_in<T>(items: impl Iterator<Item = T>, act: impl Fn(&mut T)) {
    items.for_each(|mut item| act(&mut item));
}

/// Threads of the current pool; 1 without the feature `rayon`, and within [`alone`].
#[cfg(feature = "rayon")]
pub(crate) fn count() -> usize {
    let is_alone = IS_ALONE.get() && rayon::current_thread_index().is_none();
    if is_alone || crew::is_busy() { 1 } else { rayon::current_num_threads() }
}

#[cfg(feature = "rayon")]
thread_local! {
    /// Set within [`alone`].
    static IS_ALONE: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Calls a function that shares no work with the global pool: the program has as many threads as
/// [`on`] and [`side_by_side`] are given.
#[cfg(feature = "cli")]
pub(crate) fn alone<R>(act: impl FnOnce() -> R) -> R {
    let before = IS_ALONE.replace(true);
    let outcome = act();
    IS_ALONE.set(before);
    outcome
}

/// Whether the threads of [`side_by_side`] have tasks of their own: to share the work within a task
/// costs more than it gains until one of them has nothing to do.
#[cfg(feature = "rayon")]
mod crew {
    use std::cell::RefCell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Threads of a pool that have nothing to do.
    pub(super) type Idle = Arc<AtomicUsize>;

    thread_local! {
        /// Set while the thread runs a task.
        static CREW: RefCell<Option<Idle>> = const { RefCell::new(None) };
    }

    /// Whether the current thread runs a task and no other is idle.
    pub(super) fn is_busy() -> bool {
        CREW.with_borrow(|crew| crew.as_ref().is_some_and(|idle| idle.load(Ordering::Relaxed) == 0))
    }

    /// Runs a task.
    #[cfg(any(test, feature = "io"))]
    pub(super) fn run(idle: &Idle, task: impl FnOnce()) {
        let before = CREW.replace(Some(Arc::clone(idle)));
        task();
        CREW.set(before);
        idle.fetch_add(1, Ordering::Relaxed);
    }
}

/// Threads of the current pool; 1 without the feature `rayon`.
#[cfg(not(feature = "rayon"))]
pub(crate) fn count() -> usize {
    1
}

/// Calls a function so that work within is shared by `threads` threads, or as many of them as are
/// of use; on the current thread and pool for up to one.
#[cfg(all(feature = "rayon", any(test, feature = "io")))]
pub(crate) fn on<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
    match pool(useful(threads)) {
        Some(pool) => pool.install(act),
        None => act(),
    }
}

/// Calls a function.
#[cfg(all(not(feature = "rayon"), any(test, feature = "io")))]
pub(crate) fn on<R: Send>(_: usize, act: impl FnOnce() -> R + Send) -> R {
    act()
}

/// Calls a function in a pool of that number of threads, also of one.
#[cfg(all(feature = "rayon", test))]
pub(crate) fn exactly<R: Send>(threads: usize, act: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(act)
}

/// Calls a function.
#[cfg(all(not(feature = "rayon"), test))]
pub(crate) fn exactly<R: Send>(_: usize, act: impl FnOnce() -> R + Send) -> R {
    act()
}

/// A pool; `None` for up to one thread, and where the system has no threads to give.
#[cfg(all(feature = "rayon", any(test, feature = "io")))]
fn pool(threads: usize) -> Option<rayon::ThreadPool> {
    if threads < 2 {
        return None;
    }
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok()
}

/// As many of some threads as can be of use for work that they share: a few times the processors.
/// More only wait for each other.
#[cfg(all(feature = "rayon", any(test, feature = "io")))]
fn useful(threads: usize) -> usize {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    threads.min(processors.saturating_mul(4)).min(crate::limits::MAX_THREADS)
}

/// Runs tasks, each on a thread of its own, while `here` runs on the current one. Work within tasks
/// is shared by those of `threads` threads that have nothing to do.
#[cfg(all(feature = "rayon", any(test, feature = "io")))]
pub(crate) fn side_by_side<R>(threads: usize, tasks: Vec<impl FnOnce() + Send>, here: impl FnOnce() -> R) -> R {
    let Some(pool) = pool(useful(threads).max(tasks.len())) else { return spawned(tasks, here) };
    let idle = crew::Idle::new((pool.current_num_threads() - tasks.len()).into());
    pool.in_place_scope(|scope| {
        for task in tasks {
            scope.spawn(|_| crew::run(&idle, task));
        }
        here()
    })
}

/// Runs tasks, each on a thread of its own, while `here` runs on the current one.
#[cfg(all(not(feature = "rayon"), any(test, feature = "io")))]
pub(crate) fn side_by_side<R>(_: usize, tasks: Vec<impl FnOnce() + Send>, here: impl FnOnce() -> R) -> R {
    spawned(tasks, here)
}

#[cfg(any(test, feature = "io"))]
fn spawned<R>(tasks: Vec<impl FnOnce() + Send>, here: impl FnOnce() -> R) -> R {
    std::thread::scope(|scope| {
        for task in tasks {
            scope.spawn(task);
        }
        here()
    })
}

/// Items from which on sorting is shared.
#[cfg(feature = "rayon")]
const SHARED_SORT: usize = 1 << 14;

/// Sorts items by keys. Items of equal keys must be equal, so that the order does not depend on
/// the threads.
#[cfg(feature = "rayon")]
pub(crate) fn sort_by_key<T: Send, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K + Sync) {
    use rayon::prelude::*;
    if items.len() >= SHARED_SORT && count() > 1 {
        items.par_sort_unstable_by_key(key);
    } else {
        items.sort_unstable_by_key(key);
    }
}

/// Sorts items by keys.
#[cfg(not(feature = "rayon"))]
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    items.sort_unstable_by_key(key);
}

/// Items of a task of [`map_in_order`].
const ITEMS_OF_A_TASK: usize = 64;

/// Tasks a thread in a round of [`map_in_order`]: values of one round are held at once.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_in_order_from_any_number_of_threads() {
        let items: Vec<u32> = (0..5000).collect();
        for threads in [0, 1, 2, 5] {
            let mut seen = Vec::new();
            let passed = on(threads, || {
                map_in_order(&items, |item| u64::from(*item) * 3, |item, value| seen.push((*item, value)));
                seen
            });
            assert_eq!(passed.len(), items.len(), "{threads}");
            assert!(passed.iter().zip(&items).all(|(it, &item)| *it == (item, 3 * u64::from(item))), "{threads}");
        }
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn threads_of_a_pool_share_the_work() {
        use std::collections::BTreeSet;
        use std::sync::{Barrier, Mutex};

        let seen = Mutex::new(BTreeSet::new());
        // Each of the two items waits for the other.
        let barrier = Barrier::new(2);
        on(2, || {
            for_each(&mut [0, 1], |_| {
                barrier.wait();
                seen.lock().unwrap().insert(rayon::current_thread_index());
            });
        });
        assert_eq!(seen.into_inner().unwrap().len(), 2);
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn a_pool_has_no_more_threads_than_are_of_use() {
        let processors = std::thread::available_parallelism().unwrap().get();
        assert_eq!(on(usize::MAX, count), (4 * processors).min(crate::limits::MAX_THREADS));
        assert_eq!(on(2, count), 2);
    }

    #[cfg(feature = "rayon")]
    #[test]
    fn threads_share_work_once_one_of_them_is_idle() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let (gate, opened) = std::sync::mpsc::channel();
        // The first task ends when it is told to; the second counts threads before and after.
        let counting = move || {
            sender.send(count()).unwrap();
            gate.send(()).unwrap();
            while count() == 1 {
                std::thread::yield_now();
            }
            sender.send(count()).unwrap();
        };
        let waiting = move || opened.recv().unwrap();
        let tasks: Vec<Box<dyn FnOnce() + Send>> = vec![Box::new(waiting), Box::new(counting)];
        let counts: Vec<usize> = side_by_side(2, tasks, || receiver.iter().collect());
        assert_eq!(counts, [1, 2]);
        // A pool with more threads than tasks has idle ones from the start.
        let (sender, receiver) = std::sync::mpsc::channel();
        let counts: Vec<usize> =
            side_by_side(3, vec![move || sender.send(count()).unwrap()], || receiver.iter().collect());
        assert_eq!(counts, [3]);
    }

    #[cfg(feature = "cli")]
    #[test]
    fn one_thread_alone_has_no_pool_but_those_it_makes() {
        assert_eq!(alone(count), 1);
        assert_eq!(alone(|| on(2, count)), 2);
    }

    #[test]
    fn tasks_run_beside_the_caller() {
        let (sender, receiver) = std::sync::mpsc::sync_channel(0);
        let tasks: Vec<_> = (0..3).map(|task| (task, sender.clone())).collect();
        drop(sender);
        let tasks = tasks.into_iter().map(|(task, sender)| move || sender.send(task).unwrap()).collect();
        let mut received: Vec<i32> = side_by_side(2, tasks, || receiver.iter().collect());
        received.sort_unstable();
        assert_eq!(received, [0, 1, 2]);
    }
}
