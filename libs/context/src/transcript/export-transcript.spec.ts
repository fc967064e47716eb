import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { EventData, StoredEvent } from '#libs/domain';
import { importTranscript } from '../import-transcript.js';
import { repairConversation } from '../shape/index.js';
import { EventLog } from '../testing/event-log.js';
import { randomStream } from '../testing/random-stream.js';
import { exportTranscript } from './export-transcript.js';
import { transcriptSchema } from './transcript.js';

const folder = join(process.cwd(), 'test/fixtures/transcripts');
const names = readdirSync(folder).filter((name) => name.endsWith('.json') && name !== 'manifest.json');

function imported(transcript: unknown): StoredEvent[] {
  const log = new EventLog(null);
  const { steps } = importTranscript(transcriptSchema.parse(transcript), {
    origin: 'import',
    model: 'test:model',
    callNumbers: 'import',
  });
  for (const step of steps) if (step.kind === 'event') log.append(step.event.type, step.event.data as never);
  return log.events;
}

const exported = (events: readonly StoredEvent[]) => exportTranscript(events, { stream_id: 's' });

/** What a context is made of, without what belongs to the stream: runs, seqs, call numbers. */
const said = (events: readonly StoredEvent[]) =>
  repairConversation(events).entries.map((entry) => {
    const { seq: _seq, runId: _run, chars: _chars, ...rest } = entry;
    if (rest.kind === 'user') return { ...rest, origin: null, reissued: null };
    return rest.kind === 'assistant' ? { ...rest, callNo: null } : rest;
  });

describe('export', () => {
  it.each(names)('of %s imports into the same entries, and those into the same messages', (name) => {
    const first = imported(JSON.parse(readFileSync(join(folder, name), 'utf8')));
    const transcript = exported(first);
    const again = imported(transcript);
    expect(said(again)).toEqual(said(first));
    expect(exported(again).messages).toEqual(transcript.messages);
  });

  it('keeps documents, memory, refused calls and why a conversation stopped', () => {
    const log = new EventLog();
    log.append('MemoryShown', { memory: { name: 'Ada' }, memory_seq: 3 });
    log.append('DocumentsProvided', { content: 'A passage.', name: 'passages' });
    log.user('Do both.', 'task');
    log.answer('', [
      { id: 'a', name: 'pay' },
      { id: 'b', name: 'mail' },
    ]);
    const denied: EventData<'ToolCallCompleted'> = {
      call_no: 1,
      ordinal: 1,
      tool_call_id: 'b',
      name: 'mail',
      status: 'denied',
      content: 'Not today.',
      argument: 'ada@example.com',
    };
    log.append('ToolCallCompleted', denied);
    log.append('ConversationInterrupted', { reason: 'failed' });
    log.user('Again.', 'task');
    const again = imported(exported(log.events));
    expect(said(again)).toEqual(said(log.events));
    expect(said(again).map((entry) => entry.kind)).toEqual([
      'memory',
      'documents',
      'user',
      'assistant',
      'result',
      'result',
      'user',
    ]);
  });

  it('leaves no message out that a model was shown, whatever was stored', () => {
    fc.assert(
      fc.property(randomStream(), (events) => {
        const shown = repairConversation(events).entries.filter((entry) => entry.entry !== null).length;
        expect(exported(events).messages.length).toBeGreaterThanOrEqual(shown);
        expect(() => imported(exported(events))).not.toThrow();
      }),
      { numRuns: 30 },
    );
  });
});
