//! PC2, MDD and transform files: what is written comes back, and every refusal word for word.

use std::path::Path;

use crate::io_support::{Folder, Random, mdd, pc2, sentence};
use kinetree::io::{
    CacheTiming, PointCache, ReadError, TransformTrack, parse_mdd, parse_pc2, parse_transforms, read_mdd, read_pc2,
    read_transforms, transform_point,
};

fn from_pc2(bytes: &[u8]) -> Result<PointCache, ReadError> {
    parse_pc2(bytes, Path::new("x"))
}

fn from_mdd(bytes: &[u8]) -> Result<PointCache, ReadError> {
    parse_mdd(bytes, Path::new("x"))
}

fn from_json(text: &str) -> Result<TransformTrack, ReadError> {
    parse_transforms(text.as_bytes(), Path::new("x"))
}

fn count(number: usize) -> i32 {
    i32::try_from(number).expect("a small count")
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn written_caches_come_back_bit_for_bit() {
    let folder = Folder::new();
    let mut random = Random::new(2);
    for _ in 0..50 {
        let (vertices, frames) = (1 + random.below(20), 1 + random.below(9));
        let positions: Vec<f32> = (0..vertices * frames * 3).map(|_| random.finite()).collect();
        let (start, rate) = (random.finite(), random.finite());
        let bytes = pc2(count(vertices), start, rate, count(frames), &positions);
        let cache = read_pc2(folder.write("cache.pc2", &bytes)).expect("pc2");
        assert_eq!(cache, from_pc2(&bytes).expect("pc2 bytes"));
        assert_eq!((cache.vertices, cache.frames), (vertices, frames));
        assert_eq!(bits(&cache.positions), bits(&positions));
        assert_eq!(cache.timing, CacheTiming::Pc2 { start, rate });

        let times: Vec<f32> = (0..frames).map(|_| random.finite()).collect();
        let bytes = mdd(count(frames), count(vertices), &times, &positions);
        let cache = read_mdd(folder.write("cache.mdd", &bytes)).expect("mdd");
        assert_eq!(cache, from_mdd(&bytes).expect("mdd bytes"));
        assert_eq!((cache.vertices, cache.frames), (vertices, frames));
        assert_eq!(bits(&cache.positions), bits(&positions));
        assert_eq!(cache.timing, CacheTiming::Mdd { times });
    }
}

#[test]
fn pc2_refusals_word_for_word() {
    let good = pc2(2, 0.0, 1.0, 3, &[0.5; 18]);
    assert_eq!(from_pc2(&good).expect("good").frames, 3);
    let with = |at: usize, word: [u8; 4]| {
        let mut bytes = good.clone();
        bytes[at..at + 4].copy_from_slice(&word);
        sentence(from_pc2(&bytes))
    };
    let no_vertices =
        |found: i32| format!("x: the header announces {found} vertices; at least 1 is needed: export the cache again");
    let no_frames = |found: i32| {
        format!("x: the header announces {found} frames; at least 1 is needed: bake the simulation, then export again")
    };
    assert_eq!(
        sentence(from_pc2(&good[..31])),
        "x: the file has 31 bytes, less than the 32 of the PC2 header; write the cache again"
    );
    assert_eq!(
        with(0, *b"\x89PNG"),
        "x: the file starts with `�PNGTCACHE2\\0` where a PC2 cache starts with `POINTCACHE2`; is it another format?"
    );
    assert_eq!(with(12, 2i32.to_le_bytes()), "x: the header says PC2 version 2; only version 1 is known");
    assert_eq!(with(16, 0i32.to_le_bytes()), no_vertices(0));
    assert_eq!(with(16, (-7i32).to_le_bytes()), no_vertices(-7));
    assert_eq!(with(28, 0i32.to_le_bytes()), no_frames(0));
    assert_eq!(with(28, i32::MIN.to_le_bytes()), no_frames(i32::MIN));
    assert_eq!(
        with(20, f32::NAN.to_le_bytes()),
        "x: the header's start is NaN; the file is damaged: write the cache again"
    );
    assert_eq!(
        with(24, f32::NEG_INFINITY.to_le_bytes()),
        "x: the header's rate is -inf; the file is damaged: write the cache again"
    );
    assert_eq!(
        sentence(from_pc2(&good[..good.len() - 1])),
        "x: the header announces 3 frames of 2 vertices, which is a file of 104 bytes, but this one has 103; \
         the export was cut short: write the cache again"
    );
    assert_eq!(
        sentence(from_pc2(&[&good[..], &[0]].concat())),
        "x: the header announces 3 frames of 2 vertices, which is a file of 104 bytes, but this one has 105; \
         the header was not brought up to date: write the cache again"
    );
    assert_eq!(
        with(32 + 4 * (6 + 3 + 1), f32::INFINITY.to_le_bytes()),
        "x: in frame 1 the y coordinate of vertex 1 is inf (both counted from 0); \
         the simulation has exploded there: bake it again"
    );
}

#[test]
fn mdd_refusals_word_for_word() {
    let good = mdd(3, 2, &[0.0, 0.1, 0.2], &[0.5; 18]);
    assert_eq!(from_mdd(&good).expect("good").frames, 3);
    assert_eq!(
        sentence(from_mdd(&good[..7])),
        "x: the file has 7 bytes, less than the 8 of the MDD header; write the cache again"
    );
    assert_eq!(
        sentence(from_mdd(&pc2(2, 0.0, 1.0, 3, &[0.5; 18]))),
        "x: this is a PC2 cache with the name of an MDD cache; name it .pc2"
    );
    let mut swapped = good.clone();
    swapped.as_chunks_mut::<4>().0.iter_mut().for_each(|word| word.reverse());
    assert_eq!(
        sentence(from_mdd(&swapped)),
        "x: the numbers are stored lowest byte first, but MDD stores the highest byte first; \
         write the cache with an exporter that follows the format"
    );
    assert_eq!(
        sentence(from_mdd(&mdd(0, 2, &[], &[]))),
        "x: the header announces 0 frames; at least 1 is needed: bake the simulation, then export again"
    );
    assert_eq!(
        sentence(from_mdd(&mdd(3, -1, &[0.0; 3], &[]))),
        "x: the header announces -1 vertices; at least 1 is needed: export the cache again"
    );
    assert_eq!(
        sentence(from_mdd(&good[..50])),
        "x: the header announces 3 frames of 2 vertices, which is a file of 92 bytes, but this one has 50; \
         the export was cut short: write the cache again"
    );
    let mut positions = [0.5; 18];
    positions[17] = f32::NAN;
    assert_eq!(
        sentence(from_mdd(&mdd(3, 2, &[0.0; 3], &positions))),
        "x: in frame 2 the z coordinate of vertex 1 is NaN (both counted from 0); \
         the simulation has exploded there: bake it again"
    );
}

#[test]
fn absurd_headers_are_refused_by_their_arithmetic() {
    // 2^31 - 1 of both is 5.5e19 bytes: more than 64 bits hold, and nothing to allocate first and compare later.
    let most = i32::MAX;
    assert_eq!(
        sentence(from_pc2(&pc2(most, 0.0, 1.0, most, &[0.0; 3]))),
        "x: the header announces 2147483647 frames of 2147483647 vertices, which is a file of 55340232169589047340 bytes, \
         but this one has 44; the export was cut short: write the cache again"
    );
    assert_eq!(
        sentence(from_mdd(&mdd(most, most, &[0.0], &[]))),
        "x: the header announces 2147483647 frames of 2147483647 vertices, which is a file of 55340232178178981904 bytes, \
         but this one has 12; the export was cut short: write the cache again"
    );
    // In 64 bits this one wraps round to exactly the file's length.
    let (vertices, frames) = (1_076_074_802, 1_428_551_872);
    assert_eq!((vertices as u64).wrapping_mul(frames as u64).wrapping_mul(12), 512);
    let message = sentence(from_pc2(&pc2(vertices, 0.0, 1.0, frames, &[0.0; 128])));
    assert!(message.contains("18446744073709552160 bytes, but this one has 544"), "{message}");
}

const TURN: &str = "[0, -1, 0, 2, 1, 0, 0, 3, 0, 0, 1, 4, 0, 0, 0, 1]";

#[test]
fn transforms_in_both_forms_with_and_without_times() {
    let rows = "[[0, -1, 0, 2], [1, 0, 0, 3], [0, 0, 1, 4], [0, 0, 0, 1]]";
    let folder = Folder::new();
    let text = format!("{{\"mesh\": \"ball.obj\", \"note\": [1, {{}}], \"frames\": [{TURN}, {rows}]}}");
    let track = read_transforms(folder.write("ball.json", text)).expect("track");
    assert_eq!(track.transforms.len(), 2);
    assert_eq!(track.transforms[0], track.transforms[1]);
    assert_eq!(track.times, None);
    assert_eq!(transform_point(&track.transforms[0], [10.0, 20.0, 30.0]), [-18.0, 13.0, 34.0]);
    let track = from_json(&format!("{{\"fps\": 4, \"frames\": [{TURN}, {TURN}, {TURN}]}}")).expect("fps");
    assert_eq!(track.times, Some(vec![0.0, 0.25, 0.5]));
    let track = from_json(&format!("{{\"times\": [1, 1.5], \"frames\": [{TURN}, {TURN}]}}")).expect("times");
    assert_eq!(track.times, Some(vec![1.0, 1.5]));
}

#[test]
fn doubles_come_back_bit_for_bit_and_the_last_row_is_made_exact() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let mut matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1e-8, 0.0, -1e-7, 0.999_999_9];
        for entry in &mut matrix[..12] {
            *entry += (random.next() as f64 / u64::MAX as f64 - 0.5) * 0.2;
        }
        let track = from_json(&format!("{{\"frames\": [{matrix:?}]}}")).expect("track");
        matrix[12..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0]);
        assert_eq!(track.transforms[0].map(f64::to_bits), matrix.map(f64::to_bits));
    }
}

#[test]
fn points_are_rounded_once() {
    // 1 + 2^-30 - 1 in f32 arithmetic is 0: the sum must be formed in f64.
    let tiny = (2f64).powi(-30);
    let matrix = [1.0, 0.0, 0.0, tiny - 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    assert_eq!(transform_point(&matrix, [1.0, 0.0, 0.0])[0], tiny as f32);
}

#[test]
fn transform_refusals_word_for_word() {
    let form = "it must look like {\"frames\": [[16 numbers], …]}";
    let row = |last: &str| format!("{{\"frames\": [{TURN}, [1,0,0,0, 0,1,0,0, 0,0,1,0, {last}]]}}");
    let flat = "x: the matrix of frame 0 (counted from 0) flattens the body: a scale is zero, \
                or two axes point the same way; correct the matrix";
    let matrix = |axes: &str| format!("{{\"frames\": [[{axes}, 0,0,0,1]]}}");
    let cases = [
        (
            "[".to_owned(),
            format!("x, line 1, column 1: this is not a JSON file of transforms: EOF while parsing a list; {form}"),
        ),
        (
            "{}".to_owned(),
            format!("x, line 1, column 2: this is not a JSON file of transforms: missing field `frames`; {form}"),
        ),
        (
            "{\"frames\":\n [[1, \"a\"]]}".to_owned(),
            format!(
                "x, line 2, column 9: this is not a JSON file of transforms: invalid type: string \"a\", \
                 expected a number or a row of four numbers; {form}"
            ),
        ),
        (
            "{\"frames\": [[1, [2]]]}".to_owned(),
            format!(
                "x, line 1, column 20: this is not a JSON file of transforms: a matrix mixes numbers and rows of numbers; {form}"
            ),
        ),
        (
            "{\"frames\": [[1, 1e999]]}".to_owned(),
            format!("x, line 1, column 21: this is not a JSON file of transforms: number out of range; {form}"),
        ),
        ("{\"frames\": []}".to_owned(), "x: `frames` is empty; at least one matrix is needed".to_owned()),
        (
            "{\"frames\": [[1, 2, 3]]}".to_owned(),
            "x: the matrix of frame 0 (counted from 0) has 3 numbers; 16 are needed, row by row".to_owned(),
        ),
        (
            "{\"frames\": [[[1,0,0,0], [0,1,0], [0,0,1,0], [0,0,0,1,0]]]}".to_owned(),
            "x: the matrix of frame 0 (counted from 0) has 3 numbers in row 1 (counted from 0); 4 are needed"
                .to_owned(),
        ),
        (
            row("0, 0, 0, 2"),
            "x: the matrix of frame 1 (counted from 0) has the last row 0 0 0 2 where 0 0 0 1 is needed".to_owned(),
        ),
        (
            row("0.5, 0, -3, 1"),
            "x: the matrix of frame 1 (counted from 0) has the last row 0.5 0 -3 1 where 0 0 0 1 is needed; \
             the translation seems to be in the last row: write the matrix transposed"
                .to_owned(),
        ),
        (matrix("0,0,0,0, 0,1,0,0, 0,0,1,0"), flat.to_owned()),
        (matrix("1,1,0,0, 0,0,0,0, 0,0,1,0"), flat.to_owned()),
        (matrix("1,2,0,0, 1,2,0,0, 0,0,1,0"), flat.to_owned()),
        (matrix("1e-300,0,0,0, 0,1e-300,0,0, 0,0,1e-300,0"), flat.to_owned()),
        (
            format!("{{\"frames\": [{TURN}], \"fps\": 0}}"),
            "x: `fps` is 0; it must be a usable number of frames a second above zero, such as 24".to_owned(),
        ),
        (
            format!("{{\"frames\": [{TURN}], \"fps\": 24, \"times\": [0]}}"),
            "x: both `fps` and `times` are given; keep one of them".to_owned(),
        ),
        (
            format!("{{\"frames\": [{TURN}], \"times\": [0, 1]}}"),
            "x: `times` has 2 entries, but the motion has 1 frames; give one time a frame".to_owned(),
        ),
        (
            format!("{{\"frames\": [{TURN}, {TURN}], \"times\": [1, 1]}}"),
            "x: time 1 (counted from 0) is 1, which is not after the 1 before it; times must increase".to_owned(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(sentence(from_json(&text)), expected, "{text}");
    }
    // Large and small scales are fine as long as the axes are apart.
    for axes in ["1e18,0,0,0, 0,-1e18,0,0, 0,0,1e18,0", "1e-6,0,0,0, 0,1e6,0,0, 0,0,1,0"] {
        from_json(&matrix(axes)).expect(axes);
    }
}

#[test]
fn the_numbers_python_writes_for_nothing_are_explained() {
    for (word, column) in [("NaN", 21), ("Infinity", 21), ("-Infinity", 22)] {
        let text = format!("{{\"mesh\": 1,\n \"frames\": [[0, 1, 2, {word}, 3]]}}");
        let error = from_json(&text).expect_err(word);
        assert_eq!(error.line(), Some(2));
        let near = error.column().expect("column").abs_diff(column);
        assert!(near <= 3, "{word}: column {:?}", error.column());
        let message = error.to_string();
        let expected =
            format!(": a number is {word}, which neither JSON nor a transform can hold; correct it in the exporter");
        assert!(message.ends_with(&expected), "{message}");
    }
}
