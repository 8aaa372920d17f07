"""What is refused with a typed error that names the argument and its value."""

import math

import numpy as np
import pytest

import kinetree as kt

TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
INF = math.inf


def crossing():
    scene = kt.Scene(fps=24)
    scene.add("floor", [[0, 1, 2]], TRIANGLE)
    scene.add("ball", [[0, 1, 2]], frames=[TRIANGLE + [0, 0, 1], TRIANGLE - [0, 0, 1]], times=[0, 1])
    return scene


def still(offset=0.0):
    world = kt.World()
    return world, world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE + [0, 0, offset]))


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda q: q.nearest_point([math.nan, 0, 0]), "point: nan at [0]"),
        (lambda q: q.nearest_point([1e300, 0, 0]), "point: 1e+300 at [0]"),
        (lambda q: q.nearest_point([0, 0, 1], reach=-1), "reach: -1.0"),
        (lambda q: q.nearest_point([0, 0, 1], reach=math.nan), "reach: nan"),
        (lambda q: q.cast_ray([0, 0, math.nan], [0, 0, -1]), "origin: nan at [2]"),
        (lambda q: q.cast_ray([0, 0, 1], [0, 0, 0]), "direction: [0.0, 0.0, 0.0] has the length 0.0"),
        (lambda q: q.cast_ray([0, 0, 1], [0, 0, -1e-200]), "direction: [0.0, 0.0, -1e-200]"),
        (lambda q: q.cast_ray([0, 0, 1], [0, math.inf, 0]), "direction: inf at [1]"),
        (lambda q: q.cast_sphere([0, 0, 5], -1, [0, 0, -1]), "radius: -1.0"),
        (lambda q: q.overlap_sphere([0, 0, 0], math.nan), "radius: nan"),
        (lambda q: q.overlap_sphere([0, 0, 0], math.inf), "radius: inf"),
        (lambda q: q.overlap_box([1, 1, 1], [2, -1, 2]), "low and high: at [1] low is 1.0, above high, -1.0"),
        (lambda q: q.overlap_box([0, math.nan, 0], [1, 1, 1]), "low: nan at [1]"),
        (lambda q: q.overlap_triangle([[0, 0, 0], [0, 0, math.nan], [1, 0, 0]]), "corners[1]: nan at [2]"),
    ],
)
def test_queries_without_a_meaning(ask, words):
    world, _ = still()
    with pytest.raises(kt.InputError) as refused:
        ask(world.query())
    assert words in str(refused.value) and refused.value.code == "Range"


def test_boxes_of_worlds_and_their_bounds():
    world, body = still()
    with pytest.raises(kt.InputError, match="low and high"):
        world.query_box([1, 1, 1], [-1, -1, -1])
    for find in (world.query_box, world.query().overlap_box):
        assert find([-INF] * 3, [INF] * 3)[0].tolist() == [body.index]
        assert find([-INF] * 3, [INF, INF, -0.5])[0].tolist() == []
    # A ball of radius 0 and a box without an extent are points.
    assert len(world.query().overlap_sphere([0.1, 0.1, 0], 0)[0]) == 1
    assert len(world.query().overlap_box([0.1, 0.1, 0], [0.1, 0.1, 0])[0]) == 1


def row_vectors():
    """Matrices for row vectors: the translation is in the last row."""
    matrices = np.tile(np.eye(4), (2, 1, 1))
    matrices[1, 3, :3] = [0, 0, -2]
    return matrices


def test_matrices_for_row_vectors_are_refused_in_reduced_bodies():
    influences = [[0]] * 3, [[1.0]] * 3
    wrong, right = row_vectors(), np.tile(np.eye(4), (2, 1, 1))
    for make, words in (
        (
            lambda: kt.skinned(TRIANGLE, *influences, wrong[:, None], [0, 1]),
            "transforms: key 1, joint 0: entry 14 is -2.0",
        ),
        (
            lambda: kt.morphed(TRIANGLE, np.zeros((1, 3, 3)), [[0], [0]], [0, 1], transforms=wrong),
            "transforms: key 1: entry 14 is -2.0",
        ),
        (
            lambda: kt.skinned(TRIANGLE, *influences, right[:, None], [0, 1], inverse_bind=wrong[1:]),
            "inverse_bind: joint 0: entry 14 is -2.0",
        ),
    ):
        with pytest.raises(kt.InputError) as refused:
            make()
        assert words in str(refused.value) and "column vectors" in str(refused.value)
    # What passed through float32 is taken.
    nearly = right.copy()
    nearly[:, 3, 3] += 1e-7
    kt.skinned(TRIANGLE, *influences, nearly[:, None], [0, 1], inverse_bind=nearly[:1])


def test_times_and_frames_a_second_are_not_given_together():
    for fps in (12, -5):
        with pytest.raises(kt.InputError, match=f"times and fps: .* fps is {fps}"):
            kt.check(crossing(), times=[0, 1], fps=fps)
    assert kt.check(crossing(), fps=12).incidents[0].first_frame == 6
    scene = kt.Scene()
    for given in ({"times": [0, 1]}, {"fps": -3}, {"velocity": (0, 0, 1), "fps": 24}):
        with pytest.raises(kt.InputError, match="only frames and transforms have times"):
            scene.add("body", [[0, 1, 2]], TRIANGLE, **given)
    assert scene.names == []


def test_bodies_of_another_world_are_refused():
    world, floor = still()
    other, hero = still(5.0)
    assert hero != floor and hero.index == floor.index
    plan = kt.fixed(TRIANGLE)
    change = other.schedule_flightplan(hero, 1.0, plan)
    for use in (
        lambda: world.remove_body(hero),
        lambda: world.name(hero),
        lambda: world.positions(hero),
        lambda: world.set_flightplan(hero, plan),
        lambda: world.schedule_flightplan(hero, 1.0, plan),
        lambda: world.extend_flightplan(hero, 1.0, TRIANGLE),
        lambda: world.set_filter(hero, 1),
        lambda: world.set_thickness(hero, 0.1),
        lambda: world.set_pair_thickness(floor, hero, 0.1),
        lambda: world.set_pair_watched(hero, floor, False),
        lambda: world.pair(floor, hero),
        lambda: world.manifolds(floor, hero),
        lambda: world.candidates_between(floor, hero),
        lambda: world.first_contact(floor, hero, 1.0),
        lambda: world.trial({hero: TRIANGLE}, 1.0),
        lambda: world.query(ignoring=[hero]),
        lambda: world.bake(hero, 0.0, 1.0),
        lambda: world.set_baked(hero, None),
        lambda: world.add_body([[0, 1, 2]], plan, ignoring=[hero]),
    ):
        with pytest.raises(kt.WorldError, match="body 0 is of another world") as refused:
            use()
        assert refused.value.code == "World.NoSuchBody"
    with pytest.raises(kt.WorldError, match="another world"):
        world.cancel_change(change)
    assert world.bodies() == [floor] and other.bodies() == [hero] and other.cancel_change(change)
    # A copy has the bodies of its world.
    copy = kt.World.restore(world.snapshot())
    copy.remove_body(floor)
    assert copy.bodies() == [] and world.bodies() == [floor]
    assert world.query().nearest_point([0, 0, 1]).body == floor


def test_changes_that_were_refused_leave_trials_alone():
    world, ball = still(1.0)
    floor = world.add_body([[0, 1, 2]], kt.fixed(TRIANGLE))
    trial = world.trial({ball: TRIANGLE - [0, 0, 1]}, 1.0)
    for wrong in (
        lambda: world.set_thickness(floor, -1),
        lambda: world.set_flightplan(floor, kt.fixed(TRIANGLE[:2])),
        lambda: world.advance_to(-1.0),
        lambda: world.advance_to_within(-1.0, 5),
        lambda: world.add_body([[0, 1, 9]], kt.fixed(TRIANGLE)),
    ):
        with pytest.raises(kt.KinetreeError):
            wrong()
        assert trial.step_size() == 0.5
    world.first_contact(floor, ball, 2.0)
    assert trial.step_size() == 0.5
    world.advance_to(0.0)
    with pytest.raises(kt.InputError, match="the world changed since"):
        trial.step_size()
    last = world.trial({ball: TRIANGLE}, 1.0)
    last.commit()
    with pytest.raises(kt.InputError, match="the trial was committed"):
        last.commit()


@pytest.mark.parametrize(
    ("use", "words"),
    [
        (lambda s: s.add("x", [[0, 1, 2], [0, 1]], TRIANGLE), "triangles: list is no array of numbers"),
        (lambda s: kt.fixed([[0, 0, 0], [1, 0]]), "positions: list is no array of numbers"),
        (lambda s: kt.fixed(np.ma.masked_less(TRIANGLE, 0.5)), "positions: the number at [0, 0] is masked"),
        (lambda s: kt.Scene(fps="24"), "fps: '24' is no number"),
        (lambda s: s.add("x", [[0, 1, 2]], frames=[TRIANGLE], fps="24"), "fps: '24' is no number"),
        (lambda s: s.add("x", [[0, 1, 2]], TRIANGLE, thickness=[]), "thickness: [] is no number"),
        (lambda s: kt.check(s, thickness="a"), "thickness: 'a' is no number"),
        (lambda s: kt.check(s, fps=None, span=[0]), "span: the shape is (1,)"),
        (lambda s: kt.Scene(span=(0, 1, 2)), "span: the shape is (3,)"),
        (lambda s: s.render("x.png", 0, size=(-1, 5)), "size: -1 at [0]"),
        (lambda s: s.render("x.png", "now"), "time: 'now' is no number"),
        (lambda s: kt.bake(s, sync_points=-1), "sync_points: -1"),
        (lambda s: kt.bake(s, thickness=-1), "thickness: -1"),
        (lambda s: kt.bake(s, frames=[1.0, 0.0]), "frames: two times or more are needed"),
        (lambda s: kt.bake(s, frames=[]), "frames: two times or more are needed"),
        (lambda s: kt.check(s).report("x.html", pictures=-1), "pictures: -1"),
        (lambda s: kt.check(s).names_of("floor", -1), "triangle: -1 is not from 0 to 0"),
        (lambda s: kt.check(s).names_of("floor", 99), "triangle: 99 is not from 0 to 0"),
        (lambda s: s.exclude("ball", "ball"), "both are 'ball'"),
        (lambda s: kt.World(start="now"), "start: 'now' is no number"),
        (lambda s: kt.World().add_body([[0, 1, 2]], kt.fixed(TRIANGLE), vertex_count=-1), "vertex_count: -1"),
        (lambda s: kt.World().add_spheres(-1, kt.fixed(TRIANGLE)), "count: -1"),
        (lambda s: kt.World().add_spheres(0.5, kt.fixed(TRIANGLE)), "count: a whole number is needed, not float"),
        (lambda s: kt.polynomials([0, 1], np.zeros((1, 3, 0, 3))), "coefficients: the shape is (1, 3, 0, 3)"),
        (lambda s: kt.velocities(TRIANGLE, TRIANGLE, begin="now"), "begin: 'now' is no number"),
        (lambda s: kt.SphereProxy([[0, 1, 2]], TRIANGLE, min_radius=0.1, max_count=-1), "max_count: -1"),
    ],
)
def test_arguments_of_another_kind(use, words):
    with pytest.raises(kt.InputError) as refused:
        use(crossing())
    assert words in str(refused.value) and refused.value.code


def test_spans_are_any_two_numbers():
    for span in ((0, 1), [0.0, 1.0], np.array([0, 1])):
        scene = crossing()
        scene.span = span
        assert scene.span == (0.0, 1.0) and kt.check(scene, span=span).span == (0.0, 1.0)


@pytest.mark.skipif(np.finfo(np.longdouble).max <= np.finfo(float).max, reason="long doubles are doubles here")
def test_long_doubles_are_rounded_or_refused():
    large = np.array([0, 1], np.longdouble)
    assert kt.check(crossing(), times=large).times.tolist() == [0.0, 1.0]
    large[1] = np.longdouble(np.finfo(float).max) * 4
    with pytest.raises(kt.InputError, match=r"times: .* at \[1\] is beyond the range of float64"):
        kt.check(crossing(), times=large)
