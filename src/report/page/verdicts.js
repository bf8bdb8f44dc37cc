// Comparisons, as `pairbench compare --json` gives them: the overall line first, then size by size.
import { byId, drawing, element, exact, table } from "./dom.js";
import { UNITS, US_PER_NS, count, figure, percent, ratioInterval, ratioText, sizeText } from "./format.js";

// What a verdict is called, and its sign: told apart without colour.
const VERDICTS = {
  faster: ["faster", "▲"],
  slower: ["slower", "▼"],
  negligible: ["negligible", "≈"],
  equal: ["equal", "="],
  not_shown: ["no difference shown", "?"],
  not_comparable: ["not comparable", "–"],
};

const METRICS = {
  p50: "median latency (p50)",
  delivered_bytes_per_second: "bandwidth",
  messages_per_second: "message rate",
};

// Of these a half is one way's time.
const HALVED = new Set(["p50", "mean", "batch_mean"]);

function unitOf({ unit, metric }) {
  if (unit === "bytes/s") return UNITS.rate;
  if (unit === "messages/s") return UNITS.messages;
  return HALVED.has(metric)
    ? { name: "µs one way (RTT/2)", factor: US_PER_NS / 2 }
    : { name: "µs round trip", factor: US_PER_NS };
}

// "equal" and "not shown" say within which limits: the one never reads as the other.
function verdictText({ verdict, reason, low, high, smallest_effect: least }) {
  const [word] = VERDICTS[verdict] ?? [verdict];
  if (verdict === "equal" && least) return `${word} within ${percent(least)}`;
  if (verdict === "negligible" && least) return `${word}: within ${percent(least)}`;
  if (verdict === "not_shown" && low !== null && high !== null)
    return `${word}; data allow ${ratioText(low)} to ${ratioText(high)}`;
  return reason ? `${word}: ${reason}` : word;
}

function badge(result) {
  const [, sign] = VERDICTS[result.verdict] ?? ["", ""];
  const known = result.verdict in VERDICTS ? result.verdict : "not_shown";
  const mark = element("span", { class: "sign", "aria-hidden": "true" }, sign);
  return element("span", { class: `verdict ${known}` }, mark, ` ${verdictText(result)}`);
}

// The interval as a bar on a logarithmic scale from 1/most to most, with the ratio as a dot and 1 as a line.
function picture({ ratio, low, high }, most) {
  if (ratio === null || ratio <= 0) return "";
  const place = (value) => 60 + (56 * Math.log(Math.min(Math.max(value, 1 / most), most))) / Math.log(most);
  const bar =
    low > 0 && high > 0 ? [drawing("line", { x1: place(low), x2: place(high), y1: 9, y2: 9, class: "bar" })] : [];
  return drawing(
    "svg",
    { class: "ratio", viewBox: "0 0 120 18", width: 120, height: 18, "aria-hidden": "true" },
    drawing("line", { x1: 60, x2: 60, y1: 1, y2: 17, class: "one" }),
    bar,
    drawing("circle", { cx: place(ratio), cy: 9, r: 3.5 }),
  );
}

function metricName(metric) {
  return METRICS[metric] ?? metric.replace("_", ".");
}

function rowOf(result, unit, most) {
  const value = (number) => exact(number, figure(number === null ? null : number * unit.factor));
  return [
    sizeText(result.size_bytes),
    value(result.baseline),
    value(result.candidate),
    [exact(result.ratio, ratioText(result.ratio)), element("small", {}, ` ${ratioInterval(result.low, result.high)}`)],
    picture(result, most),
    badge(result),
  ];
}

// Among many sizes one interval in twenty leaves out 1 where nothing differs.
function misleads({ verdict, low, high }) {
  return verdict === "not_shown" && low !== null && high !== null && (low > 1 || high < 1);
}

function family(of, baseline, candidate) {
  const unit = unitOf(of);
  const bounds = of.sizes.flatMap(({ ratio, low, high }) => [ratio, low, high]).filter((bound) => bound > 0);
  const most = Math.max(1.05, ...bounds.map((bound) => Math.max(bound, 1 / bound)));
  const caption = `${of.test}, ${metricName(of.metric)}, ${unit.name}; ${of.better} is better`;
  const head = ["size", baseline, candidate, "ratio [interval]", "", "verdict"];
  const note = "An interval alone shows nothing: among so many sizes one may leave out 1 by chance.";
  return [
    table(
      caption,
      head,
      of.sizes.map((result) => rowOf(result, unit, most)),
      { class: "verdicts" },
    ),
    of.sizes.some(misleads) ? element("p", { class: "quiet" }, note) : null,
  ];
}

function overall({ test, metric, overall: result, sizes }) {
  const what = `${test}, ${metricName(metric)}: `;
  if (!result) return element("p", { class: "overall" }, what, "too little for an overall ratio");
  const ratio = element("b", {}, `${ratioText(result.ratio)} ${ratioInterval(result.low, result.high)}`);
  const of = result.sizes < sizes.length ? ` (of ${result.sizes} of ${sizes.length} sizes)` : "";
  return element("p", { class: "overall" }, what, ratio, " ", badge(result), of);
}

function fileOf(end, files) {
  return files.find(({ path }) => path === end.file)?.name ?? end.file;
}

function nameOf(end, other, files) {
  return end.name === other.name && end.file !== other.file ? `${end.name} (${fileOf(end, files)})` : end.name;
}

function differences({ differences: found }, baseline, candidate) {
  if (found.length === 0) return null;
  const rows = found.map((one) => [one.what, String(one.baseline ?? "unknown"), String(one.candidate ?? "unknown")]);
  const summary = element("summary", {}, `What else differs between the two: ${count(found.length, "fact")}`);
  return element(
    "details",
    { open: found.length <= 8 },
    summary,
    table("What else differs", ["", baseline, candidate], rows),
  );
}

function onlyIn(name, cases) {
  const text = ({ test, size_bytes: size, reason }) =>
    `${test} ${sizeText(size)}${reason ? ` (other: ${reason})` : ""}`;
  return cases.length > 0 ? element("p", { class: "quiet" }, `Only in ${name}: ${cases.map(text).join(", ")}.`) : null;
}

// Where a round trip's difference arises, by what the candidate spends more or less.
function splitTable(splits, baseline, candidate) {
  if (splits.length === 0) return null;
  const signed = (ns) => (ns > 0 ? `+${figure(ns)}` : figure(ns));
  const cell = ({ difference_ns: { value, low, high } }) => [
    exact(value, signed(value)),
    element("small", {}, low === null || high === null ? "" : ` [${signed(low)}, ${signed(high)}]`),
  ];
  const head = ["size", ...splits[0].parts.map(({ part }) => part.replaceAll("_", " "))];
  const caption = `ns of a round trip that ${candidate} spends more than ${baseline} in its calls, and in waiting for all else`;
  const rows = splits.map(({ size_bytes: size, parts }) => [sizeText(size), ...parts.map(cell)]);
  return table(caption, head, rows, { class: "split" });
}

function sizeBySize(tables, open) {
  return element("details", { open }, element("summary", {}, "Size by size"), tables);
}

function comparison(of, files, alone) {
  const baseline = nameOf(of.baseline, of.candidate, files);
  const candidate = nameOf(of.candidate, of.baseline, files);
  const where = files.length > 1 ? ` in ${fileOf(of.baseline, files)}` : "";
  const how = of.paired
    ? `Measured interleaved${where}, ${of.baseline.repeats} repeats.`
    : `Two runs, ${of.candidate.repeats} against ${of.baseline.repeats} repeats: assumes that nothing else changed between them.`;
  return element(
    "article",
    { class: "comparison" },
    element("h3", {}, element("span", {}, candidate), " against ", element("span", {}, baseline)),
    of.families.map(overall),
    element("p", { class: "quiet" }, `${how} Ratios are ${candidate} to ${baseline}.`),
    sizeBySize(
      [of.families.map((one) => family(one, baseline, candidate)), splitTable(of.split, baseline, candidate)],
      alone,
    ),
    onlyIn(baseline, of.only_in_baseline),
    onlyIn(candidate, of.only_in_candidate),
    differences(of, baseline, candidate),
  );
}

export function showVerdicts(comparisons, files) {
  byId("verdicts").hidden = comparisons.length === 0;
  byId("verdict-list").replaceChildren(...comparisons.map((one) => comparison(one, files, comparisons.length === 1)));
}
