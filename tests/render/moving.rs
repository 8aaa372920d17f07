//! Sequences: turntables, one camera for several frames, animated files.

use kinetree::report::render::{
    Animation, Frame, FrameBody, Framing, Image, RenderError, RenderOptions, render, turntable, visible,
};

/// A box-shaped body from `low` to `high`.
fn block(low: [f64; 3], high: [f64; 3]) -> FrameBody {
    let positions: Vec<[f64; 3]> =
        (0..8).map(|corner| std::array::from_fn(|i| if corner >> i & 1 == 0 { low[i] } else { high[i] })).collect();
    let sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
    let triangles = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    FrameBody { name: "block".into(), triangles, positions, ..FrameBody::default() }
}

fn frame(shift: f64) -> Frame {
    let mut body = block([shift, 0.0, -0.2], [shift + 1.0, 2.0, 0.3]);
    body.highlighted = vec![2, 3];
    Frame { bodies: vec![body], label: vec![format!("{shift} m")], ..Frame::default() }
}

fn pictures(count: usize) -> Vec<Image> {
    let mut options = RenderOptions::sized(120, 100);
    let frames: Vec<Frame> = (0..count).map(|step| frame(0.2 * step as f64)).collect();
    let mut framing = Framing::new(&frames[0], &options).unwrap();
    frames.iter().for_each(|frame| framing.add(frame));
    options.camera = Some(framing.camera().unwrap());
    frames.iter().map(|frame| render(frame, &options).unwrap()).collect()
}

#[test]
fn one_camera_sees_all_frames() {
    let mut options = RenderOptions::sized(160, 100);
    let frames = [frame(-3.0), frame(0.0), frame(4.0)];
    let mut framing = Framing::new(&frames[0], &options).unwrap();
    frames.iter().for_each(|frame| framing.add(frame));
    options.camera = Some(framing.camera().unwrap());
    for frame in &frames {
        let seen = visible(frame, &options).unwrap();
        let at_border = |place: usize| [0, 159].contains(&(place % 160)) || !(160..160 * 99).contains(&place);
        assert!(seen.iter().any(Option::is_some));
        assert!((0..seen.len()).all(|place| !at_border(place) || seen[place].is_none()));
    }
}

#[test]
fn a_turntable_goes_around_and_sees_all() {
    let mut options = RenderOptions::sized(160, 100);
    let frame = frame(0.0);
    let cameras = turntable(&frame, &options, 8).unwrap();
    assert_eq!(cameras.len(), 8);
    let middle = [0.5, 1.0, 0.05];
    let distance = |eye: [f64; 3]| (0..3).map(|i| (eye[i] - middle[i]).powi(2)).sum::<f64>().sqrt();
    let first = distance(cameras[0].eye());
    for (step, camera) in cameras.iter().enumerate() {
        assert!((distance(camera.eye()) - first).abs() < 1e-9 && (camera.eye()[1] - cameras[0].eye()[1]).abs() < 1e-9);
        // Half a turn on, the camera is on the other side.
        let other = cameras[(step + 4) % 8].eye();
        assert!((0..3).step_by(2).all(|i| (camera.eye()[i] + other[i] - 2.0 * middle[i]).abs() < 1e-9));
        options.camera = Some(camera.clone());
        let seen = visible(&frame, &options).unwrap();
        let at_border = |place: usize| [0, 159].contains(&(place % 160)) || !(160..160 * 99).contains(&place);
        assert!(seen.iter().any(Option::is_some) && (0..seen.len()).all(|p| !at_border(p) || seen[p].is_none()));
    }
}

/// Shows an animated file as a browser does: frames over what was before.
fn shown(bytes: &[u8]) -> (Vec<Vec<[u8; 3]>>, Vec<f64>) {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().unwrap();
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let count = reader.info().animation_control().unwrap().num_frames;
    let mut canvas = vec![[0_u8; 3]; width * height];
    let (mut all, mut delays) = (Vec::new(), Vec::new());
    let mut buffer = vec![0; reader.output_buffer_size().unwrap()];
    for _ in 0..count {
        let info = reader.next_frame(&mut buffer).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgba);
        let control = *reader.info().frame_control().unwrap();
        assert_eq!(control.dispose_op, png::DisposeOp::None);
        delays.push(f64::from(control.delay_num) / f64::from(control.delay_den));
        for y in 0..control.height as usize {
            for x in 0..control.width as usize {
                let at = 4 * (y * control.width as usize + x);
                if buffer[at + 3] == 255 {
                    let place = (y + control.y_offset as usize) * width + x + control.x_offset as usize;
                    canvas[place] = [buffer[at], buffer[at + 1], buffer[at + 2]];
                }
            }
        }
        all.push(canvas.clone());
    }
    (all, delays)
}

#[test]
fn an_animation_shows_its_pictures() {
    let pictures = pictures(6);
    let mut animation = Animation::new(0.04).unwrap();
    pictures.iter().for_each(|picture| animation.add(picture).unwrap());
    // The same picture twice is a frame too.
    animation.add(&pictures[5]).unwrap();
    let bytes = animation.png().unwrap();
    assert_eq!(bytes, animation.png().unwrap());
    let (all, delays) = shown(&bytes);
    assert_eq!((all.len(), animation.len()), (7, 7));
    assert!(delays.iter().all(|&delay| delay == 0.04));
    assert_eq!(all[5], all[6]);
    for (picture, shown) in pictures.iter().zip(&all) {
        let (wanted, _) = picture.pixels().as_chunks::<3>();
        let off: u64 =
            wanted.iter().zip(shown).map(|(a, b)| (0..3).map(|i| u64::from(a[i].abs_diff(b[i]))).sum::<u64>()).sum();
        let most = wanted.iter().zip(shown).map(|(a, b)| (0..3).map(|i| a[i].abs_diff(b[i])).max().unwrap()).max();
        assert!(off < 3 * wanted.len() as u64 && most < Some(40), "{off} over {} pixels, most {most:?}", wanted.len());
    }
}

#[test]
fn animations_that_cannot_be_are_refused() {
    assert_eq!(Animation::new(0.0).unwrap_err(), RenderError::Delay { delay: 0.0 });
    assert!(Animation::new(f64::NAN).is_err() && Animation::new(61.0).is_err());
    let mut animation = Animation::new(0.1).unwrap();
    assert!(animation.is_empty());
    assert_eq!(animation.png().unwrap_err(), RenderError::Animation { index: 0 });
    animation.add(&pictures(1)[0]).unwrap();
    let other = render(&frame(0.0), &RenderOptions::sized(64, 64)).unwrap();
    assert_eq!(animation.add(&other).unwrap_err(), RenderError::Animation { index: 1 });
    assert_eq!(animation.len(), 1);
}
