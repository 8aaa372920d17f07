// ---------------------------------------------------------------------------------------------
// View: the canvas with its renderer, the camera, pointer and keys.
// ---------------------------------------------------------------------------------------------

const VIEW_LABEL =
  "View of the bodies in three dimensions. Arrow keys orbit, Shift and arrows move, plus and minus zoom, " +
  "space plays, n and p go to the next and previous incident, f shows a close-up, h the whole scene.";

/** Half the room of a close-up at least, relative to the scene, so that its place can be recognised. */
const CLOSE = 0.035;

class View {
  /** `changed` is called when the picture must be drawn again. */
  constructor(screen, data, changed) {
    this.screen = screen;
    this.changed = changed;
    const box = corners(data.bodies);
    this.origin = scale(add(...box), 0.5);
    const [min, max] = box.map((corner) => subtract(corner, this.origin));
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

  /** Shows all bodies as they are posed now; floors and the like only where there is nothing else. */
  whole() {
    const bodies = this.bodies.filter((body) => body.isVisible && body.data.vertices > 0);
    const counted = bodies.filter((body) => !body.data.isSurroundings);
    const box = { min: [Infinity, Infinity, Infinity], max: [-Infinity, -Infinity, -Infinity] };
    for (const { positions } of counted.length > 0 ? counted : bodies) {
      for (let i = 0; i < positions.length; i++) {
        box.min[i % 3] = Math.min(box.min[i % 3], positions[i]);
        box.max[i % 3] = Math.max(box.max[i % 3], positions[i]);
      }
    }
    this.camera.reset(box.min[0] <= box.max[0] ? box : this.camera.box);
  }

  /** Shows the surroundings of an incident, from outside of its bodies. */
  closeUp(incident) {
    const middles = incident.bodies.map((body) => middleOf(this.bodies[body].positions));
    const outward = subtract(subtract(incident.middle, this.origin), scale(add(...middles), 0.5));
    this.camera.standIn(outward);
    const [min, max] = [subtract(incident.min, this.origin), subtract(incident.max, this.origin)];
    const radius = Math.max(Math.hypot(...subtract(max, min)) / 2, this.camera.size * CLOSE);
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

/** The mean of some points. */
function middleOf(positions) {
  const sum = [0, 0, 0];
  for (let i = 0; i < positions.length; i++) sum[i % 3] += positions[i];
  return scale(sum, 3 / Math.max(positions.length, 3));
}

/**
 * Corners of the box of all bodies over all frames. Bodies that never move and are much larger than
 * those that do, as floors are, are marked as surroundings and left out.
 */
function corners(bodies) {
  const used = bodies.filter((body) => body.vertices > 0);
  const high = (body) => body.min.map((low, axis) => low + body.step[axis] * 65535);
  const size = (body) => Math.hypot(...subtract(high(body), body.min));
  const moving = Math.max(0, ...used.filter((body) => body.frames > 1).map(size));
  for (const body of used) body.isSurroundings = moving > 0 && body.frames === 1 && size(body) > 1.5 * moving;
  const counted = used.filter((body) => !body.isSurroundings);
  const min = [0, 1, 2].map((axis) => Math.min(...counted.map((body) => body.min[axis])));
  const max = [0, 1, 2].map((axis) => Math.max(...counted.map((body) => high(body)[axis])));
  return counted.length > 0 ? [min, max] : [[0, 0, 0], [1, 1, 1]];
}
