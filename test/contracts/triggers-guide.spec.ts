import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { hookBody } from '../../apps/api/src/hooks/hook.schema.js';
import { scheduleBody } from '../../apps/api/src/schedules/schedule.schema.js';

const samplesOf = (page: string): unknown[] => {
  const text = readFileSync(new URL(`../../docs/guide/${page}.md`, import.meta.url), 'utf8');
  return [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => parse(match[1] ?? ''));
};

it('the samples of the guide to schedules and webhooks are ones that the API takes', () => {
  const schedules = samplesOf('schedules');
  const hooks = samplesOf('webhooks');
  expect([schedules.length, hooks.length]).toEqual([1, 2]);
  expect(schedules.map((sample) => scheduleBody.safeParse(sample).error ?? null)).toEqual([null]);
  expect(hooks.map((sample) => hookBody.safeParse(sample).error ?? null)).toEqual([null, null]);
});
