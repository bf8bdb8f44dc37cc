// The distribution at one size: the chart and its table.
import { Chart } from "./chart.js";
import { byId, choice, element, exact, select, table } from "./dom.js";
import { linearAxis, logAxis } from "./axes.js";
import { shareAt, tailOf } from "./distribution.js";
import { US_PER_NS, figure, percent, sizeText } from "./format.js";
import { pointsOf, stepOf, unionOf } from "./results.js";

const QUANTILES = ["p50", "p90", "p99", "p99_9", "max"];

// A share on its axis, with the quantile that it is where there is room.
function shareText(share) {
  const names = new Map([
    [0.5, "p50"],
    [0.1, "p90"],
    [0.01, "p99"],
    [0.001, "p99.9"],
    [0.0001, "p99.99"],
  ]);
  return names.has(share) && innerWidth > 640 ? `${percent(share)} (${names.get(share)})` : percent(share);
}

const pingpongs = (track) =>
  track.cases.filter((one) => one.test === "pingpong" && one.status === "ok" && one.repeats.length > 0);

class Tails {
  constructor(tracks) {
    this.tracks = tracks;
    this.chart = new Chart(byId("distribution-chart"));
    this.figures = byId("distribution-figures");
    this.sizes = unionOf(tracks.map((track) => pingpongs(track).map((one) => one.size_bytes)));
    this.size = this.sizes[0];
    this.scale = "log";
    byId("distribution-controls").replaceChildren(
      select(
        "message size",
        this.sizes.map((value) => ({ value, text: sizeText(value) })),
        this.size,
        (size) => {
          this.size = size;
          this.show();
        },
      ),
      choice(
        "time axis",
        [
          { value: "log", text: "log" },
          { value: "linear", text: "linear" },
        ],
        "log",
        (scale) => {
          this.scale = scale;
          this.draw();
        },
      ),
    );
  }

  show() {
    this.tails = this.tracks.flatMap((track) => {
      const found = pingpongs(track).find((one) => one.size_bytes === this.size);
      const tail = found ? tailOf(found.repeats) : null;
      return tail ? [{ track, tail }] : [];
    });
    this.draw();
    this.list();
  }

  draw() {
    this.chart.draw({
      label: `Distribution of round trips of ${sizeText(this.size ?? 0)} bytes`,
      xTitle: "round trip (RTT), µs",
      yTitle: "share that took so long or longer",
      x: this.scale === "log" ? logAxis(String) : linearAxis(String),
      y: logAxis(shareText),
      fromZero: false,
      stepped: true,
      lines: this.tails.map(({ track, tail }) => ({
        track,
        xs: tail.times.map((ns) => ns * US_PER_NS),
        ys: tail.shares,
      })),
      readout: (time) => this.readout(time),
    });
  }

  readout(time) {
    const rows = this.tails.map(({ track, tail }) => {
      const share = shareAt(tail, time / US_PER_NS);
      const messages = Math.round(share * tail.total);
      return { track, text: share === 0 ? "none" : `${percent(share)} (${messages} of ${tail.total})` };
    });
    return { title: `${figure(time)} µs or longer`, rows };
  }

  list() {
    const name = (quantile) => quantile.replace("_", ".");
    const row = ({ track, tail }) => [
      track.name,
      String(tail.total),
      ...QUANTILES.map((quantile) => {
        const { value, stored } = pointsOf(track, "pingpong", quantile, US_PER_NS).find(
          ({ size }) => size === this.size,
        );
        return exact(stored, figure(value, stepOf(track) * US_PER_NS), { title: `stored: ${stored}` });
      }),
    ];
    const shown = this.tails.filter(({ track }) => track.shown);
    const caption = `round trips (RTT) of ${sizeText(this.size ?? 0)} bytes, µs`;
    this.figures.replaceChildren(
      ...(shown.length > 0 ? [table(caption, ["", "round trips", ...QUANTILES.map(name)], shown.map(row))] : []),
      element("p", { class: "quiet" }, "Each curve holds every round trip of all repeats, from the stored histograms."),
    );
  }

  refresh() {
    this.chart.refresh();
    this.list();
  }
}

export function distribution(tracks) {
  const tails = new Tails(tracks);
  tails.show();
  return tails;
}
