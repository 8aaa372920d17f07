// ---------------------------------------------------------------------------------------------
// Drawing without a graphics processor: triangles into a picture with a depth for every pixel.
// ---------------------------------------------------------------------------------------------

/** Pixels of the picture at most; the browser scales it up. */
const MOST_PIXELS = 480_000;

/** Milliseconds of drawing from which on the picture is made coarser, and below which finer. */
const SLOW = 150;
const FAST = 35;

/** Draws bodies on a plain 2D canvas. Pictures are the same as with WebGL, but coarser, and flat. */
class SoftwareRenderer {
  constructor(canvas) {
    this.name = "software";
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    if (!this.context) throw new Error("no 2D canvas");
    this.reduction = 1;
    this.light = normalise([0.35, 0.6, 0.75]);
  }

  resize(size) {
    const most = MOST_PIXELS / this.reduction;
    const factor = Math.min(1, Math.sqrt(most / (size.width * size.height)));
    this.width = Math.max(1, Math.round(size.width * factor));
    this.height = Math.max(1, Math.round(size.height * factor));
    if (this.image && this.image.width === this.width && this.image.height === this.height) return;
    this.canvas.width = this.width;
    this.canvas.height = this.height;
    this.image = this.context.createImageData(this.width, this.height);
    this.depth = new Float32Array(this.width * this.height);
  }

  draw(bodies, camera, size, options) {
    const began = performance.now();
    this.resize(size);
    const { view, clip, near } = camera.matrices(size.width / size.height);
    this.near = near;
    const pixels = this.image.data;
    const [r, g, b] = options.background.map((value) => value * 255);
    for (let i = 0; i < pixels.length; i += 4) {
      pixels[i] = r;
      pixels[i + 1] = g;
      pixels[i + 2] = b;
      pixels[i + 3] = 255;
    }
    this.depth.fill(Infinity);
    const visible = bodies.filter((body) => body.isVisible);
    for (const body of visible) this.project(body, view, clip);
    const bodyAlpha = options.through ? 0.3 : 1;
    for (const body of visible) {
      const count = body.data.triangles;
      for (let t = 0; t < count; t++) this.triangle(body, t, body.colour, bodyAlpha, !options.through, 0);
    }
    if (options.edges) visible.forEach((body) => this.edges(body, options.edgeColour));
    for (const kind of KINDS) {
      for (const body of visible) {
        for (const t of body[kind]) this.triangle(body, t, options[kind], 0.3, false, Infinity);
        // Slightly nearer than the body, so that its own triangle does not hide it.
        for (const t of body[kind]) this.triangle(body, t, options[kind], 1, true, 1e-3);
      }
    }
    this.context.putImageData(this.image, 0, 0);
    const took = performance.now() - began;
    if (took > SLOW && this.reduction < 16) this.reduction *= 2;
    else if (took < FAST && this.reduction > 1) this.reduction /= 2;
  }

  /** Clip and eye coordinates of all vertices of a body. */
  project(body, view, clip) {
    const count = body.data.vertices;
    if (!body.clip) [body.clip, body.eye] = [new Float32Array(count * 4), new Float32Array(count * 3)];
    for (let v = 0; v < count; v++) {
      const [x, y, z] = [body.positions[v * 3], body.positions[v * 3 + 1], body.positions[v * 3 + 2]];
      for (let row = 0; row < 4; row++) {
        body.clip[v * 4 + row] = clip[row] * x + clip[4 + row] * y + clip[8 + row] * z + clip[12 + row];
      }
      for (let row = 0; row < 3; row++) {
        body.eye[v * 3 + row] = view[row] * x + view[4 + row] * y + view[8 + row] * z + view[12 + row];
      }
    }
  }

  /** Draws a triangle of a body, lit by its own normal, cut off in front of the eye. */
  triangle(body, t, colour, alpha, writesDepth, bias) {
    const corners = [0, 1, 2].map((k) => body.data.indices[t * 3 + k]);
    const eye = corners.map((v) => [body.eye[v * 3], body.eye[v * 3 + 1], body.eye[v * 3 + 2]]);
    const normal = normalise(cross(subtract(eye[1], eye[0]), subtract(eye[2], eye[0])));
    const isBack = dot(normal, eye[0]) > 0;
    const cosine = dot(normal, this.light) * (isBack ? -1 : 1);
    const light = (0.42 + 0.62 * Math.max(cosine, 0)) * (isBack ? 0.88 : 1);
    const shade = colour.map((value) => value * 255 * light);
    const clip = corners.map((v) => body.clip.subarray(v * 4, v * 4 + 4));
    const points = this.cut(clip);
    for (let i = 2; i < points.length; i++) {
      this.fill(points[0], points[i - 1], points[i], shade, alpha, writesDepth, bias);
    }
  }

  /** Draws the edges of a body that are before all else, a pixel wide. */
  edges(body, colour) {
    const shade = colour.map((value) => value * 255);
    const pixels = this.image.data;
    const edges = body.edges();
    for (let i = 0; i < edges.length; i += 2) {
      const ends = [edges[i], edges[i + 1]].map((v) => body.clip.subarray(v * 4, v * 4 + 4));
      if (ends.some((end) => end[3] < this.near)) continue;
      const [from, to] = ends.map((end) => this.onScreen(end));
      const steps = Math.ceil(Math.max(Math.abs(to[0] - from[0]), Math.abs(to[1] - from[1]), 1));
      for (let step = 0; step <= steps; step++) {
        const [x, y, depth] = from.map((start, k) => start + ((to[k] - start) * step) / steps);
        if (x < 0 || y < 0 || x >= this.width || y >= this.height) continue;
        const at = Math.floor(y) * this.width + Math.floor(x);
        if (depth * (1 + 1e-3) > this.depth[at]) continue;
        for (let k = 0; k < 3; k++) pixels[at * 4 + k] += (shade[k] - pixels[at * 4 + k]) * 0.35;
      }
    }
  }

  /** Corners on the screen, with depths, of the part of a triangle before the eye. */
  cut(clip) {
    const points = [];
    for (let i = 0; i < 3; i++) {
      const [a, b] = [clip[i], clip[(i + 1) % 3]];
      if (a[3] >= this.near) points.push(this.onScreen(a));
      if (a[3] >= this.near !== b[3] >= this.near) {
        const u = (this.near - a[3]) / (b[3] - a[3]);
        points.push(this.onScreen([0, 1, 2, 3].map((k) => a[k] + (b[k] - a[k]) * u)));
      }
    }
    return points;
  }

  onScreen([x, y, , w]) {
    // 1 / w is linear on the screen; its negative grows with the distance.
    return [(x / w + 1) * 0.5 * this.width, (1 - y / w) * 0.5 * this.height, -1 / w];
  }

  fill([ax, ay, az], [bx, by, bz], [cx, cy, cz], shade, alpha, writesDepth, bias) {
    const area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
    if (Math.abs(area) < 1e-9) return;
    const left = Math.max(0, Math.floor(Math.min(ax, bx, cx)));
    const right = Math.min(this.width - 1, Math.ceil(Math.max(ax, bx, cx)));
    const top = Math.max(0, Math.floor(Math.min(ay, by, cy)));
    const bottom = Math.min(this.height - 1, Math.ceil(Math.max(ay, by, cy)));
    const { width, depth: depths } = this;
    const pixels = this.image.data;
    const isDepthTested = bias !== Infinity;
    const nearer = isDepthTested ? 1 + bias : 1;
    for (let y = top; y <= bottom; y++) {
      const py = y + 0.5;
      for (let x = left; x <= right; x++) {
        const px = x + 0.5;
        // Shares of the corners: all are positive inside of the triangle.
        const u = ((bx - px) * (cy - py) - (by - py) * (cx - px)) / area;
        const v = ((cx - px) * (ay - py) - (cy - py) * (ax - px)) / area;
        const w = 1 - u - v;
        if (u < 0 || v < 0 || w < 0) continue;
        const depth = (u * az + v * bz + w * cz) * nearer;
        const at = y * width + x;
        if (isDepthTested && depth > depths[at]) continue;
        if (writesDepth) depths[at] = depth;
        const pixel = at * 4;
        pixels[pixel] += (shade[0] - pixels[pixel]) * alpha;
        pixels[pixel + 1] += (shade[1] - pixels[pixel + 1]) * alpha;
        pixels[pixel + 2] += (shade[2] - pixels[pixel + 2]) * alpha;
      }
    }
  }
}
