"""Worlds, against an independent test of triangles."""

import gc
import resource
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kinetree as kt

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)


def falling(**options):
    world = kt.World(**options)
    floor = world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE), name="floor")
    fall = np.stack([TRIANGLE + [0, 0, z] for z in (1, 0, 1)])
    ball = world.add_body([[0, 1, 2]], kt.keyframes(fall, [0, 1, 2]), name="ball")
    return world, floor, ball


@pytest.mark.parametrize("engine", ["auto", "kinetic", "interval", "refit", "brute-force"])
def test_all_engines_find_the_touch(engine):
    world, floor, ball = falling(engine=engine)
    seen = []
    for step in range(21):
        world.advance_to(step / 10)
        seen.append(len(world.contacts()))
    assert seen == [int(step == 10) for step in range(21)]
    assert world.bodies() == [floor, ball]
    assert [world.name(body) for body in (floor, ball)] == ["floor", "ball"]


def test_continuous_contacts_have_begins_and_ends():
    world, floor, ball = falling(continuous=True)
    first = world.first_contact(floor, ball, 2.0)
    assert first["began"] and first["time_lo"] <= 1.0 <= first["time_hi"]
    assert world.next_event() is not None
    world.advance_to(2.0)
    changes = world.contact_changes()
    assert changes["began"].tolist() == [True, False]
    assert all(changes["time_lo"] <= 1.0) and all(changes["time_hi"] >= 1.0)
    assert changes.dtype == kt.CHANGE


def test_rays_boxes_and_positions():
    world, floor, ball = falling()
    hit = world.cast_ray([0.2, 0.2, 5.0], [0, 0, -1])
    assert (hit.body, hit.triangle, hit.distance) == (ball, 0, 4.0)
    assert world.cast_ray([5, 5, 5], [0, 0, 1]) is None
    bodies, triangles = world.query_box([0, 0, -0.1], [1, 1, 0.1])
    assert (bodies.tolist(), triangles.tolist()) == ([floor.index], [0])
    world.advance_to(0.5)
    assert world.positions(ball)[:, 2].tolist() == [0.5] * 3
    assert world.audit()


def test_errors_have_codes_and_change_nothing():
    world, _, ball = falling()
    world.advance_to(1.0)
    with pytest.raises(kt.AdvanceError, match="backwards") as refused:
        world.advance_to(0.5)
    assert refused.value.code == "Advance.Backwards"
    assert world.time == 1.0 and len(world.contacts()) == 1
    world.remove_body(ball)
    with pytest.raises(kt.WorldError) as refused:
        world.positions(ball)
    assert refused.value.code == "World.NoSuchBody"
    with pytest.raises(kt.InputError, match="engine: 'fast' is none of"):
        kt.World(engine="fast")
    with pytest.raises(kt.WorldError):
        kt.World(engine="refit", continuous=True)


def test_keys_are_streamed_and_plans_replaced():
    world, floor, ball = falling()
    world.extend_flightplan(ball, 3.0, TRIANGLE)
    world.advance_to(3.0)
    assert len(world.contacts()) == 1
    world.set_flightplan(ball, kt.fixed(TRIANGLE + [0, 0, 2]))
    world.advance_to(3.5)
    assert len(world.contacts()) == 0
    with pytest.raises(kt.WorldError):
        world.extend_flightplan(floor, 4.0, TRIANGLE[:2])


def test_plans_of_every_kind():
    world = kt.World()
    floor = world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE))
    up = np.tile([0, 0, 1.0], (3, 1))
    plans = [
        kt.velocities(TRIANGLE - [0, 0, 1], up),
        kt.ballistic(TRIANGLE - [0, 0, 1], up, [0, 0, 0]),
        kt.rigid(TRIANGLE, [np.eye(4) + lift(-1), np.eye(4) + lift(1)], [0, 2]),
        kt.polynomials([0, 2], np.stack([TRIANGLE - [0, 0, 1], up], axis=1)[None]),
    ]
    bodies = [world.add_body([[0, 1, 2]], plan, name=f"plan {number}") for number, plan in enumerate(plans)]
    world.advance_to(1.0)
    touching = {(row["a"], row["b"]) for row in world.contacts()}
    assert all((floor.index, body.index) in touching for body in bodies)
    assert [repr(plan) for plan in plans][1] == "<kinetree.Flightplan ballistic>"


def lift(z):
    matrix = np.zeros((4, 4))
    matrix[2, 3] = z
    return matrix


def test_spheres_that_grow():
    world = kt.World()
    frames = [[[0, 0, 0, 1], [3, 0, 0, 1]], [[0, 0, 0, 2], [3, 0, 0, 1]]]
    world.add_spheres(2, kt.spheres(frames, [0, 1]), self_contact=True)
    world.advance_to(0.5)
    assert len(world.contacts()) == 0
    world.advance_to(1.0)
    assert len(world.contacts()) == 1


def separated(a, b):
    """Whether two triangles are apart, by all axes; rounding may only say that they touch."""
    def edges(t):
        return [t[1] - t[0], t[2] - t[1], t[0] - t[2]]

    normals = [np.cross(edges(t)[0], edges(t)[1]) for t in (a, b)]
    axes = normals + [np.cross(x, y) for x in edges(a) for y in edges(b)]
    axes += [np.cross(n, e) for n, t in zip(normals, (a, b)) for e in edges(t)]
    for axis in axes:
        p, q = a @ axis, b @ axis
        if p.max() < q.min() - 1e-9 or q.max() < p.min() - 1e-9:
            return True
    return False


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_contacts_of_random_clips_agree_with_separating_axes(seed):
    random = np.random.default_rng(seed)
    clips = [random.integers(-3, 4, (4, 3, 3)).astype(float) + random.normal(0, 0.3, (4, 3, 3)) for _ in range(2)]
    world = kt.World()
    for clip in clips:
        world.add_body([[0, 1, 2]], kt.keyframes(clip, fps=1))
    for time in (0.0, 0.5, 1.0, 1.75, 3.0):
        world.advance_to(time)
        key, part = min(int(time), 2), time - min(int(time), 2)
        a, b = ((1 - part) * c[key].astype(np.float32) + part * c[key + 1].astype(np.float32) for c in clips)
        touches = len(world.contacts()) == 1
        if separated(a, b):
            assert not touches
        elif not separated_nearly(a, b):
            assert touches


def separated_nearly(a, b):
    """Whether a change of a millionth might part them."""
    grown = a.mean(axis=0) + (a - a.mean(axis=0)) * (1 - 1e-6)
    return separated(grown, b)


def test_logs_do_not_depend_on_steps_or_threads():
    hashes = set()

    def run(steps):
        world, _, _ = falling(engine="kinetic", keep_events=True)
        for step in range(1, steps + 1):
            world.advance_to(2 * step / steps)
        hashes.add(world.event_log_hash())

    threads = [threading.Thread(target=run, args=(steps,)) for steps in (1, 2, 7, 64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(hashes) == 1


def test_a_thousand_worlds_leave_no_memory_behind():
    rest = np.random.default_rng(1).random((2000, 3))
    corners = np.arange(1998).reshape(-1, 3)

    def run(count):
        for _ in range(count):
            world = kt.World()
            world.add_body(corners, kt.keyframes(np.stack([rest, rest + 1]), fps=1), vertex_count=2000)
            world.advance_to(0.5)
        gc.collect()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = run(100)
    assert run(1000) - before < 20_000  # kilobytes: 20 a world, and the keys alone have 48
