// How tracks are told apart: by colour, and without it by dashes. Colours are the style sheet's, so that they follow
// the reader's light or dark scheme.

const COLOURS = 6;
const DASHES = [[], [9, 4], [2, 3], [10, 3, 2, 3], [5, 2], [14, 5]];

export function styleColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

export function colourName(track) {
  return track === null ? "link" : `track${track.index % COLOURS}`;
}

export function dashesOf(track) {
  if (track === null) return [4, 4];
  return DASHES[(track.index + Math.floor(track.index / COLOURS)) % DASHES.length];
}

// "#rrggbb" and an opacity from 0 to 1.
export function transparent(colour, opacity) {
  return (
    colour +
    Math.round(opacity * 255)
      .toString(16)
      .padStart(2, "0")
  );
}
