//! Counts of cloth vertices inside the body, several times a step.

use kinetree::geometry::Surface;

use crate::vector::{V, add, length, lerp, scale, sub};
use crate::{MARGIN, RATE};

type Failure = Box<dyn std::error::Error>;

/// What was counted so far.
pub(crate) struct Tally {
    surface: Surface,
    /// Samples of a step.
    rate: usize,
    /// For how many samples each vertex has been inside, and the longest that one was.
    inside_for: Vec<usize>,
    longest: usize,
    /// Vertices and samples inside: where the body leaves room for the cloth, and where it pinches
    /// it.
    free: usize,
    pinched: usize,
    /// Most vertices inside at one time, at how many times there was one, and of how many.
    worst: usize,
    bad: usize,
    samples: usize,
}

impl Tally {
    /// The surface of the body, the number of vertices of the cloth, and samples of a step.
    pub(crate) fn new(surface: Surface, vertices: usize, rate: usize) -> Self {
        let inside_for = vec![0; vertices];
        Self { surface, rate, inside_for, longest: 0, free: 0, pinched: 0, worst: 0, bad: 0, samples: 0 }
    }

    /// Counts vertices inside the body (winding number) during a step: positions of the body at its
    /// begin and end, and of the cloth between its straight ways, after parts of the step.
    pub(crate) fn step(&mut self, body: [&[V]; 2], cloth: &[(f64, Vec<V>)]) -> Result<(), Failure> {
        for sample in 1..=self.rate {
            let s = sample as f64 / self.rate as f64;
            let at = |s: f64, [from, to]: [&[V]; 2]| -> Vec<V> {
                from.iter().zip(to).map(|(&a, &b)| lerp(a, b, s)).collect()
            };
            self.surface.refit(&at(s, body))?;
            let way = cloth.windows(2).find(|way| s <= way[1].0).ok_or("a way ends before its step")?;
            let sheet = at((s - way[0].0) / (way[1].0 - way[0].0), [&way[0].1, &way[1].1]);
            let mut inside = 0;
            for (vertex, point) in sheet.into_iter().enumerate() {
                if self.surface.is_inside(point)? {
                    inside += 1;
                    self.inside_for[vertex] += 1;
                    self.longest = self.longest.max(self.inside_for[vertex]);
                    let is_pinched = is_pinch(&self.surface, point)?;
                    *if is_pinched { &mut self.pinched } else { &mut self.free } += 1;
                } else {
                    self.inside_for[vertex] = 0;
                }
            }
            self.worst = self.worst.max(inside);
            self.bad += usize::from(inside > 0);
            self.samples += 1;
        }
        Ok(())
    }

    /// The middle columns of the table.
    pub(crate) fn columns(&self) -> String {
        let Self { worst, free, pinched, bad, samples, .. } = self;
        let longest = self.longest as f64 / (RATE * self.rate as f64);
        format!("{worst} | {free}, {pinched} | {bad} of {samples} | {longest:.3}")
    }
}

/// Whether the body leaves less than two margins beyond the surface nearest to a point inside of
/// it.
fn is_pinch(surface: &Surface, inside: V) -> Result<bool, Failure> {
    let way = sub(surface.closest_point(inside)?.point, inside);
    let long = length(way);
    if long == 0.0 {
        return Ok(false);
    }
    let beyond = add(inside, scale(way, (long + 2.0 * MARGIN) / long));
    Ok(surface.is_inside(beyond)?)
}
