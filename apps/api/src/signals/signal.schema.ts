import { z } from 'zod';
import { anyJson, line } from '../http/scalars.js';

export const signalName = line(128);

export const signalBody = z
  .strictObject({ key: z.string().max(100_000), payload: anyJson.optional() })
  .meta({ id: 'SendSignal' });
export type SignalBody = z.output<typeof signalBody>;

export const sentSignal = z
  .object({ id: z.string(), name: z.string(), key: z.string(), run_id: z.string().nullable() })
  .meta({
    id: 'SentSignal',
    description: '`run_id`: the run that goes on with it; null: it is kept for the next that waits.',
  });
export type SentSignal = z.output<typeof sentSignal>;
