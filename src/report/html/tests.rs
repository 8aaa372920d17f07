use super::contacts::columns;
use super::frames::{Kept, kept};
use super::positions::{tracks, upright};
use super::*;
use crate::check::{CheckEnding, CheckSettings, check};
use crate::io::{MeshData, MotionData, SceneBody, parse_scene};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// A scene of the repository, checked over a part of it.
fn cloth(span: [f64; 2]) -> (Scene, CheckResult) {
    let scene = crate::io::read_scene("fixtures/cloth_ball/scene.toml").unwrap();
    let settings = CheckSettings { span: Some(span), ..CheckSettings::default() };
    let result = check(&scene, &settings, |_| ControlFlow::Continue(())).unwrap();
    (scene, result)
}

/// Values of planes, as a reader of the page has them.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn values(&mut self, count: usize, size: usize) -> Vec<u64> {
        let start = self.at;
        self.at += count * size;
        let byte = |plane: usize, place: usize| u64::from(self.bytes[start + plane * count + place]) << (8 * plane);
        (0..count).map(|place| (0..size).map(|plane| byte(plane, place)).sum()).collect()
    }

    fn indices(&mut self, count: usize) -> Vec<u32> {
        let mut before = 0i64;
        let mut read = |code: u64| {
            let half = (code / 2) as i64;
            before = (before + if code.is_multiple_of(2) { half } else { -half - 1 }).rem_euclid(1 << 32);
            before as u32
        };
        self.values(count, 4).into_iter().map(&mut read).collect()
    }
}

#[test]
fn positions_read_back_within_half_a_step() {
    let (scene, result) = cloth([0.8, 1.2]);
    let report = HtmlReport::new(&scene, &result);
    let motions = report.motions().unwrap();
    let kept = kept(&scene, &result, &motions, POSITION_BYTES);
    assert_eq!(kept.times.len(), kept.all);
    let tracks = tracks(&scene, &motions, &kept).unwrap();
    assert_eq!(tracks.iter().map(|track| track.frames).collect::<Vec<_>>(), [kept.all, 1, 1], "the ball spins later");
    let mut compared = 0;
    for (track, motion) in tracks.iter().zip(&motions) {
        let (vertices, mut reader) = (motion.vertex_count(), Reader { bytes: &track.bytes, at: 0 });
        let codes = reader.values(track.frames * vertices * 3, 2);
        assert_eq!(reader.at, track.bytes.len());
        let mut numbers: Vec<i64> = Vec::new();
        for (place, code) in codes.into_iter().enumerate() {
            let difference = if code % 2 == 0 { (code / 2) as i64 } else { -((code / 2) as i64) - 1 };
            let (a_frame, before) = (vertices * 3, |back: usize| numbers[place - back]);
            let predicted = match place / a_frame {
                0 if place == 0 => 0,
                0 => before(1),
                1 => before(a_frame),
                _ if track.order == 1 => before(a_frame),
                _ => 2 * before(a_frame) - before(2 * a_frame),
            };
            numbers.push((predicted + difference).rem_euclid(1 << 16));
        }
        for (frame, &time) in kept.times.iter().enumerate().take(track.frames) {
            let mut positions = Vec::new();
            motion.positions(crate::time::Moment::at(time), &mut positions);
            for (vertex, position) in positions.iter().enumerate() {
                for axis in 0..3 {
                    let number = numbers[(frame * 3 + axis) * vertices + vertex] as f64;
                    let error = (track.min[axis] + number * track.step[axis] - position[axis]).abs();
                    assert!(error <= track.step[axis] * 0.501, "{error} of {}", track.step[axis]);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100_000);
}

#[test]
fn contacts_read_back_bit_for_bit() {
    let (_, result) = cloth([0.8, 1.2]);
    assert!(result.contacts.len() > 3 && !result.incidents.is_empty());
    let columns = columns(&result, usize::MAX);
    let count = columns.count;
    assert_eq!(count, result.contacts.len());
    let mut reader = Reader { bytes: &columns.bytes, at: 0 };
    let (pairs, a, b) = (reader.values(count, 4), reader.indices(count), reader.indices(count));
    let (begins, ends) = (reader.values(count, 8), reader.values(count, 8));
    let (incidents, flags) = (reader.values(count, 4), reader.values(count, 1));
    assert_eq!(reader.at, columns.bytes.len());
    for (place, contact) in result.contacts.iter().enumerate() {
        assert_eq!(columns.pairs[pairs[place] as usize], contact.bodies);
        assert_eq!([a[place], b[place]], contact.triangles);
        assert_eq!([begins[place], ends[place]], [contact.begin.to_bits(), contact.end.to_bits()]);
        assert!(result.incidents[incidents[place] as usize].contacts.contains(&(place as u32)));
        let bits = [contact.is_open[0], contact.is_open[1], contact.is_clipped[0], contact.is_clipped[1]];
        for (bit, flag) in bits.into_iter().chain([contact.is_undecided]).enumerate() {
            assert_eq!(flags[place] >> bit & 1 == 1, flag);
        }
    }
}

#[test]
fn only_the_contacts_of_the_first_incidents_fit() {
    let (_, result) = cloth([0.8, 1.2]);
    let first = result.incidents[0].contacts.len();
    assert!(first < result.contacts.len());
    assert_eq!(columns(&result, first).count, first);
    // The first one alone is too much: what touches at its worst moment.
    let worst = result.incidents[0].worst_time;
    let at_worst = result.incidents[0].contacts.iter().filter(|&&c| result.contacts[c as usize].is_at(worst)).count();
    assert!(at_worst > 1);
    assert_eq!(columns(&result, first - 1).count, at_worst.min(first - 1));
    assert_eq!(columns(&result, 1).count, 1);
}

#[test]
fn a_long_clip_keeps_the_frames_around_incidents() {
    let (scene, result) = cloth([0.0, 2.0]);
    let motions = HtmlReport::new(&scene, &result).motions().unwrap();
    let a_frame = 6 * (scene.bodies[0].mesh.positions.len() + scene.bodies[1].mesh.positions.len());
    let all = kept(&scene, &result, &motions, usize::MAX);
    assert_eq!(all.all, all.times.len());
    assert!(all.is_gap_after.iter().all(|&gap| !gap));
    for most in [2, 7, 15] {
        let Kept { times, is_gap_after, all } = kept(&scene, &result, &motions, most * a_frame);
        assert!(times.len() <= most && all > 40, "{} of {all}", times.len());
        assert_eq!([times[0], times[times.len() - 1]], result.span);
        assert!(is_gap_after.iter().any(|&gap| gap) && times.is_sorted_by(|a, b| a < b));
        if most > 2 {
            // The frames around the worst time of the most severe incident, without a gap.
            let worst = result.incidents[0].worst_time;
            let next = times.partition_point(|&time| time <= worst);
            assert!(times[next] - times[next - 1] < 1.01 / 24.0 && !is_gap_after[next - 1], "{times:?}");
        }
    }
}

/// A body with a name that tries to end the places it stands in.
const HOSTILE: &str = "</script><script>alert(1)</script>{{json}}\"'&<!--";

fn hostile() -> (Scene, CheckResult) {
    let body = |name: &str, positions: Vec<[f32; 3]>, motion: MotionData| {
        let file = format!("[[body]]\nname = {name:?}\nmesh = \"ball.obj\"\n");
        let mut body: SceneBody =
            parse_scene(&file, Path::new("fixtures/cloth_ball/scene.toml")).unwrap().bodies.swap_remove(0);
        body.mesh = MeshData { positions, triangles: vec![[0, 1, 2]] };
        body.motion = motion;
        body
    };
    let still = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let moving = vec![[0.2, 0.2, -2.5], [0.4, 0.2, -2.5], [0.3, 0.2, -1.5]];
    let mut scene = Scene::default();
    scene.bodies.push(body(HOSTILE, still, MotionData::Fixed));
    scene.bodies.push(body("mover", moving, MotionData::Velocity { velocity: [0.0, 0.0, 1.0] }));
    scene.span = Some([0.0, 4.0]);
    scene.fps = Some(10.0);
    let result = check(&scene, &CheckSettings::default(), |_| ControlFlow::Continue(())).unwrap();
    (scene, result)
}

#[test]
fn names_stay_text() {
    let (scene, result) = hostile();
    assert_eq!(result.incidents.len(), 1);
    let report = HtmlReport::new(&scene, &result).titled(HOSTILE).with_worst_pictures(3).unwrap();
    let page = report.build().unwrap();
    // Each element of the template, and no other.
    let template = include_str!("viewer/page.html");
    assert_eq!(template.matches("</script>").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2 + 3);
    assert_eq!(page.matches("<script>").count(), 0);
    assert!(!page.contains("alert(1)</script>") && page.contains("&lt;/script&gt;&lt;script&gt;alert(1)"));
    // The data comes back whole.
    let json = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(data["bodies"][0]["name"], HOSTILE);
    assert_eq!(data["incidents"].as_array().unwrap().len(), 1);
    assert_eq!(data["incidents"][0]["begin"].as_f64(), Some(result.incidents[0].begin));
    assert_eq!(page, report.build().unwrap());
}

#[test]
fn the_page_loads_nothing() {
    let (scene, result) = hostile();
    let page = HtmlReport::new(&scene, &result).with_worst_pictures(1).unwrap().build().unwrap();
    for address in
        ["http://", "https://", "import(", "fetch(", "XMLHttpRequest", "eval(", "new Function", "<link rel=\"style"]
    {
        let known = page.matches(address).count()
            - page.matches("http://www.w3.org/2000/svg").count() * usize::from(address == "http://");
        assert_eq!(known, 0, "{address}");
    }
    assert!(page.contains("default-src 'none'"));
    assert_eq!(page.matches("src=\"data:image/png;base64,").count(), page.matches("<img").count());
    assert_eq!(page.matches("<img").count(), 1);
}

#[test]
fn another_scene_is_refused() {
    let (scene, result) = hostile();
    let mut other = scene.clone();
    other.bodies[0].name = "other".into();
    assert!(matches!(HtmlReport::new(&other, &result).build(), Err(HtmlError::Body { .. })));
    other.bodies.pop();
    assert_eq!(HtmlReport::new(&other, &result).build(), Err(HtmlError::Bodies { scene: 1, result: 2 }));
    let mut wrong = result.clone();
    wrong.contacts[0].triangles[1] = 1;
    let refused = Err(HtmlError::Contact { contact: 0, body: 1, triangle: 1 });
    assert_eq!(HtmlReport::new(&scene, &wrong).build(), refused);
    let mut wrong = result.clone();
    wrong.incidents[0].contacts.push(7);
    let refused = Err(HtmlError::IncidentContact { incident: 0, contact: 7 });
    assert_eq!(HtmlReport::new(&scene, &wrong).build(), refused);
    let mut lacking = result.clone();
    lacking.contacts_left_out = true;
    assert_eq!(HtmlReport::new(&scene, &lacking).build(), Err(HtmlError::ContactsLeftOut));
    let picture = Picture { incident: 1, png: Vec::new() };
    let refused = Err(HtmlError::Picture { incident: 1, incidents: 1 });
    assert_eq!(HtmlReport::new(&scene, &result).with_picture(picture).build(), refused);
}

#[test]
fn a_floor_across_z_says_what_is_up() {
    let (scene, _) = hostile();
    assert_eq!(upright(&scene), 2);
    let mut upright_wall = scene.clone();
    upright_wall.bodies[0].mesh.positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    assert_eq!(upright(&upright_wall), 1);
}

#[test]
fn sentences() {
    let (_, result) = hostile();
    let text = words::summary(&result);
    assert!(text.starts_with("1 incident; the worst is"), "{text}");
    let mut nothing = result.clone();
    nothing.incidents.clear();
    nothing.contacts.clear();
    nothing.pairs.iter_mut().for_each(|pair| pair.first = None);
    assert_eq!(words::summary(&nothing), "Nothing touches: 1 pair of bodies was tested from frame 0 to 40.");
    nothing.tested.clear();
    assert_eq!(words::summary(&nothing), "No pair of bodies was tested, so nothing could be found.");
    assert_eq!([0.0, 5e-4, 0.0123, 2.0].map(words::length), ["0 mm", "0.5000 mm", "12.30 mm", "2.000 m"]);
    assert_eq!([0.0, 1234.56, 0.000_123_456, 24.0].map(words::number), ["0", "1235", "0.0001235", "24"]);
    assert_eq!(words::grouped(1_234_567), "1\u{202f}234\u{202f}567");
    assert_eq!([999, 20_000, 3_456_789].map(words::bytes), ["999 bytes", "20 kB", "3.5 MB"]);
}

/// A check that is interrupted after a number of samples, its page.
fn interrupted(samples: usize) -> (CheckResult, String) {
    let (scene, _) = hostile();
    let cancel = crate::Cancel::new();
    let settings = CheckSettings { cancel: Some(cancel.clone()), ..CheckSettings::default() };
    let result = check(&scene, &settings, |sample| {
        if sample.number + 1 == samples {
            cancel.cancel();
        }
        ControlFlow::Continue(())
    });
    let result = result.unwrap();
    assert_eq!((result.ending, result.times.len()), (CheckEnding::Cancelled, samples));
    let page = HtmlReport::new(&scene, &result).build().unwrap();
    (result, page)
}

#[test]
fn an_interrupted_check_says_so_first_and_claims_nothing() {
    // The mover is in the triangle from 1.5 s to 2.5 s.
    for (samples, begin, remedy) in [
        (1, "Interrupted at frame 0 (0.0000 s) of frame 40 (4.0000 s): the rest was not checked.", "--span 0..4"),
        (21, "Interrupted at frame 20 (2.0000 s) of frame 40 (4.0000 s): the rest was not checked.", "--span 2..4"),
        (41, "Interrupted after the last sample.", "finds them in the file of -o"),
    ] {
        let (result, page) = interrupted(samples);
        let text = words::summary(&result);
        assert!(text.starts_with(begin), "{text}");
        let shown = page.split_once("id=\"summary\">").unwrap().1;
        assert!(shown.starts_with(begin), "{samples}");
        // Where nothing touches, there is nothing to leave out.
        let has_contacts = samples > 1;
        assert_eq!([result.incidents_left_out, result.has_contacts()], [has_contacts; 2], "{samples}");
        let (found, none) = if has_contacts {
            ("1 of 1 pair of bodies touches; incidents were not found.", "Incidents were not found: ")
        } else {
            ("No contact was found until then: 1 pair of bodies was tested at", "Later incidents were not found: ")
        };
        assert!(text.contains(found), "{text}");
        for claim in ["There are no incidents", "Nothing touches", "not asked for", "never touch"] {
            assert!(!page.contains(claim), "{samples}: {claim}");
        }
        // Above the view, and in place of the table.
        let warning = format!("<p class=\"warning\">{none}");
        let (head, rest) = page.split_once("<main>").unwrap();
        assert!(head.contains(&warning) && head.contains(remedy) && head.contains("kinetree merge --scene"), "{head}");
        assert!(rest.contains(&format!("<p class=\"quiet\">{none}")), "{samples}");
        assert!(page.contains(&format!("\"incidents_left_out\":{has_contacts}")));
    }
}

#[test]
fn an_observer_that_stops_leaves_the_incidents_of_what_was_checked() {
    let (scene, _) = hostile();
    let stop = |sample: &crate::check::CheckSample<'_>| {
        if sample.number == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = check(&scene, &CheckSettings::default(), stop).unwrap();
    assert!(result.ending == CheckEnding::Cancelled && !result.incidents_left_out);
    let page = HtmlReport::new(&scene, &result).build().unwrap();
    assert!(page.contains("Interrupted at frame 5 (0.5000 s)") && page.contains("No contact was found until then"));
    assert!(page.contains("<p class=\"warning\">Later incidents were not found: check the rest with --span 0.5..4"));
}

#[test]
fn the_script_is_strict_and_short() {
    for entry in fs::read_dir("src/report/html/viewer").unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().count();
        assert!(lines < if path.extension().unwrap() == "js" { 500 } else { 700 }, "{}: {lines}", path.display());
    }
    assert!(include_str!("viewer/page.html").contains("\"use strict\";"));
}
