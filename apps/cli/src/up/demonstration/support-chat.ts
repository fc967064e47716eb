import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { dataOf, type WeirClient } from '#libs/client';
import { jsonObjectSchema } from '#libs/domain';
import { packageRoot } from '#libs/platform';
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

/** What the pipeline's `output` makes of a run. */
const outputSchema = z.looseObject({ intent: z.string(), answer: z.string() });
const reportSchema = z.looseObject({ chars: z.number(), chars_unmanaged: z.number() });

/** Six messages of one conversation through route → retrieve | smalltalk → answer, over the documents in `pipelines/documents`. */
export const supportChat: Demonstration = { name: 'support-chat', run: runSupportChat };

async function runSupportChat(client: WeirClient): Promise<DemoResult> {
  const document = jsonObjectSchema.parse(
    parse(await readFile(join(packageRoot(), 'pipelines/support-chat.yml'), 'utf8')),
  );
  const name = 'support-chat';
  await client.api.PUT('/v1/pipelines/{name}', { params: { path: { name } }, body: document });
  const documents = await readDocuments();
  const streamId = `demo-support-${Date.now().toString(36)}`;
  const total = { ok: true, modelCalls: 0, charsSent: 0, charsUnmanaged: 0, mismatches: 0 };
  for (const turn of CONVERSATION) {
    const body = { inputs: { user_message: turn.message, documents }, stream_id: streamId, tags: ['demonstration'] };
    const params = { path: { name }, header: { prefer: 'wait=60' } };
    const run = await dataOf(client.api.POST('/v1/pipelines/{name}/runs', { params, body }));
    const output = outputSchema.safeParse(run.output).data;
    total.ok &&= run.status === 'succeeded' && output?.intent === turn.intent && output.answer.includes(turn.expected);
    total.modelCalls += run.usage.model_calls;
    for (const step of run.steps.filter(({ status }) => status === 'succeeded')) {
      const path = { run: run.id, step: step.id, call: 1 };
      const call = await dataOf(
        client.api.GET('/v1/runs/{run}/steps/{step}/calls/{call}/context', { params: { path } }),
      );
      const report = reportSchema.parse(call.report);
      total.charsSent += report.chars;
      total.charsUnmanaged += report.chars_unmanaged;
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
