//! One step of the pairs that may have changed: the pairs of triangles that touch at the clock's
//! time.
//!
//! | finder | what is tested |
//! |---|---|
//! | `List` | triangles below the overlapping leaves of the list, filtered in `f32` |
//! | `Interval` | candidates of the interval that are not certain, or triangles below leaf pairs whose windows hold the time, filtered |
//! | `Front` | triangles whose refitted boxes meet, filtered |
//! | `Mixed` | triangles below leaves whose boxes meet, filtered |
//! | `BruteForce` | all |
//! | `Hosted` | nothing: the host does that |
//!
//! What a pair needs of its bodies is brought up to date first, pair by pair, as a body is in
//! several pairs. Then bodies are only read, and pairs are processed side by side
//! ([`crate::threads`]). Positions are evaluated in between, again pair by pair.

use crate::cancel::Cancel;
use crate::threads::for_each;
use crate::time::Moment;
use crate::world::body::bodies::Bodies;
use crate::world::pair::Pairs;
use crate::world::pair::engine_choice::{EngineSelector, PairCosts, PairMode};
use crate::world::pair::scratch::StepBuffers;
use crate::world::pair::spare::most_of;
use crate::world::pair::task::PairTask;

impl Pairs {
    /// Finds, for some pairs of bodies, the pairs of triangles that touch at the clock's time,
    /// sorted. `step` is the length of the host's steps, seconds; 0 if unknown. `None`, and nothing
    /// is known, if there are more than `most` candidate pairs of triangles, or if it was
    /// cancelled. What is returned is given back by [`Pairs::keep_tasks`].
    pub(crate) fn find_contacts(
        &mut self,
        numbers: &[u32],
        bodies: &mut Bodies,
        (now, step): (Moment, f64),
        most: usize,
        cancel: Option<&Cancel>,
    ) -> Option<Vec<PairTask>> {
        let is_cancelled = || cancel.is_some_and(Cancel::is_cancelled);
        if is_cancelled() {
            return None;
        }
        let mut selector = EngineSelector { bodies, now, step };
        let mut tasks = std::mem::take(&mut self.scratch.0.tasks);
        for &number in numbers {
            let buffers = self.scratch.0.spare.pop().unwrap_or_default();
            let room = (buffers, &mut self.spare.0);
            tasks.push(PairTask::begin(number, &mut self.table[number], &mut selector, room));
        }
        self.has_trials |= tasks.iter().any(|task| task.is_trial);
        let room = &self.scratch.0.gathered;
        for_each(&mut tasks, |task| {
            if !is_cancelled() {
                task.find(&self[task.number], selector.bodies, (now, step), true, room);
            }
        });
        if is_cancelled() {
            return self.give_up(tasks);
        }
        self.weigh(&mut tasks, &mut selector);
        if tasks.iter().map(PairTask::candidate_count).fold(0, usize::saturating_add) > most {
            return self.give_up(tasks);
        }
        for task in &tasks {
            task.evaluate(&self[task.number], bodies, now);
        }
        for_each(&mut tasks, |task| {
            if !is_cancelled() {
                task.test(&self[task.number], bodies, now, &self.scratch.0.boxes);
            }
        });
        if is_cancelled() {
            return self.give_up(tasks);
        }
        tasks.iter_mut().for_each(|task| self.finish(task));
        Some(tasks)
    }

    /// Takes back what tasks have that are not done.
    fn give_up(&mut self, mut tasks: Vec<PairTask>) -> Option<Vec<PairTask>> {
        tasks.iter_mut().for_each(|task| self.give_back(task));
        self.keep_tasks(tasks);
        None
    }

    /// Takes the buffers of tasks that are done back.
    pub(crate) fn keep_tasks(&mut self, mut tasks: Vec<PairTask>) {
        let StepBuffers { tasks: room, spare, .. } = &mut self.scratch.0;
        spare.extend(tasks.drain(..).rev().map(PairTask::into_buffers));
        *room = tasks;
    }

    /// Lets bodies leave intervals that cost too much, and finishes what was not found because the
    /// costs were asked first.
    fn weigh(&mut self, tasks: &mut [PairTask], selector: &mut EngineSelector<'_>) {
        let (now, step) = (selector.now, selector.step);
        let mut costs = std::mem::take(&mut self.scratch.0.costs);
        costs.clear();
        for task in tasks.iter_mut().filter(|task| step > 0.0 && task.mode == Some(PairMode::Interval)) {
            let pair = &self[task.number];
            let [a, b] = [pair.a, pair.b].map(|body| selector.bodies.at(body));
            let bodies = a.paired_bodies(b, pair.is_self());
            costs.push(PairCosts { pair: [pair.a, pair.b], costs: task.costs(now, bodies) });
        }
        selector.fall_back(&costs, &mut self.scratch.0.groups);
        self.scratch.0.costs = costs;
        for task in tasks.iter_mut().filter(|task| task.is_unfinished()) {
            let pair = &self.table[task.number];
            if selector.has_fallen_back(pair) {
                selector.refit(pair);
                let most = most_of(selector.bodies.at(pair.a), selector.bodies.at(pair.b));
                task.change_mode(PairMode::Front, pair, (&mut self.spare.0, most));
            }
        }
        let pairs = &*self;
        for_each(tasks, |task| {
            if task.is_unfinished() {
                task.find(&pairs[task.number], selector.bodies, (now, step), false, &pairs.scratch.0.gathered);
            }
        });
    }

    /// Gives a pair its finder back once its triangles are found.
    fn finish(&mut self, task: &mut PairTask) {
        task.idle.take_if(|idle| idle.is_released(task.number));
        self.triangle_tests += task.tests;
        self.give_back(task);
    }

    /// Gives a pair its finder back.
    fn give_back(&mut self, task: &mut PairTask) {
        let pair = &mut self[task.number];
        (pair.finder, pair.idle) = (std::mem::take(&mut task.finder), task.idle.take());
    }

    /// Enters the triangles of a pair that touch; returns whether they differ from those before.
    pub(crate) fn set_contacts(&mut self, number: u32, touching: &[(u32, u32)]) -> bool {
        let pair = &mut self[number];
        let has_changed = !are_same(touching, &pair.contacts);
        if has_changed {
            pair.contacts.clear();
            pair.contacts.extend_from_slice(touching);
        }
        has_changed
    }

    /// Releases fronts, and refitted boxes, of pairs and bodies in interval mode: they were made
    /// while the length of the host's steps was unknown. `step` is that length, seconds; 0 if it
    /// still is.
    pub(crate) fn end_trials(&mut self, bodies: &mut Bodies, step: f64) {
        if !(step > 0.0) || !self.has_trials {
            return;
        }
        self.has_trials = bodies.iter().any(|(_, body)| body.has_both_modes());
        let mut is_needed = std::collections::BTreeSet::new();
        for pair in self.table.values_mut() {
            if [pair.a, pair.b].iter().all(|&body| bodies.at(body).is_settled_in_interval()) {
                pair.idle = None;
            } else {
                is_needed.extend([pair.a, pair.b]);
            }
        }
        for index in bodies.indices().into_iter().filter(|index| !is_needed.contains(index)) {
            let body = bodies.at_mut(index);
            if let Some(discrete) = body.discrete_mut().filter(|discrete| discrete.is_settled_in_interval()) {
                discrete.drop_refit();
            }
        }
    }
}

/// Whether two lists of pairs are equal. Mostly they nearly are: they are compared sixteen at a
/// time, without a branch.
fn are_same(a: &[(u32, u32)], b: &[(u32, u32)]) -> bool {
    let differ =
        |a: &[(u32, u32)], b: &[(u32, u32)]| a.iter().zip(b).fold(0, |d, (a, b)| d | (a.0 ^ b.0) | (a.1 ^ b.1));
    a.len() == b.len() && a.chunks(16).zip(b.chunks(16)).all(|(a, b)| differ(a, b) == 0)
}
