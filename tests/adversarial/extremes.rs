//! Sizes, times and distances at the ends of what is accepted.

use super::*;

#[test]
fn keys_a_trillionth_of_a_second_and_a_billion_seconds_apart() {
    for spacing in [1e-12, 1e-6, 1e9] {
        let mut worlds = Lockstep::new(0.0);
        let times = [0.0, spacing, 2.0 * spacing, 3.0 * spacing];
        let shifts = [[0.0, 0.0, 1.0], [0.0; 3], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
        worlds.add(&body(&spike(), shifted(&spike(), &times, &shifts)));
        worlds.add(&standing(&floor()));
        let expected = [0, 0, 1, 0, 0, 1, 1];
        let shares = [0.0, 0.5, 1.0, 1.5, 2.0, 2.75, 3.5];
        assert_eq!(shares.map(|share| worlds.at(share * spacing)), expected, "{spacing} s");
    }
}

/// Random shapes of a size, moving about; compared at keys, between keys and at event times.
fn tumble(scale: f32, start: f64, pace: f64, seed: u64) -> usize {
    let mut dice = Dice::new(seed, &[]);
    let mut worlds = Lockstep::new(start);
    for _ in 0..3 {
        let (mut positions, triangles) = random_shape(&mut dice, 25, Grain::Real);
        for position in &mut positions {
            *position = position.map(|x| scale * x);
        }
        let shape = (positions, triangles);
        let times: Vec<f64> = (0..4).map(|key| start + pace * f64::from(key)).collect();
        let mut keys = Vec::new();
        for _ in &times {
            let shift: [f32; 3] = std::array::from_fn(|_| scale * dice.real(-2.0, 2.0) as f32);
            let wobble = |dice: &mut Dice| scale * dice.real(-0.5, 0.5) as f32;
            keys.extend(
                shape.0.iter().map(|p| -> [f32; 3] { std::array::from_fn(|i| p[i] + shift[i] + wobble(&mut dice)) }),
            );
        }
        worlds.add(&body(&shape, Flightplan::keyframes(times, keys)));
    }
    let mut touching = 0;
    for step in 0..24 {
        let time = match step % 4 {
            0 => start + pace * f64::from(step / 6),
            1 => worlds.kinetic().stats().next_scheduled.unwrap_or(start),
            _ => worlds.kinetic().time() + pace * dice.real(0.0, 0.3),
        };
        touching += worlds.at(time.max(worlds.kinetic().time()));
    }
    touching
}

#[test]
fn huge_and_tiny_bodies() {
    // 1e29 m is near the largest coordinate accepted; 1e-40 m is a subnormal number.
    for scale in [1e29, 1e20, 1.0, 1e-20, 1e-37, 1e-40] {
        let touching: usize = (0..3).map(|seed| tumble(scale, 0.0, 1.0, seed)).sum();
        assert!(touching > 50, "{scale}: {touching}");
    }
}

#[test]
fn early_and_late_times() {
    for start in [1e9, -1e9, 1e12, -64.0, 63.5] {
        let touching: usize = (0..3).map(|seed| tumble(1.0, start, 1.0, seed)).sum();
        assert!(touching > 50, "{start}: {touching}");
    }
    // A segment of few representable times.
    let touching: usize = (0..3).map(|seed| tumble(1.0, 1e9, 1e-6, seed)).sum();
    assert!(touching > 50, "{touching}");
}

#[test]
fn huge_meets_tiny() {
    // A speck falls through a triangle of 1e20 m; at that scale only what is exactly in the plane
    // touches it.
    let wide = single([[-1e20, -1e20, 0.0], [1e20, -1e20, 0.0], [0.0, 1e20, 0.0]]);
    let speck = single([[0.0, 0.0, 0.0], [1e-30, 0.0, 1e-30], [0.0, 1e-30, 1e-30]]);
    let mut worlds = Lockstep::new(0.0);
    worlds.add(&standing(&wide));
    worlds.add(&body(&speck, shifted(&speck, &[0.0, 1.0, 2.0], &[[0.0, 0.0, 1e-30], [0.0; 3], [0.0, 0.0, 1e-30]])));
    assert_eq!([worlds.at(0.5), worlds.at(1.0), worlds.at(1.5)], [0, 1, 0]);
}

#[test]
fn before_the_first_key_and_after_the_last() {
    let mut worlds = Lockstep::new(-1000.0);
    worlds.add(&body(&spike(), shifted(&spike(), &[10.0, 11.0], &[[0.0; 3], [0.0, 0.0, 2.0]])));
    worlds.add(&body(&floor(), shifted(&floor(), &[12.0, 13.0], &[[0.0; 3], [0.0, 0.0, 2.0]])));
    let times = [-1000.0, 0.0, 10.0, 10.0f64.next_up(), 12.0, 13.0, 1e6];
    assert_eq!(times.map(|time| worlds.at(time)), [1, 1, 1, 0, 0, 1, 1]);
    assert_eq!(worlds.kinetic().next_event_time(), None);
}

#[test]
fn a_thousand_rounds_of_a_loop() {
    let mut worlds = Lockstep::new(-3.0);
    let ball = sphere([0.0; 3], 1.0, 1);
    let shifts = [[0.0, 0.0, 1.5], [0.0, 0.0, 0.5], [1.0, 0.0, 0.5], [0.0, 0.0, 3.0]];
    worlds.add(&body(&ball, shifted(&ball, &[0.1, 0.3, 0.6, 1.1], &shifts).outside(Outside::Loop)));
    worlds.add(&body(
        &ball,
        shifted(&ball, &[0.0, 0.35, 0.7], &[[0.0; 3], [0.0, 0.0, 0.5], [0.0; 3]]).outside(Outside::Loop),
    ));
    let mut dice = Dice::new(1, &[]);
    let (mut touching, mut time) = (0, -3.0);
    while time < 1000.0 {
        time += if dice.percent(20) { dice.real(0.0, 60.0) } else { dice.real(0.0, 0.4) };
        touching += worlds.at(time);
        if dice.percent(30) {
            time = worlds.kinetic().stats().next_scheduled.expect("a wrap at least");
            touching += worlds.at(time);
        }
    }
    assert!(worlds.kinetic().stats().renewals > 2000 && touching > 1000, "{touching}");
}

#[test]
fn endless_flight_past_every_horizon() {
    let mut touching = 0;
    for seed in 0..4 {
        let mut dice = Dice::new(seed, &[]);
        let mut worlds = Lockstep::new(0.0);
        for _ in 0..2 {
            let shape = random_shape(&mut dice, 20, Grain::Real);
            // Slow enough to stay in touch for a million seconds, and with all of them drifting
            // along.
            let velocities = shape.0.iter().map(|_| [0; 3].map(|_| 0.25 + dice.real(-2e-6, 2e-6) as f32)).collect();
            worlds.add(&body(&shape, Flightplan::velocities(-5.0, shape.0.clone(), velocities)));
        }
        for time in [1.0f64, 63.9, 64.0, 64.1, 128.0, 1000.0, 4096.0, 1e4, 65536.0, 1e5, 3e5, 1e6] {
            touching += worlds.at(time.max(worlds.kinetic().time()));
            if let Some(next) = worlds.kinetic().stats().next_scheduled.filter(|&next| next < 1e6) {
                worlds.at(next);
            }
        }
        assert!(worlds.kinetic().stats().renewals >= 28, "{} horizons", worlds.kinetic().stats().renewals);
    }
    assert!(touching > 60, "{touching}");
}

/// Two faces creep towards each other far from where and when they began: rounding must not hide
/// the touch.
#[test]
fn creeping_together_far_away() {
    let mut looks = 0;
    for seed in 0..60 {
        let mut dice = Dice::new(seed, &[]);
        let fast = dice.real(0.5, 1.0);
        let lead = dice.real(1e-6, 5e-6);
        let [fast, slow] = [fast, fast * (1.0 - lead)].map(|speed| speed as f32);
        let gap = ((f64::from(fast) - f64::from(slow)) * dice.real(1e5, 9e5)) as f32;
        let touch = f64::from(gap) / (f64::from(fast) - f64::from(slow));
        for endless in [true, false] {
            let mut worlds = Lockstep::new(0.0);
            for (height, speed) in [(0.0, fast), (gap, slow)] {
                let positions: Vec<[f32; 3]> = floor().0.iter().map(|&[x, y, _]| [x, y, height]).collect();
                let velocities = vec![[0.0, 0.0, speed]; 3];
                let plan = if endless {
                    Flightplan::velocities(0.0, positions, velocities)
                } else {
                    // The same flight as two keys; the far one is rounded to f32.
                    let far = positions.iter().map(|&[x, y, z]| [x, y, (f64::from(z) + f64::from(speed) * 1e6) as f32]);
                    let keys = positions.iter().copied().chain(far).collect();
                    Flightplan::keyframes(vec![0.0, 1e6], keys)
                };
                worlds.add(&body(&floor(), plan));
            }
            for step in -20..20 {
                worlds.at(touch + 2e-6 * f64::from(step));
                looks += 1;
            }
            if let Some(next) = worlds.kinetic().stats().next_scheduled.filter(|&next| next < 1e6) {
                for time in [next.next_down(), next, next.next_up()] {
                    worlds.at(time.max(worlds.kinetic().time()));
                }
            }
        }
    }
    assert!(looks > 4000);
}
