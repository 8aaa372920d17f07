//! Readers of meshes, caches and scene files.
