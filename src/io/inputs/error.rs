//! What can be wrong with a list of inputs beyond their files.

/// What is wrong with an input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// No input at all.
    #[error("no input is given; give a scene file, a model, or meshes with their motions")]
    None,
    /// A word without content.
    #[error("an input is empty; give a file")]
    Empty,
    /// A colon without a file on both sides.
    #[error("`{input}`: a mesh stands before the colon and what moves it after the colon, as in cloth.obj:cloth.pc2")]
    HalfPair {
        /// The word.
        input: String,
    },
    /// More than one colon.
    #[error("`{input}` has more than two parts; give a mesh and what moves it, as in cloth.obj:cloth.pc2")]
    TooManyParts {
        /// The word.
        input: String,
    },
    /// `#` or `@` after a mesh.
    #[error("`{input}`: # and @ name a node and a clip of a glTF model, which this mesh does not have; leave them out")]
    NotModel {
        /// The word.
        input: String,
    },
    /// A scene file among other inputs.
    #[error("a scene file stands alone: name the other files in it, or leave it out and give its files instead")]
    SceneAmongOthers,
    /// A scene file where one is to be made.
    #[error("this is a scene file already; give it to `check`, `info`, `render` or `bake` as it is")]
    SceneAlready,
    /// Spheres outside a scene file.
    #[error("this is a file of spheres; name it as `spheres` of a body in a scene file, as in spheres = \"{name}\"")]
    SpheresAlone {
        /// The name of the file.
        name: String,
    },
    /// A motion without a mesh.
    #[error("this is a motion without a mesh; write the mesh before it, as in cloth.obj:{motion}")]
    MotionAlone {
        /// The name of the motion.
        motion: String,
    },
    /// Frames without times.
    #[error("nothing says when the frames are: give --fps 24, or what the shot has (`fps` in a program)")]
    NoTimes,
    /// A single mesh where a motion is needed.
    #[error("this is one mesh and no motion; a motion is .pc2, .mdd, .json, or a sequence such as cloth_####.obj")]
    MotionIsMesh,
    /// A motion of no known format.
    #[error("the ending names no motion; a motion is .pc2, .mdd, .json, or a sequence such as cloth_####.obj")]
    MotionFormat,
    /// A model with a motion.
    #[error("a glTF model has its own motion; write its clip after @, as in hero.glb@Walk, and leave out the rest")]
    ModelWithMotion,
    /// An option of models where there is none.
    #[error("`{key}` is only for glTF models, and no input is one; leave it out")]
    OnlyModels {
        /// The option.
        key: &'static str,
    },
    /// One name for several bodies.
    #[error("the model has {count} bodies, which cannot all be named \"{name}\"; name a node too")]
    OneName {
        /// The name.
        name: String,
        /// How many bodies there are.
        count: usize,
    },
    /// A name that two inputs state.
    #[error("the name \"{name}\" is given twice, or is empty; give every body its own name")]
    Name {
        /// The name.
        name: String,
    },
    /// A path that a scene file cannot hold.
    #[error("the path is not UTF-8, which a scene file must be; rename the file")]
    PathNotUtf8,
    /// A node or clip that no word means alone.
    #[error(
        "a scene file cannot name the {kind} \"{name}\", because another has the same name; rename it in the model"
    )]
    Ambiguous {
        /// `node` or `clip`.
        kind: &'static str,
        /// Its name.
        name: String,
    },
}
