//! Batches of pairs, and the rules of contact.

use kinetree::narrow::batch::{BATCH, Corners, Directions, PairBatch};
use kinetree::narrow::{ContactRule, EveryPair, IntervalStats, MovingTriangle, contact_intervals};

use crate::dice::Dice;
use crate::inputs::{Family, NARROW, Source, Triangle};
use crate::record::Record;
use crate::table::{Block, compare, pin};

fn narrow(triangle: &Triangle) -> [[f32; 3]; 3] {
    triangle.map(|p| p.map(|x| x as f32))
}

/// Adds a number of pairs and tells which are proved apart.
fn fill<const ENDS: usize>(
    record: &mut Record,
    batch: &mut PairBatch<ENDS>,
    count: usize,
    mut pair: impl FnMut() -> [Corners<ENDS>; 2],
) {
    for _ in 0..count {
        let [a, b] = pair();
        batch.push(&a, &b);
        record.word(u64::from(batch.is_full()));
    }
    record.word(u64::from(batch.is_empty()));
    for (column, directions) in [Directions::Faces, Directions::Edges].into_iter().enumerate() {
        let apart = batch.apart(directions);
        record.word(u64::from(apart));
        record.counts[column] += u64::from(apart.count_ones());
    }
    batch.clear();
    record.word(u64::from(batch.is_empty()));
    record.word(u64::from(batch.apart(Directions::Faces)));
}

#[test]
fn batches_of_pairs() {
    let block = Block { families: NARROW, blocks: 10, cases: 12 };
    pin("batches_of_pairs", &["by faces", "by edges"], &block, |dice, source, record| {
        let distance = source.distance(dice);
        let blur = dice.pick(&[0.0, 0.0, 1e-7, 1e-3, 0.25]) * source.unit();
        let spread = dice.pick(&[0.0, 1.0, 4.0]) * source.unit();
        let count = dice.pick(&[0, 1, 7, 8, 9, 31, BATCH, BATCH]);
        // Moved along an axis, so that many are apart by about the distance.
        let moved = |dice: &mut Dice, mut triangle: Triangle| {
            let axis = dice.below(3);
            triangle.iter_mut().for_each(|p| p[axis] += spread);
            triangle
        };
        let mut over = PairBatch::<2>::new(distance, blur);
        fill(record, &mut over, count, || {
            let (a, b) = source.pair(dice);
            let [begin, end] = [moved(dice, b.begin), moved(dice, b.end)];
            [[narrow(&a.begin), narrow(&a.end)], [narrow(&begin), narrow(&end)]]
        });
        let (a, b) = source.pair(dice);
        let whole = |t: &MovingTriangle| MovingTriangle::from_f32(narrow(&t.begin), narrow(&t.end));
        let (mut found, mut stats) = (Vec::new(), IntervalStats::default());
        contact_intervals(&whole(&a), &whole(&b), &mut found, &mut stats);
        record.text(&format!("{stats:?}"));
        let mut at = PairBatch::<1>::new(distance, blur);
        fill(record, &mut at, count, || {
            let a = source.triangle(dice, None);
            let b = source.triangle(dice, Some(&a));
            [[narrow(&a)], [narrow(&moved(dice, b))]]
        });
    });
}

/// A rule with a distance and a blur.
struct Blurred {
    distance: f64,
    blur: f64,
}

impl ContactRule for Blurred {
    fn distance(&self) -> f64 {
        self.distance
    }

    fn blur(&self) -> f64 {
        self.blur
    }

    fn wants(&self, a: u32, b: u32) -> bool {
        a < b
    }
}

#[test]
fn rules_of_contact() {
    let mut rows = Vec::new();
    for number in 0..4u64 {
        let name = format!("rules {number}");
        let mut record = Record::new(&name, 1);
        for case in 0..40 {
            let mut dice = Dice::new(number, &[77, case]);
            let source = Source::new(Family::Lattice, &mut dice);
            let blur = dice.pick(&[0.0, 1.0, 0.1, 1e-9, 3.0, -1.0]);
            let rule = Blurred { distance: source.distance(&mut dice), blur };
            record.numbers(&[rule.distance(), rule.blur(), rule.box_distance()]);
            record.numbers(&[EveryPair.distance(), EveryPair.blur(), EveryPair.box_distance()]);
            let a = source.triangle(&mut dice, None);
            let b = source.triangle(&mut dice, Some(&a));
            record.truth(rule.touch((0, &a), (1, &b)), 0);
            record.truth(EveryPair.touch((1, &a), (0, &b)), 0);
            record.truth(EveryPair.wants(1, 0), 0);
        }
        rows.push((name, record));
    }
    compare("rules_of_contact", &["touching"], &rows);
}
