import { z } from 'zod';
import type { Wakeups } from '#libs/engine';

export type Delta = Parameters<Wakeups['publishDelta']>[0];

const runMessage = z.strictObject({ run_id: z.string() });
const runsMessage = z.strictObject({ run_ids: z.array(z.string()) });
const deltaMessage = z.strictObject({
  run_id: z.string(),
  step_id: z.string(),
  item: z.int().nullable(),
  call_no: z.int(),
  text: z.string(),
});

export const encodeRun = (runId: string): string => JSON.stringify({ run_id: runId });

/** @throws ZodError or SyntaxError on a message that is not ours. */
export const decodeRun = (message: string): string => runMessage.parse(JSON.parse(message)).run_id;

export const encodeRuns = (runIds: readonly string[]): string => JSON.stringify({ run_ids: runIds });

/** @throws ZodError or SyntaxError on a message that is not ours. */
export const decodeRuns = (message: string): string[] => runsMessage.parse(JSON.parse(message)).run_ids;

export const encodeDelta = (delta: Delta): string =>
  JSON.stringify({
    run_id: delta.runId,
    step_id: delta.stepId,
    item: delta.item,
    call_no: delta.callNo,
    text: delta.text,
  });

/** @throws ZodError or SyntaxError on a message that is not ours. */
export function decodeDelta(message: string): Delta {
  const delta = deltaMessage.parse(JSON.parse(message));
  return { runId: delta.run_id, stepId: delta.step_id, item: delta.item, callNo: delta.call_no, text: delta.text };
}
