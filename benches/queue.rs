//! Event queues over recorded streams: what one operation costs.
//!
//! A kinetic world is run over a scene and every operation on its queue written down; each
//! structure then replays the same pushes, moves, erasures and pops. All must pop the same events.
//! Figures are processor time per operation; those of `EventQueue` include making keys of events
//! and events of keys, the others work on keys made before.
//!
//! By criterion, with processor time as its measure; the table before it is a single replay of each
//! stream.

mod common;

use common::clock::{self, ProcessorTime};
use common::heading;
use common::queues::{HeapAndPile, IndexedHeap, LazyHeap, OrderedSet, PairingHeap, Queue, TextbookHeap};
use common::scenes::{self, Scene};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use kinetree::bvh::BuildParams;
use kinetree::kinetic::event::{Event, EventQueue, QueueOperation, Ticket};
use kinetree::time::{Moment, NEVER, Side};
use kinetree::world::{Engine, World, WorldDef};

/// One operation, its key complete.
#[derive(Clone, Copy)]
enum Step {
    Push(u32, u128),
    Reschedule(u32, u128),
    Erase(u32),
    Pop,
}

struct Stream {
    name: String,
    operations: Vec<QueueOperation>,
    steps: Vec<Step>,
}

/// Runs a scene from its first to its last key.
fn record(scene: &Scene) -> Stream {
    let mut world = World::new(WorldDef::default().engine(Engine::Kinetic)).expect("time 0 is usable");
    world.record_queue_operations(true);
    scene.add_to(&mut world, BuildParams::default());
    for &time in &scene.times {
        world.advance_to(time).expect("the clip reaches its own keys");
    }
    let operations = world.record_queue_operations(false);
    let mut events: Vec<Option<Event>> = Vec::new();
    let steps = operations
        .iter()
        .map(|operation| match *operation {
            QueueOperation::Push { event, ticket } => {
                events.resize(events.len().max(ticket as usize + 1), None);
                events[ticket as usize] = Some(event);
                Step::Push(ticket, key(event))
            }
            QueueOperation::Reschedule { ticket, moment } => {
                let event = events[ticket as usize].as_mut().expect("it was pushed");
                event.moment = moment;
                Step::Reschedule(ticket, key(*event))
            }
            QueueOperation::Erase { ticket } => Step::Erase(ticket),
            QueueOperation::Pop => Step::Pop,
        })
        .collect();
    Stream { name: scene.name.clone(), operations, steps }
}

/// The order of events as a number; times here are not negative.
fn key(event: Event) -> u128 {
    let after = u128::from(event.moment.side() == Side::After);
    (u128::from(event.moment.time().to_bits()) << 64)
        | (after << 63)
        | ((event.kind as u128) << 56)
        | (u128::from(event.owner) << 32)
        | u128::from(event.slot)
}

/// Replays a stream; returns the popped keys folded together, the same for every structure that
/// orders rightly.
fn replay<Q: Queue>(steps: &[Step]) -> u128 {
    let mut queue = Q::default();
    let mut folded = 0u128;
    for &step in steps {
        match step {
            Step::Push(ticket, key) => queue.push(ticket, key),
            Step::Reschedule(ticket, key) => queue.reschedule(ticket, key),
            Step::Erase(ticket) => queue.erase(ticket),
            Step::Pop => folded = folded.rotate_left(7) ^ queue.pop(),
        }
    }
    folded
}

/// The same over the library's own queue, which gives its own tickets.
fn replay_own(operations: &[QueueOperation]) -> u128 {
    let mut queue = EventQueue::new();
    let mut tickets: Vec<Ticket> = Vec::new();
    let mut folded = 0u128;
    for operation in operations {
        match *operation {
            QueueOperation::Push { event, ticket } => {
                tickets.resize(tickets.len().max(ticket as usize + 1), Ticket::NONE);
                tickets[ticket as usize] = queue.push(event);
            }
            QueueOperation::Reschedule { ticket, moment } => queue.reschedule(tickets[ticket as usize], moment),
            QueueOperation::Erase { ticket } => queue.erase(tickets[ticket as usize]),
            QueueOperation::Pop => {
                let popped = queue.pop_until(Moment::at(NEVER)).expect("something is scheduled");
                folded = folded.rotate_left(7) ^ key(popped);
            }
        }
    }
    folded
}

fn describe(stream: &Stream) {
    let count = |kind: fn(&Step) -> bool| stream.steps.iter().filter(|&step| kind(step)).count();
    let (mut held, mut most) = (0usize, 0);
    for step in &stream.steps {
        match step {
            Step::Push(..) => held += 1,
            Step::Erase(_) | Step::Pop => held -= 1,
            Step::Reschedule(..) => {}
        }
        most = most.max(held);
    }
    println!(
        "{}: {} pushes, {} moves, {} erasures, {} pops; at most {most} scheduled",
        stream.name,
        count(|step| matches!(step, Step::Push(..))),
        count(|step| matches!(step, Step::Reschedule(..))),
        count(|step| matches!(step, Step::Erase(_))),
        count(|step| matches!(step, Step::Pop)),
    );
}

type Candidate = (&'static str, fn(&Stream) -> u128);

const CANDIDATES: [Candidate; 9] = [
    ("EventQueue itself", |stream| replay_own(&stream.operations)),
    ("4-ary heap and pile", |stream| replay::<HeapAndPile>(&stream.steps)),
    ("2-ary heap, hole", |stream| replay::<IndexedHeap<2>>(&stream.steps)),
    ("4-ary heap, hole", |stream| replay::<IndexedHeap<4>>(&stream.steps)),
    ("8-ary heap, hole", |stream| replay::<IndexedHeap<8>>(&stream.steps)),
    ("4-ary heap, textbook", |stream| replay::<TextbookHeap<4>>(&stream.steps)),
    ("pairing heap", |stream| replay::<PairingHeap>(&stream.steps)),
    ("BTreeSet", |stream| replay::<OrderedSet>(&stream.steps)),
    ("BinaryHeap, lazy", |stream| replay::<LazyHeap>(&stream.steps)),
];

fn queues(criterion: &mut Criterion<ProcessorTime>) {
    let streams: Vec<Stream> = scenes::all(8192, 40).iter().map(record).collect();
    for stream in &streams {
        heading(&format!("queue operations: {}", stream.name), &[("structure", 26), ("ns per operation", 16)]);
        describe(stream);
        let expected = replay::<OrderedSet>(&stream.steps);
        for (name, run) in CANDIDATES {
            assert_eq!(run(stream), expected, "{name} pops something else");
        }
        // Side by side: every round runs all of them.
        let mut times = [const { Vec::new() }; CANDIDATES.len()];
        for _ in 0..5 {
            for (place, (_, run)) in CANDIDATES.iter().enumerate() {
                times[place].push(clock::time(|| run(stream)).1);
            }
        }
        for ((name, _), times) in CANDIDATES.iter().zip(&mut times) {
            times.sort_by(f64::total_cmp);
            println!("{name:>26}  {:16.1}", times[times.len() / 2] / stream.steps.len() as f64);
        }
    }
    let stream = &streams[0];
    let mut group = criterion.benchmark_group("queue");
    group.sample_size(10).throughput(Throughput::Elements(stream.steps.len() as u64));
    for (name, run) in &CANDIDATES[..2] {
        group.bench_function(*name, |bencher| bencher.iter_batched(|| (), |()| run(stream), BatchSize::PerIteration));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .with_measurement(ProcessorTime)
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_secs(2));
    targets = queues
}
criterion_main!(benches);
