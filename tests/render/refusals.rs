//! Frames and options that cannot be drawn: an error that says which.

use kinetree::Aabb;
use kinetree::report::render::{Camera, Frame, FrameBody, RenderError, RenderOptions, render, render_close_up};

fn frame() -> Frame {
    let body = FrameBody {
        name: "sheet".into(),
        triangles: vec![[0, 1, 2]],
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        ..FrameBody::default()
    };
    Frame { bodies: vec![body], ..Frame::default() }
}

#[test]
fn sizes_and_samples_have_bounds() {
    for (width, height) in [(0, 10), (10, 0), (20_000, 10), (16_384, 16_384)] {
        let refused = render(&frame(), &RenderOptions::sized(width, height)).unwrap_err();
        assert_eq!(refused, RenderError::Size { width, height });
    }
    for samples in [0, 9] {
        let mut options = RenderOptions::sized(8, 8);
        options.samples = samples;
        assert_eq!(render(&frame(), &options).unwrap_err(), RenderError::Samples { samples });
    }
    // One pixel is a picture.
    assert_eq!(render(&frame(), &RenderOptions::sized(1, 1)).unwrap().pixels().len(), 3);
}

#[test]
fn bodies_are_checked() {
    let options = RenderOptions::sized(40, 30);
    let mut wrong = frame();
    wrong.bodies[0].positions[1][2] = f64::NAN;
    assert_eq!(render(&wrong, &options).unwrap_err(), RenderError::NotFinite { body: "sheet".into(), vertex: 1 });
    wrong.bodies[0].positions[1][2] = 1e200;
    assert_eq!(render(&wrong, &options).unwrap_err(), RenderError::NotFinite { body: "sheet".into(), vertex: 1 });
    let mut wrong = frame();
    wrong.bodies[0].triangles.push([0, 7, 1]);
    let refused = render(&wrong, &options).unwrap_err();
    assert_eq!(refused, RenderError::Corner { body: "sheet".into(), triangle: 1, vertex: 7, vertices: 3 });
    assert_eq!(refused.to_string(), "body 'sheet': triangle 1 names vertex 7, but there are 3");
    let mut wrong = frame();
    wrong.bodies[0].highlighted = vec![0, 1];
    let refused = render(&wrong, &options).unwrap_err();
    assert_eq!(refused, RenderError::Highlight { body: "sheet".into(), triangle: 1, triangles: 1 });
}

#[test]
fn cameras_need_something_to_see() {
    let is_camera = |error: RenderError| matches!(error, RenderError::Camera { .. });
    assert!(is_camera(render(&Frame::default(), &RenderOptions::sized(40, 30)).unwrap_err()));
    assert!(is_camera(Camera::new([1.0; 3], [1.0; 3], [0.0, 1.0, 0.0], 0.3).unwrap_err()));
    assert!(is_camera(Camera::new([f64::INFINITY, 0.0, 0.0], [1.0; 3], [0.0, 1.0, 0.0], 0.3).unwrap_err()));
    assert!(is_camera(Camera::new([2.0; 3], [1.0; 3], [0.0, 1.0, 0.0], 0.0).unwrap_err()));
    let nowhere = Aabb { min: [f64::NAN; 3], max: [0.0; 3] };
    assert!(is_camera(render_close_up(&frame(), &RenderOptions::sized(40, 30), &nowhere).unwrap_err()));
    // Straight along the upward axis, and at a single point, there is a picture.
    let mut options = RenderOptions::sized(40, 30);
    options.from = "top".parse().unwrap();
    render(&frame(), &options).unwrap();
    let mut point = frame();
    point.bodies[0].positions = vec![[5.0; 3]; 3];
    render(&point, &options).unwrap();
    let at = Aabb { min: [0.2; 3], max: [0.2; 3] };
    render_close_up(&frame(), &options, &at).unwrap();
}

#[test]
fn long_words_and_many_bodies_stay_inside() {
    let mut many = frame();
    for number in 0..40 {
        let mut body = many.bodies[0].clone();
        body.name = format!("body {number} {}", "long name ".repeat(30));
        many.bodies.push(body);
    }
    many.label = vec!["x".repeat(500), "ü→".into(), String::new()];
    for (width, height) in [(17, 5), (64, 48), (640, 480)] {
        render(&many, &RenderOptions::sized(width, height)).unwrap();
    }
}
