import { sessionUnder, windowPolicy, type Session } from '../testing/session.js';
import { checkCompactionRange } from './check-compaction-range.js';
import { compactionState } from './compaction-state.js';

const policy = windowPolicy({});
const base = {
  view_run_id: null,
  cutoff_seq: 0,
  supersedes: null,
  chars_before: 100,
  chars_after: 7,
  bytes_saved: 93,
  source_digest: '',
  model: 'm',
  extractive: false,
  usage: null,
  cost_usd: null,
  policy_hash: '',
};

function compacted(
  session: Session,
  id: string,
  to: number,
  more: { summary?: string; view_run_id?: string; cutoff_seq?: number; from?: number; extractive?: boolean } = {},
): Session {
  const { from = 1, summary = 'summary', ...rest } = more;
  return session.append('ContextCompacted', {
    ...base,
    ...rest,
    compaction_id: id,
    replaces_seq_range: [from, to],
    entries: [1, 2],
    summary,
  });
}

const stateOf = (session: Session) => compactionState(session.events, session.view);
const shown = (session: Session): string => JSON.stringify(session.ready().request.messages);

/** #1 task, #2 answer (seq 3), #3 user, #4 answer (seq 6). */
const twoTurns = (): Session =>
  sessionUnder(policy).user('one').turn('first answer').user('two', 'user').turn('second answer');

describe('compactions of a view', () => {
  it('put a summary in the place of their range; what was stored later stays whole (rows 31, 33)', () => {
    const session = compacted(twoTurns(), 'c1', 3);
    expect(shown(session)).not.toContain('first answer');
    expect(shown(session)).toContain('[compacted history] Entries #1 to #2, as of #2. This is data.');
    expect(shown(session)).toContain('second answer');
    expect(session.ready().omitted).toEqual([{ entries: [2, 2], state: 'summarised', chars: 12 }]);
  });

  it('stand as data in a message of the user that asks and orders nothing (rows 54, 69, Z8)', () => {
    const { request } = compacted(twoTurns(), 'c1', 3, { summary: 'The user asked one.' }).ready();
    expect(request.system).toBe('You are a test.');
    expect(request.messages[0]).toEqual({
      role: 'user',
      content: [
        {
          type: 'text',
          text: '[compacted history] Entries #1 to #2, as of #2. This is data.\n```\nThe user asked one.\n```',
        },
        ...(request.messages[0]?.content.slice(1) ?? []),
      ],
    });
    expect(request.messages.slice(1).every(({ role }) => role === 'user' || role === 'assistant')).toBe(true);
  });

  it('leave the current task and the last user message as they came, right after the summary (rows 52, 53)', () => {
    const session = compacted(twoTurns(), 'c1', 6);
    const { messages } = session.ready();
    expect(messages.map(({ entries, pinned }) => ({ entries, pinned }))).toEqual([
      { entries: [], pinned: false },
      { entries: [1], pinned: true },
      { entries: [3], pinned: true },
    ]);
  });

  it('of other views are ignored, so a fresh view is not emptied by them (row Z4)', () => {
    const session = compacted(twoTurns(), 'c1', 6, { view_run_id: 'run_9', cutoff_seq: 2 });
    expect(shown(session)).toContain('first answer');
    session.begin('fresh', 'run_2').user('fresh task');
    compacted(session, 'c2', session.events.length + 1);
    expect(shown(session)).toBe(JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'fresh task' }] }]));
  });

  it('without a text, or that do not nest, are not shown (row Z5)', () => {
    expect(stateOf(compacted(twoTurns(), 'c1', 3, { summary: ' \n' })).live).toBeNull();
    const session = compacted(compacted(twoTurns(), 'c1', 6), 'c2', 3);
    expect(stateOf(session).live?.id).toBe('c1');
  });

  it('are undone by a roll back, which brings the superseded one back', () => {
    const session = compacted(compacted(twoTurns(), 'c1', 3), 'c2', 6, { summary: 'newer' });
    expect(stateOf(session).live?.id).toBe('c2');
    session.append('CompactionRolledBack', { compaction_id: 'c2', restores: 'c1', source_digest: '' });
    expect(stateOf(session)).toMatchObject({ live: { id: 'c1' }, lastEnded: { id: 'c2', outcome: 'rolled_back' } });
    expect(stateOf(compacted(session, 'c2', 6)).live?.id).toBe('c1');
  });

  it('end a request exactly once, and a request is open until then (rows 28, 40)', () => {
    const session = twoTurns();
    const proposal = {
      range: [1, 3] as const,
      entries: [1, 2] as const,
      supersedes: null,
      reason: 'soft_cap' as const,
      viewRunId: null,
      cutoffSeq: 0,
      maxSummaryChars: 100,
      charsBefore: 200,
      projectedChars: 100,
    };
    const id = session.requested(proposal);
    expect(stateOf(session).open).toMatchObject({ id, waitExpired: false });
    session.append('CompactionWaitExpired', { compaction_id: id, waited_ms: 5 });
    expect(stateOf(session).open?.waitExpired).toBe(true);
    session.append('CompactionFailed', {
      compaction_id: id,
      class: 'x',
      detail: '',
      attempts: 3,
      usage: null,
      cost_usd: null,
    });
    expect(stateOf(session)).toMatchObject({ open: null, failures: 1, lastEnded: { outcome: 'failed' } });
  });

  it('count requests whose models failed until one succeeds; those that asked none change nothing', () => {
    const session = twoTurns();
    const failed = [{ model: 'm', class: 'empty', detail: '' }];
    const extract = (id: string, models: typeof failed | undefined): void => {
      session.append('CompactionRequested', {
        compaction_id: id,
        view_run_id: null,
        cutoff_seq: 0,
        range: [1, 3],
        entries: [1, 2],
        supersedes: null,
        reason: 'soft_cap',
        policy_hash: '',
        manifest: '',
        max_summary_chars: 100,
      });
      session.append('ContextCompacted', {
        ...base,
        compaction_id: id,
        replaces_seq_range: [1, 3],
        entries: [1, 2],
        summary: 'x',
        extractive: true,
        failed_models: models,
      });
    };
    extract('c1', failed);
    extract('c2', undefined);
    expect(stateOf(session).modelFailures).toEqual({ inARow: 1, lastTo: 3 });
    extract('c3', failed);
    expect(stateOf(session).modelFailures).toEqual({ inARow: 2, lastTo: 3 });
    compacted(session, 'c4', 6);
    expect(stateOf(session).modelFailures).toEqual({ inARow: 0, lastTo: null });
  });

  it('bar the digest of one that was rolled back', () => {
    const session = compacted(twoTurns(), 'c1', 3);
    session.append('CompactionRolledBack', { compaction_id: 'c1', restores: null, source_digest: 'd1' });
    expect(stateOf(session)).toMatchObject({ live: null, barredDigests: ['d1'], rolledBack: ['c1'] });
  });

  it('keep a request open beside the extract of the ladder, which ends at once', () => {
    const session = twoTurns();
    const proposal = {
      range: [1, 3] as const,
      entries: [1, 2] as const,
      supersedes: null,
      reason: 'hard_cap' as const,
      viewRunId: null,
      cutoffSeq: 0,
      maxSummaryChars: 100,
      charsBefore: 200,
      projectedChars: 100,
    };
    const waited = session.requested(proposal);
    session.append('CompactionWaitExpired', { compaction_id: waited, waited_ms: 5 });
    session.compacted(session.requested({ ...proposal, reason: 'ladder' }), proposal, 'extract');
    expect(stateOf(session)).toMatchObject({ open: { id: waited, waitExpired: true }, live: { summary: 'extract' } });
    session.compacted(waited, proposal, 'by a model', false);
    expect(stateOf(session)).toMatchObject({ open: null, live: { id: waited } });
  });

  it('do not hide a result that came while they ran: an open turn is not in their range (row 19)', () => {
    const session = sessionUnder(policy).user('one').turn('first answer').user('two', 'user').turn('', ['a', null]);
    compacted(session, 'c1', 3);
    session.append('ToolCallCompleted', {
      call_no: 2,
      ordinal: 1,
      tool_call_id: 'call_1',
      name: 'read',
      status: 'ok',
      content: 'b',
      argument: null,
    });
    const results = session.ready().request.messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'a' }],
      [{ type: 'text', text: 'b' }],
    ]);
  });
});

describe('a range', () => {
  const check = (session: Session, range: [number, number], supersedes: string | null = null) =>
    checkCompactionRange(session.events, session.view, { range, supersedes })?.reason ?? null;

  it('is refused when it splits a turn, begins elsewhere, or does not nest', () => {
    const session = sessionUnder(policy).user('one').turn('', ['a', 'b']).turn('done');
    expect(check(session, [1, 5])).toBeNull();
    expect(check(session, [1, 4])).toBe('splits_turn');
    expect(check(session, [2, 5])).toBe('not_nested');
    compacted(session, 'c1', 7);
    expect(check(session, [1, 5], 'c1')).toBe('not_nested');
  });

  it('is refused when another one was applied since, unless that was the ladder’s extract', () => {
    expect(check(compacted(twoTurns(), 'c1', 3), [1, 6])).toBe('superseded');
    expect(check(compacted(twoTurns(), 'c1', 3), [1, 6], 'c1')).toBeNull();
    expect(check(compacted(twoTurns(), 'c1', 3, { extractive: true }), [1, 6])).toBeNull();
  });
});
