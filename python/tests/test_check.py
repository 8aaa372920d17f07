"""Checks of whole clips."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import kinetree as kt

ROOT = Path(__file__).resolve().parents[2]
CLOTH_BALL = ROOT / "fixtures/cloth_ball/scene.toml"
TRIANGLE = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)


def crossing():
    scene = kt.Scene(fps=1)
    scene.add("floor", [[0, 1, 2]], TRIANGLE)
    scene.add("ball", [[0, 1, 2]], frames=[TRIANGLE + [0, 0, 1], TRIANGLE - [0, 0, 1]])
    return scene


def test_arrays_and_files_give_the_same():
    read = kt.Scene.read(CLOTH_BALL)
    copied = kt.Scene(fps=read.fps)
    for name in read.names:
        keys = np.arange(94) / 24
        frames = np.stack([read.positions(name, time) for time in keys]).astype(np.float32)
        copied.add(name, read.triangles(name), frames=frames, times=keys)
    result = kt.check(read)
    assert [summary.contacts for summary in result.pairs][0] > 0
    assert result.is_complete and bool(result)
    cloth = read.names.index("cloth")
    assert kt.check(copied).contacts["a"].min() == cloth
    frame = result.to_pandas()
    assert frame["a"].iloc[0] == read.names[result.contacts["a"][0]]


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
    with pytest.raises(ZeroDivisionError):
        kt.check(crossing(), progress=lambda done, count: 1 / 0)


def test_other_threads_run_meanwhile():
    scene = kt.Scene.read(CLOTH_BALL)
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


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_ends_a_check():
    program = (
        "import sys, kinetree as kt\n"
        f"scene = kt.Scene.read({str(CLOTH_BALL)!r})\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    kt.check(scene, self_contact=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    sent = time.monotonic()
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=30)
    assert "KeyboardInterrupt" in said
    # The bar is 0.2 s on an idle machine; a loaded one gets more.
    assert time.monotonic() - sent < 5
