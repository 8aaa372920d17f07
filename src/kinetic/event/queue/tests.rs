//! The queue against a sorted map.

use super::*;

fn event(time: f64, kind: EventKind, owner: u32, slot: u32) -> Event {
    Event { moment: Moment::at(time), kind, owner, slot }
}

#[test]
fn keys_order_as_events_do() {
    let mut events = Vec::new();
    for time in [-1e300, -2.0, -0.0, 0.0, 1e-300, 1.0, 1.5, 1e300, f64::INFINITY] {
        for kind in EventKind::ALL {
            for (owner, slot) in [(0, 0), (0, u32::MAX), (5, 1), ((1 << 24) - 1, 7)] {
                let at = event(time, kind, owner, slot);
                events.push(at);
                events.push(Event { moment: Moment::after(time), ..at });
            }
        }
    }
    for a in &events {
        assert_eq!(decode(encode(*a)), *a);
        for b in &events {
            assert_eq!(encode(*a).cmp(&encode(*b)), a.cmp(b), "{a:?} {b:?}");
        }
    }
}

#[test]
fn follows_an_ordered_set_through_random_operations() {
    let mut state = 7u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let mut queue = EventQueue::new();
    let mut model = std::collections::BTreeSet::new();
    let mut tickets: Vec<Ticket> = Vec::new();
    let (mut ties, mut pops, mut refills, mut most_piled, mut holes_filled) = (0, 0, 0, 0, 0);
    for step in 0..20_000 {
        // Whole times, to have ties; they advance with the steps, so a large part lies beyond
        // the limit.
        let mut time = || f64::from(step / 20 + random() % 300);
        let (limit, hole) = (queue.limit, queue.hole);
        match time() as u32 % 5 {
            0 | 1 => {
                let new = event(time(), EventKind::Leaf, 0, step);
                ties += u32::from(model.iter().any(|e: &Event| e.moment == new.moment));
                tickets.push(queue.push(new));
                model.insert(new);
            }
            2 if !tickets.is_empty() => {
                let ticket = tickets[time() as usize % tickets.len()];
                let old = queue.get(ticket);
                let moment = Moment::after(time());
                queue.reschedule(ticket, moment);
                assert!(model.remove(&old) && model.insert(Event { moment, ..old }));
            }
            3 if !tickets.is_empty() && step % 3 == 0 => {
                let place = time() as usize % tickets.len();
                let ticket = tickets.swap_remove(place);
                assert!(model.remove(&queue.get(ticket)));
                queue.erase(ticket);
                assert!(!queue.contains(ticket));
            }
            _ => {
                let limit = Moment::at(f64::from(step / 20 + 30));
                let popped = queue.pop_until(limit);
                assert_eq!(popped, model.first().copied().filter(|e| e.moment <= limit));
                if let Some(popped) = popped {
                    pops += 1;
                    model.remove(&popped);
                    tickets.retain(|&ticket| queue.contains(ticket));
                }
            }
        }
        refills += u32::from(queue.limit != limit);
        most_piled = most_piled.max(queue.pile.len());
        holes_filled += u32::from(hole && !queue.hole);
        assert!(queue.keys.iter().all(|&key| key <= queue.limit) && queue.pile.iter().all(|&key| key > queue.limit));
        assert_eq!(queue.len(), model.len());
        assert_eq!(queue.peek(), model.first().copied());
        assert!(queue.iter().all(|(ticket, event)| queue.contains(ticket) && queue.get(ticket) == event));
    }
    assert!(ties > 1000 && pops > 500, "{ties} ties, {pops} pops");
    assert!(refills > 20 && most_piled > 800, "{refills} refills, {most_piled} piled");
    assert!(holes_filled > 500, "{holes_filled} holes filled");
}

/// What the heap and the pile hold after a refill, and after an event replaces the one that was
/// taken.
#[test]
fn about_an_eighth_of_the_pile_moves_into_the_heap() {
    let mut queue = EventQueue::new();
    for slot in 0..8_192u32 {
        // Times in an order that has nothing to do with the one of the pushes.
        queue.push(event(1.0 + f64::from(slot * 4_099 % 8_192), EventKind::Leaf, 0, slot));
    }
    queue.limit = 0;
    let all: Vec<(u128, u32)> = queue.keys.drain(..).zip(queue.tickets.drain(..)).collect();
    for (key, ticket) in all {
        queue.places[ticket as usize] = PILE + queue.pile.len() as u32;
        queue.pile.push(key);
        queue.pile_tickets.push(ticket);
    }
    queue.refill();
    assert!((512..2_048).contains(&queue.keys.len()), "{} events in the heap", queue.keys.len());
    // The place of an event that was taken is that of the next one.
    let places = queue.keys.len();
    queue.pop_until(Moment::at(f64::INFINITY)).expect("an event");
    assert_eq!(queue.peek().map(|next| next.moment.time()), Some(2.0));
    queue.push(event(1.5, EventKind::Leaf, 0, 9_000));
    assert_eq!((queue.keys.len(), queue.len()), (places, 8_192));
}
