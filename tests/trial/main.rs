//! Trial steps: contacts against an oracle, commits, refusals, and a world that a dropped trial
//! leaves as it was.

#[path = "../common/dice.rs"]
#[allow(dead_code, unreachable_pub, reason = "part of what tests share")]
mod dice;
mod host;
mod model;
mod oracle;
#[path = "../proximity_oracle/truth.rs"]
#[allow(dead_code, reason = "its distances of moving triangles are used elsewhere")]
mod truth;
mod windows;
