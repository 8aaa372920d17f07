//! Smallest balls: they hold their points, and no other centre is better; also where points lie nearly in a line or a plane, or coincide.

use kinetree::reduced::sphere_tree::smallest_ball;

use crate::common::dice::Dice;

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt()
}

fn farthest(centre: &[f64; 3], points: &[[f64; 3]]) -> [f64; 3] {
    let far = |best: [f64; 3], point: &[f64; 3]| {
        if distance(centre, point) > distance(centre, &best) { *point } else { best }
    };
    points.iter().fold(points[0], far)
}

/// A centre that comes near the best one, by steps towards the farthest point (Bădoiu and Clarkson).
fn wandering(points: &[[f64; 3]]) -> f64 {
    let mut centre = points[0];
    for step in 2..3000 {
        let far = farthest(&centre, points);
        (0..3).for_each(|i| centre[i] += (far[i] - centre[i]) / f64::from(step));
    }
    distance(&centre, &farthest(&centre, points))
}

#[test]
fn no_other_centre_is_better() {
    let mut dice = Dice::new(27, &[]);
    let mut thin = 0;
    for round in 0..600 {
        let count = 1 + dice.below(40);
        // Thin in no direction, in one, in two; on a sphere; with doubles.
        let off = dice.pick(&[0.0, 1e-17, 1e-12, 1e-9, 1e-6, 1e-3]);
        let size = dice.pick(&[1.0, 1e-6, 1e6]);
        let shift: [f64; 3] = std::array::from_fn(|_| dice.real(-1.0, 1.0));
        let sides = match round % 4 {
            0 => [1.0, 1.0, 1.0],
            1 => [1.0, 1.0, off],
            2 => [1.0, off, off],
            _ => [1.0, 0.7, off],
        };
        let mut points: Vec<[f64; 3]> = (0..count)
            .map(|_| {
                let place: [f64; 3] = std::array::from_fn(|i| dice.real(-1.0, 1.0) * sides[i]);
                std::array::from_fn(|i| size * (shift[i] + place[i]))
            })
            .collect();
        if dice.percent(30) {
            let again = dice.pick(&points);
            points.push(again);
        }
        let ball = smallest_ball(&points);
        assert!(points.iter().all(|point| distance(&ball.centre, point) <= ball.radius), "round {round}");
        let diameter = points.iter().flat_map(|p| points.iter().map(move |q| distance(p, q))).fold(0.0, f64::max);
        let rounding = 1e-12 * size;
        assert!(
            ball.radius >= 0.5 * diameter - rounding && ball.radius <= 0.6124 * diameter + rounding,
            "round {round}"
        );
        let other = wandering(&points);
        assert!(ball.radius <= other * (1.0 + 1e-12) + rounding, "round {round}: {} and not {other}", ball.radius);
        if round % 4 == 2 && off <= 1e-6 {
            assert!(ball.radius <= 0.5 * diameter * (1.0 + 1e-6) + rounding, "round {round}: in a line");
            thin += 1;
        }
    }
    assert!(thin > 50, "{thin}");
}

#[test]
fn no_points_and_one() {
    assert_eq!(smallest_ball(&[]).radius, 0.0);
    let ball = smallest_ball(&[[1.0, 2.0, 3.0]; 5]);
    assert!(ball.radius < 1e-300 && ball.centre == [1.0, 2.0, 3.0]);
}
