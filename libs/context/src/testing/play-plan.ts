import type { Content, StoredEvent } from '#libs/domain';
import type { BuildResult, CompactionProposal } from '../build-result.js';
import { compactionState } from '../view/compaction-state.js';
import type { Action, Plan } from './random-plan.js';
import { Session, testManifest } from './session.js';

/** What a law looks at: a build, in the state of the session it was made in. `settled` names the compaction that was applied right before it. */
export type Observed = { session: Session; build: BuildResult; applied: CompactionProposal | null };

/** `which`: the policy that it was projected under. */
type Proposed = { proposal: CompactionProposal; which: Player['which'] };

type Player = {
  session: Session;
  plan: Plan;
  run: number;
  which: 0 | 1;
  proposals: Map<string, Proposed>;
  applied: CompactionProposal | null;
  observe: (observed: Observed) => void;
};

/** Plays a plan as an engine would, and shows every build to `observe`. */
export function playPlan(plan: Plan, observe: (observed: Observed) => void): Session {
  const [policy] = plan.policies;
  const session = new Session(
    testManifest(policy, plan.models[0], {
      tools: [{ name: 'read', description: 'Reads.', parameters: { type: 'object' } }],
    }),
    policy,
  );
  const player: Player = { session, plan, run: 1, which: 0, proposals: new Map(), applied: null, observe };
  session.begin(plan.mode, 'run_1').user(plan.task);
  for (const action of plan.actions) play(player, action);
  return session;
}

function play(player: Player, action: Action): void {
  const { session } = player;
  switch (action.kind) {
    case 'user':
      return void session.append('UserMessageReceived', {
        origin: 'user',
        content: action.content,
        injected: action.injected,
      });
    case 'documents':
      return void session.append('DocumentsProvided', { content: action.content, name: 'notes' });
    case 'memory':
      return void session.append('MemoryShown', { memory: { note: action.value }, memory_seq: session.events.length });
    case 'run':
      if (action.cut !== null) session.append('ConversationInterrupted', { reason: action.cut });
      player.run += 1;
      player.applied = null;
      return void session.begin(action.mode, `run_${player.run}`).user(action.task);
    case 'policy':
      player.which = player.which === 0 ? 1 : 0;
      player.applied = null;
      return void session.follow(player.plan.policies[player.which], player.plan.models[player.which]);
    case 'late':
      return void session.append('ToolCallCompleted', {
        call_no: Math.max(1, session.callNo - action.back),
        ordinal: 0,
        tool_call_id: 'late',
        name: 'read',
        status: 'ok',
        content: action.content,
        argument: null,
      });
    case 'compaction':
      return endCompaction(player, action.end);
    case 'parallel':
      return parallel(player, action.content);
    case 'failedCall':
      return failedCall(player, action.overflow);
    case 'call':
      return call(player, action);
  }
}

/** A whole exchange of another run, with the same call numbers. */
function parallel({ session }: Player, content: Content): void {
  if (session.view.mode !== 'fresh') return;
  const run = 'run_parallel';
  const toolCall = { id: 'call_0', name: 'read', arguments: '{}' };
  session
    .append('UserMessageReceived', { origin: 'task', content }, run)
    .append(
      'LlmCallCompleted',
      {
        call_no: 1,
        try: 1,
        model: session.manifest.model.id,
        message: { content: [], tool_calls: [toolCall] },
        finish_reason: 'tool_calls',
        usage: null,
        cost_usd: null,
        wire_hash: null,
      },
      run,
    )
    .append(
      'ToolCallCompleted',
      { call_no: 1, ordinal: 0, tool_call_id: 'call_0', name: 'read', status: 'ok', content, argument: null },
      run,
    );
}

/** Builds until it may go on; waits are ended the way the action says. */
function settledBuild(
  player: Player,
  settle: Extract<Action, { kind: 'call' }>['settle'],
): Exclude<BuildResult, { kind: 'wait' }> {
  const { session } = player;
  for (let rounds = 0; ; rounds += 1) {
    const build = session.build();
    player.observe({ session, build, applied: player.applied });
    player.applied = null;
    if (build.kind !== 'wait') return build;
    if (rounds > 60) throw new Error('the step waits for ever');
    request(player, build.proposal);
    const open = openOf(player);
    if (build.next === 'extractive') applyOpen(player);
    else if (open === null) throw new Error('a wait for nothing');
    else if (settle === 'compact') applyOpen(player);
    else if (settle === 'expire') session.append('CompactionWaitExpired', { compaction_id: open.id, waited_ms: 1 });
    else endCompaction(player, settle);
  }
}

function request({ session, proposals, which }: Player, proposal: CompactionProposal | null): void {
  if (proposal !== null) proposals.set(session.requested(proposal), { proposal, which });
}

function call(player: Player, action: Extract<Action, { kind: 'call' }>): void {
  const { session } = player;
  const build = settledBuild(player, action.settle);
  if (build.kind !== 'ready') return;
  session.started(build);
  request(player, build.proposal);
  const number = session.callNo;
  const usage =
    action.usage === null
      ? null
      : { input_tokens: action.usage, cached_tokens: 0, cache_write_tokens: 0, output_tokens: 1 };
  const toolCalls = action.calls.map(({ id, arguments: given }) => ({ id, name: 'read', arguments: given }));
  const finish = action.finish === 'stop' && toolCalls.length > 0 ? 'tool_calls' : action.finish;
  session.append('LlmCallCompleted', {
    call_no: number,
    try: 1,
    model: session.manifest.model.id,
    message: { content: action.answer, tool_calls: toolCalls },
    finish_reason: finish,
    usage,
    cost_usd: null,
    wire_hash: null,
  });
  action.calls.forEach(({ results }, ordinal) => {
    for (const { status, content } of results)
      session.append('ToolCallCompleted', {
        call_no: number,
        ordinal,
        tool_call_id: 'c',
        name: 'read',
        status,
        content,
        argument: 'a.ts',
      });
  });
}

function failedCall(player: Player, overflow: boolean): void {
  const build = settledBuild(player, 'compact');
  if (build.kind !== 'ready') return;
  player.session.started(build);
  player.session.append('LlmCallFailed', {
    call_no: player.session.callNo,
    try: 1,
    model: player.session.manifest.model.id,
    class: overflow ? 'context_overflow' : 'server_error',
    detail: '',
    retryable: true,
    retry_after_ms: null,
    usage: null,
    cost_usd: null,
  });
}

function endCompaction(player: Player, end: Extract<Action, { kind: 'compaction' }>['end']): void {
  const { session } = player;
  const open = openOf(player);
  const last = session.events.findLast(
    (event): event is Extract<StoredEvent, { type: 'ContextCompacted' }> => event.type === 'ContextCompacted',
  );
  if (end === 'twice') {
    if (last !== undefined) session.append('ContextCompacted', last.data);
    return;
  }
  if (end === 'rollBack') {
    if (last !== undefined)
      session.append('CompactionRolledBack', {
        compaction_id: last.data.compaction_id,
        restores: null,
        source_digest: '',
      });
    return;
  }
  if (end === 'foreign') {
    session.append('ContextCompacted', {
      ...foreign,
      compaction_id: `foreign_${session.events.length}`,
      replaces_seq_range: [1, session.events.length],
    });
    return;
  }
  if (open === null) return;
  if (end === 'compact') return applyOpen(player);
  const costs = { usage: null, cost_usd: null };
  if (end === 'skip')
    session.append('CompactionSkipped', {
      compaction_id: open.id,
      reason: 'not_smaller',
      bytes_saved: -1,
      chars_before: 1,
      chars_after: 2,
      ...costs,
    });
  else if (end === 'discard')
    session.append('CompactionDiscarded', { compaction_id: open.id, reason: 'digest_differs', detail: '', ...costs });
  else
    session.append('CompactionFailed', {
      compaction_id: open.id,
      class: 'server_error',
      detail: '',
      attempts: 1,
      ...costs,
    });
}

const foreign = {
  view_run_id: 'run_elsewhere',
  cutoff_seq: 0,
  replaces_seq_range: [1, 1] as [number, number],
  entries: [1, 1] as [number, number],
  supersedes: null,
  summary: 'of another view',
  chars_before: 10,
  chars_after: 5,
  bytes_saved: 5,
  source_digest: '',
  model: 'm',
  extractive: false,
  usage: null,
  cost_usd: null,
  policy_hash: '',
};

function openOf({ session, proposals }: Player): ({ id: string } & Proposed) | null {
  const id = compactionState(session.events, session.view).open?.id ?? null;
  const proposed = id === null ? undefined : proposals.get(id);
  return id === null || proposed === undefined ? null : { id, ...proposed };
}

/** The largest summary that the gate lets pass. */
function applyOpen(player: Player): void {
  const { session } = player;
  const open = openOf(player);
  if (open === null) return;
  session.compacted(
    open.id,
    open.proposal,
    'ж'.repeat(open.proposal.maxSummaryChars),
    open.proposal.reason === 'ladder',
  );
  // Another policy shows more of the tail: what was projected does not hold for it.
  player.applied = open.which === player.which ? open.proposal : null;
}
