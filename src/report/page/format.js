// Numbers and names as the command line's tables write them.

export const NOT_MEASURED = "n/a";
export const US_PER_NS = 1e-3;

// How a quantity of the document is shown: `factor` leads from its unit to the screen's.
export const UNITS = {
  time: { name: "µs", factor: US_PER_NS },
  rate: { name: "Gb/s", factor: 8e-9 },
  messages: { name: "Mmsg/s", factor: 1e-6 },
};

// Significant digits; the whole part is never cut.
function digitsOf(value, digits) {
  const scientific = value.toExponential(digits - 1);
  const exponent = Number(scientific.split("e")[1]); // of what is shown: 9.996 is 10.0
  return exponent < -4 ? scientific : value.toFixed(Math.max(0, digits - 1 - exponent));
}

// Three significant digits, four from 100 up; fewer where the clock's step (in the value's unit) is coarser.
export function figure(value, step = 0) {
  if (value === null || value === undefined) return NOT_MEASURED;
  if (value === 0) return "0";
  const size = Math.abs(value);
  let digits = size >= 100 ? 4 : 3;
  if (step > 0) {
    const steps = Math.floor(Math.log10(size)) - Math.floor(Math.log10(step)) + 1;
    digits = Math.min(Math.max(steps, 1), digits);
  }
  return size >= 1e8 ? value.toExponential(digits - 1) : digitsOf(value, digits);
}

export function interval(low, high, step = 0) {
  return low === null || high === null ? "" : `[${figure(low, step)}, ${figure(high, step)}]`;
}

// 8, 4K, 1M.
export function sizeText(bytes) {
  for (const [unit, letter] of [
    [2 ** 30, "G"],
    [2 ** 20, "M"],
    [2 ** 10, "K"],
  ])
    if (bytes >= unit && bytes % unit === 0) return `${bytes / unit}${letter}`;
  return String(bytes);
}

export function bytesText(bytes) {
  for (const [unit, name] of [
    [2 ** 30, "GiB"],
    [2 ** 20, "MiB"],
    [2 ** 10, "KiB"],
  ])
    if (bytes >= unit) return `${figure(bytes / unit)} ${name}`;
  return `${bytes} bytes`;
}

// "50 ms", "10 s", "0.952 ns".
export function durationText(ns) {
  for (const [unit, name] of [
    [1e9, "s"],
    [1e6, "ms"],
    [1e3, "µs"],
  ])
    if (ns >= unit) return `${Number((ns / unit).toPrecision(4))} ${name}`;
  return `${ns} ns`;
}

// A share from 0 to 1: "100 %", "2.5 %", "0.0012 %".
export function percent(share) {
  return `${Number((share * 100).toPrecision(2))} %`;
}

// "2026-11-29 14:02:11 UTC"
export function timeText(rfc3339) {
  return rfc3339.replace("T", " ").replace(/(\.\d+)?Z$/, " UTC");
}

// Four digits: one of a thousand may be what a comparison is about.
export function ratioText(ratio) {
  return ratio === null ? NOT_MEASURED : `${digitsOf(ratio, 4)}×`;
}

export function ratioInterval(low, high) {
  return low === null || high === null ? "" : `[${digitsOf(low, 4)}, ${digitsOf(high, 4)}]`;
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}
