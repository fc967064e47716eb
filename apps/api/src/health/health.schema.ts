import { z } from 'zod';

export const live = z.object({ status: z.literal('live') }).meta({ id: 'Live' });
export type Live = z.output<typeof live>;

const check = z.object({ ok: z.boolean(), detail: z.string() });
export const ready = z
  .object({ status: z.literal('ready'), checks: z.record(z.string(), check) })
  .meta({ id: 'Ready' });
export type Ready = z.output<typeof ready>;

export const version = z
  .object({ name: z.literal('weir'), version: z.string(), api: z.literal('v1'), node: z.string() })
  .meta({ id: 'Version' });
export type Version = z.output<typeof version>;
