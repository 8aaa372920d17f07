//! Worlds after changes against worlds that are made from the same plans.

use super::*;

/// After any history the contacts are those of a world that was not there before: one with the same plans, and one in
/// which every vertex simply stands where it is now.
#[test]
fn a_changed_world_equals_a_fresh_one() {
    let census = RefCell::new(Census::default());
    let (twins, stills) = (RefCell::new(0), RefCell::new(0));
    check("fresh worlds", 40, &histories(60, 20, 70), |params| {
        let script = random_script(params)?;
        let model = RefCell::new(Model::new(&script));
        let twin: RefCell<Option<(Player, Vec<usize>)>> = RefCell::new(None);
        play(&script, &census, |player, change| {
            let time = player.world.time();
            census.borrow_mut().contacts += player.world.contacts().len();
            if let Some(change) = change {
                model.borrow_mut().apply(change, time, |body, vertex| player.position(body, vertex));
                *twin.borrow_mut() = fresh_twin(&model.borrow(), player)?;
                for engine in [Engine::Kinetic, Engine::BruteForce] {
                    let (still, places) = fresh_still(&model.borrow(), player, engine)?;
                    same_contacts(player, &still, &places, "still")?;
                    *stills.borrow_mut() += 1;
                }
            }
            if let Some((twin, places)) = &mut *twin.borrow_mut() {
                twin.advance(time)?;
                for (body, &place) in places.iter().enumerate() {
                    let ids = (twin.ids[body].expect("there"), player.ids[place].expect("there"));
                    let (here, there) = (twin.world.positions(ids.0), player.world.positions(ids.1));
                    ensure!(here == there, "at {time}: body {place} is elsewhere than in a fresh world");
                }
                same_contacts(player, twin, places, "twin")?;
                *twins.borrow_mut() += 1;
            }
            Ok(())
        })?;
        Ok(())
    });
    let (twins, stills) = (twins.into_inner(), stills.into_inner());
    println!("{twins} comparisons with twins, {stills} with stills");
    let census = census.into_inner();
    census.demand("fresh worlds", 500);
    assert!(census.scenes < 10 || twins > census.scenes && stills > census.scenes);
    for change in ["plan", "vertices", "add", "remove", "watch", "vertex fixed", "vertex velocity", "vertex keyframes"]
    {
        assert!(census.scenes < 10 || census.changes.get(change).is_some_and(|&count| count > 3), "too few: {change}");
    }
}

fn same_contacts(player: &Player, other: &Player, places: &[usize], name: &str) -> Result<(), String> {
    let place = |body: u32| places[body as usize] as u32;
    let mut found: Vec<[u32; 4]> = other.contacts().iter().map(|&[a, b, s, t]| [place(a), place(b), s, t]).collect();
    found.sort_unstable();
    let expected = player.contacts();
    ensure!(found == expected, "at {}: {name} has {found:?}, not {expected:?}", player.world.time());
    Ok(())
}

/// A world with the bodies and plans of the model, started now; `None` if a vertex has a plan that cannot be stated again
/// (a velocity that began in the past). Also the bodies' places in the roster.
fn fresh_twin(model: &Model, player: &Player) -> Result<Option<(Player, Vec<usize>)>, String> {
    let moves = |plan: &VertexFlightplan| {
        matches!(plan, VertexFlightplan::Velocity { .. } | VertexFlightplan::Ballistic { .. })
    };
    let places = player.present();
    if places.iter().any(|&place| model.bodies[place].iter().any(|b| b.own.values().any(|(plan, ..)| moves(plan)))) {
        return Ok(None);
    }
    let mut twin = fresh(model, player, &places, Engine::Kinetic)?;
    for (body, &place) in places.iter().enumerate() {
        let own = &model.bodies[place].as_ref().expect("there").own;
        let plans = own.iter().map(|(&vertex, (plan, ..))| (vertex, plan.clone())).collect();
        twin.apply(&Change::Vertices { body, plans })?;
    }
    Ok(Some((twin, places)))
}

/// A world in which all vertices stand where they are now.
fn fresh_still(model: &Model, player: &Player, engine: Engine) -> Result<(Player, Vec<usize>), String> {
    let places = player.present();
    let mut still = fresh(model, player, &places, engine)?;
    for (body, &place) in places.iter().enumerate() {
        let id = player.ids[place].expect("there");
        let positions = player.world.positions(id).map_err(|error| error.to_string())?;
        let fixed = |position| VertexFlightplan::Fixed { position };
        let plans = (0u32..).zip(positions.into_iter().map(fixed)).collect();
        still.apply(&Change::Vertices { body, plans })?;
    }
    Ok((still, places))
}

fn fresh(model: &Model, player: &Player, places: &[usize], engine: Engine) -> Result<Player, String> {
    let bodies = places.iter().map(|&place| {
        let mut spec = model.bodies[place].as_ref().expect("there").spec.clone();
        spec.ignored.clear();
        spec
    });
    let time = player.world.time();
    let script = Script { start: time, end: time, bodies: bodies.collect(), steps: Vec::new() };
    let mut fresh = Player::new(&script, engine)?;
    for b in 0..places.len() {
        for a in 0..b {
            let watched = model.watched.contains(&(places[a], places[b]));
            fresh.apply(&Change::Watch { a, b, watched })?;
        }
    }
    Ok(fresh)
}
