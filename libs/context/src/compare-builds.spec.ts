import type { ContentPart, JsonObject } from '#libs/domain';
import { compareBuilds, DIFFERENCE_CAUSES, type BuildDifference, type DifferenceCause } from './compare-builds.js';
import { effectivePolicy } from './policy/index.js';
import { png } from './testing/images.js';
import { sessionUnder, testModel, windowPolicy, type Session } from './testing/session.js';

type Place = number | 'tools' | 'system';
type Found = BuildDifference['firstDifference'];

const result = 'out '.repeat(40);
const plain = effectivePolicy({}, false);
const policyOf = (context: object) =>
  effectivePolicy({ step: { compaction: { mode: 'blocking' }, ...context } }, false);

/** How the request differs once `happen` has changed the session. */
function after(
  session: Session,
  happen: () => unknown,
  memories: readonly (JsonObject | null)[] = [null, null],
): Found {
  return differenceAfter(session, happen, memories).firstDifference;
}

function differenceAfter(
  session: Session,
  happen: () => unknown,
  memories: readonly (JsonObject | null)[] = [null, null],
): BuildDifference {
  const taken = memories.map((memory, at) => {
    if (at === 1) happen();
    session.settled();
    const build = session.build('managed', session.events, memory);
    if (build.kind !== 'ready') throw new Error(`the build is ${build.kind}`);
    return { build, manifest: session.manifest, memory };
  });
  const [before, now] = taken;
  if (before === undefined || now === undefined) throw new Error('two builds are compared');
  return compareBuilds(before, now);
}

/** The first difference that is more than what came since, in a session that goes on. */
function inTheEnd(session: Session, goOn: (n: number) => unknown): Found {
  for (let n = 0; n < 40; n += 1) {
    const found = after(session, () => goOn(n));
    if (found?.cause !== 'appended') return found;
  }
  throw new Error('nothing but more messages in 40 turns');
}

const working = (session: Session) => (): Session => session.turn('', [result]);
/** A question, a call with a result, an answer. */
const asking =
  (session: Session) =>
  (n: number): Session =>
    session.turn('', [result]).turn(`answer ${n}`).user(`question ${n}`, 'user');

function compactedSession(): Session {
  return sessionUnder(windowPolicy({ soft_cap_chars: 3_000, hard_cap_chars: 9_000, observation_window: 50 })).user(
    'go',
  );
}

const images = (count: number): ContentPart[] =>
  Array.from({ length: count }, () => ({ type: 'image', media_type: 'image/png', data: png(10, 10) }));

const cases: { [cause in DifferenceCause]: { at: Place; found: () => Found } } = {
  appended: {
    at: 1,
    found: () => {
      const session = sessionUnder(plain).user('go');
      return after(session, working(session));
    },
  },
  tools_changed: {
    at: 'tools',
    found: () => {
      const session = sessionUnder(plain).user('go');
      const tools = [{ name: 'read', description: '', parameters: {} }];
      return after(session, () => (session.manifest = { ...session.manifest, tools }));
    },
  },
  system_prompt_changed: {
    at: 'system',
    found: () => {
      const session = sessionUnder(plain).user('go');
      return after(session, () => (session.manifest = { ...session.manifest, system_prompt: 'You are another.' }));
    },
  },
  compacted: {
    at: 0,
    found: () => {
      const session = compactedSession();
      return inTheEnd(session, working(session));
    },
  },
  rolled_back: {
    at: 0,
    found: () => {
      const session = compactedSession();
      inTheEnd(session, working(session));
      return after(session, () =>
        session
          .started(session.ready())
          .follow(plain, testModel())
          .append('CompactionRolledBack', { compaction_id: 'cmp_1', restores: null, source_digest: '' }),
      );
    },
  },
  memory_changed: {
    at: 0,
    found: () => {
      const session = sessionUnder(policyOf({ memory: { placement: 'before_tail' } })).user('go');
      return after(session, working(session), [{ name: 'Ada' }, { name: 'Eve' }]);
    },
  },
  policy_changed: {
    at: 2,
    found: () => {
      const session = sessionUnder(plain).user('go').turn('', [result]).turn('', [result]);
      const sliding = policyOf({ window: { observation_window: 0, mask_batch_turns: 1 } });
      return after(session, () => session.follow(sliding, testModel()));
    },
  },
  model_changed: {
    at: 1,
    found: () => {
      const session = sessionUnder(plain).user('go').turn('', [result]);
      return after(session, () => session.follow(plain, testModel({ id: 'test:other', apiFormat: 'strict_chat' })));
    },
  },
  forgotten: {
    at: 1,
    found: () => {
      const session = sessionUnder(windowPolicy({ forget_after_turns: 3, mask_batch_turns: 1 })).user('go');
      return inTheEnd(session, asking(session));
    },
  },
  masked: {
    at: 2,
    found: () => {
      const session = sessionUnder(windowPolicy({ observation_window: 2, mask_batch_turns: 1 })).user('go');
      return inTheEnd(session, working(session));
    },
  },
  shortened: {
    at: 2,
    found: () => {
      const caps = { soft_cap_chars: 8_000, hard_cap_chars: 10_000, min_tail_turns: 50, observation_window: 50 };
      const session = sessionUnder(windowPolicy(caps)).user('go');
      return inTheEnd(session, () => session.turn('', ['x'.repeat(3_000)]));
    },
  },
  elided: {
    at: 1,
    found: () => {
      const session = sessionUnder(policyOf({ blocks: { window_width_tokens: 500 } })).user('go');
      return inTheEnd(session, asking(session));
    },
  },
  truncated: {
    at: 1,
    found: () => {
      const session = sessionUnder(policyOf({ budget: { max_context_items: 20, keep_recent_turns: 50 } })).user('go');
      return inTheEnd(session, asking(session));
    },
  },
  reasoning_dropped: {
    at: 1,
    found: () => {
      const policy = windowPolicy({ observation_window: 2, mask_batch_turns: 1 });
      const session = sessionUnder(policy, { apiFormat: 'anthropic_thinking' }).user('go');
      session.turn('', [result], { thinking: 'hm' }).turn('done').user('more', 'user');
      return inTheEnd(session, working(session));
    },
  },
  media_limited: {
    at: 0,
    found: () => {
      const session = sessionUnder(plain, { apiFormat: 'bedrock' }).user([
        { type: 'text', text: 'look' },
        ...images(20),
      ]);
      session.turn('seen');
      return after(session, () => session.user([{ type: 'text', text: 'and this' }, ...images(1)], 'user'));
    },
  },
  repaired: {
    at: 2,
    found: () => {
      const session = sessionUnder(plain).user('go').turn('', [null]);
      session.append('ConversationInterrupted', { reason: 'cancelled' }).user('instead', 'user');
      const late = { ordinal: 0, tool_call_id: 'call_0', name: 'read', content: 'late', argument: null };
      return after(session, () => session.append('ToolCallCompleted', { call_no: 1, status: 'ok', ...late }));
    },
  },
};

describe('where a request first differs from the one before, and why', () => {
  it.each(DIFFERENCE_CAUSES.map((cause) => [cause, cases[cause]] as const))('%s', (cause, { at, found }) => {
    expect(found()).toEqual({ at, cause });
  });

  it('nothing differs when the same is sent again', () => {
    const session = sessionUnder(plain).user('go');
    expect(differenceAfter(session, () => session.started(session.ready()))).toEqual({
      commonPrefixChars: 'You are a test.go'.length,
      firstDifference: null,
    });
  });

  it('what is written into the last message of a format that merges neighbours was appended', () => {
    const session = sessionUnder(plain, { apiFormat: 'gemini' }).user('go');
    expect(after(session, () => session.user('and so on', 'user'))).toEqual({ at: 0, cause: 'appended' });
  });

  it('memory that the step does not show changes nothing, and a cut value is compared as it is shown', () => {
    const memories = [{ note: `${'x'.repeat(50)}a` }, { note: `${'x'.repeat(50)}b` }];
    const inline = sessionUnder(plain).user('go');
    expect(after(inline, () => undefined, memories)).toBeNull();
    const cut = sessionUnder(policyOf({ memory: { placement: 'before_tail', max_value_chars: 10 } })).user('go');
    expect(after(cut, working(cut), memories)).toMatchObject({ cause: 'appended' });
  });
});
