//! Recordings and memory of the queue, names of slots, stored logs.

use std::collections::BTreeMap;

use super::*;
use crate::id::{BodyId, Id};

fn leaf_event(time: f64, slot: u32) -> Event {
    Event { moment: Moment::at(time), kind: EventKind::Leaf, owner: 3, slot }
}

/// Numbers from 0 on that look random, the same in every run.
fn numbers() -> impl FnMut(u32) -> u32 {
    let mut state = 11u64;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32 % below
    }
}

#[test]
fn recorded_operations_give_the_same_events_again() {
    let (mut queue, mut random) = (EventQueue::new(), numbers());
    assert!(queue.record_operations(true).is_empty());
    let (mut tickets, mut popped, mut expected) = (Vec::new(), Vec::new(), 0);
    for slot in 0..2_000 {
        let time = f64::from(random(1000) + slot);
        match random(5) {
            0..=2 => tickets.push(queue.push(leaf_event(time, slot))),
            3 if !tickets.is_empty() => {
                let ticket = tickets[random(tickets.len() as u32) as usize];
                queue.reschedule(ticket, Moment::after(time));
            }
            4 if tickets.len() > 3 => {
                queue.erase(tickets.swap_remove(random(tickets.len() as u32) as usize));
                popped.push(queue.pop_until(Moment::at(NEVER)).expect("an event"));
                tickets.retain(|&ticket| queue.contains(ticket));
                expected += 1;
            }
            _ => continue,
        }
        expected += 1;
    }
    assert_eq!(queue.operations(), expected);
    let operations = queue.record_operations(false);
    assert_eq!(operations.len() as u64, expected);
    queue.push(leaf_event(0.0, 0));
    assert!(queue.record_operations(false).is_empty());
    let (mut again, mut names, mut popped_again) = (EventQueue::new(), BTreeMap::new(), Vec::new());
    for operation in operations {
        match operation {
            QueueOperation::Push { event, ticket } => {
                names.insert(ticket, again.push(event));
            }
            QueueOperation::Reschedule { ticket, moment } => again.reschedule(names[&ticket], moment),
            QueueOperation::Erase { ticket } => again.erase(names[&ticket]),
            QueueOperation::Pop => popped_again.extend(again.pop_until(Moment::at(NEVER))),
        }
    }
    assert!(popped.len() > 200);
    assert_eq!(popped_again, popped);
}

#[test]
fn a_queue_holds_as_many_bytes_as_its_events_need() {
    // A key, a ticket and a place each; room may have doubled.
    let mut queue = EventQueue::new();
    for count in 1..=4_000u32 {
        queue.push(leaf_event(f64::from(count), count));
        let least = 24 * count as usize;
        assert!((least..=2 * least + 4_096).contains(&queue.bytes()), "{count}: {}", queue.bytes());
    }
    // A few events at a time need no more, however many there were.
    let mut queue = EventQueue::new();
    for count in 1..=4_000u32 {
        let ticket = queue.push(leaf_event(f64::from(count), count));
        if count % 2 == 0 {
            queue.erase(ticket);
        } else {
            assert_eq!(queue.pop_until(Moment::at(NEVER)).map(|event| event.slot), Some(count));
        }
        assert!(queue.is_empty() && queue.bytes() < 4_096, "{count}: {}", queue.bytes());
    }
}

#[test]
fn slots_are_named_by_node_axis_and_side() {
    let body = BodyId::new(4, 2);
    for node in [0, 1, 7] {
        for (extent, (axis, is_upper)) in
            [(0, false), (0, true), (1, false), (1, true), (2, false), (2, true)].into_iter().enumerate()
        {
            let slot = 6 * node + extent as u32;
            let bound = NamedEvent::new(EventKind::Leaf, [body; 2], [slot, 9], None);
            assert_eq!(bound, Some(NamedEvent::Bound { body, node, axis, is_upper, vertex: 9 }));
            let plane = NamedEvent::new(EventKind::Tree, [body; 2], [3, 9], Some(slot));
            assert_eq!(plane, Some(NamedEvent::Plane { body, node, axis, is_upper, vertex: 9 }));
            assert_eq!(bound.map(|event| event.bodies()), Some([body; 2]));
        }
    }
}

#[cfg(feature = "record")]
#[test]
fn stored_logs_whose_count_or_hash_is_wrong_are_refused() {
    let mut log = EventLog::new(true);
    for slot in 0..3 {
        log.record(LoggedEvent::new(Moment::after(0.5), EventKind::Tree, 1, [slot, 8]));
    }
    let events = log.events().expect("a log that keeps its events").to_vec();
    let read = |hash: u64, count: u64| {
        let bytes = postcard::to_stdvec(&(hash, count, (0u64, 0u64), Some(&events))).expect("a log in bytes");
        postcard::from_bytes::<EventLog>(&bytes).map(|log| (log.hash(), log.count()))
    };
    assert_eq!(read(log.hash(), 3), Ok((log.hash(), 3)));
    assert!(read(log.hash(), 4).is_err() && read(log.hash() ^ 1, 3).is_err());
}
