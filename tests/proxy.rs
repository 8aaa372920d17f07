//! Sphere proxies: solids and repairs, fields and packings, poses, motion.

#[path = "proxy/bodies.rs"]
mod bodies;
#[path = "common/checksum.rs"]
mod checksum;
#[path = "proxy/choice.rs"]
mod choice;
#[path = "common/data.rs"]
mod data;
#[cfg(feature = "io")]
#[path = "proxy/files.rs"]
mod files;
#[path = "proxy/joints.rs"]
mod joints;
#[path = "proxy/missing.rs"]
mod missing;
#[path = "proxy/motion.rs"]
mod motion;
#[path = "proxy/moved.rs"]
mod moved;
#[path = "proxy/oracle.rs"]
mod oracle;
#[path = "proxy/packing.rs"]
mod packing;
#[path = "proxy/poses.rs"]
mod poses;
#[path = "proxy/repair.rs"]
mod repair;
#[path = "proxy/stored.rs"]
mod stored;
#[path = "proxy/world.rs"]
mod world;
#[path = "proxy/wrap.rs"]
mod wrap;
