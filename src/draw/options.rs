//! What a drawing of a world shows.

/// What [`World::draw`](crate::World::draw) shows. Each part can be chosen alone.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct DrawOptions {
    /// Edges of triangles, and circles of spheres.
    pub edges: bool,
    /// Filled triangles, translucent.
    pub faces: bool,
    /// Triangles that touch, filled, and where they cross.
    pub contacts: bool,
    /// Length of the normals of manifolds, metres; 0 for none. Builds the surfaces of bodies in
    /// contact, O(n log n) for n triangles.
    pub normals: f64,
    /// The level of the trees whose boxes are shown; 0 is the root.
    pub boxes: Option<usize>,
    /// Boxes of overlapping leaf pairs in separation lists, and lines between the centres of boxes
    /// that are apart.
    pub cut: bool,
    /// Names of bodies.
    pub names: bool,
}

impl DrawOptions {
    /// Edges and contacts.
    pub const fn new() -> Self {
        Self { edges: true, faces: false, contacts: true, normals: 0.0, boxes: None, cut: false, names: false }
    }

    /// Nothing; to choose single parts.
    pub const fn nothing() -> Self {
        Self { edges: false, contacts: false, ..Self::new() }
    }

    /// Shows edges of triangles and circles of spheres.
    #[must_use]
    pub const fn edges(mut self, shown: bool) -> Self {
        self.edges = shown;
        self
    }

    /// Shows filled triangles.
    #[must_use]
    pub const fn faces(mut self, shown: bool) -> Self {
        self.faces = shown;
        self
    }

    /// Shows triangles that touch.
    #[must_use]
    pub const fn contacts(mut self, shown: bool) -> Self {
        self.contacts = shown;
        self
    }

    /// Shows normals of manifolds with a length, metres.
    #[must_use]
    pub const fn normals(mut self, length: f64) -> Self {
        self.normals = length;
        self
    }

    /// Shows the boxes of a level of the trees.
    #[must_use]
    pub const fn boxes(mut self, level: usize) -> Self {
        self.boxes = Some(level);
        self
    }

    /// Shows separation lists.
    #[must_use]
    pub const fn cut(mut self, shown: bool) -> Self {
        self.cut = shown;
        self
    }

    /// Shows names of bodies.
    #[must_use]
    pub const fn names(mut self, shown: bool) -> Self {
        self.names = shown;
        self
    }
}

impl Default for DrawOptions {
    fn default() -> Self {
        Self::new()
    }
}
