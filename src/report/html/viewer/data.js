// ---------------------------------------------------------------------------------------------
// Data: what the page carries, unpacked.
// ---------------------------------------------------------------------------------------------

const NO_INCIDENT = 0xffffffff;

/** Flags of a contact: its begin, or its end, is not part of it. */
const OPEN_BEGIN = 1;
const OPEN_END = 2;

/** Reads the bytes of a packed part: base64 of a zlib stream. */
async function unpack(name) {
  const text = atob(document.getElementById(`data-${name}`).textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Reads values that are stored plane by plane: all lowest bytes first. */
class Planes {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  /** The next `count` values of `size` bytes, as little-endian bytes one after another. */
  next(count, size) {
    const values = new Uint8Array(count * size);
    for (let plane = 0; plane < size; plane++) {
      const start = this.at + plane * count;
      for (let i = 0; i < count; i++) values[i * size + plane] = this.bytes[start + i];
    }
    this.at += count * size;
    return values.buffer;
  }

  unsigned16(count) {
    return new Uint16Array(this.next(count, 2));
  }

  unsigned32(count) {
    return new Uint32Array(this.next(count, 4));
  }

  float64(count) {
    return new Float64Array(this.next(count, 8));
  }

  unsigned8(count) {
    return new Uint8Array(this.next(count, 1));
  }

  /** Indices that are stored as differences from the index before. */
  indices(count) {
    const values = this.unsigned32(count);
    let before = 0;
    for (let i = 0; i < count; i++) {
      const code = values[i];
      before = (before + ((code >>> 1) ^ -(code & 1))) >>> 0;
      values[i] = before;
    }
    return values;
  }
}

/** Turns differences back into numbers of 16 bits, in place; see `positions.rs` for the prediction. */
function undoPrediction(numbers, frameSize, order) {
  for (let i = 0; i < numbers.length; i++) {
    const code = numbers[i];
    const difference = (code >>> 1) ^ -(code & 1);
    let predicted = 0;
    if (i >= 2 * frameSize && order === 2) {
      predicted = 2 * numbers[i - frameSize] - numbers[i - 2 * frameSize];
    } else if (i >= frameSize) {
      predicted = numbers[i - frameSize];
    } else if (i > 0) {
      predicted = numbers[i - 1];
    }
    numbers[i] = predicted + difference;
  }
}

/** Reads all data of the page. Times are seconds, lengths metres. */
async function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const parts = ["positions", "triangles", "contacts"].map(unpack);
  const [positions, triangles, contacts] = (await Promise.all(parts)).map((bytes) => new Planes(bytes));
  for (const body of data.bodies) {
    body.numbers = positions.unsigned16(body.frames * body.vertices * 3);
    undoPrediction(body.numbers, body.vertices * 3, body.order);
    body.indices = triangles.indices(body.triangles * 3);
  }
  const count = data.contacts.count;
  Object.assign(data.contacts, {
    pair: contacts.unsigned32(count),
    triangleA: contacts.indices(count),
    triangleB: contacts.indices(count),
    begin: contacts.float64(count),
    end: contacts.float64(count),
    incident: contacts.unsigned32(count),
    flags: contacts.unsigned8(count),
  });
  data.frames.gapSet = new Set(data.frames.gaps);
  data.incidents.forEach((incident, number) => {
    [incident.min, incident.max] = incident.bounds || boxOf(data, number);
    incident.middle = incident.bounds ? incident.centre : incident.min.map((low, axis) => (low + incident.max[axis]) / 2);
  });
  return data;
}

/** Whether a contact exists at a time: not at an open end, where a jump is, unless it has no length. */
function isAt({ begin, end, flags }, i, time) {
  if (begin[i] > time || end[i] < time) return false;
  if (begin[i] === end[i]) return true;
  return !(begin[i] === time && flags[i] & OPEN_BEGIN) && !(end[i] === time && flags[i] & OPEN_END);
}

/** Where an incident has no crossing curve: the box of its triangles that touch at its worst time. */
function boxOf(data, number) {
  const { pairs, pair, incident, triangleA, triangleB, count } = data.contacts;
  const time = data.incidents[number].worst_time;
  const place = placeOf(data.frames, time);
  const box = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (let i = 0; i < count; i++) {
    if (incident[i] !== number || !isAt(data.contacts, i, time)) continue;
    const [a, b] = pairs[pair[i]].map((body) => data.bodies[body]);
    for (const [body, triangle] of [[a, triangleA[i]], [b, triangleB[i]]]) {
      for (const vertex of body.indices.subarray(triangle * 3, triangle * 3 + 3)) {
        const point = positionOf(body, vertex, place);
        box[0] = box[0].map((low, axis) => Math.min(low, point[axis]));
        box[1] = box[1].map((high, axis) => Math.max(high, point[axis]));
      }
    }
  }
  return box[0][0] <= box[1][0] ? box : [data.incidents[number].centre, data.incidents[number].centre];
}

/** A vertex of a body between two frames. */
function positionOf({ frames, numbers, vertices, min, step }, vertex, { a, b, mix }) {
  const number = (frame, axis) => numbers[((frames === 1 ? 0 : frame) * 3 + axis) * vertices + vertex];
  return min.map((low, axis) => low + step[axis] * (number(a, axis) * (1 - mix) + number(b, axis) * mix));
}

/** The frames around a time: the numbers of two kept frames, and how far the time is between them. */
function placeOf(frames, time) {
  const times = frames.times;
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle - 1;
  }
  if (low + 1 >= times.length || time <= times[low]) return { a: low, b: low, mix: 0, isMissing: false };
  const mix = (time - times[low]) / (times[low + 1] - times[low]);
  if (!frames.gapSet.has(low)) return { a: low, b: low + 1, mix, isMissing: false };
  const nearest = mix < 0.5 ? low : low + 1;
  return { a: nearest, b: nearest, mix: 0, isMissing: true };
}

// Numbers for people: the same rules as `words.rs`.

/** At most four significant digits, without trailing zeros. */
function numberText(x) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const decimals = Math.min(9, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(x)))));
  const text = x.toFixed(decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function lengthText(metres) {
  if (metres === 0) return "0 mm";
  if (metres < 1e-6) return `${metres.toExponential(1)} m`;
  if (metres < 1e-3) return `${(metres * 1e3).toFixed(4)} mm`;
  if (metres < 1e-1) return `${(metres * 1e3).toFixed(2)} mm`;
  return metres < 1e2 ? `${metres.toFixed(3)} m` : `${metres.toFixed(0)} m`;
}

function areaText(area) {
  const isSmall = area !== 0 && Math.abs(area) < 1e-3;
  return isSmall ? `${numberText(area * 1e6)} mm²` : `${numberText(area)} m²`;
}

function secondsText(time) {
  return `${time.toFixed(4)} s`;
}

function frameText(time, fps) {
  const text = (time * fps).toFixed(2).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

function timeText(data, time) {
  return data.fps ? `frame ${frameText(time, data.fps)} (${secondsText(time)})` : secondsText(time);
}

/** First and last frame of an incident, or its seconds where frames are not known. */
function rangeText(data, incident) {
  const { begin, end, first_frame: first, last_frame: last } = incident;
  if (!data.fps) return `${begin.toFixed(4)} – ${secondsText(end)}`;
  if (first === undefined) {
    const before = Math.floor(begin * data.fps);
    return `between frames ${before} and ${before + 1}`;
  }
  return first === last ? `frame ${first}` : `frames ${first} – ${last}`;
}

/** Thin groups of three digits. */
function countText(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function pairText(data, [a, b]) {
  const name = (body) => data.bodies[body].name;
  return a === b ? `${name(a)} with itself` : `${name(a)} – ${name(b)}`;
}
