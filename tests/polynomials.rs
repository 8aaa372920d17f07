//! Curved flightplans: certificates against exact root counts, worlds against brute force, and cases by hand.

mod common;

#[path = "polynomials/by_hand.rs"]
mod by_hand;
#[path = "polynomials/certificates.rs"]
mod certificates;
#[path = "polynomials/exact.rs"]
mod exact;
#[path = "polynomials/refusals.rs"]
mod refusals;
#[path = "polynomials/worlds.rs"]
mod worlds;
