// What was measured and what to doubt: the head of the page, the glance, the warnings, what is missing.
import { byId, element, exact, table } from "./dom.js";
import { NOT_MEASURED, UNITS, US_PER_NS, count, figure, interval, sizeText, timeText } from "./format.js";
import { firstMessageOf, linkOf, pointsOf, stepOf, worstGrade } from "./results.js";

function hostsOf({ hosts, transports }) {
  const initiator = hosts.initiator.hostname;
  if (transports.some((transport) => transport.one_host)) return `${initiator}, both ends on one host`;
  return `${initiator} ↔ ${hosts.responder?.hostname ?? "unknown"}`;
}

function runLine({ document: { run, tool, config } }) {
  return [
    timeText(run.started_at),
    `pairbench ${tool.version}`,
    ...(config.preset ? [`preset ${config.preset}`] : []),
    count(run.repeats, "repeat"),
    `run ${run.id.slice(0, 8)}`,
  ].join(" · ");
}

// What each host is; both in one line where they are alike.
function machines({ document: { hosts } }) {
  const text = (host) =>
    [
      host.cpu_model,
      host.cpus_online ? count(host.cpus_online, "CPU") : null,
      host.hypervisor,
      host.distribution,
      host.kernel,
    ]
      .filter((part) => part && part !== "none")
      .join(", ");
  const ends = [hosts.initiator, hosts.responder].filter(Boolean);
  const texts = [...new Set(ends.map(text))];
  return texts.length === 1 ? texts : ends.map((host) => `${host.hostname}: ${text(host)}`);
}

function failureOf({ document: { run } }, name) {
  if (run.complete) return [];
  const { message, host, cause, hint } = run.failure ?? { message: "the run did not end" };
  const where = host ? `${host}: ` : "";
  return [
    element(
      "div",
      { class: "alarm", role: "note" },
      element("strong", {}, `Incomplete${name}`),
      element("p", {}, `${where}${message}`),
      cause ? element("p", {}, `Cause: ${cause}`) : null,
      hint ? element("p", {}, `Try: ${hint}`) : null,
    ),
  ];
}

export function showHead(files) {
  const hosts = [...new Set(files.map((file) => hostsOf(file.document)))].join("; ");
  document.title = `pairbench: ${hosts}`;
  const several = files.length > 1;
  const run = (file) =>
    element(
      "li",
      {},
      several ? element("b", {}, `${file.name}: `) : null,
      runLine(file),
      element("code", {}, file.document.run.argv.join(" ")),
      machines(file).map((text) => element("div", { class: "quiet" }, text)),
    );
  byId("hosts").textContent = hosts;
  byId("runs").replaceChildren(...files.map(run));
  byId("alarms").replaceChildren(...files.flatMap((file) => failureOf(file, several ? `: ${file.name}` : "")));
}

function openedText({ asked, opened, initiator, responder }) {
  if (!opened) return "not opened";
  const there = responder && initiator && responder.opened !== initiator.opened ? ` and ${responder.opened}` : "";
  return opened === asked && !there ? "" : `${opened}${there}`;
}

function latencyCell(points, which, half, step) {
  const point = points[which];
  if (!point || point.value === null) return NOT_MEASURED;
  const factor = half ? US_PER_NS / 2 : US_PER_NS;
  const [value, low, high] = [point.value, point.low, point.high].map((ns) => (ns === null ? null : ns * factor));
  return [exact(point.stored, figure(value, step)), element("small", {}, ` ${half ? interval(low, high, step) : ""}`)];
}

function peakCell(track) {
  const points = pointsOf(track, "stream", "delivered_bytes_per_second", UNITS.rate.factor);
  const measured = points.filter((point) => point.value !== null);
  if (measured.length === 0) return NOT_MEASURED;
  const best = measured.reduce((most, point) => (point.value > most.value ? point : most));
  const link = linkOf(track.transport);
  const share = link ? `, ${figure((best.value * 1e11) / link)} % of the link` : "";
  return [exact(best.stored, figure(best.value)), element("small", {}, ` at ${sizeText(best.size)}${share}`)];
}

// Every transport on one line, at the smallest size that was measured.
export function showGlance(tracks) {
  const row = (track) => {
    const step = stepOf(track) * US_PER_NS;
    const medians = pointsOf(track, "pingpong", "p50", 1);
    const which = medians.findIndex((point) => point.value !== null);
    const tails = pointsOf(track, "pingpong", "p99", 1);
    const first = firstMessageOf(track);
    const grade = worstGrade(track.cases);
    return [
      [track.name, element("small", {}, ` ${openedText(track.transport)}`)],
      which < 0 ? NOT_MEASURED : sizeText(medians[which].size),
      latencyCell(medians, which, true, step),
      latencyCell(tails, which, false, step),
      peakCell(track),
      first === null ? NOT_MEASURED : exact(first, figure(first * US_PER_NS)),
      grade ? element("span", { class: `grade ${grade}` }, grade) : NOT_MEASURED,
    ];
  };
  const head = [
    "transport",
    "size",
    "one way p50, µs",
    "round trip p99, µs",
    "stream at best, Gb/s",
    "first message, µs",
  ];
  byId("glance-table").replaceChildren(
    table("The smallest message, and the best stream", [...head, "grade"], tracks.map(row)),
  );
}

// What holds for both ends is said once.
function grouped(warnings) {
  const groups = new Map();
  for (const { host, message, code } of warnings) {
    const key = JSON.stringify([code, message]);
    const group = groups.get(key) ?? { message, code, hosts: [] };
    groups.set(key, { ...group, hosts: host ? [...group.hosts, host] : group.hosts });
  }
  return [...groups.values()];
}

function warningsOf({ document: { cases, warnings, run } }) {
  const items = grouped(warnings).map(({ hosts, message, code }) =>
    element(
      "li",
      {},
      hosts.length > 0 ? element("b", {}, `${hosts.join(" and ")}: `) : null,
      `${message} `,
      element("small", {}, code),
    ),
  );
  const single = "one repeat: intervals are within that repeat, and say nothing about the next run";
  if (run.repeats === 1) items.unshift(element("li", {}, single));
  const grade = worstGrade(cases);
  if (items.length === 0) items.push(element("li", {}, grade ? "nothing to say" : "nothing was measured"));
  return { grade, items };
}

export function showWarnings(files) {
  const one = (file) => {
    const { grade, items } = warningsOf(file);
    const title = files.length > 1 ? file.name : null;
    const mark = grade ? element("span", { class: `grade ${grade}` }, `quality ${grade}`) : null;
    return element(
      "div",
      {},
      element("p", {}, mark, " ", title ? element("b", {}, title) : null),
      element("ul", {}, items),
    );
  };
  byId("warning-list").replaceChildren(...files.map(one));
}

// Sizes that share transport, test, status and reason share a line.
export function showMissing(tracks) {
  const words = { skipped: "skipped", failed: "failed", not_run: "not run" };
  const groups = new Map();
  for (const track of tracks)
    for (const one of track.cases.filter(({ status }) => status !== "ok")) {
      const cells = [track.name, one.test, words[one.status] ?? one.status, one.reason ?? ""];
      const key = JSON.stringify(cells);
      groups.set(key, [...(groups.get(key) ?? cells), sizeText(one.size_bytes)]);
    }
  const rows = [...groups.values()].map(([track, test, status, reason, ...sizes]) => [
    track,
    test,
    status,
    sizes.join(", "),
    reason,
  ]);
  byId("missing").hidden = rows.length === 0;
  byId("missing-table").replaceChildren(
    table("Cases without figures", ["transport", "test", "", "sizes", "reason"], rows),
  );
}

export function showAdjustments(files) {
  const rows = files.flatMap(({ document }) => [
    ...document.adjustments.map((one) => [one, "every transport"]),
    ...document.transports.flatMap((transport) => transport.adjustments.map((one) => [one, transport.label])),
  ]);
  const row = ([{ option, asked, effective, reason }, label]) => [option, asked, effective, label, reason];
  byId("adjustments").hidden = rows.length === 0;
  byId("adjustments-table").replaceChildren(
    table("What could not be had as it was asked", ["option", "asked", "taken", "for", "reason"], rows.map(row)),
  );
}
