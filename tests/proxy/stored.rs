//! Stored distance fields: the same bit for bit, and refused where anything is different.

use kinetree::proxy::{DistanceField, ProxyError, Resolution, Solid};
use kinetree::scenes::{shapes, wrecks};

use crate::bodies::solid;
use crate::checksum::checksum;

const CELLS: Resolution = Resolution::CellsAlongLongest(6);

fn why(bytes: &[u8], solid: &Solid, resolution: Resolution) -> &'static str {
    match DistanceField::from_bytes(bytes, solid, resolution) {
        Err(ProxyError::StoredField { what }) => what,
        other => panic!("{other:?}"),
    }
}

#[test]
fn fields_come_back_bit_for_bit() {
    for body in [solid(&wrecks::car()), solid(&wrecks::barrel()), solid(&shapes::torus(100, 1.0, 0.3))] {
        let field = DistanceField::new(&body, CELLS).unwrap();
        let bytes = field.to_bytes(&body);
        assert_eq!(bytes.len() as u64, DistanceField::stored_bytes(&body, CELLS).unwrap());
        assert_eq!(bytes[16..24], DistanceField::key(&body, CELLS).unwrap().to_le_bytes());
        let read = DistanceField::from_bytes(&bytes, &body, CELLS).unwrap();
        let bits = |field: &DistanceField| field.values().iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(&read), read.grid()), (bits(&field), field.grid()));
        assert!(field.values().iter().any(|value| *value < 0.0) && field.values().iter().any(|value| *value > 0.0));
        // The same grid by its cells.
        let cell = Resolution::CellSize(field.grid().cell());
        assert_eq!(
            DistanceField::from_bytes(&bytes, &body, cell).is_ok(),
            cell.grid(&body.bounds()).unwrap() == *field.grid()
        );
    }
}

#[test]
fn no_change_of_a_byte_goes_unnoticed() {
    let body = solid(&shapes::torus(100, 1.0, 0.3));
    let bytes = DistanceField::new(&body, CELLS).unwrap().to_bytes(&body);
    for place in 0..bytes.len() {
        for change in [1, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[place] ^= change;
            let what = why(&damaged, &body, CELLS);
            assert_eq!(what.contains("checksum"), place >= 24, "byte {place}: {what}");
        }
    }
    for length in 0..bytes.len() {
        why(&bytes[..length], &body, CELLS);
    }
    assert!(why(&[&bytes[..], &[0; 8]].concat(), &body, CELLS).contains("size"));
    assert!(why(b"{}", &body, CELLS).contains("cut off"));
    assert!(why(&[7; 4096], &body, CELLS).contains("no distance field"));
}

#[test]
fn fields_of_others_are_refused() {
    let mesh = shapes::torus(100, 1.0, 0.3);
    let body = solid(&mesh);
    let bytes = DistanceField::new(&body, CELLS).unwrap().to_bytes(&body);
    assert!(why(&bytes, &body, Resolution::CellsAlongLongest(8)).contains("another mesh or resolution"));
    assert!(why(&bytes, &solid(&wrecks::barrel()), CELLS).contains("another mesh or resolution"));
    // One coordinate of an inner vertex by one bit; the box, and so the grid, stays.
    let mut places: Vec<[f64; 3]> = (0..body.vertex_count() as u32).filter_map(|v| body.position(v)).collect();
    let bounds = body.bounds();
    let is_inner = |place: &[f64; 3]| (0..3).all(|k| place[k] > bounds.min[k] && place[k] < bounds.max[k]);
    let inner = places.iter().position(is_inner).unwrap();
    places[inner][1] = places[inner][1].next_up();
    let other = body.posed(&places).unwrap();
    assert_eq!(CELLS.grid(&other.bounds()).unwrap(), CELLS.grid(&bounds).unwrap());
    assert!(why(&bytes, &other, CELLS).contains("another mesh or resolution"));
    // Good checksums do not make good numbers.
    for value in [f64::NAN, f64::INFINITY] {
        let mut forged = bytes.clone();
        forged[88..96].copy_from_slice(&value.to_le_bytes());
        let sum = checksum(&forged[32..]);
        forged[24..32].copy_from_slice(&sum.to_le_bytes());
        assert!(why(&forged, &body, CELLS).contains("not finite"));
    }
    let mut forged = bytes.clone();
    forged[64] ^= 1;
    let sum = checksum(&forged[32..]);
    forged[24..32].copy_from_slice(&sum.to_le_bytes());
    assert!(why(&forged, &body, CELLS).contains("another grid"));
    assert_eq!(checksum(&bytes[32..]).to_le_bytes(), bytes[24..32]);
}
