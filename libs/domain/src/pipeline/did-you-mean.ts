/**
 * A hint when a known name is close to what was written (`maxtokens` for `max_tokens`), else undefined.
 * Close: at most a third of the letters differ (Levenshtein), separators and case aside.
 */
export function didYouMean(written: string, known: Iterable<string>): string | undefined {
  const plain = plainName(written);
  if (plain.length > 80) return undefined;
  let best: { name: string; distance: number } | null = null;
  for (const name of known) {
    const distance = editDistance(plain, plainName(name));
    const isClose = distance <= Math.max(1, Math.floor(Math.max(plain.length, name.length) / 3));
    if (isClose && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best === null ? undefined : `did you mean "${best.name}"?`;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s.]/g, '');
}

/** Levenshtein distance by rows. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? left.length;
}
