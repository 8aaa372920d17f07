// ---------------------------------------------------------------------------------------------
// Timeline: a row for each pair of bodies that touches, a bar for each incident.
// ---------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const AXIS_HEIGHT = 26;
const LANE_HEIGHT = 13;
const MOST_LANES = 8;

/** An element of SVG. Texts are set as text, so no name can become an element. */
function svg(name, attributes = {}, text = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  return element;
}

/** The part of the clip that timeline and chart show, and where times are on the screen. */
class TimeAxis {
  constructor(data) {
    this.data = data;
    const [begin, end] = data.span;
    // A single instant has room too.
    this.whole = end > begin ? [begin, end] : [begin - 0.5, begin + 0.5];
    this.range = [...this.whole];
    this.labels = 150;
    this.width = 800;
  }

  resize(width) {
    this.width = width;
    this.labels = Math.min(190, Math.max(70, width * 0.2));
  }

  x(time) {
    const [begin, end] = this.range;
    return this.labels + ((time - begin) / (end - begin)) * (this.width - this.labels - 14);
  }

  time(x) {
    const [begin, end] = this.range;
    return begin + ((x - this.labels) / (this.width - this.labels - 14)) * (end - begin);
  }

  show(begin, end) {
    const [first, last] = this.whole;
    const least = (last - first) * 1e-5;
    const length = Math.min(Math.max(end - begin, least), last - first);
    const start = Math.min(Math.max((begin + end - length) / 2, first), last - length);
    this.range = [start, start + length];
  }

  zoom(factor, around) {
    const [begin, end] = this.range;
    this.show(around - (around - begin) * factor, around + (end - around) * factor);
  }

  move(seconds) {
    this.show(this.range[0] + seconds, this.range[1] + seconds);
  }

  /** Round values in frames or seconds, as [time, text]. */
  ticks() {
    const unit = this.data.fps || 1;
    const [begin, end] = this.range.map((time) => time * unit);
    const step = roundStep((end - begin) / Math.max(2, (this.width - this.labels) / 90), this.data.fps ? 1 : 0);
    const ticks = [];
    for (let k = Math.ceil(begin / step - 1e-9); k * step <= end + step * 1e-9; k++) {
      const value = numberText(Math.abs(k * step) < 1e-12 ? 0 : k * step);
      ticks.push([(k * step) / unit, this.data.fps ? value : `${value} s`]);
    }
    return ticks;
  }
}

/** The next of 1, 2, 5, 10, ... times a power of ten; at least `least`. */
function roundStep(step, least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(step, 1e-12)));
  const rounded = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= step * 0.999);
  return Math.max(rounded, least);
}

class Timeline {
  /** `actions` has select(incident), seek(time), changed(). */
  constructor(place, data, axis, actions) {
    Object.assign(this, { place, data, axis, actions });
    this.rows = rowsOf(data);
    this.tip = document.getElementById("tip");
    this.svg = svg("svg", { "aria-hidden": "true" });
    place.append(this.svg);
    this.listen();
  }

  listen() {
    let start = null;
    this.svg.addEventListener("pointerdown", (event) => {
      start = { x: event.clientX, range: [...this.axis.range], moved: false };
    });
    window.addEventListener("pointermove", (event) => {
      if (!start || event.buttons === 0) {
        start = null;
        return;
      }
      if (Math.abs(event.clientX - start.x) > 3) start.moved = true;
      if (!start.moved) return;
      this.axis.range = [...start.range];
      this.axis.move(this.axis.time(this.axis.labels + start.x - event.clientX) - this.axis.range[0]);
      this.actions.changed();
    });
    this.svg.addEventListener("click", (event) => {
      if (start && start.moved) return;
      const bar = event.target.closest("[data-incident]");
      if (bar) this.actions.select(Number(bar.dataset.incident));
      else this.actions.seek(this.axis.time(this.position(event)));
    });
    this.svg.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.axis.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.axis.time(this.position(event)));
        this.actions.changed();
      },
      { passive: false },
    );
    this.svg.addEventListener("pointermove", (event) => this.hover(event));
    this.svg.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
    });
  }

  position(event) {
    return event.clientX - this.svg.getBoundingClientRect().left;
  }

  hover(event) {
    const bar = event.target.closest("[data-incident]");
    this.tip.hidden = !bar;
    if (bar) showTip(this.tip, event, incidentText(this.data, Number(bar.dataset.incident)));
  }

  /** Draws all; while only time goes on, only the line at the time moves. */
  draw(state) {
    const { axis } = this;
    const key = [...axis.range, axis.width, state.selected].join(" ");
    if (key === this.drawn) {
      movePlayhead(this.svg, axis, state.time);
      return;
    }
    this.drawn = key;
    const lanes = this.rows.reduce((sum, row) => sum + row.lanes, 0);
    const height = AXIS_HEIGHT + lanes * LANE_HEIGHT + this.rows.length * 12 + 6;
    this.svg.setAttribute("height", height);
    this.svg.setAttribute("viewBox", `0 0 ${axis.width} ${height}`);
    const parts = [...axisParts(axis, height, true), ...missingParts(this.data, axis, height)];
    let y = AXIS_HEIGHT;
    const clip = svg("clipPath", { id: "timeline-clip" });
    clip.append(svg("rect", { x: axis.labels - 3, y: 0, width: axis.width - axis.labels, height }));
    const bars = svg("g", { "clip-path": "url(#timeline-clip)" });
    for (const row of this.rows) {
      parts.push(svg("line", { class: "rule", x1: 0, x2: axis.width, y1: y, y2: y }));
      const name = shortened(pairText(this.data, row.bodies), axis.labels);
      parts.push(svg("text", { class: "row-name", x: 10, y: y + 6 + Math.min(row.lanes, 2) * 6 + 4 }, name));
      for (const { number, lane } of row.bars) this.bar(bars, number, y + 6 + lane * LANE_HEIGHT, state);
      y += row.lanes * LANE_HEIGHT + 12;
    }
    if (this.rows.length === 0) {
      const none = this.data.incidents_left_out ? "incidents were not found" : "no incidents";
      parts.push(svg("text", { x: 10, y: 18 }, none));
    }
    this.svg.replaceChildren(...parts, clip, bars, playhead(axis, state.time, height));
  }

  bar(group, number, y, state) {
    const incident = this.data.incidents[number];
    const [from, to] = [this.axis.x(incident.begin), this.axis.x(incident.end)];
    if (to < this.axis.labels - 4 || from > this.axis.width) return;
    const width = Math.max(to - from, 4);
    const isSelected = state.selected === number;
    const bar = svg("rect", {
      class: ["incident", isSelected ? "selected" : "", incident.is_new ? "" : "known"].join(" ").trim(),
      x: from,
      y,
      width,
      height: LANE_HEIGHT - 3,
      rx: 3,
      "data-incident": number,
      opacity: isSelected ? 1 : incident.weight,
    });
    group.append(bar);
    if (width > 12) {
      const x = Math.min(Math.max(this.axis.x(incident.worst_time), from + 3), to - 3);
      group.append(svg("circle", { class: "worst-mark", cx: x, cy: y + (LANE_HEIGHT - 3) / 2, r: 2.2 }));
    }
  }
}

/** Incidents by pair of bodies, each in the first lane that is free; the worst pairs come first. */
function rowsOf(data) {
  const rows = new Map();
  const order = data.incidents.map((_, number) => number);
  order.forEach((number) => {
    const key = data.incidents[number].bodies.join(" ");
    if (!rows.has(key)) rows.set(key, { bodies: data.incidents[number].bodies, bars: [], ends: [] });
  });
  order.sort((a, b) => data.incidents[a].begin - data.incidents[b].begin || a - b);
  for (const number of order) {
    const { begin, end, bodies } = data.incidents[number];
    const row = rows.get(bodies.join(" "));
    let lane = row.ends.findIndex((last) => last < begin);
    if (lane < 0) lane = row.ends.length < MOST_LANES ? row.ends.length : MOST_LANES - 1;
    row.ends[lane] = Math.max(end, row.ends[lane] ?? -Infinity);
    row.bars.push({ number, lane });
  }
  return [...rows.values()].map((row) => ({ ...row, lanes: row.ends.length }));
}

/** Ticks with their lines; texts at the top. */
function axisParts(axis, height, hasTexts) {
  return axis.ticks().flatMap(([time, text]) => {
    const x = axis.x(time);
    const line = svg("line", { class: "grid", x1: x, x2: x, y1: hasTexts ? 20 : 0, y2: height });
    return hasTexts ? [line, svg("text", { x, y: 15, "text-anchor": "middle" }, text)] : [line];
  }).concat(hasTexts ? [svg("text", { x: 10, y: 15 }, axis.data.fps ? "frame" : "time")] : []);
}

/** Shades where the file has no frames. */
function missingParts(data, axis, height) {
  return data.frames.gaps.map((place) => {
    const clamp = (time) => Math.min(Math.max(axis.x(time), axis.labels), axis.width);
    const [from, to] = [clamp(data.frames.times[place]), clamp(data.frames.times[place + 1])];
    return svg("rect", { class: "missing", x: from, y: 0, width: to - from, height });
  });
}

function playhead(axis, time, height) {
  const line = svg("line", { class: "playhead", y1: 0, y2: height });
  const group = svg("g");
  group.append(line);
  movePlayhead(group, axis, time);
  return line;
}

function movePlayhead(parent, axis, time) {
  const line = parent.querySelector(".playhead");
  const x = axis.x(time);
  line.setAttribute("x1", x);
  line.setAttribute("x2", x);
  line.setAttribute("visibility", x < axis.labels - 1 || x > axis.width ? "hidden" : "visible");
}

function shortened(text, width) {
  const most = Math.max(8, Math.floor((width - 16) / 7));
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** What hovering over an incident shows. */
function incidentText(data, number) {
  const incident = data.incidents[number];
  const lines = [
    `#${number + 1}  ${pairText(data, incident.bodies)}`,
    rangeText(data, incident),
    `worst at ${timeText(data, incident.worst_time)}`,
    `${countText(incident.pairs)} pairs of triangles`,
  ];
  if (!incident.is_new) lines.push("in the baseline");
  if (incident.depth !== undefined) lines.push(`${lengthText(incident.depth)} deep`);
  if (incident.length > 0) lines.push(`${lengthText(incident.length)} of crossing curve`);
  return lines.join("\n");
}

function showTip(tip, event, text) {
  tip.textContent = text;
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, window.innerWidth - width - 8);
  const top = event.clientY + 18 + height > window.innerHeight ? event.clientY - height - 12 : event.clientY + 18;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${top}px`;
}
