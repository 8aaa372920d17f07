// ---------------------------------------------------------------------------------------------
// Data: what the page carries, unpacked.
// ---------------------------------------------------------------------------------------------

const NO_INCIDENT = 0xffffffff;

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
  return data;
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
  const isSmall = metres !== 0 && Math.abs(metres) < 0.1;
  return isSmall ? `${numberText(metres * 1e3)} mm` : `${numberText(metres)} m`;
}

function areaText(area) {
  const isSmall = area !== 0 && Math.abs(area) < 1e-3;
  return isSmall ? `${numberText(area * 1e6)} mm²` : `${numberText(area)} m²`;
}

function secondsText(time) {
  return `${time.toFixed(3)} s`;
}

function frameText(time, fps) {
  const text = (time * fps).toFixed(2).replace(/\.?0+$/, "");
  return text === "-0" ? "0" : text;
}

function timeText(data, time) {
  return data.fps ? `frame ${frameText(time, data.fps)} (${secondsText(time)})` : secondsText(time);
}

function rangeText(data, begin, end) {
  if (data.fps) {
    const [first, last] = [frameText(begin, data.fps), frameText(end, data.fps)];
    return first === last ? `frame ${first}` : `frames ${first} – ${last}`;
  }
  const isInstant = secondsText(begin) === secondsText(end);
  return isInstant ? secondsText(begin) : `${begin.toFixed(3)} – ${secondsText(end)}`;
}

/** Thin groups of three digits. */
function countText(count) {
  return String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function pairText(data, [a, b]) {
  const name = (body) => data.bodies[body].name;
  return a === b ? `${name(a)} with itself` : `${name(a)} – ${name(b)}`;
}
