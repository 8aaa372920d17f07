"""Parts of checks, and farms of workers."""

import json
import os
import pickle
import signal
import subprocess
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt

ROOT = Path(__file__).resolve().parents[2]
CLOTH_BALL = ROOT / "fixtures/cloth_ball/scene.toml"
CHARACTER = ROOT / "fixtures/character/scene.toml"
PROGRAMS = [ROOT / "target" / kind / "kinetree" for kind in ("release", "debug")]


def grid(side, height=0.0):
    x, y = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side))
    corner = np.arange(side * side).reshape(side, side)
    a, b, c, d = (part.ravel() for part in (corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]))
    triangles = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return np.stack([x.ravel(), y.ravel(), np.full(side * side, height)], 1), triangles


def wave(seed, frames=25, side=6, fps=24.0):
    """A sheet that swings through a floor, with a body of its own per seed."""
    random = np.random.default_rng(seed)
    rest, triangles = grid(side)
    floor, floor_triangles = grid(3)
    swing, speed, turn = random.uniform(0.05, 0.3), random.uniform(2, 6), random.uniform(0, 6)
    times = np.arange(frames) / fps
    sheets = [rest + np.stack([0 * rest[:, 0], 0 * rest[:, 0], swing * np.sin(speed * time + turn + 3 * rest[:, 0])], 1)
              for time in times]
    scene = kt.Scene(fps=fps)
    scene.add("floor", floor_triangles, floor)
    scene.add("sheet", triangles, frames=sheets, times=times)
    return scene


def whole(scene, **options):
    return kt.check(scene, **options).to_bytes(stats=False)


def test_a_file_without_counters_is_the_program_s_without_its_last_member(tmp_path):
    program = next((path for path in PROGRAMS if path.exists()), None)
    if program is None:
        pytest.skip("the program is not built: cargo build --release --features cli")
    subprocess.run([program, "check", CHARACTER, "--quiet", "--json", tmp_path / "program.json"], check=True)
    theirs = (tmp_path / "program.json").read_bytes()
    assert whole(CHARACTER) == theirs[: theirs.index(b',\n"stats"')] + b"}\n"


def test_results_are_read_back_as_they_were_written(tmp_path):
    result = kt.check(CHARACTER)
    data = result.to_bytes(stats=False)
    read = kt.read_result(data)
    assert read.to_bytes() == data == pickle.loads(pickle.dumps(result)).to_bytes()
    assert [incident.worst_time for incident in read.incidents] == [incident.worst_time for incident in result.incidents]
    assert read.contacts.tolist() == result.contacts.tolist() and read.pairs == result.pairs
    with pytest.raises(kt.InputError, match="scene=") as caught:
        read.report(tmp_path / "report.html")
    assert caught.value.code == "NoScene"
    full = kt.read_result(data, scene=CHARACTER)
    assert full.to_bytes() == data
    full.report(tmp_path / "report.html", pictures=0, up="y")
    with pytest.raises(kt.InputError, match="not the scene"):
        kt.read_result(data, scene=CLOTH_BALL)
    for bad in (b"", b"{}", b"\xff\xfe", data[:-20]):
        with pytest.raises(kt.FileError):
            kt.read_result(bad)


def test_parts_are_joined_to_the_whole(tmp_path):
    scene = kt.Scene.read(CLOTH_BALL)
    scene.span = (0.75, 1.5)
    expected = whole(scene)
    parts = [kt.check(scene, span=span) for span in ((0.9, 1.3), (0.75, 0.9), (1.3, 1.5))]
    assert [part.whole for part in parts] == [(0.75, 1.5)] * 3
    assert kt.merge(parts, scene=scene).to_bytes() == expected
    for number, part in enumerate(parts):
        part.to_json(tmp_path / f"{number}.json")
    assert kt.merge(sorted(tmp_path.iterdir()), scene=scene).to_bytes() == expected
    without = kt.merge(part.to_bytes() for part in parts)
    with pytest.raises(kt.InputError, match="scene="):
        without.incidents
    for wrong, code in ((parts[:2], "Gap"), ([*parts, parts[1]], "Overlap"), ([], "Nothing"),
                        ([*parts[:2], kt.check(CHARACTER)], "OtherScene"),
                        ([*parts[:2], kt.check(scene, span=(1.3, 1.5), thickness=1e-5)], "OtherSettings")):
        with pytest.raises(kt.InputError) as caught:
            kt.merge(wrong)
        assert caught.value.code == f"Merge.{code}"


def test_scenes_are_pickled(tmp_path):
    scene = kt.Scene.read(CLOTH_BALL)
    rest, triangles = grid(3, 0.25)
    scene.add("shelf", triangles, rest, transforms=[np.eye(4)] * 2, times=[0.0, 1.0], outside="loop", thickness=0.01)
    scene.add("drift", triangles, rest, velocity=[0, 0, 0.1], self_contact=True, group="loose")
    scene.exclude("shelf", "floor")
    copy = pickle.loads(pickle.dumps(scene))
    assert copy.names == scene.names and copy.span == scene.span == (0.0, 3.875)
    scene.span = (0.75, 1.25)
    copy = pickle.loads(pickle.dumps(scene))
    assert copy.span == (0.75, 1.25) and whole(copy) == whole(scene)
    assert whole(pickle.loads(pickle.dumps(wave(1)))) == whole(wave(1))


def test_conditions_select_incidents(tmp_path):
    result = kt.check(CHARACTER)
    depths = [incident.depth or 0 for incident in result.incidents]
    limit = (max(depths) + min(depths)) / 2
    deep = result.failing(f"depth>{limit * 1000}mm")
    assert [incident.number for incident in deep] == [n for n, depth in enumerate(depths, 1) if depth > limit]
    assert 0 < len(deep) < len(depths) == len(result.failing())
    with pytest.raises(kt.InputError, match="unit") as caught:
        result.failing("depth>2")
    assert caught.value.code.startswith("Threshold")
    result.to_json(tmp_path / "accepted.json")
    assert not kt.check(CHARACTER, baseline=tmp_path / "accepted.json").failing()
    with pytest.raises(kt.FileError, match="nothing.json"):
        kt.check(CHARACTER, baseline=tmp_path / "nothing.json")


def test_cuts_cover_the_span():
    from kinetree._farm import cuts

    times = np.arange(11) / 10
    for count in range(1, 30):
        spans = cuts(times, (0.0, 1.0), count)
        assert len(spans) == min(count, 10)
        assert spans[0][0] == 0.0 and spans[-1][1] == 1.0
        assert all(one[1] == two[0] and one[0] < one[1] for one, two in zip(spans, spans[1:]))
    assert cuts([0.5], (0.0, 1.0), 2) == [(0.0, 0.5), (0.5, 1.0)]
    assert cuts([0.0, 1.0], (0.0, 1.0), 8) == [(0.0, 1.0)]


distributed = pytest.importorskip("distributed", reason="Dask is not installed")
from kinetree import distributed as farm  # noqa: E402


@pytest.fixture(scope="module")
def client():
    environment = {"RAYON_NUM_THREADS": "1"}
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", env=environment
    ) as cluster, distributed.Client(cluster) as client:
        yield client


def test_shots_of_every_kind_equal_single_checks(client, tmp_path):
    folder = ROOT / "fixtures/cloth_ball"
    shots = {
        "file": CHARACTER,
        "inputs": [f"{folder}/ball.obj", f"{ROOT}/fixtures/character/cape.obj:{ROOT}/fixtures/character/cape.pc2"],
        "scene": wave(3),
        "function": partial(kt.Scene.read, os.fspath(CHARACTER)),
    }
    seen = []
    results = farm.check(shots, client=client, spans=3, fps=24.0, out=tmp_path / "out", progress=seen.append)
    assert list(results) == list(shots) and {name: result.error for name, result in results.items() if result.error} == {}
    for name, scene in (("file", kt.Scene.read(CHARACTER)), ("inputs", kt.Scene.read(*shots["inputs"], fps=24.0)),
                        ("scene", wave(3)), ("function", kt.Scene.read(CHARACTER))):
        assert (tmp_path / f"out/{name}.json").read_bytes() == whole(scene, fps=24.0), name
        assert results[name].spans == 3 and results[name].cached == 0
    assert len(seen) == 4 + 4 * 3 + 4
    assert (seen[-1].shots, seen[-1].spans, seen[-1].of_spans) == (4, 12, 12)


def test_a_worker_dies_in_the_middle(client):
    shots = {f"shot_{seed:03}": partial(wave, seed, frames=13) for seed in range(40)}
    before = set(client.run(os.getpid).values())
    killed, seen = [], []

    def kill(progress):
        seen.append(progress)
        if killed:
            return
        # Slower than the workers: they hold parts, and results of shots that were not taken yet.
        time.sleep(0.1)
        held = {worker: [key for key in keys if key.startswith("joined")] for worker, keys in client.has_what().items()}
        worker = max(held, key=lambda worker: len(held[worker]))
        if progress.shots >= 4 and len(held[worker]) >= 3:
            killed.append(client.run(os.getpid, workers=[worker])[worker])
            os.kill(killed[0], signal.SIGKILL)
            # The scheduler has noticed before the results are asked for.
            while worker in client.scheduler_info()["workers"] or not client.scheduler_info()["workers"]:
                time.sleep(0.05)

    results = farm.check(shots, client=client, spans=3, progress=kill)
    assert killed and killed[0] in before
    client.wait_for_workers(2, timeout=60)
    assert killed[0] not in client.run(os.getpid).values()
    for name, shot in shots.items():
        assert results[name].error is None, results[name].error
        assert results[name].data == whole(shot()), name
    assert (seen[-1].shots, seen[-1].spans, seen[-1].of_spans) == (40, 120, 120)
    assert len(seen) == 40 + 120 + 40, "a task was counted twice, or not at all"


def test_numbers_of_numpy_are_taken_and_end_a_run(client, tmp_path):
    shots = {f"shot_{seed}": wave(seed) for seed in range(4)}
    results = farm.check(shots, client=client, spans=np.int64(2))
    assert [result.spans for result in results.values()] == [2] * 4
    for spans, message in ((0, "0 is not from 1"), (1.5, "a whole number is needed")):
        with pytest.raises(kt.InputError, match=message):
            farm.check(shots, client=client, spans=spans)
    # Results of an earlier run are not left for shots that have none now.
    for name in shots:
        (tmp_path / f"{name}.json").write_bytes(b"old")
    results = farm.check(shots, client=client, out=tmp_path, progress=lambda progress: np.bool_(False))
    ended = [name for name, result in results.items() if result.error is not None]
    assert ended and all(not (tmp_path / f"{name}.json").exists() for name in ended)
    assert all((tmp_path / f"{name}.json").read_bytes() != b"old" for name in shots if name not in ended)


def test_equal_fingerprints_are_taken_from_the_cache(client, tmp_path):
    shots = {f"shot_{seed}": wave(seed) for seed in range(3)}
    options = {"client": client, "spans": 2, "cache": tmp_path / "cache"}
    first = farm.check(shots, **options)
    assert [result.cached for result in first.values()] == [0, 0, 0]
    # A file that a broken disk left, and a part of another check under a wrong name.
    folder = tmp_path / "cache" / first["shot_0"].fingerprint
    # Joining finds the incidents, so parts do not; a shot in one span is not joined.
    assert all(b'"incidents"' not in part.read_bytes() for part in folder.iterdir())
    undivided = farm.check({"shot_0": partial(wave, 0)}, client=client, spans=1)["shot_0"]
    assert b'"incidents"' in undivided.data and undivided.data == first["shot_0"].data
    one, two = sorted(folder.iterdir())
    two.write_bytes(one.read_bytes())
    one.write_bytes(one.read_bytes()[:100])
    again = farm.check({**shots, "shot_2": wave(9)}, **options)
    assert [result.cached for result in again.values()] == [0, 2, 0]
    assert again["shot_0"].data == first["shot_0"].data == whole(wave(0))
    assert again["shot_2"].fingerprint != first["shot_2"].fingerprint
    # Other options are another check.
    thick = farm.check({"shot_1": shots["shot_1"]}, thickness=0.05, **options)
    assert thick["shot_1"].cached == 0 and thick["shot_1"].data == whole(wave(1), thickness=0.05)
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_names_of_files_are_those_of_the_client_s_folder(client, tmp_path, monkeypatch):
    # The workers were started elsewhere.
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    Path("floor.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    rows = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z, 0, 0, 0, 1] for z in (1, -1)]
    Path("ball.json").write_text(json.dumps({"frames": rows}))
    Path("ball.obj").write_text(Path("floor.obj").read_text())
    Path("scene.toml").write_text('[[body]]\nname = "floor"\nmesh = "floor.obj"\n[[body]]\nname = "b"\nmesh = "ball.obj"\n')
    pair = ["ball.obj:../a/ball.json", Path("floor.obj")]
    shots = {"list": pair, "file": "scene.toml", "path": Path("scene.toml"), "wrong": ["ball.obj:"]}
    results = farm.check(shots, client=client, fps=2)
    assert results["list"].error is None and results["list"].data == whole(kt.Scene.read(*pair, fps=2), fps=2)
    assert results["file"].data == results["path"].data == whole("scene.toml", fps=2)
    assert results["wrong"].error.code == "Input"
    # Nodes and clips of models stay.
    here = os.getcwd()
    assert farm._resolved(["hero.glb#Body/../a@Walk:2", "/b/hero.glb@Walk"]) == [
        f"{here}/hero.glb#Body/../a@Walk:2",
        "/b/hero.glb@Walk",
    ]


def fails_at_first(path, seed, error=OSError):
    """Fails like a file system that is not there yet."""
    if not os.path.exists(path):
        Path(path).touch()
        raise error("the share is not mounted")
    return wave(seed)


def test_errors_belong_to_their_shot_and_some_are_tried_again(client, tmp_path):
    torn = kt.Scene(fps=24)
    torn.add("torn", [[0, 1, 2]], frames=np.full((2, 3, 3), np.nan))
    shots = {
        "good": wave(1),
        "late": partial(fails_at_first, os.fspath(tmp_path / "mounted"), 2),
        "unread": partial(fails_at_first, os.fspath(tmp_path / "there"), 3, kt.FileError),
        "absent": tmp_path / "absent.toml",
        "torn": torn,
        "wrong": partial(dict),
    }
    results = farm.check(shots, client=client, retries=1)
    assert results["good"].data == whole(wave(1)) and results["late"].data == whole(wave(2))
    assert results["unread"].data == whole(wave(3))
    assert isinstance(results["absent"].error, kt.FileError) and "absent.toml" in str(results["absent"].error)
    assert "'torn'" in str(results["torn"].error) and results["wrong"].error.code == "Option"
    with pytest.raises(kt.FileError):
        results["absent"].result
    assert farm.check({"late": partial(fails_at_first, os.fspath(tmp_path / "other"), 2)}, client=client, retries=0)[
        "late"
    ].error.args == ("the share is not mounted",)


def test_a_result_that_cannot_be_written_ends_its_own_shot_only(client, tmp_path):
    long = "n" * 300
    results = farm.check({"first": wave(1), long: wave(2), "later": wave(3)}, client=client, fps=24.0, out=tmp_path)
    assert isinstance(results[long].error, OSError)
    assert results["first"].error is None and results["later"].error is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.json", "later.json"]


def test_progress_ends_a_run(client):
    shots = {f"shot_{seed}": wave(seed) for seed in range(20)}
    results = farm.check(shots, client=client, progress=lambda progress: progress.shots < 3)
    done = [name for name, result in results.items() if result.error is None]
    assert 3 <= len(done) < 20 and all(results[name].data == whole(shots[name]) for name in done)
    with pytest.raises(ZeroDivisionError):
        farm.check(shots, client=client, progress=lambda progress: 1 / 0)


def test_what_is_no_farm_is_refused(client, tmp_path):
    for arguments in ({"span": (0, 1)}, {"baseline": "start"}, {"spans": 0}):
        with pytest.raises(kt.InputError) as caught:
            farm.check({"a": wave(1)}, client=client, **arguments)
        assert caught.value.code == "Option"
    for name in ("../a", "a/b", "", ".."):
        with pytest.raises(kt.InputError):
            farm.check({name: wave(1)}, client=client, out=tmp_path)
    with pytest.raises(kt.InputError, match="twice"):
        farm.check(["a.toml", "a.toml"], client=client)


def test_without_a_client_a_cluster_of_its_own_is_used():
    result = farm.check({"shot": wave(4)}, workers=1, spans=2)["shot"]
    assert result.data == whole(wave(4)) and result.result.names == ["floor", "sheet"]
