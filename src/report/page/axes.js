// Axes: `to` gives a value's place on a straight line, null where it has none; `ticks` the places and texts of at most
// `most` marks between two places. Pure.

function between(ticks, low, high) {
  return ticks.filter((tick) => tick.at !== null && tick.at >= low && tick.at <= high);
}

function everySecondUntil(ticks, most) {
  let kept = ticks;
  while (kept.length > Math.max(2, most)) kept = kept.filter((_, i) => i % 2 === 0);
  return kept;
}

// Multiples of 1, 2 or 5 times a power of ten.
function roundNumbers(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => {
    const number = (first + i) * step;
    return Number(number.toPrecision(12));
  });
}

export function linearAxis(text = String) {
  return {
    to: (value) => value,
    ticks: (low, high, most) => roundNumbers(low, high, most).map((value) => ({ at: value, text: text(value) })),
  };
}

export function logAxis(text = String) {
  const to = (value) => (value > 0 ? Math.log10(value) : null);
  const tick = (value) => ({ at: to(value), text: text(value) });
  const ofEachDecade = (digits, low, high) => {
    const decades = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, i) => Math.floor(low) + i);
    return decades.flatMap((decade) => digits.map((digit) => Number(`${digit}e${decade}`)));
  };
  const ticks = (low, high, most) => {
    for (const digits of [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 5], [1, 3], [1]]) {
      const found = between(ofEachDecade(digits, low, high).map(tick), low, high);
      if (found.length < 2) break;
      if (found.length <= most) return found;
      if (digits.length === 1) return everySecondUntil(found, most);
    }
    return between(roundNumbers(10 ** low, 10 ** high, most).map(tick), low, high);
  };
  return { to, ticks };
}

// Message sizes: the marks are the sizes that were measured. On a logarithmic axis 0 bytes stand one step left of the
// smallest other size.
export function sizeAxis(sizes, logarithmic, text) {
  const smallest = Math.log2(sizes.find((size) => size > 0) ?? 1);
  const to = logarithmic ? (size) => (size > 0 ? Math.log2(size) : smallest - 1) : (size) => size;
  const ticks = sizes.map((size) => ({ at: to(size), text: text(size) }));
  const apart = (kept, tick, gap) => (kept.length === 0 || tick.at - kept.at(-1).at >= gap ? [...kept, tick] : kept);
  return {
    to,
    ticks: (low, high, most) =>
      between(ticks, low, high).reduce((kept, tick) => apart(kept, tick, (high - low) / most), []),
  };
}
