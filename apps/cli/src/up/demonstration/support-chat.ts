import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { packageRoot } from '#libs/platform';
import type { WeirClient } from '../../client/weir-client.js';

import { unmeasured, type Demonstration, type DemoResult } from './demonstration.js';

/** Each message with a word that its answer must have, and where the router must have sent it. */
const CONVERSATION = [
  { message: 'Hello!', intent: 'smalltalk', expected: 'Hello' },
  { message: 'What happens to a step when its worker dies?', intent: 'question', expected: 'lease' },
  { message: 'How many characters does the chat preset send at most?', intent: 'question', expected: '80,000' },
  { message: 'Does a retry of a fresh step see earlier runs?', intent: 'question', expected: 'cutoff' },
  { message: 'Which eviction policy must Redis have?', intent: 'question', expected: 'noeviction' },
  { message: 'Thank you!', intent: 'smalltalk', expected: 'welcome' },
] as const;

const runSchema = z.looseObject({
  id: z.string(),
  status: z.string(),
  output: z.looseObject({ intent: z.string(), answer: z.string() }).nullable(),
  usage: z.looseObject({ model_calls: z.number() }),
  steps: z.array(z.looseObject({ id: z.string(), status: z.string() })),
});

const callSchema = z.looseObject({
  rebuilt: z.string(),
  report: z.looseObject({ chars: z.number(), chars_unmanaged: z.number() }),
});

/** Six messages of one conversation through route → retrieve | smalltalk → answer, over the documents in `pipelines/documents`. */
export const supportChat: Demonstration = { name: 'support-chat', run: runSupportChat };

async function runSupportChat(client: WeirClient): Promise<DemoResult> {
  const document: unknown = parse(await readFile(join(packageRoot(), 'pipelines/support-chat.yml'), 'utf8'));
  await client.request('PUT', '/v1/pipelines/support-chat', { body: document });
  const documents = await readDocuments();
  const streamId = `demo-support-${Date.now().toString(36)}`;
  const total = { ok: true, modelCalls: 0, charsSent: 0, charsUnmanaged: 0, mismatches: 0 };
  for (const turn of CONVERSATION) {
    const body = { inputs: { user_message: turn.message, documents }, stream_id: streamId, tags: ['demonstration'] };
    const answer = await client.request('POST', '/v1/pipelines/support-chat/runs', {
      body,
      headers: { prefer: 'wait=60' },
    });
    const run = runSchema.parse(answer);
    const { output } = run;
    total.ok &&= run.status === 'succeeded' && output?.intent === turn.intent && output.answer.includes(turn.expected);
    total.modelCalls += run.usage.model_calls;
    for (const step of run.steps.filter(({ status }) => status === 'succeeded')) {
      const call = callSchema.parse(await client.request('GET', `/v1/runs/${run.id}/steps/${step.id}/calls/1/context`));
      total.charsSent += call.report.chars;
      total.charsUnmanaged += call.report.chars_unmanaged;
      if (call.rebuilt !== 'equal') total.mismatches += 1;
    }
  }
  return {
    ...unmeasured('support-chat', total.ok && total.mismatches === 0),
    runs: CONVERSATION.length,
    model_calls: total.modelCalls,
    chars_sent: total.charsSent,
    chars_unmanaged: total.charsUnmanaged,
    hash_mismatches: total.mismatches,
  };
}

async function readDocuments(): Promise<string> {
  const folder = join(packageRoot(), 'pipelines/documents');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.join('\n');
}
