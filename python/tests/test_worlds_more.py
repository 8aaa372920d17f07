"""Worlds: rules, plans to come, queries, pairs, trials, copies, baked trees, reduced bodies, sphere proxies."""

import math
import threading
import time

import numpy as np
import pytest

import kinetree as kt

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
UP = np.array([0, 0, 1.0])


def falling(**options):
    """A floor, and a triangle that falls on it from 1 m in 1 s and leaves it again until 2 s."""
    world = kt.World(**options)
    floor = world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE), name="floor")
    frames = [TRIANGLE + z * UP for z in (1, 0, 1)]
    ball = world.add_body([[0, 1, 2]], kt.keyframes(frames, [0, 1, 2]), name="ball")
    return world, floor, ball


def touching(world):
    return len(world.contacts())


def test_filters_and_watched_pairs():
    world, floor, ball = falling()
    world.advance_to(1.0)
    assert touching(world) == 1 and world.pair(ball, floor) == kt.Pair(floor, ball, True, True, 0.0)
    world.set_filter(ball, 2, 4)
    assert not world.pair(floor, ball).may_touch and not world.pair(floor, ball).is_touching
    world.set_filter(ball, 1)
    assert world.pair(floor, ball).may_touch
    world.set_pair_watched(floor, ball, False)
    assert not world.pair(floor, ball).may_touch
    for rules, count in (
        ({}, 1),
        ({"category": 2, "mask": 1}, 1),
        ({"category": 2, "mask": 2}, 0),
        ({"ignored_contacts": "start"}, 0),
        ({"ignored_contacts": "rest"}, 0),
        ({"ignoring": True}, 0),
    ):
        world = kt.World()
        first = world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE))
        if "ignoring" in rules:
            rules["ignoring"] = [first]
        last = world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE + [0.1, 0.1, 0]), **rules)
        world.advance_to(0.0)
        assert touching(world) == count, rules
    for wrong in (-1, 2**64, 0.5, "1"):
        with pytest.raises(kt.InputError, match="category"):
            world.set_filter(last, wrong)
    with pytest.raises(kt.InputError, match="'sometimes' is none of"):
        world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE), ignored_contacts="sometimes")


def test_thicknesses():
    world, floor, ball = falling()
    world.advance_to(0.75)
    assert touching(world) == 0
    world.set_thickness(floor, 0.6)
    assert world.pair(floor, ball).thickness == pytest.approx(0.3)
    world.advance_to(0.75)
    assert touching(world) == 1
    world.set_pair_thickness(floor, ball, 0.1)
    world.advance_to(0.75)
    assert touching(world) == 0
    world.set_pair_thickness(floor, ball, None)
    world.advance_to(0.75)
    assert touching(world) == 1
    with pytest.raises(kt.WorldError):
        world.set_thickness(floor, math.nan)


def test_changes_to_come():
    world, floor, ball = falling()
    change = world.schedule_flightplan(ball, 0.5, kt.fixed(TRIANGLE + 5))
    other = world.schedule_flightplan(floor, 0.25, kt.fixed(TRIANGLE + 5 * UP))
    assert world.scheduled_changes() == [(other, 0.25, floor), (change, 0.5, ball)] and change != other
    assert world.cancel_change(other) and not world.cancel_change(other)
    world.advance_to(1.0)
    assert touching(world) == 0 and world.positions(ball).tolist() == (TRIANGLE + 5).tolist()
    with pytest.raises(kt.WorldError):
        world.schedule_flightplan(ball, 0.5, kt.fixed(TRIANGLE))


def test_changes_of_pairs_of_bodies():
    world, floor, ball = falling(continuous=True)
    world.advance_to(1.0)
    (ongoing,) = world.ongoing_contacts()
    assert ongoing.dtype == kt.ONGOING and ongoing["time_lo"] <= 1.0 <= ongoing["time_hi"]
    (began,) = world.body_pair_changes()
    assert began.dtype == kt.PAIR_CHANGE
    assert (began["a"], began["b"], bool(began["began"])) == (floor.index, ball.index, True)
    assert began["normal"].tolist() == [0, 0, 1] and abs(began["point"][2]) < 1e-6
    assert world.certified_span() == (0.0, 1.0)
    world.advance_to(2.0)
    (ended,) = world.body_pair_changes()
    assert not ended["began"] and np.isnan(ended["point"]).all()


def test_advances_in_portions():
    whole, _, _ = falling(engine="kinetic", continuous=True, keep_events=True)
    whole.advance_to(2.0)
    world, _, _ = falling(engine="kinetic", continuous=True, keep_events=True)
    portions = 1
    while not world.advance_to_within(2.0, 1):
        assert world.time <= 2.0
        portions += 1
    assert portions > 2 and world.time == 2.0 and world.event_log_hash() == whole.event_log_hash()
    assert world.stats()["events"] == whole.stats()["events"] > 2


def test_queries_of_space():
    world, floor, ball = falling()
    hit = world.cast_ray([0.25, 0.5, 5], [0, 0, -2])
    assert (hit.body, hit.distance, hit.point, hit.normal) == (ball, 2.0, (0.25, 0.5, 1.0), (0.0, 0.0, 1.0))
    assert hit.barycentric == (0.25, 0.25, 0.5)
    assert world.query(ignoring=[ball]).cast_ray([0.25, 0.25, 5], [0, 0, -1]).body == floor
    assert world.query(at=0.5).cast_ray([0.25, 0.25, 5], [0, 0, -1]).distance == 4.5
    assert world.query(category=1, mask=2).cast_ray([0.25, 0.25, 5], [0, 0, -1]) is None
    assert world.cast_ray([0.25, 0.25, 5], [0, 0, -1], reach=3.9) is None
    swept = world.query().cast_sphere([0.25, 0.25, 5], 0.5, [0, 0, -1])
    assert (swept.body, swept.distance) == (ball, 3.5)
    near = world.query().nearest_point([0.25, 0.25, 0.25])
    assert (near.body, near.distance, near.point) == (floor, 0.25, (0.25, 0.25, 0.0))
    assert world.query().nearest_point([0, 0, 9], reach=1) is None
    for bodies, triangles in (
        world.query().overlap_sphere([0.2, 0.2, 0.1], 0.2),
        world.query().overlap_box([0.1, 0.1, -1], [0.2, 0.2, 0.5]),
        world.query().overlap_triangle([[0.1, 0.1, -1], [0.2, 0.1, 0.5], [0.1, 0.2, 0.5]]),
    ):
        assert (bodies.tolist(), triangles.tolist()) == ([floor.index], [0])
    with pytest.raises(kt.InputError, match="direction: the shape is"):
        world.cast_ray([0, 0, 0], [1, 0])
    with pytest.raises(kt.WorldError):
        world.query(at=math.inf).nearest_point([0, 0, 0])


CORNERS = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
BOX = [corner for a, b, c, d in QUADS for corner in ([a, b, c], [a, c, d])]


def test_manifolds_have_points_depth_and_normal():
    world = kt.World()
    low = world.add_body(BOX, kt.fixed(CORNERS))
    high = world.add_body(BOX, kt.fixed(CORNERS * 0.5 + [0.25, 0.25, 0.9]))
    world.advance_to(0.0)
    (region,) = world.manifolds(low, high)
    assert region.depth == pytest.approx(0.1, abs=1e-6) and region.length == pytest.approx(2.0, abs=1e-6)
    assert region.normal[2] > 0.99 and region.centre[2] == pytest.approx(1.0)
    inside = region.points[region.points["kind"] == 0]
    assert region.points.dtype == kt.POINT and len(inside) == 4
    assert np.allclose(inside["distance"], -0.1, atol=1e-6)
    assert set(map(tuple, region.triangles.tolist())) == {
        (row["triangle_a"], row["triangle_b"]) for row in world.contacts()
    }
    ours, theirs = world.candidates_between(low, high)
    assert set(zip(ours.tolist(), theirs.tolist())) >= set(map(tuple, region.triangles.tolist()))
    (again,) = world.manifolds(low, high)
    assert again == region and len({again, region}) == 1
    world, floor, ball = falling()
    assert world.manifolds(floor, ball) == []


def test_trials():
    world, floor, ball = falling(continuous=True)
    trial = world.trial({ball: TRIANGLE - UP}, 0.5)
    assert trial.end == 0.5 and trial.step_size() == 0.5
    (contact,) = trial.contacts()
    assert contact.dtype == kt.TRIAL_CONTACT and contact["begin_lo"] <= 0.25 <= contact["begin_hi"]
    assert contact["normal"].tolist() == [0, 0, 1] and not contact["touches_at_start"]
    trial.set_distance(0.5)
    assert trial.step_size() == pytest.approx(0.25)
    trial.set_distance(None)
    trial.correct(ball, TRIANGLE + 0.25 * UP)
    assert trial.step_size() == 1.0 and len(trial.contacts()) == 0
    with pytest.raises(kt.InputError, match="ball"):
        trial.correct(ball, np.full((3, 3), np.nan))
    assert trial.step_size() == 1.0
    assert world.positions(ball)[0, 2] == 1.0, "a trial changes nothing"
    trial.commit()
    world.advance_to(0.5)
    assert world.positions(ball)[0].tolist() == [0, 0, 0.25]
    with pytest.raises(kt.InputError) as refused:
        trial.step_size()
    assert refused.value.code == "Trial.WorldChanged"
    other = world.trial({ball: TRIANGLE - UP}, 1.0, distance=0.0)
    world.set_thickness(floor, 0.1)
    with pytest.raises(kt.InputError, match="world changed"):
        other.contacts()
    for moves, end in (({ball: TRIANGLE}, 0.25), ({}, 1.0), ({ball: TRIANGLE[:2]}, 1.0)):
        with pytest.raises(kt.KinetreeError):
            world.trial(moves, end)
    world.remove_body(ball)
    with pytest.raises(kt.WorldError) as refused:
        world.trial({ball: TRIANGLE}, 1.0)
    assert refused.value.code == "World.NoSuchBody"


def test_names_of_copies_are_those_of_the_world_until_the_copy():
    world, floor, ball = falling()
    copy = kt.World.restore(world.snapshot())
    assert copy.positions(ball).tolist() == world.positions(ball).tolist()
    plan = kt.fixed(TRIANGLE)
    # What the page of `World` says.
    assert world.add_body([[0, 1, 2]], plan, name="a") == copy.add_body([[0, 1, 2]], plan, name="b")


def test_a_world_is_busy_while_another_thread_computes_with_it():
    random = np.random.default_rng(1)
    x, y = np.meshgrid(np.linspace(0, 1, 40), np.linspace(0, 1, 40))
    rest = np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1)
    corner = np.arange(1600).reshape(40, 40)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    frames = [rest + UP * random.normal(0.3, 0.2, (1600, 1)) for _ in range(50)]
    world = kt.World(continuous=True)
    floor = world.add_body(triangles, kt.fixed(rest))
    cloth = world.add_body(triangles, kt.keyframes(frames, fps=24, outside="loop"))
    query, trial = world.query(), world.trial({cloth: rest + UP}, 0.01)
    calls = [
        lambda: world.time,
        world.contacts,
        world.bodies,
        world.snapshot,
        world.ongoing_contacts,
        lambda: world.set_thickness(floor, 0.1),
        lambda: world.advance_to(0.5),
        lambda: world.pair(floor, cloth),
        lambda: query.nearest_point([0, 0, 5]),
        lambda: world.cast_ray([0, 0, 5], [0, 0, -1]),
        lambda: world.trial({cloth: rest}, 2.0),
        trial.step_size,
        trial.contacts,
        trial.commit,
    ]
    thread = threading.Thread(target=world.advance_to, args=(0.5,))
    thread.start()
    time.sleep(0.05)
    for call in calls:
        with pytest.raises(kt.WorldError, match="busy with another call") as refused:
            call()
        assert refused.value.code == "World.Busy"
    assert thread.is_alive() and trial.end == 0.01
    thread.join()
    assert world.time == 0.5 and world.contacts().dtype == kt.CONTACT


def test_snapshots_go_on_alike():
    world, floor, ball = falling(continuous=True, keep_events=True)
    world.advance_to(0.5)
    snapshot = world.snapshot()
    world.advance_to(2.0)
    for _ in range(2):
        copy = kt.World.restore(snapshot)
        assert copy.time == snapshot.time == 0.5 and copy.bodies() == [floor, ball]
        copy.advance_to(2.0)
        assert copy.contact_changes().tolist() == world.contact_changes().tolist()
        assert copy.event_log_hash() == world.event_log_hash()


def test_baked_trees_are_used():
    world, floor, ball = falling(engine="refit")
    tree = world.bake(ball, 0.0, 2.0)
    again = kt.BakedTree.from_bytes(tree.to_bytes())
    assert again.span == (0.0, 2.0) and again.event_count == tree.event_count
    world.set_baked(ball, again)
    world.set_baked(floor, world.bake(floor, 0.0, 2.0))
    world.advance_to(0.99)
    assert world.stats()["engines"]["baked"] == 1 and world.audit()
    world.advance_to(1.0)
    assert touching(world) == 1
    world.set_baked(ball, None)
    world.advance_to(1.01)
    assert world.stats()["engines"]["baked"] == 0
    with pytest.raises(kt.KinetreeError):
        kt.BakedTree.from_bytes(b"nothing")


def test_worlds_of_scenes():
    scene = kt.Scene(fps=1, span=(0.0, 2.0))
    scene.add("floor", [[0, 1, 2]], TRIANGLE)
    scene.add("ball", [[0, 1, 2]], frames=[TRIANGLE + z * UP for z in (1, 0, 1)])
    world = kt.World.of_scene(scene, continuous=True)
    assert [world.name(body) for body in world.bodies()] == scene.names and world.time == 0.0
    world.advance_to(2.0)
    assert world.contact_changes()["began"].tolist() == [True, False]
    assert kt.World.of_scene(scene, start=1.5).time == 1.5


def test_more_plans():
    still = np.zeros((3, 3))
    plans = {
        "accelerated": kt.accelerated(TRIANGLE - UP, still, np.tile(2 * UP, (3, 1)), until=1.0),
        "ballistic": kt.ballistic(TRIANGLE - UP, still, 2 * UP, until=1.0),
        "hermite": kt.hermite([TRIANGLE - UP, TRIANGLE], [still, still], [still, still], [0, 1]),
        "skinned": kt.skinned(TRIANGLE, [[0]] * 3, np.ones((3, 1)), [[lift(-1)], [lift(0)]], [0, 1]),
        "morphed": kt.morphed(TRIANGLE, [np.tile(-UP, (3, 1))], [[1], [0]], [0, 1]),
    }
    world = kt.World()
    floor = world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE))
    bodies = {kind: world.add_body([[0, 1, 2]], plan, name=kind) for kind, plan in plans.items()}
    world.advance_to(0.5)
    assert touching(world) == 4, "the first two, and the other three, move alike"
    halves = {kind: world.positions(body)[0, 2] for kind, body in bodies.items()}
    assert halves == pytest.approx(
        {"accelerated": -0.75, "ballistic": -0.75, "hermite": -0.5, "skinned": -0.5, "morphed": -0.5}
    )
    world.advance_to(1.5)
    touched = {int(row["b"]) for row in world.contacts() if row["a"] == floor.index}
    assert touched == {body.index for body in bodies.values()}
    assert [repr(plan) for plan in plans.values()] == [f"<kinetree.Flightplan {kind}>" for kind in plans]


def lift(z):
    matrix = np.eye(4)
    matrix[2, 3] = z
    return matrix


def test_skins_are_those_of_numpy():
    random = np.random.default_rng(3)
    rest = random.normal(size=(12, 3)).astype(np.float32)
    triangles = np.arange(12).reshape(-1, 3)
    bind = np.stack([lift(0.3), lift(-0.2)])
    joints = np.tile([0, 1], (12, 1))
    weights = random.random((12, 2))
    weights /= weights.sum(axis=1, keepdims=True)
    turn = np.eye(4)
    turn[:2, :2] = [[0.6, -0.8], [0.8, 0.6]]
    keys = np.stack([np.stack([np.eye(4), lift(0.5)]), np.stack([turn, lift(1.0) @ turn])])
    target = random.normal(size=(1, 12, 3)).astype(np.float32)
    plan = kt.skinned(
        rest, joints, weights, keys, [0, 1], inverse_bind=bind, targets=target, morph_weights=[[0.0], [1.0]],
        tolerance=1e-4,
    )
    world = kt.World()
    body = world.add_body(triangles, plan)

    def expected(time):
        maps = ((1 - time) * keys[0] + time * keys[1]) @ bind
        points = np.concatenate([rest + time * target[0], np.ones((12, 1))], axis=1)
        return np.einsum("nj,jab,nb->na", weights, maps, points)[:, :3]

    for time in (0.0, 0.37, 0.5, 1.0):
        world.advance_to(time)
        assert np.abs(world.positions(body) - expected(time)).max() < 1.5e-4
    world.set_flightplan(body, kt.skinned(rest, joints, weights, keys[:1] @ bind, [0]))
    assert np.allclose(world.positions(body), expected(0.0), atol=1e-6)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"weights": [[0.4]] * 3}, "Reduced.WeightSum"),
        ({"joints": [[3]] * 3}, "Reduced"),
        ({"joints": [[0.0]] * 3}, "Dtype"),
        ({"joints": [[-1]] * 3}, "Range"),
        ({"transforms": np.zeros((2, 1, 3, 4))}, "Shape"),
        ({"times": [0]}, "Shape"),
        ({"times": [1, 0]}, "Reduced"),
        ({"targets": np.zeros((1, 3, 3))}, "Option"),
        ({"inverse_bind": [np.zeros((4, 4))]}, "Range"),
        ({"tolerance": 0.0}, "Option"),
        ({"transforms": np.full((2, 1, 4, 4), np.nan)}, "Reduced"),
    ],
)
def test_skins_that_do_not_fit_are_refused(change, code):
    good = {
        "positions": TRIANGLE, "joints": [[0]] * 3, "weights": [[1.0]] * 3,
        "transforms": [[np.eye(4)]] * 2, "times": [0, 1],
    }
    kt.skinned(**good)
    with pytest.raises(kt.KinetreeError) as refused:
        kt.skinned(**good | change)
    assert refused.value.code.startswith(code), refused.value.code


def test_sphere_proxies():
    squeezed = CORNERS * [0.5, 1, 1]
    proxy = kt.SphereProxy(BOX, CORNERS * [2, 1, 1], [squeezed], min_radius=0.1, max_radius=0.6, max_count=30, cell=0.1)
    spheres = proxy.spheres
    assert spheres.shape == (2, len(proxy), 4) and 2 <= len(proxy) <= 30
    for pose, size in ((0, [2, 1, 1]), (1, [0.5, 1, 1])):
        centres, radii = spheres[pose, :, :3], spheres[pose, :, 3]
        reach = np.minimum(centres, size - centres).min(axis=1)
        assert (radii <= reach + 1e-9).all(), "a sphere is inside of the mesh"
    frames = proxy.keys([[1, 0], [0.5, 0.5]], [0, 1])
    assert np.allclose(frames[0], spheres[0]) and np.allclose(frames[1], spheres.mean(axis=0))
    world = kt.World()
    body = world.add_spheres(len(proxy), kt.spheres(frames, [0, 1]))
    world.advance_to(1.0)
    assert world.query().nearest_point([0.5, 0.5, 0.5]).body == body
    for wrong, code in (
        ({"min_radius": 2.0}, "Proxy.NothingFits"),
        ({"min_radius": -1.0}, "Proxy.Radii"),
        ({"min_radius": 0.1, "cell": 0.0}, "Option"),
        ({"min_radius": 0.1, "max_count": 0}, "Proxy"),
    ):
        with pytest.raises(kt.InputError) as refused:
            kt.SphereProxy(BOX, CORNERS, **wrong)
        assert refused.value.code.startswith(code)
    with pytest.raises(kt.InputError):
        kt.SphereProxy(BOX[1:], CORNERS, min_radius=0.1)
    assert len(kt.SphereProxy(BOX[1:], CORNERS, min_radius=0.1, cell=0.1, repair=8)) > 0
