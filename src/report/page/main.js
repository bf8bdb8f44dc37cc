// Puts the page together from the documents within it.
import { bandwidthCurves, latencyCurves } from "./curves.js";
import { byId, drawing, element } from "./dom.js";
import { bytesText } from "./format.js";
import { colourName, dashesOf } from "./strokes.js";
import { distribution } from "./tails.js";
import { openFiles, tracksOf } from "./results.js";
import { showAdjustments, showGlance, showHead, showMissing, showWarnings } from "./about.js";
import { showEnvironment } from "./environment.js";
import { showVerdicts } from "./verdicts.js";

// The key to the curves: a press switches one off or on, everywhere.
function showKey(tracks, parts) {
  const sample = (track) =>
    drawing(
      "svg",
      { viewBox: "0 0 34 10", width: 34, height: 10, "aria-hidden": "true" },
      drawing("line", {
        x1: 1,
        x2: 33,
        y1: 5,
        y2: 5,
        class: colourName(track),
        "stroke-dasharray": dashesOf(track).join(" "),
      }),
    );
  const toggle = (track) => {
    const pressed = (event) => {
      track.shown = !track.shown;
      event.currentTarget.setAttribute("aria-pressed", track.shown);
      for (const part of parts) part.refresh();
    };
    const attributes = { type: "button", "aria-pressed": "true", title: track.name, click: pressed };
    return element("button", attributes, sample(track), element("span", {}, track.name));
  };
  byId("key").replaceChildren(...tracks.map(toggle));
}

function showDownloads(files) {
  const one = ({ name, text }) => {
    const blob = new Blob([text], { type: "application/json" });
    const link = element("a", { href: URL.createObjectURL(blob), download: name.split("/").pop() }, name);
    return element("li", {}, link, ` ${bytesText(blob.size)}`);
  };
  byId("download-list").replaceChildren(...files.map(one));
}

const data = JSON.parse(byId("data").textContent);
const files = openFiles(data.documents);
const tracks = tracksOf(files);
showHead(files);
showVerdicts(
  data.comparisons.map((text) => JSON.parse(text)),
  files,
);
showGlance(tracks);
showWarnings(files);
showMissing(tracks);
showAdjustments(files);
showEnvironment(files, tracks);
showDownloads(files);
showKey(tracks, [latencyCurves(tracks), bandwidthCurves(tracks), distribution(tracks)]);
