import { z } from 'zod';

const range = z.tuple([z.number().int(), z.number().int()]);

/** What a build saw of the view's compactions, but for the text of the live summary, which its event has. */
export const recordedCompactionSchema = z.object({
  live: z.object({ id: z.string(), seq: z.number().int(), range, entries: range, extractive: z.boolean() }).nullable(),
  open: z.array(z.object({ id: z.string(), range, reason: z.string(), wait_expired: z.boolean() })),
  last_ended: z
    .object({
      id: z.string(),
      range,
      reason: z.string(),
      outcome: z.enum(['compacted', 'skipped', 'discarded', 'failed', 'rolled_back']),
    })
    .nullable(),
  failures: z.number().int().nonnegative(),
  rolled_back: z.array(z.string()),
  barred_digests: z.array(z.string()),
  model_failures: z.object({ in_a_row: z.number().int().nonnegative(), last_to: z.number().int().nullable() }),
});
export type RecordedCompaction = z.infer<typeof recordedCompactionSchema>;
