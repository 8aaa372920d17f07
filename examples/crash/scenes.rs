//! The paper's three scenes.

use std::error::Error;
use std::rc::Rc;

use super::sim::{Crash, Model, Shape};

/// Eight cars in two rows, launched off ramps into each other.
pub fn cars(shape: Shape, model: &Rc<Model>, clock: fn() -> f64) -> Result<Crash, Box<dyn Error>> {
    let mut crash = Crash::new(shape, clock);
    ground(&mut crash);
    for side in [-1.0, 1.0] {
        for lane in 0..4 {
            // The rows are offset by a third of a car's width: no two meet quite head on.
            let z = 2.6 * (f64::from(lane) - 1.5) + 0.3 * side;
            crash.add_block([9.0 * side, 0.25, z], [3.0, 0.2, 1.1], 0.22 * -side);
            // A second row of blocks under the ramps' high ends.
            let yaw = if side < 0.0 { 0.0 } else { std::f64::consts::PI };
            let speed = 17.0 + f64::from(lane);
            crash.add_body(model, [(18.0 + 2.0 * f64::from(lane)) * side, 0.75, z], yaw, [-speed * side, 0.0, 0.0])?;
        }
    }
    Ok(crash)
}

/// A car into a pyramid of barrels: four rows of standing barrels, 4 + 3 + 2 + 1, two deep.
pub fn barrels(shape: Shape, car: &Rc<Model>, barrel: &Rc<Model>, clock: fn() -> f64) -> Result<Crash, Box<dyn Error>> {
    let mut crash = Crash::new(shape, clock);
    ground(&mut crash);
    crash.add_body(car, [-14.0, 0.75, 0.0], 0.0, [16.0, 0.0, 0.0])?;
    for depth in 0..2 {
        for row in 0..4 {
            for place in 0..4 - row {
                let z = 0.56 * (f64::from(place) - 0.5 * f64::from(3 - row));
                let (x, y) = (0.58 * f64::from(depth), 0.362 + 0.723 * f64::from(row));
                crash.add_body(barrel, [x, y, z], 0.0, [0.0; 3])?;
            }
        }
    }
    Ok(crash)
}

/// Sixteen barrels dropped on a loading dock.
pub fn dock(shape: Shape, barrel: &Rc<Model>, clock: fn() -> f64) -> Result<Crash, Box<dyn Error>> {
    let mut crash = Crash::new(shape, clock);
    ground(&mut crash);
    // The dock, its lower step, and a kerb.
    crash.add_block([0.0, 0.6, 0.0], [2.2, 0.6, 2.2], 0.0);
    crash.add_block([2.9, 0.3, 0.0], [0.7, 0.3, 2.2], 0.0);
    crash.add_block([-2.1, 1.3, 0.0], [0.1, 0.1, 2.2], 0.0);
    for layer in 0..4 {
        for place in 0..4 {
            let (x, z) = (f64::from(place % 2) * 1.1 - 0.2, f64::from(place / 2) * 1.2 - 0.6);
            let shift = 0.23 * f64::from(layer);
            crash.add_body(
                barrel,
                [x + shift, 3.0 + 1.1 * f64::from(layer), z - 0.5 * shift],
                0.7 * f64::from(place),
                [0.0, -2.0, 0.0],
            )?;
        }
    }
    Ok(crash)
}

fn ground(crash: &mut Crash) {
    crash.add_block([0.0, -0.5, 0.0], [60.0, 0.5, 60.0], 0.0);
}
