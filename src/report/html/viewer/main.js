// ---------------------------------------------------------------------------------------------
// The page: one state, and everything that shows or changes it.
// ---------------------------------------------------------------------------------------------

const byId = (id) => document.getElementById(id);

class Page {
  constructor(data) {
    this.data = data;
    weigh(data.incidents);
    this.state = { time: data.frames.times[0], selected: null, isPlaying: false, edges: false, through: false, isIsolated: false };
    this.isDirty = false;
    const changed = () => this.changed();
    const actions = { changed, seek: (time) => this.seek(time), select: (number) => this.select(number) };
    this.view = new View(byId("screen"), data, changed);
    this.axis = new TimeAxis(data);
    this.timeline = new Timeline(byId("timeline"), data, this.axis, actions);
    this.chart = new Chart(byId("chart"), data, this.axis, actions);
    this.table = new IncidentTable(byId("incidents"), actions.select);
    new ResizeObserver(changed).observe(byId("timeline"));
    this.shown = new Set(data.bodies.map((_, number) => number));
    this.readColours();
    this.listBodies();
    this.listen();
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.readColours();
      changed();
    });
    if (data.incidents.length > 0) this.select(0);
    this.whole();
  }

  /** Draws everything before the next picture of the browser, once for any number of changes. */
  changed() {
    if (this.isDirty) return;
    this.isDirty = true;
    requestAnimationFrame(() => {
      this.isDirty = false;
      this.draw();
    });
  }

  /** Poses the bodies that are shown at the time, and returns where that is among the frames. */
  pose() {
    const { state, data, view } = this;
    const place = placeOf(data.frames, state.time);
    const pair = state.isIsolated && state.selected !== null ? data.incidents[state.selected].bodies : null;
    for (const body of view.bodies) {
      body.isVisible = pair ? pair.includes(body.number) : this.shown.has(body.number);
      if (body.isVisible) body.pose(place);
    }
    return place;
  }

  draw() {
    const { state, data, view } = this;
    const place = this.pose();
    const touching = markContacts(data, view.bodies, state.time, state.selected);
    const incident = state.selected === null ? null : data.incidents[state.selected];
    const isOn = incident && incident.begin <= state.time && state.time <= incident.end;
    view.draw({ ...this.colours, edges: state.edges, through: state.through }, isOn ? incident.middle : null);
    this.axis.resize(byId("timeline").clientWidth);
    this.timeline.draw(state);
    this.chart.draw(state);
    this.table.draw(state);
    this.drawControls(touching, place);
  }

  drawControls(touching, place) {
    const { state, data } = this;
    const text = data.fps ? `frame ${(state.time * data.fps).toFixed(2)} · ${secondsText(state.time)}` : secondsText(state.time);
    byId("clock").textContent = text;
    const slider = byId("slider");
    slider.value = state.time;
    slider.setAttribute("aria-valuetext", `${timeText(data, state.time)}, ${touching} pairs of triangles touch`);
    byId("play").textContent = state.isPlaying ? "❚❚" : "▶";
    byId("play").setAttribute("aria-label", state.isPlaying ? "Pause" : "Play");
    for (const id of ["edges", "through"]) byId(id).checked = state[id];
    byId("isolate").setAttribute("aria-pressed", String(state.isIsolated));
    byId("up").value = this.view.camera.up;
    this.notice(place.isMissing ? "This frame is not in the file; the nearest kept frame is shown." : "");
  }

  /** A message over the view. Where the view is poor, that is always said. */
  notice(message) {
    if (document.documentElement.dataset.ready === "failed") return;
    const renderer = this.view.renderer;
    let about = "";
    if (!renderer) about = "This browser can draw neither with WebGL 2 nor on a 2D canvas; see the pictures below.";
    else if (renderer.name === "software") about = "Drawn without a graphics processor: coarser and slower, but complete.";
    const text = [about, message].filter(Boolean).join(" ");
    if (byId("notice").textContent !== text) byId("notice").textContent = text;
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => rgb(style.getPropertyValue(`--${name}`));
    this.colours = {
      background: colour("screen"),
      edgeColour: colour("edge"),
      known: colour("known"),
      touching: colour("touching"),
      selected: colour("selected"),
    };
  }

  listBodies() {
    const rows = this.view.bodies.map((body) => {
      const [row, label, box, swatch, only] = ["div", "label", "input", "span", "button"].map((name) => document.createElement(name));
      row.className = "body";
      swatch.className = "swatch";
      swatch.style.background = body.data.colour;
      Object.assign(box, { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        if (box.checked) this.shown.add(body.number);
        else this.shown.delete(body.number);
        this.isolate(false);
      });
      label.append(box, swatch, body.data.name);
      Object.assign(only, { type: "button", textContent: "Only" });
      only.setAttribute("aria-label", `Show only ${body.data.name}`);
      only.addEventListener("click", () => this.showOnly(body.number));
      row.append(label, only);
      return row;
    });
    byId("bodies").replaceChildren(...rows);
  }

  /** Shows one body; if it is the only one already, shows all. */
  showOnly(number) {
    const isOnly = this.shown.size === 1 && this.shown.has(number);
    this.shown = new Set(isOnly ? this.data.bodies.map((_, other) => other) : [number]);
    byId("bodies").querySelectorAll("input").forEach((box, other) => {
      box.checked = this.shown.has(other);
    });
    this.isolate(false);
  }

  isolate(isIsolated) {
    this.state.isIsolated = isIsolated;
    this.changed();
  }

  seek(time) {
    const [begin, end] = this.data.span;
    this.state.time = Math.min(Math.max(time, begin), end);
    this.changed();
  }

  /** Goes to the worst moment of an incident and shows it close. */
  select(number) {
    const incident = this.data.incidents[number];
    if (!incident) return;
    this.state.selected = number;
    this.pause();
    this.seek(incident.worst_time);
    const [begin, end] = this.axis.range;
    if (incident.worst_time < begin || incident.worst_time > end) this.axis.move(incident.worst_time - (begin + end) / 2);
    this.showDetails(number, incident);
  }

  showDetails(number, incident) {
    const { data } = this;
    byId("incident-title").textContent = `#${number + 1} ${pairText(data, incident.bodies)}`;
    const { triangles_a: a, triangles_b: b } = incident;
    const details = [
      ["When", rangeText(data, incident) + clippedText(incident)],
      ["Worst", timeText(data, incident.worst_time)],
      ["Baseline", incident.is_new ? "" : "known: the baseline has it"],
      ["Depth", depthText(incident)],
      ["Curve", curveText(incident)],
      ["Triangles", incident.bodies[0] === incident.bodies[1] ? countText(a) : `${countText(a)} and ${countText(b)}`],
      ["Pairs", `${countText(incident.pairs)}, at most ${countText(incident.most_pairs)} at once`],
      ["Centre", incident.middle.map(numberText).join(", ")],
      ...["materials", "groups", "joints"].map((kind) => [capital(kind), namesText(data, incident, kind)]),
    ];
    const elements = details.filter(([, text]) => text !== "").flatMap(([term, text]) => {
      const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
      [dt.textContent, dd.textContent] = [term, text];
      return [dt, dd];
    });
    byId("incident").replaceChildren(...elements);
  }

  /** The incident before or after the selected one, in the order of their begins. */
  step(direction) {
    const order = this.data.incidents.map((_, number) => number);
    order.sort((a, b) => this.data.incidents[a].begin - this.data.incidents[b].begin || a - b);
    const place = order.indexOf(this.state.selected);
    const next = place < 0 ? 0 : (place + direction + order.length) % order.length;
    if (order.length > 0) this.select(order[next]);
  }

  /** The frame before or after the time. */
  stepFrame(direction) {
    this.pause();
    const times = this.data.frames.times;
    const slack = 1e-9 * Math.max(1, Math.abs(this.state.time));
    const later = times.find((time) => time > this.state.time + slack);
    const earlier = times.findLast((time) => time < this.state.time - slack);
    const target = direction > 0 ? later : earlier;
    if (target !== undefined) this.seek(target);
  }

  play() {
    const [begin, end] = this.data.span;
    if (this.state.isPlaying || end <= begin) return;
    this.state.isPlaying = true;
    if (this.state.time >= end) this.state.time = begin;
    let before = null;
    const advance = (now) => {
      if (!this.state.isPlaying) return;
      let time = this.state.time + (before === null ? 0 : Math.min(now - before, 100) / 1000);
      before = now;
      const place = placeOf(this.data.frames, time);
      // Missing frames are skipped.
      if (place.isMissing) time = this.data.frames.times.find((kept) => kept > time) ?? end;
      this.seek(time > end ? begin : time);
      requestAnimationFrame(advance);
    };
    requestAnimationFrame(advance);
    this.changed();
  }

  pause() {
    this.state.isPlaying = false;
    this.changed();
  }

  toggle() {
    if (this.state.isPlaying) this.pause();
    else this.play();
  }

  closeUp() {
    this.pose();
    if (this.state.selected !== null) this.view.closeUp(this.data.incidents[this.state.selected]);
    this.changed();
  }

  whole() {
    this.pose();
    this.view.whole();
    this.changed();
  }

  zoomTimeline(factor) {
    this.axis.zoom(factor, this.state.time);
    this.changed();
  }

  listen() {
    const { data } = this;
    const slider = byId("slider");
    [slider.min, slider.max] = data.span;
    slider.addEventListener("input", () => {
      this.pause();
      this.seek(Number(slider.value));
    });
    const clicks = {
      play: () => this.toggle(),
      back: () => this.stepFrame(-1),
      forth: () => this.stepFrame(1),
      previous: () => this.step(-1),
      next: () => this.step(1),
      worst: () => this.state.selected !== null && this.select(this.state.selected),
      closeup: () => this.closeUp(),
      isolate: () => this.isolate(!this.state.isIsolated),
      whole: () => this.whole(),
      "zoom-in": () => this.zoomTimeline(0.6),
      "zoom-out": () => this.zoomTimeline(1 / 0.6),
      "zoom-all": () => this.zoomTimeline(1e9),
      "zoom-incident": () => this.zoomToIncident(),
    };
    for (const [id, action] of Object.entries(clicks)) byId(id).addEventListener("click", action);
    for (const id of ["edges", "through"]) byId(id).addEventListener("change", () => this.set(id, byId(id).checked));
    byId("up").addEventListener("change", () => {
      this.view.camera.up = Number(byId("up").value);
      this.whole();
    });
    const hasNone = data.incidents.length === 0;
    for (const id of ["previous", "next", "worst", "closeup", "isolate", "zoom-incident"]) byId(id).disabled = hasNone;
    document.querySelectorAll(".card").forEach((card) => {
      card.addEventListener("click", () => {
        this.select(Number(card.dataset.incident));
        byId("stage").scrollIntoView({ block: "start" });
      });
    });
    byId("known-key").hidden = data.incidents.every((incident) => incident.is_new);
    byId("worst-moments").hidden = document.querySelector(".card") === null;
    byId("stage").addEventListener("keydown", (event) => this.stageKey(event));
    byId("timeline").addEventListener("keydown", (event) => this.timelineKey(event));
  }

  set(name, value) {
    this.state[name] = value;
    this.changed();
  }

  zoomToIncident() {
    const incident = this.data.incidents[this.state.selected];
    if (!incident) return;
    const room = Math.max((incident.end - incident.begin) * 0.3, 2 / (this.data.fps || 30));
    this.axis.show(incident.begin - room, incident.end + room);
    this.changed();
  }

  /** Keys of the view and its controls. Controls keep the keys that are theirs. */
  stageKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { target, key } = event;
    const isSlider = target === byId("slider");
    if (isSlider && ["ArrowLeft", "ArrowDown"].includes(key)) this.stepFrame(-1);
    else if (isSlider && ["ArrowRight", "ArrowUp"].includes(key)) this.stepFrame(1);
    else if (target === this.view.canvas && this.view.key(event)) event.preventDefault();
    else if (key === " " && (isSlider || target === this.view.canvas)) this.toggle();
    else if (target.matches("select") || !this.letterKey(key)) return;
    event.preventDefault();
  }

  letterKey(key) {
    const actions = {
      ",": () => this.stepFrame(-1),
      ".": () => this.stepFrame(1),
      p: () => this.step(-1),
      n: () => this.step(1),
      f: () => this.closeUp(),
      h: () => this.whole(),
      i: () => this.isolate(!this.state.isIsolated),
      e: () => this.set("edges", !this.state.edges),
      t: () => this.set("through", !this.state.through),
    };
    if (!actions[key]) return false;
    actions[key]();
    return true;
  }

  timelineKey(event) {
    const actions = {
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      "+": () => this.zoomTimeline(0.6),
      "=": () => this.zoomTimeline(0.6),
      "-": () => this.zoomTimeline(1 / 0.6),
    };
    if (!actions[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    actions[event.key]();
  }
}

/** How strongly a bar is drawn: from 0.45 for the mildest incident to 1 for the most severe. */
function weigh(incidents) {
  const most = incidents.reduce((most, { severity }) => Math.max(most, severity), 1e-30);
  incidents.forEach((incident) => {
    incident.weight = 0.45 + 0.55 * Math.sqrt(Math.max(0, incident.severity) / most);
  });
}

/** Length and area: `null` without a depth and a crossing curve, as with spheres and segments. */
function curveText({ length, area }) {
  if (length !== null) return `${lengthText(length)}, area ${areaText(area)}`;
  return area === null ? "not measured" : `none, area ${areaText(area)}`;
}

function depthText({ depth, length, bodies: [a, b] }) {
  if (depth !== undefined) return lengthText(depth);
  if (length === null) return "not measured";
  return a === b ? "not measured: a body with itself" : "not known: neither body is closed";
}

function clippedText({ clipped_begin: begin, clipped_end: end }) {
  if (begin && end) return ", all of the clip";
  if (begin) return ", from the start on";
  return end ? ", to the end" : "";
}

/** Names of parts, without those that are the bodies' own. */
function namesText(data, { bodies, parts_a, parts_b }, kind) {
  const named = [parts_a, parts_b].map((side, i) => side[kind].filter((name) => name !== data.bodies[bodies[i]].name));
  const texts = named.map((names) => names.slice(0, 4).join(", ")).filter((text) => text !== "");
  return [...new Set(texts)].join(" / ");
}

function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

/** Starts the page. What it is made of stands in `window.kinetree`, for tests and for the console. */
async function start() {
  try {
    const page = new Page(await readData());
    window.kinetree = page;
    document.documentElement.dataset.ready = page.view.renderer ? page.view.renderer.name : "none";
  } catch (reason) {
    byId("notice").textContent =
      `The view cannot start (${reason.message}). A browser of 2023 or later is needed; the table below is complete.`;
    document.documentElement.dataset.ready = "failed";
  }
}

start();
