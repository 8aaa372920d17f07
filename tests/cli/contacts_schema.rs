//! The files that `check` and `merge` write against `docs/formats/contacts.schema.json`, by a validator of its own.

use std::fs;

use crate::io_support::Folder;
use crate::program::{run, text};
use serde_json::{Value, json};

/// Faults of a value; knows the keywords that the schema uses, and refuses others.
fn faults(value: &Value, schema: &Value, root: &Value, at: &str, found: &mut Vec<String>) {
    let mut fault = |text: String| found.push(format!("{at}: {text}"));
    let members = schema.as_object().expect("a schema is an object");
    for (keyword, wanted) in members {
        let holds = match keyword.as_str() {
            "$schema"
            | "title"
            | "description"
            | "$defs"
            | "$ref"
            | "properties"
            | "items"
            | "additionalProperties" => true,
            "type" => match wanted.as_array() {
                Some(names) => names.iter().any(|name| is_of_type(value, name.as_str().unwrap())),
                None => is_of_type(value, wanted.as_str().unwrap()),
            },
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "required" => wanted.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
            "minimum" => value.as_f64().is_none_or(|number| number >= wanted.as_f64().unwrap()),
            "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > wanted.as_f64().unwrap()),
            "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= wanted.as_u64().unwrap()),
            "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= wanted.as_u64().unwrap()),
            "minLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 >= wanted.as_u64().unwrap()),
            "maxLength" => value.as_str().is_none_or(|text| text.chars().count() as u64 <= wanted.as_u64().unwrap()),
            other => panic!("the validator does not know '{other}'"),
        };
        if !holds {
            fault(format!("{keyword} {wanted}"));
        }
    }
    if let Some(target) = members.get("$ref") {
        let target = root.pointer(target.as_str().unwrap().trim_start_matches('#')).expect("a definition");
        faults(value, target, root, at, found);
    }
    if let (Some(items), Some(values)) = (members.get("items"), value.as_array()) {
        values
            .iter()
            .enumerate()
            .for_each(|(index, value)| faults(value, items, root, &format!("{at}/{index}"), found));
    }
    let Some(present) = value.as_object() else { return };
    for (name, value) in present {
        match members.get("properties").and_then(|properties| properties.get(name)) {
            Some(schema) => faults(value, schema, root, &format!("{at}/{name}"), found),
            None if members.get("additionalProperties") == Some(&json!(false)) => {
                found.push(format!("{at}/{name}: not known"));
            }
            None => {}
        }
    }
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        other => panic!("the validator does not know the type '{other}'"),
    }
}

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats/contacts.schema.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn check(value: &Value) -> Vec<String> {
    let (schema, mut found) = (schema(), Vec::new());
    faults(value, &schema, &schema, "", &mut found);
    found
}

fn scene(folder: &Folder) -> String {
    folder.write("a.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("b.obj", "v 0 0 1\nv 0.5 0 2\nv -0.5 0 2\nf 1 2 3\n");
    let scene = "span = [0, 1]\n[[body]]\nname = \"a\"\nmesh = \"a.obj\"\n\
                 [[body]]\nname = \"b\"\nmesh = \"b.obj\"\nvelocity = [0, 0, -1.5]\n";
    folder.write_at("scene.toml", scene)
}

#[test]
fn what_is_written_is_what_the_schema_says() {
    let folder = Folder::new();
    let scene = scene(&folder);
    let (part, rest, joined) = (folder.at("part.json"), folder.at("rest.json"), folder.at("joined.json"));
    let out = folder.at("out.json");
    let runs: [&[&str]; 7] = [
        &["check", "fixtures/van/scene.toml", "-o", &out],
        &["check", &scene, "-o", &out],
        &["check", &scene, "-o", &out, "--fps", "24"],
        &["check", &scene, "-o", &out, "--fps", "24", "--first"],
        &["check", &scene, "-o", &out, "--engine", "refit"],
        &["check", &scene, "-o", &part, "--fps", "24", "--span", "0..0.7"],
        &["check", &scene, "-o", &rest, "--fps", "24", "--span", "0.7..1"],
    ];
    let mut members = std::collections::BTreeSet::new();
    let mut read = |arguments: &[&str], file: &str| {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let value: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        assert_eq!(check(&value), Vec::<String>::new(), "{arguments:?}");
        members.extend(value.as_object().unwrap().keys().cloned());
        value
    };
    for arguments in runs {
        read(arguments, arguments[3]);
    }
    let named = folder.write_at("named.obj", "o wall\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nusemtl brick\nf 1 2 3\n");
    let moving = folder.write_at("moving.obj", "v 0 0 -1\nv 0.5 0 1\nv -0.5 0 1\nf 1 2 3\n");
    let value = read(&["check", &named, &moving, "-o", &out], &out);
    assert_eq!(value["revision"], 2);
    assert_eq!(value["samples"][0]["pairs"][0]["part_a"], 0);
    assert_eq!(
        value["bodies"][0]["parts"],
        json!([{"groups": ["wall"], "materials": ["brick"], "triangles": [[0, 1]]}])
    );
    assert!(value["bodies"][1].get("parts").is_none() && value["samples"][0]["pairs"][0].get("part_b").is_none());
    let value = read(&["merge", &part, &rest, "-o", &joined], &joined);
    assert!(value.get("stats").is_none() && value.get("part").is_none());
    assert_eq!(value["intervals"][0]["frames"].as_array().unwrap().len(), 2);
    // Every member of the schema was written by one of them.
    let known: Vec<String> = schema()["properties"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(members.into_iter().collect::<Vec<_>>(), known);
}

#[test]
fn the_validator_finds_faults() {
    let body = json!({"name": "a", "triangles": 1});
    let good = json!({"format": "kinetree-contacts/1", "bodies": [body], "samples": [{"time": 0, "pairs": []}]});
    assert_eq!(check(&good), Vec::<String>::new());
    let changes: [(&str, Value); 9] = [
        ("format", json!("kinetree-contacts/2")),
        ("bodies", json!([{"name": "a"}])),
        ("bodies", json!([{"name": "a", "triangles": -1}])),
        ("bodies", json!([{"name": "", "triangles": 1}])),
        ("samples", json!([{"time": "0", "pairs": []}])),
        ("samples", json!([{"time": 0, "pairs": [{"a": "a", "triangle_a": 0.5, "b": "a", "triangle_b": 1}]}])),
        ("span", json!([0, 1, 2])),
        ("part", json!({"of": [0, 1], "ending": "lost"})),
        ("unheard", json!(0)),
    ];
    for (member, value) in changes {
        let mut changed = good.clone();
        changed[member] = value;
        assert_eq!(check(&changed).len(), 1, "{changed} {:?}", check(&changed));
    }
}

/// The same for files of spheres and their schema.
#[test]
fn what_pack_writes_is_what_its_schema_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/formats/spheres.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let judge = |file: &Value| {
        let mut found = Vec::new();
        faults(file, &schema, &schema, "", &mut found);
        found
    };
    let done = run(&[
        "pack",
        "fixtures/van/van.obj",
        "--poses",
        "fixtures/van/van_dented.obj",
        "--spheres",
        "8",
        "--cells",
        "16",
        "-q",
        "-o",
        "-",
    ]);
    let mut file: Value = serde_json::from_str(&text(&done.stdout)).expect("JSON");
    assert_eq!(judge(&file), [""; 0]);
    let committed: Value = serde_json::from_str(&fs::read_to_string("fixtures/van/van.spheres.json").unwrap()).unwrap();
    assert_eq!(judge(&committed), [""; 0]);
    assert_eq!(judge(&bound_spheres()), [""; 0]);
    // The schema is not empty words.
    let mut bound = bound_spheres();
    bound["skin"]["spheres"][0]["joint"] = json!(-1);
    bound["skin"]["joints"][0].as_object_mut().unwrap().remove("name");
    assert_eq!(judge(&bound).len(), 2, "{:?}", judge(&bound));
    file["poses"][0]["spheres"][0].as_array_mut().unwrap().pop();
    file["poses"][1]["quality"]["largest_gap"] = json!(-1.0);
    file["extra"] = json!(1);
    assert_eq!(judge(&file).len(), 3, "{:?}", judge(&file));
}

/// A file of one sphere that a joint carries.
fn bound_spheres() -> Value {
    use kinetree::io::{SphereFile, SphereJoint, SpherePose, SphereSkin};

    let ball = [kinetree::Sphere { centre: [1.0, 2.0, 3.0], radius: 0.5 }];
    let mut file = SphereFile::new(vec![SpherePose::new("rest", ball.to_vec())]).unwrap();
    let rest = [kinetree::reduced::Affine::identity()];
    file.skin = Some(SphereSkin::new("leg", vec![SphereJoint::new("hip", 3)], &rest, &ball, &[0]).unwrap());
    serde_json::from_str(&file.to_json()).unwrap()
}
