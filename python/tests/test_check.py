"""Checks of whole clips."""

import json
import pickle
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt

ROOT = Path(__file__).resolve().parents[2]
CLOTH_BALL = ROOT / "fixtures/cloth_ball/scene.toml"
PROGRAMS = [ROOT / "target" / kind / "kinetree" for kind in ("release", "debug")]
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)


def crossing():
    scene = kt.Scene(fps=1)
    scene.add("floor", [[0, 1, 2]], TRIANGLE)
    scene.add("ball", [[0, 1, 2]], frames=[TRIANGLE + [0, 0, 1], TRIANGLE - [0, 0, 1]])
    return scene


def test_triangles_have_the_names_of_their_file(tmp_path):
    wall = tmp_path / "wall.obj"
    wall.write_text("o wall\nv -1 -1 0\nv 1 -1 0\nv 0 1 0\nv 0 0 1\nusemtl brick\nf 1 2 3\nusemtl glass\nf 1 2 4\n")
    plain = tmp_path / "plain.obj"
    plain.write_text("v 0 0 -1\nv 0.5 0 1\nv -0.5 0 1\nf 1 2 3\n")
    result = kt.check(kt.Scene.read(wall, plain))
    wall_name, plain_name = result.names
    assert result.names_of(wall_name, 1) == {"groups": ["wall"], "materials": ["glass"], "joints": []}
    assert result.names_of(plain_name, 0) == {"groups": [], "materials": [], "joints": []}
    result.to_json(tmp_path / "result.json")
    assert kt.read_result(tmp_path / "result.json").names_of(wall_name, 0)["materials"] == ["brick"]
    with pytest.raises(kt.KinetreeError, match="no body 'roof'"):
        result.names_of("roof", 0)


def test_arrays_and_files_give_the_same():
    read = kt.Scene.read(CLOTH_BALL)
    copied = kt.Scene(fps=read.fps)
    for name in read.names:
        keys = np.arange(94) / 24
        frames = np.stack([read.positions(name, time) for time in keys]).astype(np.float32)
        copied.add(name, read.triangles(name), frames=frames, times=keys, self_contact=name == "cloth")
    read.span = copied.span = (2.5, 3.875)
    result = kt.check(read)
    assert [summary.contacts for summary in result.pairs][0] > 0
    assert result.is_complete and bool(result)
    # The cloth's keys are positions, so the copy moves as the file does; the ball's transforms are not copied exactly.
    cloth = read.names.index("cloth")
    of_cloth = [found[(found["a"] == cloth) & (found["b"] == cloth)] for found in (result.contacts, kt.check(copied).contacts)]
    assert len(of_cloth[0]) > 10 and of_cloth[0].tolist() == of_cloth[1].tolist()
    frame = result.to_pandas()
    assert frame["a"].iloc[0] == read.names[result.contacts["a"][0]]


def test_results_are_those_of_the_program(tmp_path):
    program = next((path for path in PROGRAMS if path.exists()), None)
    if program is None:
        pytest.skip("the program is not built: cargo build --release --features cli")
    scene = ROOT / "fixtures/character/scene.toml"
    subprocess.run([program, "check", scene, "--quiet", "--json", tmp_path / "program.json"], check=True)
    result = kt.check(scene)
    result.to_json(tmp_path / "python.json")
    ours, theirs = ((tmp_path / name).read_text() for name in ("python.json", "program.json"))
    # Counters come last.
    assert ours.split('"stats"')[0] == theirs.split('"stats"')[0]
    assert len(result.incidents) > 2
    assert [row["depth"] for row in json.loads(theirs)["incidents"] if "depth" in row] == [
        incident.depth for incident in result.incidents if incident.depth is not None
    ]


def test_incidents_reports_and_pictures(tmp_path):
    scene = kt.Scene.read(ROOT / "fixtures/character/scene.toml")
    result = kt.check(scene)
    worst = result.incidents[0]
    assert worst.number == 1 and {worst.a, worst.b} == {"cape", "figure"} and worst.depth > 0.005
    assert worst.begin <= worst.worst_time <= worst.end
    rows = result.contacts[worst.contacts]
    assert set(rows["triangle_a"]) == set(worst.triangles_a)
    assert "cape" in str(worst) and "mm deep" in str(worst)
    result.report(tmp_path / "report.html", title="a </script> title")
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html") and "http://" not in page.split("<script")[0]
    marked = scene.render(tmp_path / "worst.png", worst.worst_time, size=(320, 240))
    assert marked > 0 and (tmp_path / "worst.png").read_bytes().startswith(b"\x89PNG")


def test_inputs_are_those_of_the_program():
    folder = ROOT / "fixtures/cloth_ball"
    scene = kt.Scene.read(f"{folder}/cloth.obj:{folder}/cloth.pc2", folder / "ball.obj", fps=24)
    assert len(scene.names) == 2 and scene.span == (0.0, 93 / 24)
    with pytest.raises(kt.FileError, match="cloth.fbx"):
        kt.Scene.read("cloth.fbx")


def test_contacts_are_columns_with_names():
    result = kt.check(crossing())
    assert result.contacts.dtype == kt.CONTACT_INTERVAL
    (row,) = result.contacts
    assert row["begin"] <= 0.5 <= row["end"] and row["end"] - row["begin"] < 1e-9
    (pair,) = result.pairs
    assert (pair.a, pair.b, pair.contacts, pair.most) == ("floor", "ball", 1, 1)
    assert result.times.tolist() == [0.0, 1.0]
    assert repr(result) == "<kinetree.CheckResult: 1 contacts from 0 s to 1 s>"


def test_samples_span_and_thickness():
    assert len(kt.check(crossing(), over_time=False).contacts) == 0
    assert not kt.check(crossing(), span=(0.6, 1.0))
    thick = kt.check(crossing(), thickness=0.5).contacts[0]
    assert thick["begin"] == pytest.approx(0.25) and thick["end"] == pytest.approx(0.75)
    with pytest.raises(kt.InputError, match="thickness"):
        kt.check(crossing(), thickness=-1)
    with pytest.raises(kt.KinetreeError):
        kt.check(crossing(), times=[0.5, 0.25])


def test_excluded_pairs_are_left_out():
    scene = crossing()
    scene.exclude("floor", "ball")
    scene.add("other", [[0, 1, 2]], TRIANGLE + [9, 9, 9])
    assert not kt.check(scene)


def test_progress_is_told_and_ends_the_check():
    seen = []
    kt.check(crossing(), fps=10, progress=lambda done, count: seen.append((done, count)))
    assert seen == [(step, 11) for step in range(1, 12)]
    ended = kt.check(crossing(), fps=10, progress=lambda done, count: done < 3)
    assert not ended.is_complete and len(ended.times) == 3
    for answer, samples in ((np.False_, 1), (False, 1), (None, 11), (np.True_, 11), ("", 11)):
        assert len(kt.check(crossing(), fps=10, progress=lambda done, count: answer).times) == samples
    with pytest.raises(ZeroDivisionError):
        kt.check(crossing(), progress=lambda done, count: 1 / 0)


def test_other_threads_run_meanwhile():
    scene = kt.Scene.read(CLOTH_BALL)
    scene.span = (0.0, 1.0)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    counter = threading.Thread(target=count)
    counter.start()
    before = counted[0]
    kt.check(scene, self_contact=True)
    after = counted[0]
    done.set()
    counter.join()
    assert after - before > 5


def test_baked_scenes_give_the_contacts_of_a_check(tmp_path):
    scene = kt.Scene.read(CLOTH_BALL)
    scene.span = (0.75, 1.25)
    baked = kt.bake(scene, sync_points=2)
    assert baked.span == (0.75, 1.25) and baked.contact_count > 0 and any(baked.has_tree)
    live = kt.check(scene)
    taken = kt.check(scene, baked=baked)
    assert taken.contacts.tolist() == live.contacts.tolist() and len(taken.incidents) == len(live.incidents)
    baked.write(tmp_path / "scene.ktbk")
    again = kt.BakedScene.read(tmp_path / "scene.ktbk")
    assert again.to_bytes() == baked.to_bytes() == kt.BakedScene.from_bytes(baked.to_bytes()).to_bytes()
    trees = kt.bake(scene, frames=np.arange(18, 31) / 24, contacts=False)
    assert trees.contact_count is None and len(trees.to_bytes()) < len(baked.to_bytes())
    with pytest.raises(kt.KinetreeError):
        kt.check(scene, baked=trees)
    with pytest.raises(kt.KinetreeError):
        kt.check(ROOT / "fixtures/character/scene.toml", baked=baked)
    with pytest.raises(kt.FileError, match="absent"):
        kt.BakedScene.read(tmp_path / "absent")
    with pytest.raises(kt.KinetreeError):
        kt.BakedScene.from_bytes(baked.to_bytes()[:-9])


def test_baked_files_with_models_are_checked_as_files():
    hero = ROOT / "fixtures/hero/scene.toml"
    baked = kt.bake(hero)
    taken = kt.check(hero, baked=baked)
    assert len(taken.contacts) == baked.contact_count > 0
    # What is joined or read has the same bodies.
    incidents = len(taken.incidents)
    assert incidents == len(kt.merge([taken], scene=hero).incidents)
    assert incidents == len(kt.read_result(taken.to_bytes(), scene=hero).incidents)


def lone():
    """A cloth of two triangles that cross without a common corner, alone in its scene."""
    scene = kt.Scene(fps=24)
    rest = np.concatenate([TRIANGLE, TRIANGLE + [0.1, 0.1, 1]])
    moved = np.concatenate([TRIANGLE, TRIANGLE + [0.1, 0.1, -1]])
    scene.add("cloth", [[0, 1, 2], [3, 4, 5]], frames=[rest, moved], times=[0, 1])
    return scene


def test_a_lone_body_is_tested_against_itself_everywhere(tmp_path):
    scene = lone()
    result = kt.check(scene)
    baked = kt.bake(scene)
    assert len(result.contacts) == baked.contact_count == 1
    taken = kt.check(scene, baked=baked)
    assert taken.contacts.tolist() == result.contacts.tolist()
    assert scene.render(tmp_path / "touch.png", 0.5, size=(64, 48)) == 2
    # Worlds have the rules of the scene.
    world = kt.World.of_scene(scene, continuous=True)
    world.advance_to(1.0)
    assert len(world.contact_changes()) == 0
    with_floor = lone()
    with_floor.add("floor", [[0, 1, 2]], TRIANGLE - [0, 0, 9])
    assert kt.bake(with_floor).contact_count == 0


@pytest.mark.parametrize("rules", [{"self_contact": True}, {"neighbours": True}, {"thickness": 0.3}])
def test_baking_takes_the_rules_of_a_check(rules):
    scene = lone()
    scene.add("floor", [[0, 1, 2]], TRIANGLE - [0, 0, 0.5])
    live = kt.check(scene, **rules)
    assert kt.check(scene, **rules, baked=kt.bake(scene, **rules)).contacts.tolist() == live.contacts.tolist()
    assert live.contacts.tolist() != kt.check(scene).contacts.tolist()
    with pytest.raises(kt.InputError, match="baked for another scene"):
        kt.check(scene, **rules, baked=kt.bake(scene))


def test_incidents_are_compared_by_value():
    first, second = kt.check(crossing()), kt.check(crossing())
    assert first.incidents == second.incidents and first.incidents[0] in second.incidents
    assert len({*first.incidents, *second.incidents}) == 1
    thick = kt.check(crossing(), thickness=0.5)
    assert first.incidents[0] != thick.incidents[0] and first.incidents[0] != "incident"


def test_a_scene_without_a_pair_passes_no_gate(tmp_path):
    mesh = tmp_path / "floor.obj"
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    bodies = "".join(f"[[body]]\nname = '{name}'\nmesh = 'floor.obj'\n" for name in "ab")
    scene = tmp_path / "s.toml"
    scene.write_text(f"fps = 1\n{bodies}[[exclude]]\nbodies = ['a', 'b']\n")
    for result in (kt.check(scene), kt.check(kt.Scene())):
        assert not result.pairs and not result
        for ask in (result.failing, lambda: result.failing("contacts"), lambda: result.unjudged("depth>2mm")):
            with pytest.raises(kt.InputError, match="no pair of bodies is tested") as refused:
                ask()
            assert refused.value.code == "NothingTested"


def test_lists_of_inputs_are_arguments():
    with pytest.raises(kt.InputError, match=r"Scene.read\(\*inputs\)"):
        kt.Scene.read(["a.obj", "b.obj"])


def test_incidents_are_left_out_where_they_are_not_wanted():
    scene = ROOT / "fixtures/character/scene.toml"
    whole, without = kt.check(scene), kt.check(scene, incidents=False)
    assert without.contacts.tolist() == whole.contacts.tolist() and without.pairs == whole.pairs
    assert b'"incidents"' not in without.to_bytes() and without.is_complete
    for use in (lambda: without.incidents, lambda: without.failing(), lambda: without.report("report.html")):
        with pytest.raises(kt.InputError) as refused:
            use()
        assert refused.value.code == "NoScene"
    assert kt.merge([without], scene=scene).to_bytes() == whole.to_bytes(stats=False)


@pytest.mark.parametrize("how", [{"over_time": False}, {"engine": "refit"}])
def test_samples_have_no_incidents_that_a_gate_could_pass(tmp_path, how):
    scene = kt.Scene(fps=1)
    scene.add("floor", [[0, 1, 2]], TRIANGLE)
    scene.add("ball", [[0, 1, 2]], frames=[TRIANGLE + [0, 0, 1], TRIANGLE, TRIANGLE - [0, 0, 1]])
    result = kt.check(scene, **how)
    assert result and len(kt.check(scene).failing("contacts")) == 1
    uses = [lambda: result.failing(condition) for condition in ("contacts", "frames>0", "new")]
    uses += [result.failing, lambda: result.incidents, result.incidents_to_pandas]
    uses.append(lambda: result.report(tmp_path / "report.html"))
    uses.append(lambda: kt.read_result(result.to_bytes(), scene=scene).failing())
    for use in uses:
        with pytest.raises(kt.InputError, match="incidents need contacts over time") as refused:
            use()
        assert refused.value.code == "Samples"
    # Where nothing moves, a sample is all there is.
    still = kt.Scene()
    for name in "ab":
        still.add(name, [[0, 1, 2]], TRIANGLE)
    at_rest = kt.check(still, **how)
    assert len(at_rest.failing("contacts")) == 1
    read = kt.read_result(at_rest.to_bytes(), scene=still)
    assert len(read.failing("contacts")) == len(read.contacts) == len(pickle.loads(pickle.dumps(at_rest)).contacts) == 1


def test_what_was_not_checked_does_not_pass():
    result = kt.check(crossing(), fps=24, stop_at_first=True)
    assert result and len(result.failing("contacts")) >= 1
    for conditions in [(), ("frames>3",), ("contacts", "new")]:
        with pytest.raises(kt.InputError, match="stopped at the first contact"):
            result.failing(*conditions)


def test_tables_of_pandas():
    result = kt.check(ROOT / "fixtures/character/scene.toml")
    incidents, pairs = result.incidents_to_pandas(), result.pairs_to_pandas()
    assert incidents.index.tolist() == list(range(1, len(result.incidents) + 1))
    worst = result.incidents[0]
    assert incidents.loc[1, "depth"] == worst.depth and incidents.loc[1, "triangles_a"] == len(worst.triangles_a)
    assert pairs["contacts"].sum() == len(result.contacts) == len(result.to_pandas())
    empty = kt.check(crossing(), span=(0.6, 1.0))
    assert (empty.incidents_to_pandas().dtypes == incidents.dtypes)[["begin", "is_new", "pairs", "triangles_a"]].all()
    clean = empty.incidents_to_pandas()
    assert len(clean[clean.is_new].depth) == 0
    assert len(empty.incidents_to_pandas()) == 0 and empty.pairs_to_pandas()["first"].isna().tolist() == [True]
    # The types of columns do not depend on what is in them.
    still = kt.Scene()
    for name in "ab":
        still.add(name, [[0, 1, 2]], TRIANGLE)
    for other in (empty, kt.check(crossing()), kt.check(still), kt.check(still, over_time=False)):
        assert other.incidents_to_pandas().dtypes[["depth", "severity", "length", "area", "first_frame"]].tolist() == (
            incidents.dtypes[["depth", "severity", "length", "area", "first_frame"]].tolist()
        )
        assert other.pairs_to_pandas()["first"].dtype == pairs["first"].dtype == float
