import fc from 'fast-check';
import type { AssistantPart, Content, ContentPart, FinishReason, StoredEvent } from '#libs/domain';
import { reasoningItemPart, thoughtSignaturePart } from '../shape/reasoning-forms.js';
import { EventLog, type CallSketch } from './event-log.js';

/** One thing that happens to a sub-stream; any order of them is a stream, also those that no sane program writes. */
type Happening =
  | { kind: 'user'; content: Content; origin: 'task' | 'user' | 'import' }
  | { kind: 'documents'; content: Content }
  | { kind: 'memory'; value: string }
  | {
      kind: 'answer';
      content: AssistantPart[];
      calls: CallSketch[];
      finish: FinishReason;
      model: string;
      reuse: boolean;
    }
  | {
      kind: 'result';
      ordinal: number;
      content: Content;
      status: 'ok' | 'error' | 'denied' | 'cancelled' | 'pending';
      back: number;
    }
  | { kind: 'answerAll'; content: string }
  | { kind: 'interrupted'; reason: 'cancelled' | 'failed' | 'timed_out' }
  | { kind: 'newRun' };

const text = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.constantFrom('', ' ', '\n\t', 'a\0b', '\ud83d', 'x\udc00', '👨‍👩‍👧 семья', '第二段：工具', '${x} $& `'),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const image: fc.Arbitrary<ContentPart> = fc.constantFrom<ContentPart>(
  { type: 'image', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  { type: 'image', media_type: 'image/tiff', data: 'AAAA', name: 'scan.tiff' },
  { type: 'image', url: 'https://example.com/a.png' },
  { type: 'image' },
  { type: 'document', media_type: 'application/pdf', data: 'JVBERi0=', name: 'a.pdf', pages: 2 },
  {
    type: 'other',
    raw: { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
  },
  { type: 'other', raw: { type: 'widget', n: 1, s: 'a\ud83d' } },
);
const content: fc.Arbitrary<Content> = fc.oneof(
  { weight: 3, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        text.map((value): ContentPart => ({ type: 'text', text: value })),
        image,
      ),
      { maxLength: 3 },
    ),
  },
);
/** Reasoning of the forms that keep it in items and signatures: sound, without its secret, of a call that there may not be. */
export const reasoningParts: AssistantPart[] = [
  reasoningItemPart({
    item: { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2Vj' },
    calls_before: 0,
  }),
  reasoningItemPart({
    item: { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'c2Vj' },
    calls_before: 1,
  }),
  reasoningItemPart({ item: { type: 'reasoning', id: 'rs_3', summary: [] }, calls_before: 0 }),
  thoughtSignaturePart({ thought_signature: 'c2ln', call: 0 }),
  thoughtSignaturePart({ thought_signature: 'c2ln', call: null }),
  thoughtSignaturePart({ thought_signature: '', call: 1 }),
];
const answerPart: fc.Arbitrary<AssistantPart> = fc.oneof(
  { weight: 4, arbitrary: text.map((value): AssistantPart => ({ type: 'text', text: value })) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<AssistantPart>(
      { type: 'thinking', text: 'let me see', signature: 'c2ln' },
      { type: 'thinking', text: 'unsigned' },
      { type: 'thinking', text: '', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'AAAA' },
      { type: 'opaque', provider: 'openai', raw: { id: 'rs_1' } },
      ...reasoningParts,
      { type: 'image', media_type: 'image/png', data: 'AAAA' },
      { type: 'other', raw: 7 },
    ),
  },
);
const call: fc.Arbitrary<CallSketch> = fc.record({
  id: fc.constantFrom('call_0', 'toolu_01', 'x:y/z', '', 'a'.repeat(60)),
  name: fc.constantFrom('search', 'read', 'a.b c', '', '搜索', 'n'.repeat(90)),
  arguments: fc.oneof(
    fc.constantFrom(
      '{}',
      '',
      '{"q": "x"}',
      '[1]',
      '"s"',
      '{"q":',
      '{"a":"\\ud83d","\\u0000k":1}',
      '{"e":"\\ud83d\\ude00"}',
      'null',
    ),
    fc.jsonValue().map((value) => JSON.stringify({ value })),
  ),
});

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('user' as const),
      content,
      origin: fc.constantFrom('task' as const, 'user' as const, 'import' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('documents' as const), content }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('memory' as const), value: text }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      content: fc.array(answerPart, { maxLength: 4 }),
      calls: fc.oneof(
        { weight: 8, arbitrary: fc.array(call, { maxLength: 4 }) },
        {
          weight: 1,
          arbitrary: fc.integer({ min: 120, max: 140 }).map((n) => Array.from({ length: n }, (): CallSketch => ({}))),
        },
      ),
      finish: fc.constantFrom<FinishReason>(
        'stop',
        'stop',
        'tool_calls',
        'tool_calls',
        'length',
        'content_filter',
        'aborted',
        'error',
        'other',
      ),
      model: fc.constantFrom('test:model', 'test:model', 'test:other'),
      reuse: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      ordinal: fc.integer({ min: 0, max: 4 }),
      content,
      status: fc.constantFrom(
        'ok' as const,
        'error' as const,
        'denied' as const,
        'cancelled' as const,
        'pending' as const,
      ),
      back: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('answerAll' as const), content: text }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('interrupted' as const),
      reason: fc.constantFrom('cancelled' as const, 'failed' as const, 'timed_out' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'newRun' as const }) },
);

type Writer = { log: EventLog; run: number; callNo: number; open: number };

function write(writer: Writer, step: Happening): void {
  const { log } = writer;
  const subject = { runId: `run_${writer.run}` };
  switch (step.kind) {
    case 'user':
      return void log.user(step.content, step.origin, subject);
    case 'documents':
      return void log.append('DocumentsProvided', { content: step.content }, 0, subject);
    case 'memory':
      return void log.append(
        'MemoryShown',
        { memory: { note: step.value }, memory_seq: log.events.length },
        0,
        subject,
      );
    case 'answer':
      writer.callNo += step.reuse && writer.callNo > 0 ? 0 : 1;
      writer.open = step.calls.length;
      return void log.answer(step.content, step.calls, {
        finish: step.finish,
        model: step.model,
        callNo: writer.callNo,
        ...subject,
      });
    case 'result':
      return void log.result(step.ordinal, step.content, {
        status: step.status,
        callNo: Math.max(1, writer.callNo - step.back),
        ...subject,
      });
    case 'answerAll':
      for (let ordinal = 0; ordinal < writer.open; ordinal += 1)
        log.result(ordinal, step.content, { callNo: writer.callNo, ...subject });
      return;
    case 'interrupted':
      return void log.interrupted(step.reason);
    case 'newRun':
      writer.run += 1;
      writer.callNo = 0;
      writer.open = 0;
  }
}

/** Streams with crashes, cancels, retries, repeated ids and numbers, parallel calls, images, reasoning and several runs. */
export const randomStream = (maxLength = 25): fc.Arbitrary<StoredEvent[]> =>
  fc.array(happening, { maxLength }).map((steps) => {
    const writer: Writer = { log: new EventLog(), run: 1, callNo: 0, open: 0 };
    for (const step of steps) write(writer, step);
    return writer.log.events;
  });
