//! The smallest kinetic structure: the highest of a few moving points, kept by one certificate.
//!
//! It shows how the parts below the world fit together: a motion, a certificate, the event queue.
//!
//! `cargo run --example trivial_kds`

use kinetree::kinetic::certificate::overtaking;
use kinetree::kinetic::event::{Event, EventKind, EventQueue};
use kinetree::math::Extent;
use kinetree::motion::{Flightplan, KeyLayout, Motion, MotionError};
use kinetree::time::{Moment, NEVER};

/// Maintains: `winner` is the highest point.
struct Highest {
    winner: u32,
    points: u32,
}

impl Highest {
    /// When the winner is overtaken, and by whom.
    fn certificate(&self, motion: &Motion, from: Moment) -> Option<(Moment, u32)> {
        let failures = (0..self.points).map(|p| (overtaking(motion, self.winner, p, Extent::max(2), from, NEVER), p));
        failures.min().filter(|(moment, _)| moment.time() < NEVER)
    }

    fn schedule(&self, motion: &Motion, from: Moment, queue: &mut EventQueue) {
        if let Some((moment, challenger)) = self.certificate(motion, from) {
            queue.push(Event { moment, kind: EventKind::Leaf, owner: 0, slot: challenger });
        }
    }
}

fn main() -> Result<(), MotionError> {
    let heights = [3.0, 2.0, 1.0, 0.0];
    let speeds = [0.0, 0.5, 1.5, 2.0];
    let positions = heights.iter().map(|&z| [0.0, 0.0, z]).collect();
    let velocities = speeds.iter().map(|&z| [0.0, 0.0, z]).collect();
    let motion = Motion::new(Flightplan::velocities(0.0, positions, velocities), 4, KeyLayout::VertexMajor)?;

    let mut highest = Highest { winner: 0, points: 4 };
    let mut queue = EventQueue::new();
    highest.schedule(&motion, Moment::at(0.0), &mut queue);
    println!("0 s: point 0 is the highest");
    while let Some(event) = queue.pop_until(Moment::at(10.0)) {
        highest.winner = event.slot;
        println!("{:.3} s: point {} is the highest", event.moment.time(), event.slot);
        highest.schedule(&motion, event.moment, &mut queue);
    }
    Ok(())
}
