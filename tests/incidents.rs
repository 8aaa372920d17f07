//! Incidents against a union over all pairs of contacts, on random scenes; order, baseline,
//! frames, refusals.

#[allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#[path = "common/dice.rs"]
mod dice;
#[path = "incidents_oracle/mod.rs"]
mod oracle;

use dice::Dice;
use kinetree::incident::{
    Baseline, IncidentBody, IncidentError, IncidentOptions, PartLabel, PartLabels, TriangleContact, find_incidents,
    group_contacts,
};
use oracle::{RandomMesh, union_of_all_pairs};

/// Contacts of random triangles at times that are often equal; some ends are open.
fn random_contacts(dice: &mut Dice, meshes: &[RandomMesh], count: usize) -> Vec<TriangleContact> {
    let mut contacts = Vec::new();
    for _ in 0..count {
        let (a, b) = (dice.below(meshes.len()), dice.below(meshes.len()));
        let bodies = [a.min(b), a.max(b)];
        let triangles = bodies.map(|body| dice.below(meshes[body].triangles.len()) as u32);
        let begin = f64::from(dice.between(-6, 6)) / 2.0;
        let end = begin + f64::from(dice.between(0, 3)) / 2.0;
        let is_open = [dice.percent(25), dice.percent(25)].map(|is_open| is_open && end > begin);
        contacts.push(TriangleContact::new(bodies.map(|body| body as u32), triangles, begin, end).open_at(is_open));
    }
    contacts
}

#[test]
fn groups_are_the_union_of_all_pairs() {
    let (mut largest, mut several, mut of_self) = (0, 0, 0);
    for seed in 0..400 {
        let mut dice = Dice::new(seed, &[16]);
        let meshes: Vec<RandomMesh> = (0..=dice.below(3)).map(|_| RandomMesh::new(&mut dice)).collect();
        let count = dice.below(120);
        let contacts = random_contacts(&mut dice, &meshes, count);
        let bodies: Vec<IncidentBody> = meshes.iter().map(RandomMesh::body).collect();
        let expected = union_of_all_pairs(&contacts, &meshes);
        assert_eq!(group_contacts(&contacts, &bodies).unwrap(), expected, "seed {seed}");
        largest = largest.max(expected.iter().map(Vec::len).max().unwrap_or(0));
        several += usize::from(expected.len() > 5 && expected.iter().any(|group| group.len() > 3));
        let is_own = |&contact: &u32| contacts[contact as usize].bodies[0] == contacts[contact as usize].bodies[1];
        of_self += expected.iter().filter(|group| group.len() > 1 && is_own(&group[0])).count();
    }
    assert!(largest > 20 && several > 100 && of_self > 300, "{largest}, {several}, {of_self}: the scenes say little");
}

#[test]
fn the_order_of_contacts_changes_only_their_numbers() {
    for seed in 0..100 {
        let mut dice = Dice::new(seed, &[17]);
        let meshes: Vec<RandomMesh> = (0..2).map(|_| RandomMesh::new(&mut dice)).collect();
        let bodies: Vec<IncidentBody> = meshes.iter().map(RandomMesh::body).collect();
        let contacts = random_contacts(&mut dice, &meshes, 60);
        let mut shuffled: Vec<usize> = (0..contacts.len()).collect();
        (1..shuffled.len()).for_each(|place| shuffled.swap(place, dice.below(place + 1)));
        let moved: Vec<TriangleContact> = shuffled.iter().map(|&contact| contacts[contact]).collect();
        let mut back: Vec<Vec<u32>> = group_contacts(&moved, &bodies).unwrap();
        for group in &mut back {
            group.iter_mut().for_each(|contact| *contact = shuffled[*contact as usize] as u32);
            group.sort_unstable();
        }
        back.sort();
        assert_eq!(back, group_contacts(&contacts, &bodies).unwrap(), "seed {seed}");
    }
}

/// A strip of triangles: each is a neighbour of the two before it and of the two after it.
fn strip(triangles: u32) -> (Vec<[u32; 3]>, Vec<[f32; 3]>) {
    let rest = (0..triangles + 2).map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
    ((0..triangles).map(|i| [i, i + 1, i + 2]).collect(), rest)
}

#[test]
fn an_incident_sums_up_its_contacts() {
    let (triangles, rest) = strip(10);
    let labels = PartLabels {
        materials: vec![PartLabel::new("left", 0..2), PartLabel::new("right", 5..10)],
        ..PartLabels::default()
    };
    let body = IncidentBody::new(&triangles, &rest);
    let contacts = [
        TriangleContact::new([0, 1], [0, 9], 1.0, 2.0),
        TriangleContact::new([0, 1], [1, 9], 1.5, 3.0).open_at([false, true]),
        TriangleContact::new([0, 1], [0, 9], 2.5, 2.75),
        TriangleContact::new([0, 1], [5, 0], 1.0, 2.0),
    ];
    let incidents = find_incidents(&contacts, &[body, body.with_labels(&labels)], &IncidentOptions::default()).unwrap();
    assert_eq!(incidents.len(), 2);
    let first = &incidents[0];
    assert_eq!((first.begin, first.end, first.is_open), (1.0, 3.0, [false, true]));
    assert_eq!((first.contacts.as_slice(), first.pairs, first.most_pairs), (&[0, 1, 2][..], 2, 2));
    assert_eq!(first.worst_time, 1.75);
    assert_eq!(first.triangles, [vec![0, 1], vec![9]]);
    assert_eq!((first.names[0].all().count(), first.names[1].materials.as_slice()), (0, &["right".to_owned()][..]));
    assert_eq!(incidents[1].names[1].materials, ["left"]);
    assert_eq!(first.frames(2.0), Some([2, 5]));
    assert_eq!((first.frame_count(2.0), first.frame_count(0.25)), (4, 0));
    assert!(first.is_new);
}

#[test]
fn pairs_of_a_body_with_itself_are_unordered() {
    let (triangles, rest) = strip(12);
    let body = IncidentBody::new(&triangles, &rest);
    let contacts = [
        TriangleContact::new([0, 0], [0, 8], 0.0, 1.0),
        TriangleContact::new([0, 0], [8, 0], 2.0, 3.0),
        TriangleContact::new([0, 0], [8, 1], 1.0, 2.0),
    ];
    let incidents = find_incidents(&contacts, &[body], &IncidentOptions::default()).unwrap();
    assert_eq!(incidents.len(), 1);
    assert_eq!((incidents[0].pairs, incidents[0].triangles.as_ref()), (2, [vec![0, 1, 8], vec![0, 1, 8]].as_ref()));
}

/// Two feet on a floor of one triangle stay apart; a surface that meets itself along a fold is one incident, although
/// no chain of pairs that are neighbours on both sides connects its ends.
#[test]
fn contacts_between_the_same_two_regions_are_one_incident() {
    let (triangles, rest) = strip(40);
    let floor = ([[0, 1, 2]], [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0]]);
    let bodies = [IncidentBody::new(&triangles, &rest), IncidentBody::new(&floor.0, &floor.1)];
    let at = |bodies, p, q, begin: f64, end: f64| TriangleContact::new(bodies, [p, q], begin, end);
    let feet = [at([0, 1], 3, 0, 0.0, 1.0), at([0, 1], 20, 0, 0.0, 1.0)];
    assert_eq!(group_contacts(&feet, &bodies).unwrap(), [vec![0], vec![1]]);
    // Region 3 to 9 against region 20 to 26: no two contacts are neighbours on both sides.
    let fold = [[3, 24], [5, 20], [26, 7], [9, 22]].map(|[p, q]| at([0, 0], p, q, 0.0, 1.0));
    assert_eq!(group_contacts(&fold, &bodies).unwrap(), [vec![0, 1, 2, 3]]);
    // A third region that touches one of them stays apart.
    let third = [fold.as_slice(), &[at([0, 0], 5, 35, 0.0, 1.0)]].concat();
    assert_eq!(group_contacts(&third, &bodies).unwrap(), [vec![0, 1, 2, 3], vec![4]]);
    // Two regions that last, and touch each other from 0 s to 1 s and again from 3 s to 4 s.
    let long = |p, q| at([0, 0], p, q, 0.0, 4.0);
    let twice = [long(3, 30), long(20, 37), at([0, 0], 3, 20, 0.0, 1.0), at([0, 0], 20, 3, 3.0, 4.0)];
    assert_eq!(group_contacts(&twice, &bodies).unwrap(), [vec![0], vec![1], vec![2], vec![3]]);
}

#[test]
fn a_baseline_knows_its_pairs_and_their_neighbours_at_any_time() {
    let (triangles, rest) = strip(20);
    let body = IncidentBody::new(&triangles, &rest);
    let bodies = [body, body];
    let at = |p, q, begin| TriangleContact::new([0, 1], [p, q], begin, begin + 1.0);
    let baseline = Baseline::at_time(&[at(4, 4, 0.0), at(15, 15, 3.0)], 0.0, &bodies).unwrap();
    let contacts = [at(15, 15, 0.0), at(6, 6, 5.0), at(4, 12, 7.0), at(12, 4, 9.0)];
    let options = IncidentOptions::default().with_baseline(&baseline);
    let incidents = find_incidents(&contacts, &bodies, &options).unwrap();
    let news: Vec<_> = incidents.iter().map(|incident| (incident.contacts[0], incident.is_new)).collect();
    // New ones first.
    assert_eq!(news, [(0, true), (2, true), (3, true), (1, false)]);
    // An incident that grew from a known place is known; the pair that is no neighbour of it is counted.
    let grown = find_incidents(&[at(4, 4, 0.0), at(6, 6, 0.5), at(8, 8, 1.0)], &bodies, &options).unwrap();
    assert_eq!((grown.len(), grown[0].is_new, grown[0].pairs, grown[0].new_pairs), (1, false, 3, 1));
    let other_bodies = [TriangleContact::new([0, 0], [4, 12], 0.0, 1.0)];
    assert!(find_incidents(&other_bodies, &bodies, &options).unwrap()[0].is_new);
}

/// A closed body, and a spike that rises through its bottom to a depth of 0.25 m at 1.3 s, then falls: it is inside
/// from 0.8 s to 1.8 s.
#[allow(clippy::type_complexity, reason = "two meshes and their motion, made in one place")]
fn spike_and_body() -> ([[u32; 3]; 4], [[f32; 3]; 4], impl Fn(u32, f64) -> Vec<[f64; 3]>) {
    let triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    let corners = [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 9.0]];
    let positions = move |body: u32, time: f64| {
        if body == 0 {
            return corners.map(|corner: [f32; 3]| corner.map(f64::from)).to_vec();
        }
        let z = 0.25 - (time - 1.3).powi(2);
        vec![[1.0, 1.0, z], [0.9, 1.0, z - 9.0], [1.1, 1.0, z - 9.0]]
    };
    (triangles, corners, positions)
}

#[test]
fn the_worst_time_is_found_between_samples() {
    let (triangles, corners, positions) = spike_and_body();
    let spike = ([[0, 1, 2]], [[1.0, 1.0, 0.0], [0.9, 1.0, -9.0], [1.1, 1.0, -9.0]]);
    let bodies = [IncidentBody::new(&triangles, &corners), IncidentBody::new(&spike.0, &spike.1)];
    let contacts = [TriangleContact::new([0, 1], [0, 0], 0.8, 1.8)];
    let by_pairs = find_incidents(&contacts, &bodies, &IncidentOptions::default()).unwrap();
    assert_eq!((by_pairs[0].worst_time, by_pairs[0].depth), (1.3, None));
    // Samples that miss the worst time, and one that nearly hits it; many, of which a few are used.
    let many: Vec<f64> = (0..4000).map(|sample| f64::from(sample) / 777.0).collect();
    for samples in [&[0.9, 1.15][..], &[1.29, 1.31], &[], &many] {
        // Most pairs touch elsewhere, so that the middle is no help.
        let contacts = [contacts[0], TriangleContact::new([0, 1], [0, 0], 0.8, 0.9)];
        let options = IncidentOptions::default().with_positions(&positions).with_times(samples);
        let incidents = find_incidents(&contacts, &bodies, &options).unwrap();
        let incident = &incidents[0];
        let depth = incident.depth.unwrap();
        let exact = 0.25 - (incident.worst_time - 1.3).powi(2);
        assert!((depth - exact).abs() < 1e-9, "{depth} at {} s", incident.worst_time);
        assert!(depth > 0.2495 || samples.is_empty() && depth > 0.24, "{depth} of 0.25 with {samples:?}");
        assert!(incident.length > 0.0 && (incident.centre[0] - 1.0).abs() < 1e-9 && incident.centre[2].abs() < 1e-9);
        assert!(incident.bounds.min[0] < 1.0 && incident.bounds.max[0] > 1.0 && incident.severity() == depth);
    }
}

#[test]
fn triangles_that_only_come_near_have_a_place() {
    let (triangles, corners, positions) = spike_and_body();
    let spike = ([[0, 1, 2]], [[1.0, 1.0, 0.0], [0.9, 1.0, -9.0], [1.1, 1.0, -9.0]]);
    let bodies = [IncidentBody::new(&triangles, &corners), IncidentBody::new(&spike.0, &spike.1)];
    // At 0.7 s the tip is 0.11 m below the bottom: a contact by thickness.
    let contacts = [TriangleContact::new([0, 1], [0, 0], 0.7, 0.7)];
    let options = IncidentOptions::default().with_positions(&positions);
    let incidents = find_incidents(&contacts, &bodies, &options).unwrap();
    let incident = &incidents[0];
    assert_eq!((incident.depth, incident.length, incident.worst_time), (Some(0.0), 0.0, 0.7));
    assert!((incident.centre[2] + 0.055).abs() < 1e-9 && incident.bounds.max[2] == 0.0, "{:?}", incident.bounds);
    let short = |body: u32, time: f64| positions(body, time)[1..].to_vec();
    let options = IncidentOptions::default().with_positions(&short);
    assert!(matches!(find_incidents(&contacts, &bodies, &options), Err(IncidentError::Geometry(_))));
}

#[test]
fn the_order_is_total() {
    for seed in 0..60 {
        let mut dice = Dice::new(seed, &[18]);
        let meshes: Vec<RandomMesh> = (0..2).map(|_| RandomMesh::new(&mut dice)).collect();
        let bodies: Vec<IncidentBody> = meshes.iter().map(RandomMesh::body).collect();
        let contacts = random_contacts(&mut dice, &meshes, 50);
        let incidents = find_incidents(&contacts, &bodies, &IncidentOptions::default()).unwrap();
        for (place, incident) in incidents.iter().enumerate() {
            for later in &incidents[place + 1..] {
                assert_eq!(incident.by_severity(later), std::cmp::Ordering::Less, "seed {seed}");
                assert!(incident.severity() >= later.severity());
            }
        }
        let mut all: Vec<u32> = incidents.iter().flat_map(|incident| incident.contacts.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..contacts.len() as u32).collect::<Vec<_>>(), "each contact is in one incident");
    }
}

#[test]
fn contacts_of_nothing_are_refused() {
    let (triangles, rest) = strip(4);
    let body = IncidentBody::new(&triangles, &rest);
    let bodies = [body, body];
    let refused = |contact: TriangleContact| {
        let sound = TriangleContact::new([0, 1], [0, 0], 0.0, 1.0);
        find_incidents(&[sound, contact], &bodies, &IncidentOptions::default()).unwrap_err()
    };
    let contact = TriangleContact::new;
    assert_eq!(
        refused(contact([0, 2], [0, 0], 0.0, 1.0)),
        IncidentError::NoSuchBody { contact: 1, body: 2, bodies: 2 }
    );
    assert_eq!(
        refused(contact([1, 0], [0, 0], 0.0, 1.0)),
        IncidentError::BodyOrder { contact: 1, first: 1, second: 0 }
    );
    assert_eq!(
        refused(contact([0, 1], [0, 4], 0.0, 1.0)).to_string(),
        "contact 1 names triangle 4 of body 1, which has 4 triangles"
    );
    for [begin, end] in [[1.0, 0.0], [f64::NAN, 1.0], [0.0, f64::INFINITY]] {
        assert!(matches!(refused(contact([0, 1], [0, 0], begin, end)), IncidentError::Times { contact: 1, .. }));
    }
    let broken = IncidentBody::new(&triangles, &rest[..3]);
    let error = find_incidents(&[], &[body, broken], &IncidentOptions::default()).unwrap_err();
    assert_eq!(error, IncidentError::NoSuchVertex { body: 1, triangle: 1, vertex: 3, vertices: 3 });
    assert!(find_incidents(&[], &bodies, &IncidentOptions::default()).unwrap().is_empty());
}
