// ---------------------------------------------------------------------------------------------
// Chart: a number over time, one curve for each pair of bodies.
// ---------------------------------------------------------------------------------------------

const CHART_HEIGHT = 190;

/** Colours of curves, in turn; each has a contrast of 3 or more on light and on dark boxes. */
const CURVE_COLOURS = ["#2f7ed8", "#c2571a", "#2e8b57", "#9558b2", "#b8860b", "#c0392b", "#128a9c", "#7a7f87"];

/** What can be shown: its name, its values, and how a value is written. */
const MEASURES = [
  { name: "Depth", key: "depths", text: lengthText },
  { name: "Length of the crossing curve", key: "lengths", text: lengthText },
  { name: "Touching pairs of triangles", key: "counts", text: (count) => countText(Math.round(count)) },
];

class Chart {
  constructor(place, data, axis, actions) {
    Object.assign(this, { place, data, axis, actions });
    this.svg = svg("svg");
    place.append(this.svg);
    const hasValues = (measure) => data.series.pairs.some((pair) => pair[measure.key].some((value) => value > 0));
    this.measures = MEASURES.filter(hasValues);
    if (this.measures.length === 0) this.measures = [MEASURES[2]];
    this.measure = this.measures[0];
    this.fillChoices();
    this.svg.addEventListener("click", (event) => {
      actions.seek(axis.time(event.clientX - this.svg.getBoundingClientRect().left));
    });
    this.svg.addEventListener("pointermove", (event) => this.hover(event));
    this.svg.addEventListener("pointerleave", () => {
      document.getElementById("tip").hidden = true;
    });
  }

  fillChoices() {
    const select = document.getElementById("measure");
    for (const { name } of this.measures) select.add(new Option(name));
    select.addEventListener("change", () => {
      this.measure = this.measures[select.selectedIndex];
      this.actions.changed();
    });
    const lines = this.data.series.pairs.map((pair, number) => {
      const item = document.createElement("li");
      const key = document.createElement("span");
      key.className = "key";
      key.style.background = CURVE_COLOURS[number % CURVE_COLOURS.length];
      item.append(key, pairText(this.data, pair.bodies));
      return item;
    });
    const touching = new Set(this.data.incidents.map(({ bodies }) => bodies.join(" "))).size;
    if (touching > lines.length) {
      const rest = document.createElement("li");
      rest.textContent = `${countText(touching - lines.length)} milder pairs of bodies are not drawn`;
      lines.push(rest);
    }
    document.getElementById("lines").replaceChildren(...lines);
  }

  hover(event) {
    const { times, pairs } = this.data.series;
    const time = this.axis.time(event.clientX - this.svg.getBoundingClientRect().left);
    const tip = document.getElementById("tip");
    if (times.length === 0 || time < this.axis.range[0]) {
      tip.hidden = true;
      return;
    }
    let place = times.findIndex((later) => later >= time);
    if (place < 0) place = times.length - 1;
    if (place > 0 && time - times[place - 1] < times[place] - time) place -= 1;
    const line = (pair) => {
      const value = pair[this.measure.key][place];
      return `${pairText(this.data, pair.bodies)}: ${value === null ? "not measured here" : this.measure.text(value)}`;
    };
    showTip(tip, event, [timeText(this.data, times[place]), ...pairs.slice(0, 12).map(line)].join("\n"));
  }

  draw(state) {
    const { axis, measure } = this;
    const key = [...axis.range, axis.width, measure.key].join(" ");
    if (key === this.drawn) {
      movePlayhead(this.svg, axis, state.time);
      return;
    }
    this.drawn = key;
    const { times, pairs } = this.data.series;
    const values = pairs.map((pair) => pair[measure.key]);
    const largest = Math.max(0, ...values.map(largestOf));
    const step = roundStep(Math.max(largest, 1e-9) / 4, measure.key === "counts" ? 1 : 0);
    const top = Math.max(1, Math.ceil(largest / step)) * step;
    const y = (value) => CHART_HEIGHT - 12 - (value / top) * (CHART_HEIGHT - 28);
    this.svg.setAttribute("height", CHART_HEIGHT);
    this.svg.setAttribute("viewBox", `0 0 ${axis.width} ${CHART_HEIGHT}`);
    const parts = [...axisParts(axis, CHART_HEIGHT, false), ...missingParts(this.data, axis, CHART_HEIGHT)];
    for (let value = 0; value <= top * 1.001; value += step) {
      parts.push(svg("line", { class: "grid", x1: axis.labels, x2: axis.width, y1: y(value), y2: y(value) }));
      parts.push(svg("text", { x: axis.labels - 8, y: y(value) + 4, "text-anchor": "end" }, tickText(measure, value)));
    }
    const clip = svg("clipPath", { id: "chart-clip" });
    clip.append(svg("rect", { x: axis.labels - 3, y: 0, width: axis.width - axis.labels, height: CHART_HEIGHT }));
    const curves = svg("g", { "clip-path": "url(#chart-clip)" });
    values.forEach((list, number) => {
      // Times that were not measured are passed over.
      const points = list.flatMap((value, i) => (value === null ? [] : [`${axis.x(times[i]).toFixed(1)} ${y(value).toFixed(1)}`]));
      const stroke = CURVE_COLOURS[number % CURVE_COLOURS.length];
      if (points.length > 0) curves.append(svg("path", { class: "curve", d: `M${points.join("L")}`, stroke }));
    });
    this.svg.replaceChildren(...parts, clip, curves, playhead(axis, state.time, CHART_HEIGHT));
    const what = pairs.map((pair, i) => `${pairText(this.data, pair.bodies)} at most ${measure.text(largestOf(values[i]))}`);
    this.place.setAttribute("aria-label", `${measure.name} over time. ${what.join("; ")}.`);
  }
}

function largestOf(values) {
  return values.reduce((most, value) => Math.max(most, value || 0), 0);
}

/** A value beside the axis: round, so without trailing zeros. */
function tickText(measure, value) {
  if (value === 0) return "0";
  if (measure.key === "counts") return countText(Math.round(value));
  return value > 0 && value < 0.1 ? `${numberText(value * 1e3)} mm` : `${numberText(value)} m`;
}
