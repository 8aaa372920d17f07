//! Points under spherical blending in groups of up to eight of one block and one joint set, which
//! are blended in lanes of points ([`super::spherical`]). Points that several blocks use are in
//! groups of each.

use crate::reduced::bounds::layout::{Layout, Range, indices};
use crate::reduced::{JointSets, Pose, ReducedMesh};
use crate::simd::{F32x8, LANES, Simd};

/// All points of a layout in groups.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// Per block, the begin of its groups; one more entry at the end.
    starts: Vec<u32>,
    each: Vec<Group>,
    /// Per joint of the set of each group, the weights of its points.
    weights: Vec<[f32; LANES]>,
    has_morphs: bool,
}

/// A group; unused lanes repeat its last point.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(super) struct Group {
    /// Rest positions relative to the middle of the set's, without displacements, axis by axis,
    /// metres.
    rest: [[f32; LANES]; 3],
    pub(super) points: [u32; LANES],
    vertices: [u32; LANES],
    middle: [f64; 3],
    pub(super) set: u32,
    /// Its weights among all.
    start: u32,
    end: u32,
}

impl Groups {
    pub(super) fn new(mesh: &ReducedMesh, sets: &JointSets, layout: &Layout) -> Self {
        let mut groups =
            Self { starts: vec![0], each: Vec::new(), weights: Vec::new(), has_morphs: mesh.morph_count() > 0 };
        for block in &layout.blocks {
            let set_of = |point: &u32| sets.set_of[layout.vertices[*point as usize] as usize];
            let foreign = &layout.foreign[indices(&block.foreign)];
            let mut points: Vec<u32> = block.points.clone().chain(foreign.iter().map(|(point, _)| *point)).collect();
            points.sort_by_key(|point| (set_of(point), *point));
            for of_set in points.chunk_by(|a, b| set_of(a) == set_of(b)) {
                for points in of_set.chunks(LANES) {
                    groups.add(mesh, sets, set_of(&points[0]), points, &layout.vertices);
                }
            }
            groups.starts.push(groups.each.len() as u32);
        }
        groups
    }

    fn add(&mut self, mesh: &ReducedMesh, sets: &JointSets, set: u32, points: &[u32], vertices: &[u32]) {
        let at = |lane: usize| points[lane.min(points.len() - 1)];
        let (points, middle) = (std::array::from_fn(at), sets.balls[set as usize].0);
        let vertices = points.map(|point: u32| vertices[point as usize]);
        let relative = |axis: usize| {
            vertices.map(|vertex| (f64::from(mesh.rest_positions()[vertex as usize][axis]) - middle[axis]) as f32)
        };
        let rest = std::array::from_fn(relative);
        let start = self.weights.len() as u32;
        for joint in 0..sets.joints_of(set).len() {
            self.weights.push(vertices.map(|vertex| mesh.influences().weights_of(vertex)[joint] as f32));
        }
        self.each.push(Group { rest, points, vertices, middle, set, start, end: self.weights.len() as u32 });
    }

    /// The numbers of the groups of a block.
    pub(super) fn of_block(&self, block: u32) -> Range {
        self.starts[block as usize]..self.starts[block as usize + 1]
    }

    /// A group by its number.
    #[inline(always)]
    pub(super) fn group(&self, number: u32) -> &Group {
        &self.each[number as usize]
    }

    /// Groups by their numbers.
    #[inline(always)]
    pub(super) fn among(&self, groups: Range) -> &[Group] {
        &self.each[indices(&groups)]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.starts.capacity() * size_of::<u32>()
            + self.each.capacity() * size_of::<Group>()
            + self.weights.capacity() * size_of::<[f32; LANES]>()
    }

    /// The rest position of a lane relative to the middle of the set's, with displacements, metres.
    #[inline(always)]
    fn rest(&self, (mesh, pose): (&ReducedMesh, &Pose), group: &Group, lane: usize) -> [f32; 3] {
        if !self.has_morphs {
            return [group.rest[0][lane], group.rest[1][lane], group.rest[2][lane]];
        }
        let [x, y, z] = mesh.morphed_rest(pose, group.vertices[lane]);
        let [a, b, c] = group.middle;
        [(x - a) as f32, (y - b) as f32, (z - c) as f32]
    }

    /// Blends a group in a pose. `to_middle` leads from the rotation centre to the middle of the
    /// set's vertices, metres; `joints` are those of the set in the lanes of [`super::spherical`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn blend<M: Simd>(
        &self,
        machine: M,
        posed: (&ReducedMesh, &Pose),
        group: &Group,
        to_middle: [f32; 3],
        joints: &[[f32; LANES]],
        into: &mut [[f32; 4]],
    ) {
        let zero = machine.splat(0.0);
        let (mut a, mut b, mut c, mut d) = (zero, zero, zero, zero);
        let (mut x, mut y, mut z, mut scale) = (zero, zero, zero, zero);
        for (weights, joint) in self.weights[group.start as usize..group.end as usize].iter().zip(joints) {
            let weight = machine.load(weights);
            a = a + weight * machine.splat(joint[0]);
            b = b + weight * machine.splat(joint[1]);
            c = c + weight * machine.splat(joint[2]);
            d = d + weight * machine.splat(joint[3]);
            x = x + weight * machine.splat(joint[4]);
            y = y + weight * machine.splat(joint[5]);
            z = z + weight * machine.splat(joint[6]);
            scale = scale + weight * machine.splat(joint[7]);
        }
        let mut rest = group.rest;
        if self.has_morphs {
            for lane in 0..LANES {
                let [x, y, z] = self.rest(posed, group, lane);
                (rest[0][lane], rest[1][lane], rest[2][lane]) = (x, y, z);
            }
        }
        let p = machine.load(&rest[0]) + machine.splat(to_middle[0]);
        let q = machine.load(&rest[1]) + machine.splat(to_middle[1]);
        let r = machine.load(&rest[2]) + machine.splat(to_middle[2]);
        // y + 2/|q|² (d (v × y) + v × (v × y)), with v the vector of the quaternion.
        let (e, f, g) = (b * r - c * q, c * p - a * r, a * q - b * p);
        let h = d * e + (b * g - c * f);
        let i = d * f + (c * e - a * g);
        let j = d * g + (a * f - b * e);
        let twice = machine.splat(2.0) / (a * a + b * b + c * c + d * d);
        let x = (x + scale * (p + twice * h)).lanes();
        let y = (y + scale * (q + twice * i)).lanes();
        let z = (z + scale * (r + twice * j)).lanes();
        for (lane, &point) in group.points.iter().enumerate() {
            into[point as usize] = [x[lane], y[lane], z[lane], 0.0];
        }
    }
}
