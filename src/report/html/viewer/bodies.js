// ---------------------------------------------------------------------------------------------
// Bodies: positions at a time, and the triangles that touch then.
// ---------------------------------------------------------------------------------------------

/** Kinds of highlighted triangles, by how much they matter: those of later kinds are drawn over those before. */
const KINDS = ["known", "touching", "selected"];

/** One body, ready to be drawn. Positions are relative to `origin`, so that 32 bits suffice. */
class Body {
  constructor(data, number, origin) {
    this.data = data;
    this.number = number;
    this.colour = rgb(data.colour);
    this.offset = subtract(data.min, origin);
    this.positions = new Float32Array(data.vertices * 3);
    this.normals = new Float32Array(data.vertices * 3);
    this.isVisible = true;
    this.version = 0;
    this.known = [];
    this.touching = [];
    this.selected = [];
    this.marks = new Uint8Array(data.triangles);
    this.key = "";
  }

  /** Takes the positions between two frames. Does nothing if they are the same as before. */
  pose({ a, b, mix }) {
    const { vertices, frames, numbers, step } = this.data;
    if (frames === 1) [a, b, mix] = [0, 0, 0];
    const key = `${a} ${b} ${mix}`;
    if (key === this.key) return;
    this.key = key;
    this.version += 1;
    for (let axis = 0; axis < 3; axis++) {
      const [from, to] = [(a * 3 + axis) * vertices, (b * 3 + axis) * vertices];
      for (let v = 0; v < vertices; v++) {
        const number = numbers[from + v] * (1 - mix) + numbers[to + v] * mix;
        this.positions[v * 3 + axis] = this.offset[axis] + step[axis] * number;
      }
    }
    this.updateNormals();
  }

  /** Normals of vertices: sums of those of their triangles, larger triangles count more. */
  updateNormals() {
    const { positions: p, normals: n } = this;
    const indices = this.data.indices;
    n.fill(0);
    for (let i = 0; i < indices.length; i += 3) {
      const [a, b, c] = [indices[i] * 3, indices[i + 1] * 3, indices[i + 2] * 3];
      const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
      const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
      const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
      for (const at of [a, b, c]) {
        n[at] += x;
        n[at + 1] += y;
        n[at + 2] += z;
      }
    }
  }

  /** Each edge once, as pairs of vertices. */
  edges() {
    if (!this.edgeIndices) {
      const indices = this.data.indices;
      const count = this.data.vertices;
      const keys = new Float64Array(indices.length);
      for (let i = 0; i < indices.length; i++) {
        const a = indices[i];
        const b = indices[i % 3 === 2 ? i - 2 : i + 1];
        keys[i] = Math.min(a, b) * count + Math.max(a, b);
      }
      const unique = keys.sort().filter((key, i) => i === 0 || key !== keys[i - 1]);
      this.edgeIndices = new Uint32Array(unique.length * 2);
      unique.forEach((key, i) => this.edgeIndices.set([Math.floor(key / count), key % count], i * 2));
    }
    return this.edgeIndices;
  }
}

/**
 * Finds which triangles touch at a time; `selected` is the incident whose triangles stand out, and those of incidents
 * in the baseline are apart from the others.
 */
function markContacts(data, bodies, time, selected) {
  const { pairs, count, pair, triangleA, triangleB, incident } = data.contacts;
  for (const body of bodies) {
    body.marks.fill(0);
    for (const kind of KINDS) body[kind] = [];
  }
  let touching = 0;
  for (let i = 0; i < count; i++) {
    if (!isAt(data.contacts, i, time)) continue;
    touching += 1;
    const isKnown = incident[i] !== NO_INCIDENT && !data.incidents[incident[i]].is_new;
    const kind = selected !== null && incident[i] === selected ? 3 : isKnown ? 1 : 2;
    const [a, b] = pairs[pair[i]];
    mark(bodies[a], triangleA[i], kind);
    mark(bodies[b], triangleB[i], kind);
  }
  for (const body of bodies) {
    body.marks.forEach((kind, triangle) => {
      if (kind > 0) body[KINDS[kind - 1]].push(triangle);
    });
  }
  return touching;
}

/** A triangle in several contacts is of the kind that matters most. */
function mark(body, triangle, kind) {
  body.marks[triangle] = Math.max(body.marks[triangle], kind);
}

/** The vertices of some triangles of a body, for drawing. */
function cornersOf(body, triangles) {
  const corners = new Uint32Array(triangles.length * 3);
  triangles.forEach((triangle, i) => corners.set(body.data.indices.subarray(triangle * 3, triangle * 3 + 3), i * 3));
  return corners;
}
