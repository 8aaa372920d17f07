// The world of the examples in the documentation: a triangle, "ball", falls from 1 m onto another, "floor", at 1 s, and is
// back at 1 m at 2 s. Included as an expression: (world, floor, ball).
{
    use kinetree::{BodyDef, ContactMode, Engine, Flightplan, Mesh, World, WorldDef};

    let low = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let high = low.map(|[x, y, _]| [x, y, 1.0]);
    let falling = Flightplan::keyframes(vec![0.0, 1.0, 2.0], [high, low, high].concat());
    let mesh = Mesh::new(3, vec![[0, 1, 2]])?;
    let mut world = World::new(WorldDef::new().engine(Engine::Auto).contacts(ContactMode::Continuous))?;
    let floor = world.add_body(BodyDef::new(mesh.clone(), Flightplan::fixed(low.to_vec())).named("floor"))?;
    let ball = world.add_body(BodyDef::new(mesh, falling).named("ball"))?;
    (world, floor, ball)
}
