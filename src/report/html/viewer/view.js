// ---------------------------------------------------------------------------------------------
// View: the canvas with its renderer, the camera, pointer and keys.
// ---------------------------------------------------------------------------------------------

const VIEW_LABEL =
  "View of the bodies in three dimensions. Arrow keys orbit, Shift and arrows move, plus and minus zoom, " +
  "space plays, n and p go to the next and previous incident, f shows a close-up, h the whole scene.";

class View {
  /** `changed` is called when the picture must be drawn again. */
  constructor(screen, data, changed) {
    this.screen = screen;
    this.changed = changed;
    this.origin = scale(add(...corners(data.bodies)), 0.5);
    const [min, max] = corners(data.bodies).map((corner) => subtract(corner, this.origin));
    this.camera = new Camera({ min, max }, data.up);
    this.bodies = data.bodies.map((body, number) => new Body(body, number, this.origin));
    this.marker = document.getElementById("marker");
    this.pointers = new Map();
    this.createCanvas();
    new ResizeObserver(() => this.changed()).observe(screen);
  }

  /** A canvas with the best renderer there is; `softwareOnly` after a graphics processor was lost. */
  createCanvas(softwareOnly = false) {
    if (this.canvas) this.canvas.remove();
    const makers = [SoftwareRenderer];
    if (!softwareOnly) makers.unshift(WebGlRenderer);
    this.renderer = null;
    for (const Maker of makers) {
      // A canvas has one kind of context for its life, so each try has its own.
      const canvas = document.createElement("canvas");
      try {
        this.renderer = new Maker(canvas);
        this.canvas = canvas;
        break;
      } catch (reason) {
        this.reason = reason.message;
      }
    }
    if (!this.renderer) return;
    this.canvas.tabIndex = 0;
    this.canvas.id = "canvas";
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", VIEW_LABEL);
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.createCanvas(true);
      this.changed();
    });
    this.screen.prepend(this.canvas);
    this.listen();
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, event);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (event) => this.pointers.delete(event.pointerId));
    }
    canvas.addEventListener("pointermove", (event) => this.drag(event));
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        this.camera.zoom(Math.exp(Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) * 0.0015));
        this.changed();
      },
      { passive: false },
    );
  }

  /** One pointer turns or moves the camera; two move it and zoom. */
  drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const height = this.canvas.clientHeight;
    const [x, y] = [(event.clientX - before.clientX) / height, (event.clientY - before.clientY) / height];
    if (this.pointers.size === 2) {
      const other = [...this.pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
      const gap = (pointer) => Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY);
      this.camera.zoom(gap(before) / Math.max(gap(event), 1));
      this.camera.pan(x / 2, y / 2);
    } else if (event.shiftKey || event.buttons & 6) {
      this.camera.pan(x, y);
    } else {
      this.camera.orbit(-x * 3.5, y * 3.5);
    }
    this.pointers.set(event.pointerId, event);
    this.changed();
  }

  /** Moves the camera for a key pressed on the canvas; returns whether it did. */
  key(event) {
    const [x, y] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key] || [0, 0];
    if (x !== 0 || y !== 0) {
      if (event.shiftKey) this.camera.pan(-x * 0.05, -y * 0.05);
      else this.camera.orbit(x * 0.12, -y * 0.12);
    } else if (event.key === "+" || event.key === "=") {
      this.camera.zoom(0.87);
    } else if (event.key === "-") {
      this.camera.zoom(1.15);
    } else {
      return false;
    }
    this.changed();
    return true;
  }

  /** Shows the surroundings of an incident. */
  closeUp(incident) {
    const [min, max] = [subtract(incident.min, this.origin), subtract(incident.max, this.origin)];
    const radius = Math.max(Math.hypot(...subtract(max, min)) / 2, this.camera.size * 0.01);
    const centre = scale(add(min, max), 0.5);
    const reach = [radius, radius, radius];
    this.camera.frame({ min: subtract(centre, reach), max: add(centre, reach) }, 1.6);
  }

  /** Draws the bodies as they are posed; `centre` is where the marker goes, or null. */
  draw(options, centre) {
    if (!this.renderer) return;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [wide, high] = [this.screen.clientWidth, this.screen.clientHeight];
    const size = { width: Math.max(1, Math.round(wide * ratio)), height: Math.max(1, Math.round(high * ratio)) };
    const isWebGl = this.renderer.name === "webgl";
    if (isWebGl && (this.canvas.width !== size.width || this.canvas.height !== size.height)) {
      [this.canvas.width, this.canvas.height] = [size.width, size.height];
    }
    this.renderer.draw(this.bodies, this.camera, size, options);
    this.marker.hidden = true;
    if (!centre) return;
    const [x, y, , w] = toClip(this.camera.matrices(wide / high).clip, subtract(centre, this.origin));
    if (w <= 0 || Math.abs(x) > w || Math.abs(y) > w) return;
    this.marker.hidden = false;
    this.marker.style.left = `${(x / w + 1) * 50}%`;
    this.marker.style.top = `${(1 - y / w) * 50}%`;
  }
}

/**
 * Corners of the box of all bodies over all frames. Bodies that never move and are much larger than
 * the others, as floors are, count only where nothing else is.
 */
function corners(bodies) {
  const boxes = bodies.filter((body) => body.vertices > 0).map((body) => {
    const max = body.min.map((low, axis) => low + body.step[axis] * 65535);
    return { min: body.min, max, size: Math.hypot(...subtract(max, body.min)), isStill: body.frames === 1 };
  });
  const moving = Math.max(0, ...boxes.filter((box) => !box.isStill).map((box) => box.size));
  const counted = boxes.filter((box) => moving === 0 || !box.isStill || box.size < 2 * moving);
  const min = [0, 1, 2].map((axis) => Math.min(...counted.map((box) => box.min[axis])));
  const max = [0, 1, 2].map((axis) => Math.max(...counted.map((box) => box.max[axis])));
  return counted.length > 0 ? [min, max] : [[0, 0, 0], [1, 1, 1]];
}
