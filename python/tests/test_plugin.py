"""The plugin of pytest, run as users run it."""

import json
import subprocess
import sys
from pathlib import Path

import kinetree as kt

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def run(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def shots(folder):
    """A shot that is clean and one that is not, beside a test of another kind."""
    for name, height in (("clean", 0.5), ("deep", -0.5)):
        place = folder / "shots" / name
        place.mkdir(parents=True)
        place.joinpath("floor.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
        place.joinpath("ball.obj").write_text("v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 3\n")
        rows = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z, 0, 0, 0, 1] for z in (0, height - 1)]
        place.joinpath("ball.json").write_text(json.dumps({"frames": rows}))
        bodies = 'fps = 2\n[[body]]\nname = "floor"\nmesh = "floor.obj"\n[[body]]\nname = "ball"\nmesh = "ball.obj"\n'
        place.joinpath("scene.toml").write_text(bodies + 'motion = "ball.json"\n')
    folder.joinpath("test_other.py").write_text("def test_other():\n    pass\n")


def test_scenes_are_tests(tmp_path):
    shots(tmp_path)
    status, said = run(tmp_path, "--kinetree", "shots/*/scene.toml", "--kinetree-reports", "pages")
    assert status == 1 and "1 failed, 2 passed" in said, said
    assert "shots/deep/scene.toml: 1 of 1 incidents" in said and "floor" in said and "Traceback" not in said
    assert [page.name for page in tmp_path.glob("pages/*")] == ["shots_deep_scene.toml.html"]
    assert run(tmp_path, "--kinetree", "shots/*/scene.toml", "--kinetree-fail-on", "frames>3")[0] == 0
    assert run(tmp_path, "--kinetree", f"{tmp_path}/shots/deep/*.toml", "--kinetree-fail-on", "contacts")[0] == 1


def test_scenes_whose_folders_have_one_name_do_not_share_a_baseline(tmp_path):
    for sequence in "ab":
        shots(tmp_path / sequence)
    status, said = run(tmp_path, "--kinetree", "*/shots/*/scene.toml", "--kinetree-baseline", "base")
    assert status == 4 and "would share the baseline clean.json" in said and "Traceback" not in said, said


def test_reports_of_names_in_any_script_are_kept_apart(tmp_path):
    shots(tmp_path)
    for name in ("場面一", "場面二", "a b", "a_b"):
        (tmp_path / "shots" / name).mkdir()
        for file in (tmp_path / "shots/deep").iterdir():
            (tmp_path / "shots" / name / file.name).write_bytes(file.read_bytes())
    assert run(tmp_path, "--kinetree", "shots/*/scene.toml", "--kinetree-reports", "pages")[0] == 1
    pages = {page.name for page in tmp_path.glob("pages/*")}
    assert len(pages) == 5 and {"shots_場面一_scene.toml.html", "shots_a_b_scene.toml.html"} <= pages, pages


def test_a_gate_that_judges_nothing_fails(tmp_path):
    van = str(FIXTURES / "van/scene.toml")
    status, said = run(tmp_path, "--kinetree", van, "--kinetree-fail-on", "depth>1mm,pairs>=1")
    assert status == 1 and "judges none of" in said and "Traceback" not in said, said
    for more in (["--kinetree-fail-on", "pairs>99999"], []):
        conditions = ["--kinetree-fail-on", "depth>1mm,pairs>99999" if not more else "depth>1mm", *more]
        assert run(tmp_path, "--kinetree", van, *conditions)[0] == 0, conditions


def test_a_rope_does_not_pass_a_gate_on_depth(tmp_path):
    rope = "positions = [[0.2, 0.2, 1.5], [0.2, 0.2, 0.5]]\nsegments = [[0, 1]]\nvelocity = [0, 0, -1]\n"
    floor = "positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n"
    bodies = [f'[[body]]\nname = "{name}"\n{body}' for name, body in (("rope", rope), ("floor", floor))]
    scene = tmp_path / "scene.toml"
    scene.write_text("fps = 24\nspan = [0, 1]\n" + "".join(bodies))
    result = kt.check(scene)
    (incident,) = result.incidents
    assert (incident.depth, incident.severity, incident.length, incident.area) == (None, None, None, None)
    assert "not measured" in str(incident)
    assert result.failing("depth>2mm") == [] and result.unjudged("depth>2mm") == [incident]
    assert result.unjudged("depth>2mm,frames>99") == result.unjudged("contacts") == []
    status, said = run(tmp_path, "--kinetree", "scene.toml", "--kinetree-fail-on", "depth>2mm")
    assert status == 1 and "judges none of 1 incidents: no depth and no crossing curve" in said, said


def test_a_gate_that_tests_nothing_fails(tmp_path):
    shots(tmp_path)
    scene = tmp_path / "shots/deep/scene.toml"
    scene.write_text(scene.read_text() + '[[exclude]]\nbodies = ["floor", "ball"]\n')
    status, said = run(tmp_path, "--kinetree", "shots/*/scene.toml")
    assert status == 1 and "1 failed, 2 passed" in said, said
    assert "shots/deep/scene.toml: no pair of bodies is tested" in said and "Traceback" not in said, said


def test_accepted_results_are_left_out(tmp_path):
    shots(tmp_path)
    accepted = tmp_path / "accepted"
    accepted.mkdir()
    kt.check(tmp_path / "shots/deep/scene.toml").to_json(accepted / "deep.json")
    status, said = run(tmp_path, "--kinetree", "shots/deep/scene.toml", "--kinetree-baseline", "accepted")
    assert status == 0, said
    status, said = run(tmp_path, "--kinetree", "shots/clean/scene.toml", "--kinetree-baseline", "accepted")
    assert status == 1 and "clean.json" in said and "Traceback" not in said, said


def test_mistakes_are_told_and_the_plugin_is_silent_without_its_option(tmp_path):
    shots(tmp_path)
    status, said = run(tmp_path)
    assert status == 0 and "1 passed" in said
    status, said = run(tmp_path, "--kinetree", "nowhere/*.toml")
    assert status == 4 and "no file matches nowhere/*.toml" in said
    status, said = run(tmp_path, "--kinetree", "shots/*/scene.toml", "--kinetree-fail-on", "depth>2")
    assert status == 1 and "needs a unit" in said and "Traceback" not in said
