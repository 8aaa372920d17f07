//! What a host program reads and changes besides contacts: events of pairs of bodies, manifolds, queries, rules changed
//! after a body was added, drawings. Each against brute force or a fresh world.

#[path = "../common/dice.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with other tests")]
mod dice;
mod drawing;
mod hulls;
mod manifolds;
mod oracle;
mod origins;
mod pair_events;
mod placement;
mod queries;
mod rules;
mod scene;
