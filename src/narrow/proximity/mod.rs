//! placeholder
use super::intervals::*;
pub fn triangles_within(_a: &[[f64; 3]; 3], _b: &[[f64; 3]; 3], _distance: f64) -> bool {
    true
}
pub fn proximity_intervals(
    a: &MovingTriangle,
    b: &MovingTriangle,
    _distance: f64,
    found: &mut Vec<ContactInterval>,
    stats: &mut IntervalStats,
) {
    contact_intervals(a, b, found, stats)
}
