// What is drawn beside the curves. `lines` are the chart's, as of Chart.draw().
import { colourName, styleColour } from "./strokes.js";

export const PER_LINE = 3; // uPlot series of a line: values, low, high

function whisker(plot, place, low, high) {
  const { ctx } = plot;
  const cap = 4 * devicePixelRatio;
  const x = plot.valToPos(place, "x", true);
  const ends = [low, high].map((bound) => plot.valToPos(bound, "y", true));
  ctx.moveTo(x, ends[0]);
  ctx.lineTo(x, ends[1]);
  for (const y of ends) {
    ctx.moveTo(x - cap, y);
    ctx.lineTo(x + cap, y);
  }
}

// The bands' intervals once more, so that points without neighbours show theirs.
export function drawIntervals(plot, lines) {
  const { ctx, bbox, data, series } = plot;
  const known = (place) => place !== null && place !== undefined;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = devicePixelRatio;
  lines.forEach((line, i) => {
    const [low, high] = [i * PER_LINE + 2, i * PER_LINE + 3];
    if (!series[low].show) return;
    ctx.strokeStyle = styleColour(colourName(line.track));
    ctx.beginPath();
    data[0].forEach((place, at) => {
      if (known(data[low][at]) && known(data[high][at])) whisker(plot, place, data[low][at], data[high][at]);
    });
    ctx.stroke();
  });
  ctx.restore();
}

// The name of the links' limits, where they are in view.
export function drawLimits(plot, lines) {
  const { ctx, bbox, data } = plot;
  ctx.save();
  ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  ctx.fillStyle = styleColour("quiet");
  ctx.textBaseline = "bottom";
  lines.forEach((line, i) => {
    if (line.track !== null) return;
    const limit = data[i * PER_LINE + 1].find((place) => place !== undefined);
    const y = plot.valToPos(limit, "y", true);
    if (y > bbox.top && y < bbox.top + bbox.height)
      ctx.fillText("link", bbox.left + 4 * devicePixelRatio, y - 2 * devicePixelRatio);
  });
  ctx.restore();
}
