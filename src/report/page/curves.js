// The curves over message size, latency and bandwidth, each with its table.
import { Chart } from "./chart.js";
import { byId, choice, element, exact, select, table } from "./dom.js";
import { linearAxis, logAxis, sizeAxis } from "./axes.js";
import { NOT_MEASURED, UNITS, US_PER_NS, figure, interval, sizeText } from "./format.js";
import { LATENCY_FIGURES, STREAM_FIGURES, linkOf, pointsOf, stepOf, testsOf, unionOf } from "./results.js";

const SCALES = [
  { value: "log", text: "log" },
  { value: "linear", text: "linear" },
];

const valueAxis = (scale) => (scale === "log" ? logAxis(String) : linearAxis(String));

// The value, its interval and, where it must not be believed, its grade.
function cell(point, step) {
  if (!point) return "";
  const { quality } = point.case;
  const flaw = quality?.grade === "C" ? `grade C: ${quality.flags.join(", ")}` : null;
  const reason = point.value === null ? point.case.reason : null;
  return [
    exact(point.stored, figure(point.value, step), { title: reason ?? `stored: ${point.stored ?? NOT_MEASURED}` }),
    element("small", {}, ` ${interval(point.low, point.high, step)}`),
    flaw ? element("abbr", { class: "flaw", title: flaw }, "C") : null,
  ];
}

// One kind of curve, in the holders ID-controls, ID-chart and ID-figures of the page. What show() takes:
//   label, yTitle   texts
//   unit            of UNITS
//   points(track)   as pointsOf() gives them
//   step(track)     the clock's, in the unit
//   limits          of the links, in the unit
class Curves {
  constructor(id, tracks) {
    this.tracks = tracks;
    this.controls = byId(`${id}-controls`);
    this.figures = byId(`${id}-figures`);
    this.chart = new Chart(byId(`${id}-chart`));
    this.scales = { x: "log", y: "log" };
  }

  scaleControls() {
    const one = (title, axis) =>
      choice(title, SCALES, this.scales[axis], (scale) => {
        this.scales[axis] = scale;
        this.draw();
      });
    return [one("value axis", "y"), one("size axis", "x")];
  }

  show(view) {
    this.view = view;
    this.curves = this.tracks
      .map((track) => ({ track, points: view.points(track) }))
      .filter((c) => c.points.length > 0);
    this.draw();
    this.list();
  }

  draw() {
    const { view, curves } = this;
    const sizes = unionOf(curves.map(({ points }) => points.map((point) => point.size)));
    const y = valueAxis(this.scales.y);
    const column = (points, name) => points.map((point) => point[name]);
    const lines = curves.map(({ track, points }) => ({
      track,
      xs: column(points, "size"),
      ys: column(points, "value"),
      lows: column(points, "low"),
      highs: column(points, "high"),
    }));
    for (const limit of view.limits) lines.push({ track: null, xs: sizes, ys: sizes.map(() => limit) });
    this.chart.draw({
      label: view.label,
      xTitle: "message size, bytes",
      yTitle: view.yTitle,
      x: sizeAxis(sizes, this.scales.x === "log", sizeText),
      y,
      fromZero: this.scales.y === "linear",
      stepped: false,
      lines,
      readout: (size) => this.readout(size),
    });
  }

  readout(size) {
    const { view, curves } = this;
    const rows = curves.map(({ track, points }) => {
      const point = points.find((one) => one.size === size);
      const step = view.step(track);
      const text = point ? `${figure(point.value, step)} ${interval(point.low, point.high, step)}` : "—";
      return { track, text };
    });
    const limits = view.limits.map((limit) => ({ track: null, text: figure(limit) }));
    return { title: `${sizeText(size)} bytes, ${view.unit.name}`, rows: [...rows, ...limits] };
  }

  // The same figures in words.
  list() {
    const { view } = this;
    const curves = this.curves.filter(({ track }) => track.shown);
    const sizes = unionOf(curves.map(({ points }) => points.map((point) => point.size)));
    const row = (size) => [
      sizeText(size),
      ...curves.map(({ track, points }) =>
        cell(
          points.find((one) => one.size === size),
          view.step(track),
        ),
      ),
    ];
    const made = table(view.yTitle, ["size", ...curves.map(({ track }) => track.name)], sizes.map(row));
    this.figures.replaceChildren(...(sizes.length > 0 ? [made] : []));
  }

  refresh() {
    this.chart.refresh();
    this.list();
  }
}

export function latencyCurves(tracks) {
  const curves = new Curves("latency", tracks);
  let chosen = LATENCY_FIGURES[0];
  let way = "oneway";
  const ways = choice(
    "time",
    [
      { value: "oneway", text: "RTT/2" },
      { value: "rtt", text: "RTT" },
    ],
    way,
    (value) => {
      way = value;
      show();
    },
  );
  const never = element("p", { class: "said" }, "RTT: a tail is never halved");
  const figures = select("figure", LATENCY_FIGURES, chosen.value, (value) => {
    chosen = LATENCY_FIGURES.find((one) => one.value === value);
    show();
  });
  const show = () => {
    ways.hidden = !chosen.halved;
    never.hidden = chosen.halved;
    const half = way === "oneway" && chosen.halved;
    const what = half ? "one way (RTT/2)" : "round trip (RTT)";
    const factor = half ? US_PER_NS / 2 : US_PER_NS;
    curves.show({
      label: `Latency over message size: ${chosen.text}, ${what}`,
      yTitle: `${chosen.text}, ${what}, µs`,
      unit: UNITS.time,
      points: (track) => pointsOf(track, "pingpong", chosen.value, factor),
      step: (track) => stepOf(track) * US_PER_NS,
      limits: [],
    });
  };
  curves.controls.replaceChildren(figures, ways, never, ...curves.scaleControls());
  show();
  return curves;
}

export function bandwidthCurves(tracks) {
  const curves = new Curves("bandwidth", tracks);
  const tests = testsOf(tracks);
  const figures = STREAM_FIGURES.filter(({ test }) => tests.has(test));
  const show = (value) => {
    const { test, figure: name, text, unit, links } = figures.find((one) => one.value === value) ?? STREAM_FIGURES[0];
    const known = tracks.map((track) => linkOf(track.transport)).filter(Boolean);
    curves.show({
      label: `Bandwidth over message size: ${text}`,
      yTitle: `${text}, as the receiver counted`,
      unit,
      points: (track) => pointsOf(track, test, name, unit.factor),
      step: () => 0,
      limits: [...new Set(known)].map((bits) => (links * bits) / 1e9).filter((limit) => limit > 0),
    });
  };
  curves.controls.replaceChildren(
    ...(figures.length > 1 ? [select("figure", figures, figures[0].value, show)] : []),
    ...curves.scaleControls(),
  );
  show(figures[0]?.value);
  return curves;
}
