//! Files of spheres that are refused: the sentence a user reads, word for word.
#![cfg(feature = "io")]

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
