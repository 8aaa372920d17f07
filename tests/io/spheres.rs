//! Files of spheres that are refused: the sentence a user reads, word for word.

#[test]
fn files_of_spheres_that_are_refused() {
    let sphere = "[0, 0, 0, 1]";
    let refused = |text: &str| {
        let error = kinetree::io::parse_spheres(text.as_bytes(), "x".as_ref()).expect_err(text);
        error.to_string()
    };
    let look = "it must look like {\"spheres\": [[x, y, z, radius], …]}";
    let cases = [
        ("{}".to_owned(), format!("x: the file has no spheres; {look}")),
        ("{\"poses\": []}".into(), format!("x: the file has no spheres; {look}")),
        ("{\"spheres\": []}".into(), "x: pose 0 has no spheres; at least one is needed".into()),
        (
            format!("{{\"spheres\": [{sphere}], \"poses\": []}}"),
            "x: the file has both `poses` and `spheres`; keep one of them".into(),
        ),
        (
            format!("{{\"poses\": [{{\"spheres\": [{sphere}]}}, {{\"spheres\": [{sphere}, {sphere}]}}]}}"),
            "x: pose 1 has 2 spheres, but pose 0 has 1; sphere k must be the same in all poses".into(),
        ),
        (
            "{\"spheres\": [[0, 0, 0, -1e-9]]}".into(),
            "x: pose 0, sphere 0: the radius is -0.000000001 m; it must be a number of metres, 0 or more".into(),
        ),
        (
            "{\"spheres\": [[0, 0, 1e31, 1]]}".into(),
            "x: pose 0, sphere 0: coordinate z of the centre is 10000000000000000000000000000000, which with the radius is beyond \
             what can be used"
                .into(),
        ),
        ("{\"version\": 2}".into(), "x: the file is of version 2; this program reads version 1: pack the mesh again".into()),
        ("{\"format\": \"capsules\"}".into(), "x: `format` is \"capsules\", but a file of spheres says \"kinetree-spheres\"".into()),
        (
            "{\"spheres\": [[0, 0, 0, NaN]]}".into(),
            format!("x, line 1, column 24: this is not a JSON file of spheres: a number is NaN, which JSON does not have; {look}"),
        ),
        (
            "{\"mesh\": {\"file\": \"a\", \"vertices\": 1, \"triangles\": 1, \"fingerprint\": \"?\"}}".into(),
            "x: the `fingerprint` of the mesh is \"?\", which is no hexadecimal number of 64 bits".into(),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(&text), expected, "{text}");
    }
    assert!(refused("{\"spheres\": [[0, 0, 0]]}").contains("invalid length 3"));
    assert!(refused("[]").contains("this is not a JSON file of spheres"));
}

mod both_forms {
    use crate::io_support::checksum::checksum;
    use kinetree::Sphere;
    use kinetree::io::{
        JointSphere, MeshMark, SphereFile, SphereFileError, SphereJoint, SpherePose, SphereSkin, parse_spheres,
    };
    use kinetree::reduced::Affine;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![Just(-0.0), Just(f64::MIN_POSITIVE / 3.0), Just(1e29), -1e6..1e6f64]
    }

    fn sphere() -> impl Strategy<Value = Sphere> {
        ([number(), number(), number()], number()).prop_map(|(centre, radius)| Sphere { centre, radius: radius.abs() })
    }

    fn pose(count: usize) -> impl Strategy<Value = SpherePose> {
        // A measurement that is not finite is not written, in either form.
        let measured = ("\\PC{0,4}", prop_oneof![number(), Just(f64::NAN), Just(f64::INFINITY)]);
        (".{0,6}", vec(sphere(), count), vec(measured, 0..4)).prop_map(|(name, spheres, quality)| {
            let mut pose = SpherePose::new(&name, spheres);
            pose.quality = quality;
            pose
        })
    }

    fn skin(count: usize) -> impl Strategy<Value = SphereSkin> {
        let joints = vec((".{0,6}", any::<u32>()), 1..4);
        let bound = vec((any::<prop::sample::Index>(), sphere()), count);
        (".{0,6}", joints, bound).prop_map(|(name, joints, bound)| {
            let mut skin = SphereSkin::default();
            skin.name = name;
            skin.joints = joints.iter().map(|(name, node)| SphereJoint::new(name, *node)).collect();
            let last = skin.joints.len();
            let bound = bound.into_iter().map(|(at, sphere)| JointSphere { joint: at.index(last) as u32, sphere });
            skin.spheres = bound.collect();
            skin
        })
    }

    fn file() -> impl Strategy<Value = SphereFile> {
        let parts = |count| {
            let mark = prop::option::of((".{0,6}", 0..usize::MAX / 2, 0..9usize, any::<u64>()));
            (vec(pose(count), 1..4), mark, vec(".{0,9}", 0..3), prop::option::of(skin(count)))
        };
        (1..5usize).prop_flat_map(parts).prop_map(|(poses, mark, notes, skin)| {
            let mut file = SphereFile::new(poses).expect("usable spheres");
            file.mesh = mark.map(|(name, vertices, triangles, fingerprint)| {
                let mut mark = MeshMark::default();
                (mark.file, mark.vertices, mark.triangles, mark.fingerprint) = (name, vertices, triangles, fingerprint);
                mark
            });
            (file.notes, file.skin) = (notes, skin);
            file
        })
    }

    fn read(bytes: &[u8]) -> SphereFile {
        parse_spheres(bytes, "x".as_ref()).unwrap_or_else(|error| panic!("{error}"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn json_and_binary_read_back_equal(file in file()) {
            let (json, binary) = (read(file.to_json().as_bytes()), read(&file.to_bytes()));
            prop_assert_eq!(&json, &binary);
            // Bit for bit, the sign of zero included.
            prop_assert_eq!(json.to_bytes(), binary.to_bytes());
            prop_assert_eq!((&binary.mesh, &binary.notes, &binary.skin), (&file.mesh, &file.notes, &file.skin));
            for (pose, given) in binary.poses.iter().zip(&file.poses) {
                prop_assert_eq!((&pose.name, &pose.spheres), (&given.name, &given.spheres));
            }
        }
    }

    /// Two poses of three spheres on two joints.
    fn small() -> SphereFile {
        let ball = |x: f64| Sphere { centre: [x, 0.5, -x], radius: 0.25 };
        let spheres: Vec<Sphere> = [0.0, 1.0, 2.0].map(ball).to_vec();
        let mut file =
            SphereFile::new(["rest", "bent"].map(|name| SpherePose::new(name, spheres.clone())).to_vec()).unwrap();
        file.poses[0].quality = vec![("largest_gap".into(), 0.125)];
        let joints = ["hip", "knee"].map(|name| SphereJoint::new(name, 5)).to_vec();
        file.skin = Some(SphereSkin::new("leg", joints, &[Affine::identity(); 2], &spheres, &[0, 1, 1]).unwrap());
        file.notes = vec!["a note".into()];
        file
    }

    /// A file with some content, and a header that is right for it.
    fn with_content(content: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x89KTSPH\r\n\x01\0\0\0\0\0\0\0".to_vec();
        bytes.extend((content.len() as u64).to_le_bytes());
        bytes.extend(checksum(content).to_le_bytes());
        bytes.extend(content);
        bytes
    }

    #[test]
    fn damaged_binary_files_are_refused() {
        let bytes = small().to_bytes();
        assert_eq!(with_content(&bytes[32..]), bytes);
        let refused = |bytes: &[u8]| parse_spheres(bytes, "x".as_ref()).expect_err("refused").to_string();
        for length in 0..bytes.len() {
            refused(&bytes[..length]);
        }
        refused(&[&bytes[..], &[0]].concat());
        for byte in 0..bytes.len() {
            for flip in [1, 0x80] {
                let mut changed = bytes.clone();
                changed[byte] ^= flip;
                refused(&changed);
            }
        }
        let mut later = bytes.clone();
        later[8] = 2;
        assert_eq!(refused(&later), "x: the file is of version 2; this program reads version 1: pack the mesh again");
        let mut changed = bytes.clone();
        changed[60] ^= 1;
        assert!(refused(&changed).contains("the file is damaged"), "{}", refused(&changed));
    }

    #[test]
    fn content_that_is_wrong_under_a_right_checksum_is_refused_and_reserves_nothing() {
        let content = small().to_bytes().split_off(32);
        let refused =
            |content: &[u8]| parse_spheres(&with_content(content), "x".as_ref()).expect_err("refused").to_string();
        for length in 0..content.len() {
            refused(&content[..length]);
        }
        assert!(refused(&[&content[..], &[0]].concat()).contains("more bytes than the file needs"));
        // Flags, no notes, then counts of spheres and poses that no file could hold.
        let huge = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        for head in [&[0, 0][..], &[0], &[0, 0, 1]] {
            assert!(refused(&[head, &huge].concat()).contains("a count beyond the end of the file"));
        }
        assert!(refused(&[4, 0, 0, 0]).contains("an unknown part"));
        assert!(refused(&[0, 1, 1, 0xff, 0, 0]).contains("not UTF-8"));
        assert!(refused(&[0, 0, 0, 0]).contains("the file has no spheres"));
        // Any byte: an error or other numbers, and no panic.
        for byte in 0..content.len() {
            let mut changed = content.clone();
            changed[byte] ^= 0xff;
            let _ = parse_spheres(&with_content(&changed), "x".as_ref());
        }
    }

    #[test]
    fn bound_spheres_that_are_refused() {
        let refused = |change: &dyn Fn(&mut SphereSkin)| {
            let mut file = small();
            change(file.skin.as_mut().unwrap());
            let [json, binary] = [file.to_json().into_bytes(), file.to_bytes()]
                .map(|bytes| parse_spheres(&bytes, "x".as_ref()).expect_err("refused").to_string());
            assert_eq!(json, binary);
            json
        };
        let missing = refused(&|skin| skin.spheres[1].joint = 2);
        assert_eq!(missing, "x: bound sphere 1 names joint 2, but the skin has 2 (counted from 0)");
        let negative = refused(&|skin| skin.spheres[2].sphere.radius = -1.0);
        assert_eq!(negative, "x: bound sphere 2: the radius is -1 m; it must be a number of metres, 0 or more");
        refused(&|skin| skin.spheres[0].sphere.centre[2] = 1e31);
        refused(&|skin| skin.joints.clear());
        let mut fewer = small();
        fewer.skin.as_mut().unwrap().spheres.pop();
        let error = parse_spheres(fewer.to_json().as_bytes(), "x".as_ref()).expect_err("refused").to_string();
        assert_eq!(error, "x: the skin binds 2 spheres, but there are 3");
    }

    #[test]
    fn spheres_follow_their_joints() {
        // The hip at rest is scaled by a half and moved by 1 m; then it is turned about z by a quarter, moved, and has its full size.
        let at = |x: f64, turn: [f64; 4], scale: f64| Affine::from_parts([x, 0.0, 0.0], turn, [scale; 3]);
        let none = [0.0, 0.0, 0.0, 1.0];
        let ball = Sphere { centre: [2.0, 0.0, 0.0], radius: 0.5 };
        let joints = || vec![SphereJoint::new("hip", 0), SphereJoint::new("flat", 1)];
        let rest = [at(1.0, none, 0.5), at(0.0, none, 0.0)];
        let skin = SphereSkin::new("", joints(), &rest, &[ball], &[0]).unwrap();
        let Sphere { centre, radius } = skin.spheres[0].sphere;
        assert_eq!(centre, [2.0, 0.0, 0.0]);
        assert!((radius - 1.0).abs() < 1e-12);
        let quarter = [0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()];
        let posed = skin.posed(&[at(10.0, quarter, 1.0), rest[1]]).unwrap();
        let expected = [10.0, 2.0, 0.0];
        assert!((0..3).all(|k| (posed[0].centre[k] - expected[k]).abs() < 1e-12), "{posed:?}");
        assert!((posed[0].radius - 1.0).abs() < 1e-12 && posed[0].radius >= 1.0 - 1e-15, "{posed:?}");

        // Whatever the scales: what the ball holds at rest, the posed ball holds.
        for scale in [[1.0, 2.0, 3.0], [0.1, 1.0, 1.0], [4.0, 0.5, 0.5]] {
            let rest = Affine::from_parts([1.0, 0.0, 0.0], quarter, scale);
            let skin = SphereSkin::new("", joints(), &[rest, rest], &[ball], &[0]).unwrap();
            for pose in [rest, at(3.0, none, 1.0), Affine::from_parts([0.0; 3], none, [scale[2], scale[0], scale[1]])] {
                let posed = skin.posed(&[pose, pose]).unwrap()[0];
                for (axis, side) in (0..3).flat_map(|axis| [(axis, 0.5), (axis, -0.5)]) {
                    let mut point = ball.centre;
                    point[axis] += side;
                    let moved = pose.point(rest.inverse().unwrap().point(point));
                    let distance = (0..3).map(|k| (moved[k] - posed.centre[k]).powi(2)).sum::<f64>().sqrt();
                    assert!(distance <= posed.radius + 1e-12, "{scale:?}, {axis}: {distance} {posed:?}");
                }
            }
        }

        // Refusals name joint and sphere; nothing is posed.
        let flat = SphereSkin::new("", joints(), &rest, &[ball], &[1]).unwrap_err();
        assert_eq!(flat.to_string(), "joint 1 (\"flat\") has a scale of zero at rest; no sphere can be bound to it");
        let count = SphereFileError::JointMatrices { found: 1, wanted: 2 };
        assert_eq!(skin.posed(&rest[..1]), Err(count.clone()));
        assert_eq!(SphereSkin::new("", joints(), &rest[..1], &[ball], &[0]), Err(count));
        let missing = SphereFileError::NoSuchJoint { sphere: 0, joint: 2, joints: 2 };
        assert_eq!(SphereSkin::new("", joints(), &rest, &[ball], &[2]), Err(missing));
        assert_eq!(
            SphereSkin::new("", joints(), &rest, &[ball], &[]),
            Err(SphereFileError::BoundCount { found: 0, wanted: 1 })
        );
        for bad in [f64::NAN, f64::INFINITY, 1e31] {
            let error = skin.posed(&[at(bad, none, 1.0), rest[1]]).unwrap_err();
            assert!(error.to_string().starts_with("joint 0 (\"hip\") carries sphere 0 to no usable place"), "{error}");
        }
    }
}
