// Hosts, settings and devices side by side; what differs is marked.
import { byId, element, table } from "./dom.js";
import { bytesText, count, durationText, sizeText } from "./format.js";

const UNKNOWN = "—";

// Members that differ for no reason that a reader looks for.
const LEFT_OUT = new Set(["boot_id", "hostname", "transports", "label", "asked", "opened"]);

function text(key, value) {
  if (value === null || value === undefined || value === "") return UNKNOWN;
  if (value === true) return "yes";
  if (value === false) return "no";
  if (key === "sizes") return value.map(sizeText).join(", ");
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "number" && /_ns$/.test(key)) return durationText(value);
  if (typeof value === "number" && /bytes$|max_message_size/.test(key)) return bytesText(value);
  if (typeof value === "number" && /bits_per_second$/.test(key)) return `${value / 1e9} Gb/s`;
  return String(value);
}

function words(key) {
  return key.replace(/_(ns|bytes|bits_per_second)$/, "").replaceAll("_", " ");
}

// Nested members as "versions: libfabric" -> text.
function factsOf(value, prefix = "") {
  const facts = new Map();
  for (const [key, member] of Object.entries(value ?? {})) {
    if (LEFT_OUT.has(key)) continue;
    const name = prefix + words(key);
    if (member !== null && typeof member === "object" && !Array.isArray(member))
      for (const [inner, fact] of factsOf(member, `${name}: `)) facts.set(inner, fact);
    else facts.set(name, text(key, member));
  }
  return facts;
}

// What somebody decided: the rest was left to the preset.
function decided(config) {
  return new Map([...factsOf(config)].filter(([, fact]) => fact !== UNKNOWN));
}

// `columns`: [{title, facts}]. Rows that differ come marked.
function sideBySide(title, columns) {
  const names = [...new Set(columns.flatMap(({ facts }) => [...facts.keys()]))];
  const texts = (name) => columns.map(({ facts }) => facts.get(name) ?? UNKNOWN);
  const differs = (name) => new Set(texts(name)).size > 1;
  const different = names.filter(differs).length;
  const made = table(
    title,
    ["", ...columns.map((column) => column.title)],
    names.map((name) => [
      [name, differs(name) ? element("abbr", { class: "differs", title: "differs" }, "≠") : null],
      ...texts(name),
    ]),
    { class: "facts" },
  );
  for (const row of made.querySelectorAll("tbody tr")) row.classList.toggle("alike", !row.querySelector(".differs"));
  const summary = columns.length > 1 ? `${title}: ${different} of ${count(names.length, "fact")} differ` : title;
  return element(
    "details",
    {},
    element("summary", {}, summary),
    columns.length > 1 ? onlyDifferences(made) : null,
    made,
  );
}

function onlyDifferences(holder) {
  const changed = (event) => holder.classList.toggle("only", event.target.checked);
  return element(
    "label",
    { class: "check" },
    element("input", { type: "checkbox", change: changed }),
    " only what differs",
  );
}

function hostColumns(files) {
  return files.flatMap((file) => {
    const { hosts, pinned_cpu: pinned, clock, detours } = file.document;
    return ["initiator", "responder"]
      .filter((end) => hosts[end])
      .map((end) => {
        const { source, quantum_ns: step } = clock[end] ?? {};
        const lost = detours[end] ? `${((100 * detours[end].total_ns) / detours[end].spun_ns).toPrecision(2)} %` : null;
        const facts = factsOf(hosts[end]);
        facts.set("measuring thread on CPU", text("cpu", pinned[end]));
        facts.set("clock", source ? `${source}, step ${durationText(step)}` : UNKNOWN);
        facts.set("CPU time lost to others", lost ?? UNKNOWN);
        const name = `${hosts[end].hostname}, ${end}`;
        return { title: files.length > 1 ? `${name} · ${file.name}` : name, facts };
      });
  });
}

function deviceColumns(tracks) {
  return tracks.map((track) => {
    const { plan, initiator, responder, opened } = track.transport;
    const facts = new Map([["opened", opened ?? "not opened"], ...factsOf(plan)]);
    const there = factsOf(responder);
    for (const [name, here] of factsOf(initiator)) {
      const other = there.get(name);
      facts.set(name, other === undefined || other === here ? here : `${here} / ${other}`);
    }
    return { title: track.name, facts };
  });
}

export function showEnvironment(files, tracks) {
  const settings = files.map(({ name, document }) => ({ title: name, facts: decided(document.config) }));
  byId("environment-tables").replaceChildren(
    sideBySide("Hosts", hostColumns(files)),
    sideBySide("Devices", deviceColumns(tracks)),
    sideBySide("Settings, beyond the preset's", settings),
  );
}
