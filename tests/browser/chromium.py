"""A headless Chromium, driven over a pipe with the DevTools protocol. Only the standard library is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--mute-audio",
    "--force-device-scale-factor=1",
    "--remote-debugging-pipe",
]

# WebGL on the processor, and no WebGL at all.
WEBGL = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
NO_WEBGL = ["--disable-gpu", "--disable-3d-apis"]


# The longest wait for any message of the browser.
ANSWER_SECONDS = 120


def program():
    """The path of a Chromium, or None."""
    names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


class BrowserError(Exception):
    """The browser refused, ended, or did not answer in time."""


class Browser:
    """One browser with one page."""

    def __init__(self, flags, size=(1280, 800), dark=False):
        self.folder = tempfile.TemporaryDirectory(prefix="kinetree-browser-", ignore_cleanup_errors=True)
        # The browser reads commands from descriptor 3 and writes answers to descriptor 4.
        (there_in, here_out), (here_in, there_out) = os.pipe(), os.pipe()

        def descriptors():
            # Copies first, so that neither pipe is closed by the other's new number.
            first, second = os.dup(there_in), os.dup(there_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        command = [program(), *FLAGS, *flags, f"--user-data-dir={self.folder.name}", f"--window-size={size[0]},{size[1]}"]
        self.process = subprocess.Popen(
            [*command, "about:blank"],
            preexec_fn=descriptors,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(there_in)
        os.close(there_out)
        self.out, self.input, self.buffer = here_out, here_in, b""
        self.number, self.events, self.session = 0, [], None
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(f"{domain}.enable")
        self.resize(*size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.input)
        self.folder.cleanup()

    def message(self):
        """The next message of the browser."""
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], ANSWER_SECONDS)[0]:
                raise BrowserError(f"no answer for {ANSWER_SECONDS} s")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise BrowserError("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """The answer to a command; events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.out, text) :]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def run(self, script):
        """The value of an expression of JavaScript; promises are awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(f"{script}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def open(self, path, seconds=60):
        """Opens a file and waits until the report says that it is ready; returns by which renderer."""
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready = self.run("document.documentElement?.dataset.ready || ''")
            if ready:
                # The first pictures come while the page is still laid out.
                self.settle()
                time.sleep(0.3)
                self.settle()
                return ready
            time.sleep(0.05)
        raise BrowserError(f"{path}: not ready after {seconds} s; notice: {self.run('document.body.innerText')[:300]}")

    def settle(self):
        """Waits until what was changed is drawn."""
        self.run(
            """new Promise((done) => {
          // A page that plays is never settled, so the wait is limited.
          let frames = 0;
          const isDirty = () => window.kinetree && kinetree.isDirty && (frames += 1) < 30;
          const wait = () => (isDirty() ? requestAnimationFrame(wait) : setTimeout(done, 40));
          requestAnimationFrame(() => requestAnimationFrame(wait));
        })"""
        )

    def press(self, key, shift=False):
        """Presses a key in whatever has the focus."""
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Enter": 13, "Tab": 9, " ": 32}
        code = codes.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        common = {"key": key, "windowsVirtualKeyCode": code, "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def box(self, selector):
        """Left, top, width and height of an element on the page."""
        place = f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
        return self.run(f"{place} return [b.left + scrollX, b.top + scrollY, b.width, b.height]; }})()")

    def picture(self, selector=None, whole=False):
        """A PNG of an element, of the window, or of the whole page."""
        options = {}
        if selector:
            x, y, width, height = self.box(selector)
            options = {"clip": {"x": x, "y": y, "width": width, "height": height, "scale": 1}}
        if whole:
            options = {"captureBeyondViewport": True}
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            options["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", **options)["data"])

    def requests(self):
        """Addresses that the page asked for."""
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def complaints(self):
        """Warnings and errors of the page, as texts."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(json.dumps(parameters["exceptionDetails"])[:500])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(" ".join(str(part.get("value", part.get("description"))) for part in parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
        return found
