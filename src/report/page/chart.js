// One chart: curves with interval bands, zoom, a readout that follows pointer and keys. Drawn by uPlot.
import { element, button } from "./dom.js";
import { PER_LINE, drawIntervals, drawLimits } from "./marks.js";
import { colourName, dashesOf, styleColour, transparent } from "./strokes.js";

const FONT = "12px system-ui, sans-serif";
const ZOOM_STEP = 0.6;

// What the marks of the y axis need, in pixels.
function widest(marks) {
  return 20 + 7 * Math.max(0, ...(marks ?? []).map((text) => text.length));
}

// A chart in `holder`. What draw() takes:
//   label, xTitle, yTitle   texts
//   x, y                    axes as of axes.js
//   fromZero, stepped       whether y starts at 0; whether curves are stairs, high until the next point
//   lines                   [{track, xs, ys, lows, highs}]: values; lows and highs may be absent. The track null is
//                           the link's limit
//   readout(x)              {title, rows: [{track, text}]} for x, one of the lines' xs
export class Chart {
  constructor(holder) {
    this.holder = holder;
    this.stage = element("div", { class: "stage", tabindex: 0, role: "group", keydown: (event) => this.key(event) });
    this.tip = element("div", { class: "tip", hidden: true });
    this.spoken = element("p", { class: "unseen", "aria-live": "polite" });
    const zooms = element(
      "div",
      { class: "zoom" },
      button("+", "Zoom in (key +)", () => this.zoom(ZOOM_STEP)),
      button("−", "Zoom out (key -)", () => this.zoom(1 / ZOOM_STEP)),
      button("Reset", "Show everything (key 0, or a double click)", () => this.reset()),
    );
    holder.replaceChildren(zooms, this.stage, this.spoken);
    new ResizeObserver(() => this.plot?.setSize(this.size())).observe(this.stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plot?.redraw());
  }

  draw(spec) {
    this.plot?.destroy();
    this.plot = null;
    this.spec = spec;
    const empty = spec.lines.every((line) => line.ys.every((y) => y === null));
    this.holder.classList.toggle("empty", empty);
    this.stage.replaceChildren(...(empty ? [element("p", {}, "Nothing of this kind was measured.")] : []));
    if (empty) return;
    this.stage.setAttribute("aria-label", `${spec.label}. Arrow keys read values, + and - zoom, 0 shows everything.`);
    this.plot = new uPlot(this.options(), this.data(), this.stage);
    this.stage.append(this.tip);
    this.refresh();
  }

  // After tracks were switched on or off.
  refresh() {
    if (!this.plot) return;
    this.plot.batch(() =>
      this.spec.lines.forEach((line, i) => {
        const show = line.track?.shown ?? true;
        for (let k = 1; k <= PER_LINE; k++) this.plot.setSeries(i * PER_LINE + k, { show });
      }),
    );
    this.point();
  }

  size() {
    const width = Math.max(240, this.stage.clientWidth);
    return { width, height: Math.round(Math.min(440, Math.max(280, width * 0.5))) };
  }

  data() {
    const { x, y, lines } = this.spec;
    const places = (values) => values.map((value) => (value === null ? null : y.to(value)));
    this.values = new Map(lines.flatMap((line) => line.xs.map((value) => [x.to(value), value])));
    const none = (line) => line.ys.map(() => null);
    return uPlot.join(
      lines.map((line) => [
        line.xs.map(x.to),
        places(line.ys), // PER_LINE of them
        places(line.lows ?? none(line)),
        places(line.highs ?? none(line)),
      ]),
    );
  }

  options() {
    const { lines } = this.spec;
    return {
      ...this.size(),
      legend: { show: false },
      focus: { alpha: 1 },
      cursor: {
        drag: { x: true, y: true, uni: 30 },
        points: { size: (_, i) => (i % PER_LINE === 1 ? 9 : 0) },
      },
      scales: {
        x: { time: false, range: (plot, low, high) => this.xRange(plot, low, high) },
        y: { range: (_, low, high) => this.yRange(low, high) },
      },
      axes: [this.axis("x", 64), this.axis("y", 36)],
      series: [{}, ...lines.flatMap((line) => this.series(line))],
      bands: lines.map((line, i) => ({
        series: [i * PER_LINE + 3, i * PER_LINE + 2],
        fill: () => transparent(styleColour(colourName(line.track)), 0.18),
      })),
      hooks: {
        draw: [(plot) => drawIntervals(plot, lines), (plot) => drawLimits(plot, lines)],
        setCursor: [() => this.point()],
      },
    };
  }

  axis(name, space) {
    const scale = this.spec[name];
    const texts = new Map();
    const ticks = (plot, _, low, high) => {
      const { width, height } = plot.bbox;
      const room = (name === "x" ? width : height) / devicePixelRatio / space;
      return scale.ticks(low, high, Math.max(2, Math.floor(room))).map(({ at, text }) => (texts.set(at, text), at));
    };
    return {
      scale: name,
      label: this.spec[`${name}Title`],
      font: FONT,
      labelFont: FONT,
      labelSize: 20,
      size: (_, marks) => (name === "x" ? 34 : widest(marks)),
      splits: ticks,
      values: (_, places) => places.map((place) => texts.get(place)),
      stroke: () => styleColour("quiet"),
      grid: { stroke: () => styleColour("grid"), width: 1 },
      ticks: { stroke: () => styleColour("grid"), width: 1 },
    };
  }

  series(line) {
    const stroke = () => styleColour(colourName(line.track));
    const dash = dashesOf(line.track);
    const paths = this.spec.stepped ? uPlot.paths.stepped({ align: -1 }) : uPlot.paths.linear();
    const points = { show: !this.spec.stepped && line.track !== null, size: 6, fill: stroke, dash: [] };
    const bound = { stroke: "transparent", width: 0, points: { show: false } };
    return [{ stroke, dash, width: 2, paths, points, spanGaps: this.spec.stepped }, bound, bound];
  }

  // Some air at both ends, unless the reader has zoomed.
  xRange(plot, low, high) {
    const places = plot.data[0];
    const first = places[0];
    const last = places.at(-1);
    if (low > first || high < last) return [low, high];
    const air = (last - first) * 0.03 || 0.5;
    return [first - air, last + air];
  }

  yRange(low, high) {
    if (low === null) return [0, 1];
    const air = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    return this.spec.fromZero ? [Math.min(0, low), Math.max(high, 0) + air] : [low - air, high + air];
  }

  // The readout at the cursor.
  point() {
    const { idx, left, top } = this.plot?.cursor ?? {};
    this.tip.hidden = idx === null || idx === undefined || left < 0;
    if (this.tip.hidden) return;
    const { title, rows } = this.spec.readout(this.values.get(this.plot.data[0][idx]));
    const shown = rows.filter(({ track }) => track === null || track.shown);
    const line = ({ track, text }) =>
      element(
        "div",
        { class: "row" },
        element("span", { class: `swatch ${colourName(track)}` }),
        element("span", { class: "name" }, track === null ? "link" : track.name),
        element("b", {}, text),
      );
    this.tip.replaceChildren(element("div", { class: "title" }, title), ...shown.map(line));
    this.place(left, top);
  }

  // Beside the cursor, within the plot; the style sheet places it where there is no room.
  place(left, top) {
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const { left: start, top: above, width: room, height: depth } = this.plot.over.getBoundingClientRect();
    const stage = this.stage.getBoundingClientRect();
    const side = left + 14 + width > room ? left - 14 - width : left + 14;
    this.tip.style.left = `${Math.max(0, start - stage.left + side)}px`;
    this.tip.style.top = `${Math.max(0, above - stage.top + Math.min(top, depth - height))}px`;
  }

  say() {
    this.spoken.textContent = this.tip.hidden ? "" : [...this.tip.children].map((row) => row.textContent).join("; ");
  }

  key(event) {
    const actions = {
      ArrowRight: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      Home: () => this.stand(0),
      End: () => this.stand(-1),
      "+": () => this.zoom(ZOOM_STEP),
      "-": () => this.zoom(1 / ZOOM_STEP),
      0: () => this.reset(),
      Escape: () => this.reset(),
    };
    if (!this.plot || event.ctrlKey || event.metaKey || event.altKey || !actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
    this.say();
  }

  inView() {
    const { min, max } = this.plot.scales.x;
    return this.plot.data[0].filter((place) => place >= min && place <= max);
  }

  // Moves the cursor through the points in view; through many in larger steps.
  step(direction) {
    const places = this.inView();
    const { left, idx } = this.plot.cursor;
    const now = left < 0 ? -1 : places.indexOf(this.plot.data[0][idx]);
    const stride = Math.max(1, Math.round(places.length / 60));
    if (now < 0) this.stand(direction > 0 ? 0 : -1);
    else this.stand(Math.min(Math.max(now + direction * stride, 0), places.length - 1));
  }

  // Puts the cursor on a point in view; -1 is the last.
  stand(index) {
    const place = this.inView().at(index);
    if (place !== undefined) this.plot.setCursor({ left: this.plot.valToPos(place, "x"), top: 8 });
  }

  // Around the cursor, or the middle.
  zoom(factor) {
    if (!this.plot) return;
    const { min, max } = this.plot.scales.x;
    const { left } = this.plot.cursor;
    const centre = left >= 0 ? this.plot.posToVal(left, "x") : (min + max) / 2;
    this.plot.setScale("x", { min: centre - (centre - min) * factor, max: centre + (max - centre) * factor });
  }

  reset() {
    if (!this.plot) return;
    const places = this.plot.data[0];
    this.plot.setScale("x", { min: places[0], max: places.at(-1) });
  }
}
