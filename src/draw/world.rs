//! The drawing of a world.

use std::f64::consts::TAU;

use super::{Colour, Draw, DrawOptions};
use crate::geometry::crossing;
use crate::id::BodyId;
use crate::math::Aabb;
use crate::motion::Sphere;
use crate::world::World;

/// Colours of bodies, by their indices; of equal lightness.
const BODIES: [[u8; 3]; 6] =
    [[70, 110, 160], [170, 110, 40], [60, 130, 90], [150, 90, 140], [120, 120, 60], [90, 120, 140]];
const FACE: u8 = 70;
const BOX: u8 = 200;
const CONTACT: Colour = [225, 60, 40, 110];
const CROSSING: Colour = [120, 0, 0, 255];
const NORMAL: Colour = [150, 0, 150, 255];
const OVERLAP: Colour = [225, 60, 40, 255];
const APART: Colour = [90, 160, 90, 160];
const TEXT: Colour = [20, 20, 20, 255];

/// Sides of a circle.
const SIDES: usize = 24;

/// The corners of a box joined by edges; bit `k` of a corner says whether coordinate `k` is the
/// upper one.
const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

type Point = [f64; 3];

impl World {
    /// Draws the world at the clock's time: what `options` name, to a host's renderer or to an
    /// [`Svg`](crate::draw::Svg).
    ///
    /// Bodies are drawn in the order of their indices, then contacts, normals, boxes and lists;
    /// equal worlds give equal drawings. Patches have boxes and no edges. O(triangles) for what is
    /// shown.
    ///
    /// ```
    /// # let (mut world, floor, ball) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/docs/falling_ball.rs"));
    /// use kinetree::draw::{DrawOptions, Svg};
    ///
    /// world.advance_to(1.0)?;
    /// let mut picture = Svg::new(640, 480);
    /// world.draw(&mut picture, &DrawOptions::new().normals(0.25).names(true));
    /// assert!(picture.finish().starts_with("<svg"));
    /// # Ok::<(), kinetree::Error>(())
    /// ```
    pub fn draw(&self, canvas: &mut dyn Draw, options: &DrawOptions) {
        let bodies: Vec<BodyId> = self.bodies().collect();
        for &body in &bodies {
            draw_body(self, body, canvas, options);
        }
        if options.contacts {
            draw_contacts(self, canvas);
        }
        if options.normals > 0.0 {
            draw_normals(self, canvas, options.normals);
        }
        if let Some(level) = options.boxes {
            for &id in &bodies {
                let Ok(body) = self.body(id) else { continue };
                for node in body.boxes(level) {
                    draw_box(canvas, &node.bounds, colour_of(id, BOX));
                }
            }
        }
        if options.cut {
            draw_lists(self, &bodies, canvas);
        }
    }
}

fn colour_of(body: BodyId, opacity: u8) -> Colour {
    let [r, g, b] = BODIES[body.index() as usize % BODIES.len()];
    [r, g, b, opacity]
}

fn draw_body(world: &World, body: BodyId, canvas: &mut dyn Draw, options: &DrawOptions) {
    let (Ok(mesh), Ok(positions)) = (world.mesh(body), world.positions(body)) else { return };
    let spheres = world.spheres(body).ok().flatten();
    let triangles = || mesh.present();
    let corners = |triangle: u32| mesh.triangles()[triangle as usize].map(|vertex| positions[vertex as usize]);
    if options.faces && spheres.is_none() {
        triangles().for_each(|triangle| canvas.triangle(corners(triangle), colour_of(body, FACE)));
    }
    if options.edges {
        let colour = colour_of(body, u8::MAX);
        match &spheres {
            Some(spheres) => spheres.iter().for_each(|sphere| draw_sphere(canvas, sphere, colour)),
            None => {
                for [p, q] in edges(triangles().map(|triangle| mesh.triangles()[triangle as usize])) {
                    canvas.line(positions[p as usize], positions[q as usize], colour);
                }
            }
        }
    }
    if options.names
        && let Ok(name) = world.name(body)
    {
        let bounds = Aabb::of_points(&positions);
        let [x, y, _] = bounds.centre();
        canvas.text([x, y, bounds.max[2]], name, TEXT);
    }
}

/// The edges of triangles by their vertices, each once and sorted; of a point one without length.
fn edges(triangles: impl Iterator<Item = [u32; 3]>) -> Vec<[u32; 2]> {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for [p, q, r] in triangles {
        let own = [[p, q], [q, r], [r, p]];
        let is_point = p == q && q == r;
        edges.extend(own.iter().filter(|[from, to]| from != to || is_point).map(|&[x, y]| [x.min(y), x.max(y)]));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn draw_sphere(canvas: &mut dyn Draw, sphere: &Sphere, colour: Colour) {
    for axis in 0..3 {
        let at = |side: usize| -> Point {
            let turn = TAU * (side % SIDES) as f64 / SIDES as f64;
            let mut point = sphere.centre;
            point[axis] += sphere.radius * libm::cos(turn);
            point[(axis + 1) % 3] += sphere.radius * libm::sin(turn);
            point
        };
        (0..SIDES).for_each(|side| canvas.line(at(side), at(side + 1), colour));
    }
}

fn draw_contacts(world: &World, canvas: &mut dyn Draw) {
    for contacts in world.contacts().chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
        let ids = [contacts[0].a, contacts[0].b];
        let soups = ids.map(|id| triangles_of(world, id));
        for (soup, side) in soups.iter().zip(0..).filter_map(|(soup, side)| Some((soup.as_ref()?, side))) {
            let mut touching: Vec<u32> =
                contacts.iter().map(|contact| [contact.triangle_a, contact.triangle_b][side]).collect();
            touching.sort_unstable();
            touching.dedup();
            touching.iter().for_each(|&triangle| canvas.triangle(soup[triangle as usize], CONTACT));
        }
        let [Some(a), Some(b)] = soups else { continue };
        for contact in contacts {
            let common = crossing(&a[contact.triangle_a as usize], &b[contact.triangle_b as usize]);
            let points: Vec<Point> = common.corners().iter().map(|corner| corner.point).collect();
            // A segment has one line; a polygon is closed.
            let count = if points.len() > 2 { points.len() } else { points.len().saturating_sub(1) };
            (0..count).for_each(|k| canvas.line(points[k], points[(k + 1) % points.len()], CROSSING));
        }
    }
}

/// The triangles of a body where they are; `None` for one made of spheres.
fn triangles_of(world: &World, body: BodyId) -> Option<Vec<[Point; 3]>> {
    if world.spheres(body).ok()?.is_some() {
        return None;
    }
    let positions = world.positions(body).ok()?;
    let corners = |corners: &[u32; 3]| corners.map(|vertex| positions[vertex as usize]);
    Some(world.mesh(body).ok()?.triangles().iter().map(corners).collect())
}

fn draw_normals(world: &World, canvas: &mut dyn Draw, length: f64) {
    for contacts in world.contacts().chunk_by(|x, y| (x.a, x.b) == (y.a, y.b)) {
        let manifolds = world.pair(contacts[0].a, contacts[0].b).and_then(crate::world::PairView::manifolds);
        for manifold in manifolds.into_iter().flatten() {
            let Some(normal) = manifold.normal else { continue };
            let middle = manifold.points.first().map_or([0.0; 3], |point| point.points[0]);
            let from = manifold.measure.as_ref().map_or(middle, |measure| measure.centre);
            let to: Point = std::array::from_fn(|axis| from[axis] + length * normal[axis]);
            canvas.arrow(from, to, NORMAL);
        }
    }
}

fn draw_lists(world: &World, bodies: &[BodyId], canvas: &mut dyn Draw) {
    for (place, &a) in bodies.iter().enumerate() {
        for &b in &bodies[place..] {
            let Ok(pair) = world.pair(a, b) else { continue };
            for member in pair.cut() {
                if member.is_overlapping {
                    member.bounds.iter().for_each(|bounds| draw_box(canvas, bounds, OVERLAP));
                } else {
                    canvas.line(member.bounds[0].centre(), member.bounds[1].centre(), APART);
                }
            }
        }
    }
}

fn draw_box(canvas: &mut dyn Draw, bounds: &Aabb, colour: Colour) {
    let corner = |bits: usize| -> Point {
        std::array::from_fn(|axis| if bits >> axis & 1 == 1 { bounds.max[axis] } else { bounds.min[axis] })
    };
    for [from, to] in EDGES {
        canvas.line(corner(from), corner(to), colour);
    }
}
