//! What bodies should consist of after edits, kept by plain means; random edits; worlds made from scratch.

use std::collections::{BTreeMap, BTreeSet};

use kinetree::BodyId;
use kinetree::mesh::Mesh;
use kinetree::motion::{Flightplan, VertexFlightplan};
use kinetree::time::Span;
use kinetree::world::{BodyDef, Engine, NewVertex, RebuildPolicy, World, WorldDef, WorldError};

use super::common::dice::{Dice, Grain};
use super::common::kinds::width;
use super::common::scene::{Style, random_plan, random_vertex_plan};
use super::common::shapes::random_shape;

/// A body: its triangles by number, and which vertices there are.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) id: BodyId,
    pub(crate) triangles: BTreeMap<u32, [u32; 3]>,
    pub(crate) vertices: BTreeSet<u32>,
    pub(crate) numbers: [u32; 2],
    pub(crate) self_contact: bool,
}

/// One edit as plain data.
#[derive(Clone, Debug, Default)]
pub(crate) struct EditSpec {
    pub(crate) vertices: Vec<NewVertex>,
    pub(crate) added: Vec<[u32; 3]>,
    pub(crate) removed: Vec<u32>,
    pub(crate) corners: Vec<(u32, [u32; 3])>,
    pub(crate) removed_vertices: Vec<u32>,
}

impl EditSpec {
    pub(crate) fn apply(&self, world: &mut World, body: BodyId) -> Result<(), WorldError> {
        let mut edit = world.begin_edit(body)?;
        for vertex in &self.vertices {
            edit.add_vertex(vertex.clone());
        }
        self.added.iter().for_each(|&corners| {
            edit.add_triangle(corners);
        });
        self.removed.iter().for_each(|&triangle| edit.remove_triangle(triangle));
        self.corners.iter().for_each(|&(triangle, corners)| edit.set_corners(triangle, corners));
        self.removed_vertices.iter().for_each(|&vertex| edit.remove_vertex(vertex));
        world.apply_edit(edit)
    }
}

impl Known {
    pub(crate) fn new(id: BodyId, mesh: &Mesh, self_contact: bool) -> Self {
        let triangles: BTreeMap<u32, [u32; 3]> = (0..).zip(mesh.triangles().iter().copied()).collect();
        let count = mesh.vertex_count() as u32;
        Self { id, numbers: [count, triangles.len() as u32], triangles, vertices: (0..count).collect(), self_contact }
    }

    pub(crate) fn follow(&mut self, edit: &EditSpec) {
        for _ in &edit.vertices {
            self.vertices.insert(self.numbers[0]);
            self.numbers[0] += 1;
        }
        edit.removed.iter().for_each(|triangle| assert!(self.triangles.remove(triangle).is_some()));
        for &(triangle, corners) in &edit.corners {
            self.triangles.insert(triangle, corners);
        }
        for &corners in &edit.added {
            self.triangles.insert(self.numbers[1], corners);
            self.numbers[1] += 1;
        }
        edit.removed_vertices.iter().for_each(|vertex| assert!(self.vertices.remove(vertex)));
    }

    /// A random edit: some of everything; now and then a large one.
    pub(crate) fn random_edit(&self, dice: &mut Dice, style: Style, window: Span, positions: &[[f64; 3]]) -> EditSpec {
        let mut edit = EditSpec::default();
        let most = if dice.percent(20) { self.triangles.len() + 3 } else { 3 };
        let vertices: Vec<u32> = self.vertices.iter().copied().collect();
        let mut next = self.numbers[0];
        let mut numbers: Vec<u32> = self.triangles.keys().copied().collect();
        let kind = dice.below(4);
        let mut new_vertex = |dice: &mut Dice, at: Option<[f64; 3]>, edit: &mut EditSpec| {
            // A place of its own, so that nothing is thought to be welded to it in the world from scratch.
            let rest = [1000.0 + next as f32, 0.0, 0.0];
            let plan = match at {
                Some(position) => VertexFlightplan::Fixed { position },
                None => random_vertex_plan(dice, style, window),
            };
            edit.vertices.push(NewVertex::new(rest, plan));
            next += 1;
            next - 1
        };
        if kind != 1 {
            for _ in 0..=dice.below(most) {
                let corners = std::array::from_fn(|_| {
                    if dice.percent(40) { new_vertex(dice, None, &mut edit) } else { dice.pick(&vertices) }
                });
                edit.added.push(corners);
            }
        }
        if kind != 0 {
            for _ in 0..=dice.below(most) {
                if numbers.len() > 1 {
                    edit.removed.push(numbers.swap_remove(dice.below(numbers.len())));
                }
            }
        }
        if kind >= 2 {
            for _ in 0..dice.below(most) {
                if numbers.len() > 1 {
                    let triangle = numbers.swap_remove(dice.below(numbers.len()));
                    let mut corners = self.triangles[&triangle];
                    let corner = dice.below(3);
                    // Half of the time a cut: the corner is doubled where it is.
                    let here = dice.percent(50).then(|| positions[corners[corner] as usize]);
                    corners[corner] = new_vertex(dice, here, &mut edit);
                    edit.corners.push((triangle, corners));
                }
            }
        }
        let mut after = self.clone();
        after.follow(&edit);
        let used: BTreeSet<u32> = after.triangles.values().flatten().copied().collect();
        let unused = self.vertices.iter().copied().filter(|vertex| !used.contains(vertex));
        edit.removed_vertices = unused.filter(|_| dice.percent(50)).collect();
        edit
    }
}

/// A random body, tested against itself if it may be: corners with equal rest positions count as welded.
pub(crate) fn random_def(dice: &mut Dice, style: Style, window: Span) -> (BodyDef, bool) {
    use kinetree::bvh::{BuildParams, Builder};
    use kinetree::kinetic::TreeKind;
    let (positions, triangles) = random_shape(dice, style.triangles, style.grain);
    let plan = random_plan(dice, &positions, style, window).flightplan();
    let rest: BTreeSet<[u32; 3]> =
        plan.rest_positions(positions.len()).iter().map(|p| p.map(|x| (x + 0.0).to_bits())).collect();
    let self_contact = rest.len() == positions.len() && dice.percent(60);
    let builder = dice.pick(&[Builder::MedianSplit, Builder::BinnedSurfaceArea]);
    let mesh = Mesh::new(positions.len(), triangles).expect("a valid mesh");
    let build = BuildParams { builder, leaf_size: 1 + dice.below(9), width: width() };
    let tree = if dice.percent(25) { TreeKind::Box } else { TreeKind::Aabb };
    let rebuild = if dice.percent(30) { RebuildPolicy::Automatic { bound: 1.05 } } else { RebuildPolicy::Off };
    (BodyDef::new(mesh, plan).build(build).tree(tree).rebuild(rebuild).self_contact(self_contact), self_contact)
}

/// Contacts of the same bodies standing where they are, in a world made from scratch; by places of bodies and numbers of
/// triangles. Triangles are numbered otherwise there, so that nothing is right by accident.
pub(crate) fn from_scratch(bodies: &[Known], world: &World, engine: Engine) -> BTreeSet<[u32; 4]> {
    let mut fresh = World::new(WorldDef::default().start(world.time()).engine(engine)).unwrap();
    let mut names: BTreeMap<BodyId, (u32, Vec<u32>)> = BTreeMap::new();
    for (place, body) in bodies.iter().enumerate() {
        let positions = world.positions(body.id).unwrap();
        let numbers: Vec<u32> = body.triangles.keys().rev().copied().collect();
        let mesh = Mesh::new(positions.len(), numbers.iter().map(|number| body.triangles[number]).collect()).unwrap();
        let rest = (0..positions.len()).map(|vertex| [vertex as f32, 0.0, 0.0]).collect();
        let def = BodyDef::new(mesh, Flightplan::fixed(rest)).self_contact(body.self_contact);
        let id = fresh.add_body(def).unwrap();
        let plans: Vec<(u32, VertexFlightplan)> =
            (0..).zip(&positions).map(|(v, &position)| (v, VertexFlightplan::Fixed { position })).collect();
        fresh.set_vertex_flightplans(id, &plans).unwrap();
        names.insert(id, (place as u32, numbers));
    }
    let contact = |c: &kinetree::world::Contact| {
        let ((a, of_a), (b, of_b)) = (&names[&c.a], &names[&c.b]);
        in_order([*a, *b, of_a[c.triangle_a as usize], of_b[c.triangle_b as usize]])
    };
    fresh.contacts().iter().map(contact).collect()
}

/// Contacts by places of bodies and numbers of triangles.
pub(crate) fn contacts(bodies: &[Known], world: &World) -> BTreeSet<[u32; 4]> {
    let place = |id: BodyId| bodies.iter().position(|body| body.id == id).expect("a known body") as u32;
    world.contacts().iter().map(|c| in_order([place(c.a), place(c.b), c.triangle_a, c.triangle_b])).collect()
}

fn in_order([a, b, p, q]: [u32; 4]) -> [u32; 4] {
    if (a, p) <= (b, q) { [a, b, p, q] } else { [b, a, q, p] }
}

/// Curved plans only where worlds look at times: continuous contacts along curves are held wider than they are.
pub(crate) fn style(seed: u64, triangles: usize) -> Style {
    let grain = [Grain::Real, Grain::Lattice, Grain::Crooked][seed as usize % 3];
    Style { grain, long: seed % 7 == 6, triangles, keys: 5, curved: if seed < 1000 && seed % 4 == 3 { 40 } else { 0 } }
}
