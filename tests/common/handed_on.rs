//! Methods of drivers, samplers and boxes that hand on what another one says.
#![allow(unused_imports, unused_macros, reason = "every test file uses its own part of this")]

/// Implements methods by those of a field: `handed_on!(inner: span, outside);`.
macro_rules! handed_on {
    (@ $of:tt map_count) => { fn map_count(&self) -> usize { self.$of.map_count() } };
    (@ $of:tt morph_count) => { fn morph_count(&self) -> usize { self.$of.morph_count() } };
    (@ $of:tt span) => { fn span(&self) -> ::kinetree::time::Span { self.$of.span() } };
    (@ $of:tt outside) => { fn outside(&self) -> ::kinetree::motion::Outside { self.$of.outside() } };
    (@ $of:tt breaks) => { fn breaks(&self) -> &[::kinetree::reduced::Break] { self.$of.breaks() } };
    (@ $of:tt centres) => { fn centres(&self) -> &[[f64; 3]] { self.$of.centres() } };
    (@ $of:tt vertex_count) => { fn vertex_count(&self) -> usize { self.$of.vertex_count() } };
    (@ $of:tt rest_positions) => { fn rest_positions(&self) -> &[[f32; 3]] { self.$of.rest_positions() } };
    (@ $of:tt times) => { fn times(&self) -> &[f64] { self.$of.times() } };
    (@ $of:tt jumps) => { fn jumps(&self) -> &[bool] { self.$of.jumps() } };
    (@ $of:tt largest_coordinate) => { fn largest_coordinate(&self) -> f64 { self.$of.largest_coordinate() } };
    (@ $of:tt largest_speed) => { fn largest_speed(&self) -> f64 { self.$of.largest_speed() } };
    (@ $of:tt position) => {
        fn position(&self, key: usize, side: ::kinetree::time::Side, vertex: u32) -> [f64; 3] {
            self.$of.position(key, side, vertex)
        }
    };
    (@ $of:tt topology) => { fn topology(&self) -> &::kinetree::bvh::Topology { self.$of.topology() } };
    (@ $of:tt key_box) => {
        fn key_box(&self, key: usize, side: ::kinetree::time::Side, node: u32) -> ::kinetree::math::Aabb {
            self.$of.key_box(key, side, node)
        }
    };
    (@ $of:tt bytes) => { fn bytes(&self) -> usize { self.$of.bytes() } };
    ($of:tt: $($method:ident),+) => { $(handed_on!(@ $of $method);)+ };
}
pub(crate) use handed_on;
