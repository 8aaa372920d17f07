//! Few colours for many: boxes of colours are halved where colours differ most.

/// Colours that count as one: the upper 5, 6 and 5 bits of red, green and blue.
pub(super) const BUCKETS: usize = 1 << 16;
/// Colours of a palette; one entry of 256 stays free.
const COLOURS: usize = 255;

/// The number of a colour's bucket.
pub(super) fn bucket([red, green, blue]: [u8; 3]) -> u16 {
    u16::from(red >> 3) << 11 | u16::from(green >> 2) << 5 | u16::from(blue >> 3)
}

/// How often colours of a bucket occur, and their sum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bucket {
    count: u64,
    sum: [u64; 3],
}

impl Bucket {
    pub(super) fn add(&mut self, colour: [u8; 3]) {
        self.count += 1;
        for axis in 0..3 {
            self.sum[axis] += u64::from(colour[axis]);
        }
    }

    fn mean(&self) -> [f64; 3] {
        self.sum.map(|sum| sum as f64 / self.count as f64)
    }
}

/// Some buckets that share a colour, and how it is to be halved.
struct Group {
    buckets: Vec<u16>,
    mean: [f64; 3],
    axis: usize,
    /// Sum of the squared distances from the mean along the axis.
    error: f64,
}

impl Group {
    fn new(buckets: Vec<u16>, all: &[Bucket]) -> Self {
        // Rare colours count more than their number: a highlight is small.
        let weight = |bucket: &Bucket| (bucket.count as f64).sqrt();
        let mut total = 0.0;
        let (mut sum, mut squares) = ([0.0; 3], [0.0; 3]);
        for &number in &buckets {
            let bucket = &all[number as usize];
            let (weight, mean) = (weight(bucket), bucket.mean());
            total += weight;
            for axis in 0..3 {
                sum[axis] += weight * mean[axis];
                squares[axis] += weight * mean[axis] * mean[axis];
            }
        }
        let mean = sum.map(|sum| sum / total);
        let errors: [f64; 3] = std::array::from_fn(|axis| squares[axis] - total * mean[axis] * mean[axis]);
        let axis = (1..3).fold(0, |best, axis| if errors[axis] > errors[best] { axis } else { best });
        let error = if buckets.len() > 1 { errors[axis] } else { 0.0 };
        Self { buckets, mean, axis, error }
    }
}

/// At most 255 colours, and per bucket the number of its colour; 0 for buckets that do not occur.
pub(super) fn palette(all: &[Bucket]) -> (Vec<[u8; 3]>, Vec<u8>) {
    let used: Vec<u16> = (0..all.len()).filter(|&number| all[number].count > 0).map(|number| number as u16).collect();
    let mut groups = vec![Group::new(used, all)];
    while groups.len() < COLOURS {
        let worst = (1..groups.len()).fold(0, |best, at| if groups[at].error > groups[best].error { at } else { best });
        let Group { buckets, mean, axis, .. } = &groups[worst];
        let is_low = |number: &u16| all[*number as usize].mean()[*axis] < mean[*axis];
        let (low, high): (Vec<u16>, Vec<u16>) = buckets.iter().partition(|number| is_low(number));
        if groups[worst].error <= 0.0 || low.is_empty() || high.is_empty() {
            break;
        }
        groups[worst] = Group::new(low, all);
        groups.push(Group::new(high, all));
    }
    let mut entries = vec![0; all.len()];
    let mut colours = Vec::with_capacity(groups.len());
    for (entry, group) in groups.iter().enumerate() {
        let mut whole = Bucket::default();
        for &number in &group.buckets {
            entries[number as usize] = entry as u8;
            let bucket = &all[number as usize];
            whole.count += bucket.count;
            (0..3).for_each(|axis| whole.sum[axis] += bucket.sum[axis]);
        }
        colours.push(whole.mean().map(|c| (c + 0.5) as u8));
    }
    (colours, entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_stay_as_they_are() {
        let colours = [[250, 250, 252], [214, 22, 16], [0, 0, 0], [134, 187, 224]];
        let mut all = vec![Bucket::default(); BUCKETS];
        for (often, colour) in colours.into_iter().enumerate() {
            (0..=often * 1000).for_each(|_| all[bucket(colour) as usize].add(colour));
        }
        let (palette, entries) = palette(&all);
        assert_eq!(palette.len(), 4);
        for colour in colours {
            assert_eq!(palette[entries[bucket(colour) as usize] as usize], colour);
        }
    }

    #[test]
    fn many_colours_become_near_ones() {
        let mut all = vec![Bucket::default(); BUCKETS];
        let mut colours = Vec::new();
        for red in (0..=255).step_by(5) {
            for green in (0..=255).step_by(15) {
                colours.push([red as u8, green as u8, 128]);
            }
        }
        colours.iter().for_each(|&colour| all[bucket(colour) as usize].add(colour));
        let (palette, entries) = palette(&all);
        assert_eq!(palette.len(), COLOURS);
        for colour in colours {
            let near = palette[entries[bucket(colour) as usize] as usize];
            assert!((0..3).all(|axis| near[axis].abs_diff(colour[axis]) <= 24), "{colour:?} {near:?}");
        }
    }
}
