//! What the tests share: dice, shapes, file readers, random scenes, a model of motion. Shares no code with the library.

#![allow(dead_code, unreachable_pub, reason = "every test file uses its own part of this")]

pub mod checksum;
pub mod curved;
pub mod data;
pub mod dice;
pub mod files;
pub mod handed_on;
pub mod kinds;
pub mod lockstep;
pub mod model;
pub mod runner;
pub mod scene;
pub mod script;
pub mod shapes;
pub mod tables;
