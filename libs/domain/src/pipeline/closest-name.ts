/** More edits than this are no slip of the fingers; the bound also keeps the comparison cheap. */
const MAX_EDITS = 3;

/**
 * The known name that was probably meant (`max_tokens` for `maxtokens`), or null when none is close: at most three
 * letters, and at most a third of them, differ (Levenshtein), separators and case aside.
 */
export function closestName(written: string, known: Iterable<string>): string | null {
  const plain = plainName(written);
  let best: { name: string; distance: number } | null = null;
  for (const name of known) {
    const limit = Math.min(MAX_EDITS, Math.ceil(Math.max(plain.length, name.length) / 3));
    const distance = editDistance(plain, plainName(name), limit);
    if (distance <= limit && (best === null || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? null;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_\s.]/g, '');
}

/** Levenshtein distance by rows; infinity as soon as it must be over the limit. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return Number.POSITIVE_INFINITY;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const current = [i];
    let least = i;
    for (let j = 1; j <= right.length; j += 1) {
      const substitution = (previous[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      const cell = Math.min(substitution, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
      current.push(cell);
      least = Math.min(least, cell);
    }
    if (least > limit) return Number.POSITIVE_INFINITY;
    previous = current;
  }
  return previous[right.length] ?? left.length;
}
