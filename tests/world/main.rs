//! Worlds under every public call: time, edits, events, refusals, audits.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reduced_support/mod.rs"]
mod reduced_support;

mod advance_within;
mod after_refusals;
mod audits;
mod baked_contacts;
mod borders_of_rests;
mod bounds;
mod cancelled;
mod circles;
mod clones;
mod continuous;
mod continuous_intervals;
mod coplanar;
mod curved_contacts;
mod cut_intervals;
mod decided_ahead;
mod edits_by_hand;
mod errors;
mod flat_triangles;
mod grazes;
mod guarded_audits;
mod guards;
mod hidden_gaps;
mod ignored_pairs;
mod inside_ends;
mod interval_cases;
mod jumps;
mod late_ends;
mod log;
mod many_bodies;
mod neighbours;
mod next_event;
mod out_of_range;
mod parted_corners;
mod refit_fronts;
mod refused;
mod regressions;
mod reversing_spheres;
mod rounded_ways;
mod rules_at_bounds;
mod spare_memory;
mod thickness;
mod two_bounds;
mod window_ends;
