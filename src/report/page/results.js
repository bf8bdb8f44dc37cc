// What documents hold, as the page's parts ask for it. Pure.
import { UNITS } from "./format.js";

// A figure of a ping-pong's round trips; of some a half may be shown: a tail is never halved.
export const LATENCY_FIGURES = [
  { value: "p50", text: "median (p50)", halved: true },
  { value: "mean", text: "mean", halved: true },
  { value: "min", text: "minimum", halved: true },
  { value: "p90", text: "p90", halved: false },
  { value: "p99", text: "p99", halved: false },
  { value: "p99_9", text: "p99.9", halved: false },
  { value: "max", text: "maximum", halved: false },
];

// Of a stream, or of a two-way stream; `links` is how many directions of the link it can fill.
export const STREAM_FIGURES = [
  ["stream", "delivered_bytes_per_second", "one way", UNITS.rate, 1],
  ["stream", "messages_per_second", "one way", UNITS.messages, 0],
  ["bistream", "delivered_bytes_per_second", "both ways together", UNITS.rate, 2],
  ["bistream", "forward_bytes_per_second", "both ways at once, there", UNITS.rate, 1],
  ["bistream", "backward_bytes_per_second", "both ways at once, back", UNITS.rate, 1],
  ["bistream", "messages_per_second", "both ways together", UNITS.messages, 0],
].map(([test, figure, text, unit, links]) => ({
  value: `${test} ${figure}`,
  text: `${text}, ${unit.name}`,
  test,
  figure,
  unit,
  links,
}));

// The last part of a path; the whole where another file has the same.
function shortNames(paths) {
  const last = paths.map((path) => path.split("/").pop());
  return last.map((name, i) => (last.indexOf(name) === last.lastIndexOf(name) ? name : paths[i]));
}

// `embedded`: [{name, text}], each text a result document.
export function openFiles(embedded) {
  const names = shortNames(embedded.map(({ name }) => name));
  return embedded.map(({ name, text }, i) => ({
    path: name,
    name: names[i],
    text,
    document: JSON.parse(text.replace(/^\uFEFF/, "")),
  }));
}

// A track is one transport of one document: what a curve stands for.
export function tracksOf(files) {
  const tracks = files.flatMap((file) =>
    file.document.transports.map((transport) => ({
      name: files.length > 1 ? `${transport.label} · ${file.name}` : transport.label,
      file,
      transport,
      cases: file.document.cases.filter((one) => one.transport === transport.label),
    })),
  );
  tracks.forEach((track, index) => Object.assign(track, { index, shown: true }));
  return tracks;
}

export function testsOf(tracks) {
  return new Set(tracks.flatMap((track) => track.cases.map((one) => one.test)));
}

// A case that failed may hold the repeats that it finished: they are no figures.
function estimateOf(one, figure) {
  if (one.status !== "ok") return null;
  const from = one.test === "pingpong" ? one.summary.rtt_ns : one.summary;
  return from?.[figure] ?? null;
}

// One point a size, sorted: {size, value, low, high, stored, case}, numbers multiplied by `factor`. `value` is null
// where the figure was not measured; `stored` is the document's own number.
export function pointsOf(track, test, figure, factor) {
  const scaled = (number) => (number === null || number === undefined ? null : number * factor);
  return track.cases
    .filter((one) => one.test === test)
    .map((one) => {
      const estimate = estimateOf(one, figure);
      return {
        size: one.size_bytes,
        value: scaled(estimate?.value),
        low: scaled(estimate?.low),
        high: scaled(estimate?.high),
        stored: estimate?.value ?? null,
        case: one,
      };
    })
    .sort((a, b) => a.size - b.size);
}

// Every number of the lists once, sorted.
export function unionOf(lists) {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}

// The slower of both ends' links in bits a second; null where neither is known.
export function linkOf(transport) {
  const known = [transport.initiator, transport.responder].map((end) => end?.link_bits_per_second).filter(Boolean);
  return known.length > 0 ? Math.min(...known) : null;
}

// Figures are no finer than the clock's step.
export function stepOf(track) {
  return track.file.document.clock.initiator?.quantum_ns ?? 0;
}

export function median(numbers) {
  if (numbers.length === 0) return null;
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1] + sorted[Math.floor(middle)]) / 2;
}

// The first message on a fresh endpoint: the median over the repeats.
export function firstMessageOf(track) {
  const repeats = track.cases.flatMap((one) => one.repeats);
  return median(repeats.map((repeat) => repeat.first_message_ns).filter((time) => time !== null));
}

// "A", "B", "C"; null where nothing was measured.
export function worstGrade(cases) {
  const grades = cases.map((one) => one.quality?.grade).filter(Boolean);
  return grades.sort().at(-1) ?? null;
}
