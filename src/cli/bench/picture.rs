//! Pictures of the scenes, as the paper's figures 17 and 20.

use std::path::Path;

use super::contender::Contender;
use super::scene::{Scene, SceneName};
use super::world::DefaultWorld;
use crate::cli::Failure;
use crate::cli::output::Output;
use crate::report::render::{Direction, Frame, RenderOptions, render};

const SIZE: [usize; 2] = [720, 540];

/// Draws a scene, with touching triangles in another colour, as `scene_NAME.png`.
pub(super) fn write(folder: &Path, scene: &Scene) -> Result<(), Failure> {
    let (time, from) = view(scene);
    let mut world = DefaultWorld::new(&scene.bodies)?;
    world.advance_to(time)?;
    let (world, ids) = world.parts();
    let mut frame = Frame::of_world(world, ids)?;
    let contacts = world.contacts().len();
    frame.label = vec![format!("{}, {:.2} s: {contacts} touching pairs", scene.name.name(), world.time())];
    let options = RenderOptions { from, ..RenderOptions::sized(SIZE[0], SIZE[1]) };
    let image = render(&frame, &options)?;
    Output::whole(&folder.join(format!("scene_{}.png", scene.name.name())), &image.png()?)
}

/// When a scene shows most, seconds, and from where.
fn view(scene: &Scene) -> (f64, Direction) {
    let share = match scene.name {
        SceneName::Tablecloth => 0.5,
        SceneName::Spheres => 0.8,
        SceneName::Dress | SceneName::Shirt => 0.4,
    };
    let (first, last) = (scene.key_times[0], scene.key_times[scene.key_times.len() - 1]);
    (first + share * (last - first), Direction::Auto)
}
