//! Geometry of contacts: where triangles cross, how deep bodies penetrate, how far they are apart.
