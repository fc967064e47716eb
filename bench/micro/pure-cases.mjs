// Hot paths that compute: nothing is read or written.
import { createHash } from 'node:crypto';
import { sources } from '../peers/lib/weir-app.mjs';
import { lookup } from '../peers/lib/agent-loop.mjs';

const EVENTS = 1_000;
const sha256 = (text) => createHash('sha256').update(text, 'utf8').digest('hex');

/** A conversation of a thousand events under a soft cap of 60,000 chars, and what is done with it. */
export async function pureCases() {
  const { CAPS, playRun, buildFrom } = await sources('bench/context/build-time/measure.ts');
  const { KeptEvents, KnownForms } = await sources('libs/context/src/index.ts');
  const { canonicalJson } = await sources('libs/domain/src/index.ts');
  const events = [];
  let play = null;
  await playRun(
    { ...CAPS[0], lengths: [EVENTS] },
    async (some) => events.push(...some),
    async (_, played) => (play = played),
  );
  const fromStart = { events: [], fromSeq: 1, uptoSeq: 0, hasAllCompactions: true };
  const texts = events.map((event) => JSON.stringify(event));
  const kept = { events, known: new KnownForms() };
  const { messages } = buildFrom(play, kept, EVENTS);
  const data = { call_no: 1, name: 'lookup', status: 'ok', content: lookup() };
  return [
    {
      name: `build of ${messages.length} messages, from all events`,
      bare: 'JSON.stringify of these messages',
      run: () => buildFrom(play, kept, EVENTS),
      runBare: () => JSON.stringify(messages.map(({ message }) => message)),
    },
    {
      name: `fold of ${EVENTS} events to what builds need`,
      bare: 'JSON.parse of each',
      run: () => new KeptEvents(play.next.view, fromStart).append(events),
      runBare: () => texts.map((text) => JSON.parse(text)),
    },
    {
      name: 'digest of a result of 4,000 chars',
      bare: 'SHA-256 of its JSON.stringify',
      run: () => sha256(canonicalJson(data)),
      runBare: () => sha256(JSON.stringify(data)),
    },
  ];
}
