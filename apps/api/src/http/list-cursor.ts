import { createHash } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson, type Json } from '#libs/domain';
import { ProblemError } from './problem-error.js';

const cursorSchema = z.strictObject({
  after: z.array(z.union([z.string(), z.number()])).min(1),
  /** The place itself, so that a damaged or edited one never reaches the database. */
  sum: z.string(),
  of: z.string(),
});

/** Where a page ended, bound to the filters it was asked with. Opaque to callers. */
export function encodeCursor(after: readonly (string | number)[], filters: { [name: string]: Json }): string {
  const cursor = { after, sum: fingerprint([...after]), of: fingerprint(filters) };
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/** @throws ProblemError `cursor_invalid` (400) when it is not ours or belongs to other filters. */
export function decodeCursor(
  cursor: string | undefined,
  filters: { [name: string]: Json },
): (string | number)[] | null {
  if (cursor === undefined) return null;
  const parsed = cursorSchema.safeParse(parseJson(Buffer.from(cursor, 'base64url').toString('utf8')));
  if (!parsed.success || parsed.data.sum !== fingerprint(parsed.data.after))
    throw new ProblemError('cursor_invalid', 'Expected the next_cursor of the page before.');
  if (parsed.data.of !== fingerprint(filters)) {
    throw new ProblemError(
      'cursor_invalid',
      'The cursor was given out for other filters. Repeat the filters of the first page, or start without a cursor.',
    );
  }
  return parsed.data.after;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON, so not a cursor: the caller reports that.
    return null;
  }
}

function fingerprint(value: Json): string {
  return createHash('sha256').update(canonicalJson(value)).digest('base64url').slice(0, 12);
}
