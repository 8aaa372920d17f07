//! `blend = "spherical"`: contacts of two characters against brute force over a second evaluation of spherical blending; what is refused.

use kinetree::reduced::Affine;

use crate::agreement::{checked, compare, random_times};
use crate::io_support::Folder;
use crate::program::{run, text};
use crate::reference::{Matrix, Reference};
use crate::spherical_oracle::spherically;
use crate::tentacle::tentacle;
use crate::truth::{Corners, Instance, touching};

/// A matrix of columns as a map.
fn map(columns: &Matrix) -> Affine {
    let rows = std::array::from_fn(|row| std::array::from_fn(|column| columns[column][row]));
    Affine::from_rows(rows)
}

/// Spherical blending around the places where the inverse bind matrices have the joints.
fn blend(point: [f64; 3], weights: &[(u32, f64)], matrices: &[(Matrix, Matrix)]) -> [f64; 3] {
    let maps: Vec<Affine> = matrices.iter().map(|(matrix, _)| map(matrix)).collect();
    let place = |inverse: &Matrix| -> [f64; 3] {
        let inverse = map(inverse);
        (-(inverse.linear.try_inverse().unwrap() * inverse.shift)).into()
    };
    let places: Vec<[f64; 3]> = matrices.iter().map(|(_, inverse)| place(inverse)).collect();
    spherically(point, weights, &places, &maps)
}

const BODIES: &str = "span = [0.0, 1.5]
[[body]]
name = \"left\"
mesh = \"tentacle.glb#Tube@curl\"
blend = \"spherical\"
tolerance = 0.1

[[body]]
name = \"right\"
mesh = \"tentacle.glb#Tube\"
clip = \"wave\"
offset = 0.2
outside = \"loop\"
scale = 0.8
translate = [0.2, -0.1, -0.1]
blend = \"spherical\"
tolerance = 0.1
";

#[test]
fn spherical_characters_touch_where_brute_force_finds_it() {
    let folder = Folder::new();
    folder.write("tentacle.glb", tentacle().glb());
    let scene = folder.write_at("scene.toml", BODIES);
    let mut model = Reference::read(&folder.path("tentacle.glb"));
    model.blend = Some(blend);
    let linear = Reference::read(&folder.path("tentacle.glb"));
    let instance =
        |model, clip, offset, loops, scale, shift| Instance { model, node: 0, clip, offset, loops, scale, shift };
    let of =
        |model| [instance(model, 0, 0.0, false, 1.0, [0.0; 3]), instance(model, 1, 0.2, true, 0.8, [0.2, -0.1, -0.1])];
    let ([left, right], others) = (of(&model), of(&linear));
    let bodies: [(&str, Corners<'_>); 2] =
        [("left", Box::new(|time| left.corners(time))), ("right", Box::new(|time| right.corners(time)))];
    let jumps = [0.0, 0.2, 0.25, 0.5, 0.75, 1.0, 1.2];
    let times = random_times(4, 100, [0.0, 1.5], &jumps);
    // Under linear blending other triangles touch: the key does something.
    let differs = times.iter().step_by(10).filter(|&&time| {
        let own = touching(&left.corners(time), &right.corners(time)).touching;
        own != touching(&others[0].corners(time), &others[1].corners(time)).touching
    });
    assert!(differs.count() > 5);
    let seen = compare(&scene, &folder, &bodies, &times, &[]);
    assert!(seen[0] > 500, "{seen:?}");
    // Stored keys are those of the same motion.
    let stored = folder.write_at("stored.toml", BODIES.replace("blend =", "stored = true\nblend ="));
    let of = |scene: &str| checked(scene, &folder, &["--intervals=false", "--times=0,0.5,1"]);
    let [kept, reduced] = [&stored, &scene].map(|scene| of(scene));
    assert!(kept["bodies"][0].get("reduced").is_none() && reduced["bodies"][0]["reduced"] == true);
    assert_eq!(kept["samples"], reduced["samples"]);
}

/// Joints that scale unevenly, bodies without a skin, and bodies that are no model: refused with the line and the name.
#[test]
fn what_is_not_blended_spherically_is_refused() {
    let folder = Folder::new();
    let mut uneven = tentacle();
    uneven.root["nodes"][2]["scale"] = serde_json::json!([1.0, 1.5, 1.0]);
    folder.write("uneven.glb", uneven.glb());
    let mut bare = tentacle();
    bare.root["nodes"][0].as_object_mut().unwrap().remove("skin");
    folder.write("bare.glb", bare.glb());
    folder.write("tentacle.glb", tentacle().glb());
    folder.write("plain.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let cases = [
        ("uneven.glb#Tube@curl", "spherical", "(Tube): it cannot be blended spherically"),
        ("bare.glb#Tube@curl", "spherical", "(Tube): it has no skin"),
        ("plain.obj", "spherical", "`blend`"),
        ("tentacle.glb#Tube@curl", "round", "spherical"),
    ];
    for (mesh, blend, message) in cases {
        let scene = format!("span = [0, 1]\n[[body]]\nname = \"a\"\nmesh = \"{mesh}\"\nblend = \"{blend}\"\n");
        let scene = folder.write_at("bad.toml", scene);
        let output = run(&["check", &scene]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{mesh}: {told}");
        assert!(told.contains(message) && told.contains("bad.toml, line 5"), "{mesh}: {told}");
    }
    // Linear blending is what glTF has: the bytes of a scene without the key.
    let with = folder.write_at("with.toml", BODIES.replace("spherical", "linear"));
    let without = folder.write_at("without.toml", BODIES.replace("blend = \"spherical\"\n", ""));
    let [one, two] = [with, without].map(|scene| checked(&scene, &folder, &["--times=0.3,0.6"]));
    assert_eq!(one["samples"], two["samples"]);
}
