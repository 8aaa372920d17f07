#!/usr/bin/env python3
"""Opens reports in a headless Chromium, with WebGL and without, and uses them as people do.

Usage: tests/browser/run.py [--skip-without-browser] [--screenshots FOLDER] [--only SCENE-RENDERER]
The program is target/release/kinetree, or the one that KINETREE names; the browser is found on the path, or is the one that
CHROMIUM names. Only the standard library of Python is needed.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from chromium import NO_WEBGL, WEBGL, Browser, program  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent.parent
KINETREE = os.environ.get("KINETREE", str(ROOT / "target" / "release" / "kinetree"))
SCENE = "fixtures/cloth_ball/scene.toml"
MOST_BYTES = 5_000_000

# A body whose name tries to leave the places it is written to.
HOSTILE = "</script><img src=x onerror=alert(1)>\\u003c{{script}}'\"&"


class Checks:
    """Counts checks; prints each one that fails."""

    def __init__(self):
        self.done = self.failed = 0
        self.prefix = ""

    def that(self, holds, name, *values):
        self.done += 1
        if not holds:
            self.failed += 1
            print(f"FAILED {self.prefix}: {name} {' | '.join(str(value)[:300] for value in values)}")


def kinetree(*arguments):
    done = subprocess.run([KINETREE, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"kinetree {' '.join(arguments)}: status {done.returncode}\n{done.stderr}")


def hostile_scene(folder):
    """Two triangles that cross between 0.5 s and 1.5 s, one with a hostile name."""
    (folder / "still.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    (folder / "moving.obj").write_text("v 0.2 0.2 -0.5\nv 0.4 0.2 -0.5\nv 0.3 0.2 0.5\nf 1 2 3\n")
    matrix = lambda z: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, z, 0, 0, 0, 1]
    motion = {"times": [0, 1, 2], "frames": [matrix(-2), matrix(0), matrix(2)]}
    (folder / "moving.xforms.json").write_text(json.dumps(motion))
    name = json.dumps(HOSTILE)
    (folder / "scene.toml").write_text(
        f'[[body]]\nname = {name}\nmesh = "still.obj"\n[[body]]\nname = "mover"\nmesh = "moving.obj"\n'
        'motion = "moving.xforms.json"\n'
    )
    return str(folder / "scene.toml")


def every_incident(check, browser):
    """All incidents have details and a hover text, whatever is not known about them."""
    details = browser.run(
        "kinetree.data.incidents.map((_, i) => { kinetree.select(i); return document.getElementById('incident').textContent; })"
    )
    browser.settle()
    hovers = browser.run(
        """[...document.querySelectorAll('#timeline [data-incident]')].map((bar) => {
      bar.dispatchEvent(new PointerEvent('pointermove', { bubbles: true }));
      return document.getElementById('tip').textContent;
    })"""
    )
    browser.run("document.getElementById('tip').hidden = true")
    check.that(len(hovers) > 0, "bars can be hovered")
    for text in details + hovers:
        check.that("airs" in text and not any(word in text for word in ["undefined", "null", "NaN"]), "words of an incident", text)
    check.that(all("Depth" in text for text in details), "details have a depth", details)
    browser.run("kinetree.select(0)")
    browser.settle()


def keep_pictures(browser):
    """Keeps what each drawing leaves on the canvas: a screenshot may come before the browser has composed it."""
    browser.run(
        """(() => {
      const { view } = kinetree, draw = view.draw.bind(view);
      window.pictures = new Set();
      view.draw = (...values) => { draw(...values); window.drawn = view.canvas.toDataURL(); window.pictures.add(window.drawn); };
      kinetree.changed();
    })()"""
    )
    browser.settle()


def canvas_hash(browser):
    """Of the picture that was drawn last."""
    return hashlib.sha256(browser.run("window.drawn").encode()).hexdigest()


def same_data(check, browser, json_file):
    """Intervals and incidents of the page equal those of --json, bit for bit."""
    expected = json.loads(Path(json_file).read_text())
    # Names of triangles are in the page's incidents only.
    for body in expected["bodies"]:
        body.pop("parts", None)
    for row in expected["intervals"]:
        row.pop("part_a", None), row.pop("part_b", None)
    found = browser.run(
        """(() => {
      const { data } = kinetree, c = data.contacts, name = (i) => data.bodies[i].name;
      const intervals = [...c.begin].map((begin, i) => {
        const [a, b] = c.pairs[c.pair[i]], flag = (bit) => (c.flags[i] >> bit & 1) === 1;
        return { a: name(a), triangle_a: c.triangleA[i], b: name(b), triangle_b: c.triangleB[i], begin, end: c.end[i],
          open_begin: flag(0), open_end: flag(1), clipped_begin: flag(2), clipped_end: flag(3), undecided: flag(4),
          ...(data.fps ? { frames: [begin * data.fps, c.end[i] * data.fps] } : {}) };
      });
      const incidents = data.incidents.map(({ min, max, middle, weight, ...row }, i) =>
        ({ ...row, own: [...c.incident.keys()].filter((k) => c.incident[k] === i) }));
      return { bodies: data.bodies.map(({ name, triangles }) => ({ name, triangles })), intervals, incidents };
    })()"""
    )
    check.that(found["bodies"] == expected["bodies"], "bodies equal", found["bodies"], expected["bodies"])
    check.that(len(expected["intervals"]) > 0, "the scene has contacts")
    check.that(found["intervals"] == expected["intervals"], "intervals equal")
    check.that(len(found["incidents"]) == len(expected["incidents"]), "as many incidents")
    for row, other in zip(found["incidents"], expected["incidents"]):
        check.that(row.pop("own") == other["contacts"], "contacts of an incident")
        row.pop("bodies")
        for key in ["contacts", "triangles_a", "triangles_b"]:
            other[key] = len(other[key])
        check.that(row == other, "incident", row, other)


def use(check, browser, expects, is_simple):
    """Slider, jumps, keys, table, timeline and chart. A simple scene looks the same after some of the keys."""
    run = browser.run
    ready = run("document.documentElement.dataset.ready")
    check.that(ready == expects, "renderer", ready)
    check.that(("without a graphics processor" in run("document.getElementById('notice').textContent")) == (expects == "software"), "notice")
    if expects == "software":
        # The picture adapts its fineness to the machine; here it must not change by itself.
        run("Object.defineProperty(kinetree.view.renderer, 'reduction', { get: () => 4, set: () => {} })")
    keep_pictures(browser)
    initial = canvas_hash(browser)
    screen = browser.picture("#screen")
    seen = {initial}

    def changes(name, changed=True):
        browser.settle()
        after = canvas_hash(browser)
        check.that((after not in seen) == changed, f"{name} changes the picture: {changed}")
        seen.add(after)

    changes("nothing", changed=False)
    # The slider, as a pointer does it, and by keys.
    run("(() => { const s = document.getElementById('slider'); s.value = s.min; s.dispatchEvent(new Event('input')); })()")
    changes("slider")
    check.that(run("kinetree.state.time === kinetree.data.span[0]"), "slider at the start")
    run("document.getElementById('slider').focus()")
    browser.press("ArrowRight")
    check.that(run("kinetree.state.time === kinetree.data.frames.times[1]"), "right arrow goes a frame on", run("kinetree.state.time"))
    browser.press("ArrowLeft")
    check.that(run("kinetree.state.time === kinetree.data.frames.times[0]"), "left arrow goes a frame back")
    text = run("document.getElementById('slider').getAttribute('aria-valuetext')")
    check.that("pairs of triangles touch" in text, "slider has words", text)
    # Jump: the table, the timeline, keys.
    count, before = run("kinetree.data.incidents.length"), canvas_hash(browser)
    run("document.querySelector('#incidents .jump').focus()")
    browser.press("Enter")
    check.that(run("kinetree.state.time === kinetree.data.incidents[0].worst_time"), "jump from the table")
    check.that(canvas_hash(browser) != before, "jump changes the picture")
    browser.settle()
    check.that(browser.picture("#screen") != screen, "jump changes the screen")
    run("document.getElementById('canvas').focus()")
    for key, name in [("ArrowLeft", "orbit"), ("+", "zoom"), ("f", "close-up")]:
        browser.press(key)
        changes(f"key {key} ({name})")
    browser.press("h")
    seen.add(canvas_hash(browser))
    for key, name in [("e", "edges"), ("t", "see through")]:
        browser.press(key)
        if not is_simple:
            changes(f"key {key} ({name})")
        browser.press(key)
        check.that(canvas_hash(browser) in seen, f"key {key} again ({name})")
    browser.press("ArrowUp", shift=True)
    changes("Shift and arrow (move)")
    first = run("kinetree.state.selected")
    browser.press("n")
    check.that((run("kinetree.state.selected") != first) == (count > 1), "n goes to another incident")
    browser.press("p")
    check.that(run("kinetree.state.selected") == first, "p goes back")
    # On a slow machine it can pause at the time where it began: what was drawn in between counts.
    run("window.pictures.clear()")
    browser.press(" ")
    time.sleep(0.5)
    check.that(run("kinetree.state.isPlaying"), "space plays")
    browser.press(" ")
    check.that(not run("kinetree.state.isPlaying"), "space pauses")
    check.that(run("window.pictures.size") > 1, "play changes the picture")
    run("document.getElementById('timeline').focus()")
    browser.press("ArrowRight")
    shown = run("kinetree.axis.range[1] - kinetree.axis.range[0]")
    browser.press("+")
    check.that(run("kinetree.axis.range[1] - kinetree.axis.range[0]") < shown, "plus zooms the timeline")
    run("document.getElementById('zoom-all').click()")
    browser.settle()
    # Hover over a bar.
    run("document.querySelector('#timeline [data-incident]').scrollIntoView({ block: 'center' })")
    x, y, width, height = browser.box("#timeline [data-incident]")
    top = run("scrollY")
    browser.mouse("mouseMoved", x + width / 2, y - top + height / 2)
    browser.settle()
    tip = run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
    check.that("worst at" in tip and "pairs of triangles" in tip, "hover shows numbers", tip)
    browser.mouse("mouseMoved", 2, 2)
    # Isolate, hide, sort.
    run("scrollTo(0, 0); kinetree.select(0); kinetree.whole()")
    run("document.activeElement.blur()")
    browser.settle()
    check.that(canvas_hash(browser) == initial, "the same state has the same picture")
    names = run("kinetree.data.bodies.length")
    for number in range(names):
        run(f"document.querySelectorAll('#bodies input')[{number}].click()")
    changes("hiding all bodies")
    run("document.querySelectorAll('#bodies button')[0].click()")
    changes("only the first body")
    run("document.getElementById('isolate').click()")
    browser.settle()
    both = run("kinetree.view.bodies.filter((body) => body.isVisible).map((body) => body.number)")
    check.that(both == sorted(set(run("kinetree.data.incidents[0].bodies"))), "isolated bodies", both)
    run("document.getElementById('isolate').click()")
    run("document.querySelectorAll('#bodies button')[0].click()")
    browser.settle()
    check.that(canvas_hash(browser) in seen, "all bodies again")
    order = "[...document.querySelectorAll('#incidents tbody tr')].map((row) => Number(row.dataset.incident))"
    run("document.querySelectorAll('#incidents th button')[2].click()")
    begins = [run(f"kinetree.data.incidents[{number}].begin") for number in run(order)]
    check.that(begins == sorted(begins), "sorted by begin", begins)
    # What a screen reader is told.
    unnamed = run(
        """[...document.querySelectorAll('button, input, select, img, [tabindex]')].filter((e) => !(e.getAttribute('aria-label')
        || e.getAttribute('aria-labelledby') || e.textContent.trim() || e.alt || (e.labels && e.labels.length))).map((e) => e.outerHTML)"""
    )
    check.that(unnamed == [], "controls have names", unnamed)
    check.that(run("document.documentElement.lang") == "en", "language")
    check.that(browser.complaints() == [], "no complaints", browser.complaints())
    outside = [url for url in browser.requests() if not url.startswith(("file://", "data:", "blob:"))]
    files = {url for url in browser.requests() if url.startswith("file://")}
    check.that(outside == [] and len(files) == 1, "no request leaves the file", outside, files)


def fits(check, browser, width):
    """Nothing reaches beyond a narrow window."""
    browser.resize(width, 800)
    browser.settle()
    wide = browser.run("document.documentElement.scrollWidth")
    check.that(wide <= width, f"fits in {width} pixels", wide)


def missing_frames(check, browser):
    """Between frames that were left out, the nearest kept one is shown, and said to be so."""
    browser.run(
        "(() => { const f = kinetree.data.frames; f.gapSet.add(9); kinetree.seek(f.times[9] * 0.4 + f.times[10] * 0.6); })()"
    )
    browser.settle()
    notice = browser.run("document.getElementById('notice').textContent")
    check.that("not in the file" in notice, "missing frames are told", notice)
    keys = browser.run("kinetree.view.bodies.filter((body) => body.data.frames > 1).map((body) => body.key)")
    check.that(keys and all(key == "10 10 0" for key in keys), "the nearest frame", keys)
    browser.run("kinetree.data.frames.gapSet.delete(9); kinetree.select(0)")
    browser.settle()
    notice = browser.run("document.getElementById('notice').textContent")
    check.that("not in the file" not in notice, "kept frames are not told", notice)


def lost_context(check, browser):
    """A graphics processor that goes away is replaced by software."""
    browser.run("kinetree.view.renderer.gl.getExtension('WEBGL_lose_context').loseContext()")
    time.sleep(0.3)
    browser.settle()
    check.that(browser.run("kinetree.view.renderer.name") == "software", "software after a lost context")
    check.that(browser.run("document.querySelectorAll('canvas').length") == 1, "one canvas")
    before = canvas_hash(browser)
    browser.run("document.getElementById('canvas').focus()")
    browser.press("ArrowLeft")
    check.that(canvas_hash(browser) != before, "the new canvas is used")


def screenshots(folder, reports):
    folder.mkdir(parents=True, exist_ok=True)
    for name, report in reports:
        for suffix, size, dark in [("", (1280, 800), False), ("-dark", (1280, 800), True), ("-narrow", (420, 900), False)]:
            with Browser(WEBGL, size, dark) as browser:
                browser.open(report)
                (folder / f"report-{name}{suffix}.png").write_bytes(browser.picture())


def main():
    sys.stdout.reconfigure(line_buffering=True)
    arguments = sys.argv[1:]
    if program() is None:
        message = "no Chromium found; `apt-get install chromium`, or name one in CHROMIUM"
        if "--skip-without-browser" in arguments:
            print(f"skipped: {message}")
            return
        sys.exit(message)
    check = Checks()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reports = []
        for name, scene in [("cloth-ball", SCENE), ("hostile", hostile_scene(folder))]:
            report, data = folder / f"{name}.html", folder / f"{name}.json"
            began = time.monotonic()
            kinetree("check", scene, "--fps", "24", "--report", str(report), "--json", str(data), "--quiet")
            took, size = time.monotonic() - began, report.stat().st_size
            print(f"{name}: {size} bytes, {took:.2f} s with the check")
            reports.append((name, report, data))
        check.that(reports[0][1].stat().st_size < MOST_BYTES, "size", reports[0][1].stat().st_size)
        for name, report, data in reports:
            for renderer, flags in [("webgl", WEBGL), ("software", NO_WEBGL)]:
                if "--only" in arguments and f"{name}-{renderer}" not in arguments:
                    continue
                check.prefix = f"{name}, {renderer}"
                began = time.monotonic()
                with Browser(flags) as browser:
                    browser.open(report)
                    same_data(check, browser, data)
                    every_incident(check, browser)
                    use(check, browser, renderer, name == "hostile")
                    missing_frames(check, browser)
                    fits(check, browser, 360)
                    if renderer == "webgl":
                        lost_context(check, browser)
                    if name == "hostile":
                        names = browser.run("kinetree.data.bodies.map((body) => body.name)")
                        check.that(HOSTILE in names, "the name is whole", names)
                        strange = browser.run("document.querySelectorAll('img[src=x], [onerror]').length")
                        check.that(strange == 0, "the name made no element", strange)
                        cells = browser.run("document.querySelector('#incidents tbody').textContent")
                        check.that(HOSTILE in cells, "the table has the name", cells)
                print(f"{check.prefix}: {time.monotonic() - began:.1f} s")
        if "--screenshots" in arguments:
            target = Path(arguments[arguments.index("--screenshots") + 1])
            screenshots(target, [(name, report) for name, report, _ in reports[:1]])
    print(f"{check.done} checks, {check.failed} failed")
    sys.exit(check.failed > 0)


if __name__ == "__main__":
    main()
