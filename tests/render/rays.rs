//! The nearest triangle of a pixel against a ray cast at every triangle: a camera and an
//! intersection of this file's own, in plain numbers.

use kinetree::report::render::{Camera, Frame, FrameBody, RenderOptions, Shading, render, visible};

use crate::dice::Dice;

type Point = [f64; 3];

fn minus(a: Point, b: Point) -> Point {
    std::array::from_fn(|i| a[i] - b[i])
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Point) -> Point {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

/// The ray through a pixel's middle of a picture seen from `eye`.
fn ray(eye: Point, target: Point, up: Point, slope: f64, place: [f64; 2], size: [usize; 2]) -> Point {
    let forward = unit(minus(target, eye));
    let right = unit(cross(forward, up));
    let above = cross(right, forward);
    let half = size[1] as f64 / 2.0;
    let x = (place[0] - size[0] as f64 / 2.0) / half * slope;
    let y = (half - place[1]) / half * slope;
    std::array::from_fn(|i| forward[i] + x * right[i] + y * above[i])
}

/// Distance along a ray to a triangle, and the least barycentric coordinate there (Möller and
/// Trumbore 1997).
fn hit(eye: Point, ray: Point, [a, b, c]: [Point; 3]) -> Option<(f64, f64)> {
    let (p, q) = (minus(b, a), minus(c, a));
    let across = cross(ray, q);
    let volume = dot(p, across);
    if volume == 0.0 {
        return None;
    }
    let from = minus(eye, a);
    let u = dot(from, across) / volume;
    let side = cross(from, p);
    let v = dot(ray, side) / volume;
    let far = dot(q, side) / volume;
    Some((far, u.min(v).min(1.0 - u - v)))
}

fn soup(dice: &mut Dice, triangles: usize) -> FrameBody {
    let corner = |dice: &mut Dice, centre: Point, size: f64| centre.map(|c| c + dice.real(-size, size));
    let mut body = FrameBody { name: "soup".into(), ..FrameBody::default() };
    for _ in 0..triangles {
        let centre = std::array::from_fn(|_| dice.real(-2.0, 2.0));
        let size = dice.real(0.1, 2.0);
        let first = body.positions.len() as u32;
        body.positions.extend((0..3).map(|_| corner(dice, centre, size)));
        body.triangles.push([first, first + 1, first + 2]);
    }
    body
}

#[test]
fn each_pixel_shows_the_nearest_triangle() {
    let mut dice = Dice::new(16, &[]);
    let (mut compared, mut empty, mut behind) = (0, 0, 0);
    for round in 0..40 {
        let bodies = vec![soup(&mut dice, 1 + round * 2), soup(&mut dice, 30)];
        // Every fourth camera is inside the soup: triangles are cut before it.
        let reach = if round % 4 == 0 { 1.0 } else { 6.0 };
        let eye: Point = unit(std::array::from_fn(|_| dice.real(-1.0, 1.0))).map(|x| x * reach);
        let (target, up, slope) = ([0.1, -0.2, 0.05], [0.1, 1.0, 0.2], dice.real(0.2, 0.9));
        let mut options = RenderOptions::sized(97, 61);
        options.camera = Some(Camera::new(eye, target, up, slope).unwrap());
        let frame = Frame { bodies, ..Frame::default() };
        let seen = visible(&frame, &options).unwrap();
        for _ in 0..600 {
            let pixel = [dice.below(97), dice.below(61)];
            let ray = ray(eye, target, up, slope, pixel.map(|c| c as f64 + 0.5), [97, 61]);
            let mut hits = Vec::new();
            let mut is_near_a_side = false;
            for (b, body) in frame.bodies.iter().enumerate() {
                for (t, corners) in body.triangles.iter().enumerate() {
                    let corners = corners.map(|corner| body.positions[corner as usize]);
                    let Some((far, least)) = hit(eye, ray, corners) else { continue };
                    // Close to the eye, where the rasteriser cuts, and along sides, either is right.
                    if far < 2e-3 {
                        behind += usize::from(least > 0.0);
                        is_near_a_side |= far > -2e-3 && least > -1e-6;
                        continue;
                    }
                    is_near_a_side |= least.abs() < 1e-6;
                    if least > 0.0 {
                        hits.push((far, [b as u32, t as u32]));
                    }
                }
            }
            hits.sort_by(|a, b| a.0.total_cmp(&b.0));
            let is_close = hits.len() > 1 && hits[1].0 - hits[0].0 < 1e-5 * hits[0].0;
            if is_near_a_side || is_close {
                continue;
            }
            let expected = hits.first().map(|hit| hit.1);
            assert_eq!(seen[pixel[1] * 97 + pixel[0]], expected, "round {round}, pixel {pixel:?}, {hits:?}");
            compared += 1;
            empty += usize::from(expected.is_none());
        }
    }
    assert!(
        compared > 20_000 && compared - empty > 8_000 && empty > 1_000 && behind > 1_000,
        "{compared} {empty} {behind}"
    );
}

#[test]
fn neighbours_leave_no_gap() {
    // A fan of thin triangles around a point, with corners at awkward places, before a background.
    let mut body = FrameBody { name: "fan".into(), positions: vec![[0.013, 0.007, 0.0]], ..FrameBody::default() };
    for step in 0..200 {
        let angle = f64::from(step) * std::f64::consts::TAU / 200.0;
        body.positions.push([angle.cos(), angle.sin(), 0.3 * (7.0 * angle).sin()]);
        body.triangles.push([0, step as u32 + 1, (step as u32 + 1) % 200 + 1]);
    }
    let mut options = RenderOptions::sized(301, 301);
    options.camera = Some(Camera::new([0.0, 0.0, 4.0], [0.0; 3], [0.0, 1.0, 0.0], 0.25).unwrap());
    let seen = visible(&Frame { bodies: vec![body], ..Frame::default() }, &options).unwrap();
    // Half the height is 0.25 × 4 m, so every pixel within 0.93 m of the middle is covered.
    let mut covered = 0;
    for (place, face) in seen.iter().enumerate() {
        let at = [place % 301, place / 301].map(|c| (c as f64 - 150.0) / 150.5);
        if at[0].hypot(at[1]) < 0.9 {
            assert!(face.is_some(), "a gap at {at:?}");
            covered += 1;
        }
    }
    assert!(covered > 50_000, "{covered}");
}

#[test]
fn the_same_bytes_every_time() {
    let mut dice = Dice::new(3, &[]);
    let mut body = soup(&mut dice, 300);
    body.highlighted = vec![5, 9, 200, 9];
    let frame = Frame { bodies: vec![body], label: vec!["frame 1 · 2 s".into()], ..Frame::default() };
    for shading in [Shading::Flat, Shading::Smooth] {
        let mut options = RenderOptions::sized(333, 217);
        options.shading = shading;
        let first = render(&frame, &options).unwrap().png().unwrap();
        assert_eq!(first, render(&frame, &options).unwrap().png().unwrap());
        #[cfg(feature = "rayon")]
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(first, pool.install(|| render(&frame, &options).unwrap().png().unwrap()), "{threads} threads");
        }
    }
}

#[test]
fn a_file_has_the_pixels() {
    let mut dice = Dice::new(4, &[]);
    let frame = Frame { bodies: vec![soup(&mut dice, 40)], ..Frame::default() };
    let image = render(&frame, &RenderOptions::sized(120, 90)).unwrap();
    let bytes = image.png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!((info.width, info.height, info.color_type), (120, 90, png::ColorType::Rgb));
    assert_eq!(pixels, image.pixels());
    assert_eq!(image.pixel(3, 2), image.pixels()[3 * (2 * 120 + 3)..][..3]);
}
