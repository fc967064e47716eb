import type { EventType, JsonObject } from '#libs/domain';
import type { BuildResult } from '../build-result.js';
import { API_FORMATS, type ModelFacts } from '../neutral.js';
import { effectivePolicy } from '../policy/index.js';
import { lint, toWire } from '../shape/index.js';
import { policiesOf, type Fixture, type FixtureEvent, type FixtureExpectation } from './fixture.js';
import { Session, testManifest, testModel } from './session.js';

/** One build of a fixture, as far as the expectation speaks of it: `expect(seen).toEqual(wanted)`. */
export type FixtureOutcome = { name: string; seen: unknown; wanted: unknown };

type Played = { session: Session; build: BuildResult; previous: BuildResult | null };

/** Every build of a fixture, under each of its policies and in each of its formats. */
export function playFixture(fixture: Fixture): FixtureOutcome[] {
  const { apiFormat = 'openai_chat', ...facts } = fixture.model;
  const formats = apiFormat === 'every' ? API_FORMATS : [apiFormat];
  return policiesOf(fixture).flatMap((block) =>
    formats.flatMap((format) =>
      playOnce(fixture, block, testModel({ ...(facts as Partial<ModelFacts>), apiFormat: format })),
    ),
  );
}

function playOnce(fixture: Fixture, block: JsonObject, model: ModelFacts): FixtureOutcome[] {
  const policy = effectivePolicy({ step: block }, false);
  const { system_prompt = 'You are a test.', tools = [] } = fixture.manifest ?? {};
  const manifest = testManifest(policy, model, { system_prompt, tools: tools as never });
  const { fresh_after: cutoffSeq } = fixture;
  const mode = cutoffSeq === undefined ? 'inherit' : 'fresh';
  const session = new Session(manifest, policy, { mode, runId: 'run_1', cutoffSeq: cutoffSeq ?? null });
  const name = `${JSON.stringify(block)} ${model.apiFormat}`;
  let previous: BuildResult | null = null;
  return [{ events: fixture.events, expect: fixture.expect }, ...(fixture.then ?? [])].map(({ events, expect }, at) => {
    if (previous?.kind === 'ready') session.started(previous);
    for (const event of events) append(session, event);
    const build = session.build('managed', session.events, null, fixture.run_active ?? true);
    const outcome = outcomeOf(`${name}, build ${at + 1}`, { session, build, previous }, expect);
    previous = build;
    return outcome;
  });
}

/** Fills in what does not matter: numbers that count up, models, prices. */
function append(session: Session, { type, data, run }: FixtureEvent): void {
  session.append(type, { ...defaultsOf(session, type, data), ...data }, run ?? 'run_1');
}

function defaultsOf(session: Session, type: EventType, data: JsonObject): JsonObject {
  return DEFAULTS[type]?.(session, data) ?? {};
}

const costs = { usage: null, cost_usd: null };
const count = ({ events }: Session, type: EventType): number => events.filter((event) => event.type === type).length;
const answers = (session: Session): number => count(session, 'LlmCallCompleted');

const DEFAULTS: { readonly [T in EventType]?: (session: Session, data: JsonObject) => JsonObject } = {
  UserMessageReceived: (session) => ({ origin: count(session, 'UserMessageReceived') > 0 ? 'user' : 'task' }),
  LlmCallCompleted: (session, data) => {
    const message = data['message'] as { tool_calls?: unknown[] } | undefined;
    const reason = (message?.tool_calls?.length ?? 0) > 0 ? 'tool_calls' : 'stop';
    const { id } = session.manifest.model;
    return { call_no: answers(session) + 1, try: 1, model: id, finish_reason: reason, wire_hash: null, ...costs };
  },
  ToolCallCompleted: (session) => ({
    call_no: answers(session),
    ordinal: 0,
    tool_call_id: 'x',
    name: 'read',
    status: 'ok',
    argument: null,
  }),
  ConversationInterrupted: () => ({ reason: 'cancelled' }),
  MemoryShown: () => ({ memory_seq: 0 }),
  ContextCompacted: () => ({ ...COMPACTED, ...costs }),
  CompactionRequested: () => REQUESTED,
};

const REQUESTED: JsonObject = {
  view_run_id: null,
  cutoff_seq: 0,
  supersedes: null,
  reason: 'soft_cap',
  policy_hash: '',
  manifest: 'manifest',
  max_summary_chars: 1_000,
};
const COMPACTED: JsonObject = {
  view_run_id: null,
  cutoff_seq: 0,
  supersedes: null,
  chars_before: 1_000,
  chars_after: 100,
  bytes_saved: 900,
  source_digest: '',
  model: 'builtin:extractive',
  extractive: true,
  policy_hash: '',
};

function outcomeOf(name: string, played: Played, wanted: FixtureExpectation): FixtureOutcome {
  const { session, build } = played;
  const { model } = session.manifest;
  const seen: { [key: string]: unknown } = { outcome: build.kind };
  if (build.kind === 'ready') seen['lint'] = lint(build.request, model.apiFormat, { model });
  const all: { [key: string]: unknown } = { ...wanted, ...(build.kind === 'ready' ? { lint: [] } : {}) };
  if (wanted.result !== undefined) seen['result'] = pick(build, wanted.result);
  if (wanted.chars !== undefined)
    seen['chars'] = within(build.kind === 'ready' ? build.chars : build.size, wanted.chars);
  if (build.kind === 'ready') Object.assign(seen, seenOf(played, build, wanted));
  return { name, seen, wanted: all };
}

type Ready = Extract<BuildResult, { kind: 'ready' }>;

function seenOf({ session, previous }: Played, build: Ready, wanted: FixtureExpectation): object {
  const seen: { [key: string]: unknown } = {};
  if (wanted.messages !== undefined)
    seen['messages'] = build.messages.map((message, at) => messageOf(message, wanted.messages?.[at] ?? {}));
  if (wanted.omitted !== undefined)
    seen['omitted'] = build.omitted.map(({ entries: [from, to], state }) => [from, to, state]);
  if (wanted.repairs !== undefined) seen['repairs'] = [...new Set(build.repairs.map(({ rule }) => rule))];
  if (wanted.tokens !== undefined) seen['tokens'] = within(build.tokens, wanted.tokens);
  if (wanted.wire !== undefined) seen['wire'] = toWire(build.request, session.manifest.model.apiFormat).messages;
  if (wanted.unique_call_ids !== undefined) {
    const ids = build.request.messages.flatMap((one) =>
      one.role === 'assistant' ? one.tool_calls.map(({ id }) => id) : [],
    );
    seen['unique_call_ids'] = new Set(ids).size === ids.length;
  }
  if (wanted.extends_previous !== undefined) {
    const before = previous?.kind === 'ready' ? previous.request.messages : [];
    seen['extends_previous'] =
      JSON.stringify(before) === JSON.stringify(build.request.messages.slice(0, before.length));
  }
  return seen;
}

/** What the expectation names of a message. */
function messageOf(built: Ready['messages'][number], wanted: object): object {
  const { message, state, entries, pinned } = built;
  const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const contains = 'contains' in wanted ? String(wanted.contains) : '';
  const known: { [key: string]: unknown } = {
    role: message.role,
    text,
    contains: text.includes(contains) ? contains : `${text.slice(0, 400)}…`,
    calls: message.role === 'assistant' ? message.tool_calls.map(({ name }) => name) : [],
    parts: message.content.map(({ type }) => type),
    status: message.role === 'tool' ? message.status : '',
    state,
    entries: [...entries],
    pinned,
  };
  return Object.fromEntries(['role', ...Object.keys(wanted)].map((key) => [key, known[key]]));
}

/** The members that are wanted, in depth; lists whole. */
function pick(value: unknown, wanted: JsonObject): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const of = value as { [key: string]: unknown };
  return Object.fromEntries(
    Object.entries(wanted).map(([key, member]) => [
      key,
      typeof member === 'object' && member !== null && !Array.isArray(member) ? pick(of[key], member) : of[key],
    ]),
  );
}

/** The bounds themselves where the value is within them. */
function within(value: number, bounds: { min?: number | undefined; max?: number | undefined }): object | number {
  return value >= (bounds.min ?? 0) && value <= (bounds.max ?? Infinity) ? bounds : value;
}
