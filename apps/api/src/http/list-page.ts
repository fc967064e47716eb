import { z } from 'zod';
import type { Json } from '#libs/domain';
import { encodeCursor } from './list-cursor.js';

export const limitSchema = z.coerce.number().int().min(1).max(200).default(50);
export const pageQuery = { limit: limitSchema, cursor: z.string().max(2000).optional() };

/** The shape of every list. */
export const pageOf = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), next_cursor: z.string().nullable(), has_more: z.boolean() });

export type Page<T> = { data: T[]; next_cursor: string | null; has_more: boolean };

/** @param rows up to `limit + 1` of them: one more than shown tells whether there are more. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  filters: { [name: string]: Json },
  keyOf: (row: Row) => (string | number)[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    data: shown.map(toItem),
    next_cursor: hasMore ? encodeCursor(keyOf(last), filters) : null,
    has_more: hasMore,
  };
}
