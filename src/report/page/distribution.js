// The distribution of a case's round trips from its stored histograms. Pure.

// The lower bound of bucket `index` in picoseconds (results/README.md, rtt_histogram).
function lowerBound(index, bits) {
  const perOctave = 2 ** bits;
  const octave = Math.floor(index / perOctave);
  return octave === 0 ? index : (perOctave + (index % perOctave)) * 2 ** (octave - 1);
}

// Complementary cumulative distribution of all repeats: shares[i] of the round trips took times[i] (ns) or longer.
// Times rise strictly from the exact minimum to the exact maximum. null without round trips.
export function tailOf(repeats) {
  const histograms = repeats.map((repeat) => repeat.rtt_histogram).filter(Boolean);
  const buckets = new Map();
  for (const { precision_bits: bits, index, count } of histograms)
    index.forEach((bucket, i) => {
      const low = lowerBound(bucket, bits);
      buckets.set(low, (buckets.get(low) ?? 0) + count[i]);
    });
  const total = [...buckets.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const least = Math.min(...histograms.map((histogram) => histogram.min_ps));
  const most = Math.max(...histograms.map((histogram) => histogram.max_ps));

  const times = [];
  const shares = [];
  let left = total;
  for (const [low, count] of [...buckets].sort(([a], [b]) => a - b)) {
    times.push(Math.max(low, least) / 1000);
    shares.push(left / total);
    left -= count;
  }
  if (most / 1000 > times.at(-1)) {
    times.push(most / 1000);
    shares.push(1 / total);
  }
  return { times, shares, total };
}

// The share of round trips that took `time` or longer.
export function shareAt(tail, time) {
  const next = tail.times.findIndex((other) => other >= time);
  return next < 0 ? 0 : tail.shares[next];
}
