import { z } from 'zod';
import { RUN_STATUSES } from '#libs/domain';

const bound = z.number().nonnegative().nullish();

export const spendLimitBody = z
  .strictObject({
    tokens: bound,
    cost_usd: bound,
    tool_calls: bound,
    on_exceeded: z.enum(['pause', 'fail']).default('pause'),
  })
  .meta({ id: 'SpendLimit', description: 'Of the run with its child runs; a bound that is absent or null is none.' });
export type SpendLimitBody = z.output<typeof spendLimitBody>;

export const pauseRunBody = z.strictObject({ reason: z.string().max(1000).nullish() }).optional();
export type PauseRunBody = z.output<typeof pauseRunBody>;

const spendLimitChange = z
  .strictObject({
    tokens: bound,
    cost_usd: bound,
    tool_calls: bound,
    on_exceeded: z.enum(['pause', 'fail']).optional(),
  })
  .meta({ id: 'SpendLimitChange', description: 'What is absent stays as it is; null takes a bound away.' });

export const resumeRunBody = z
  .strictObject({ spend_limit: spendLimitChange.nullish() })
  .optional()
  .meta({ id: 'ResumeRun', description: '`spend_limit` changes the run’s, for one that stopped at its limit.' });
export type ResumeRunBody = z.output<typeof resumeRunBody>;

export const pauseAnswer = z
  .object({ id: z.string(), status: z.enum(RUN_STATUSES), paused: z.boolean(), allowed_actions: z.array(z.string()) })
  .meta({ id: 'RunPaused' });
export type PauseAnswer = z.output<typeof pauseAnswer>;
