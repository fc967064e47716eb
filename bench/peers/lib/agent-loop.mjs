// W4: what every peer's agent is given. Each turn the model calls one tool, whose result has 4,000 chars; after the last turn it
// answers `done`. The model answers at once, in the worker's process, at the place where the peer calls a provider.
import { noteCall } from './worker-side.mjs';

export const TOOL_CHARS = 4000;
/** The budget of the managed variants: 20,000 tokens by the rule of 4 chars, that is 20 results. */
export const BUDGET_TOKENS = 20_000;
export const CHARS_PER_TOKEN = 4;

const WORDS =
  'the agent reads a file and finds that order total of customer was lower than what invoice says so it looks for row in table with id between two dates then writes short note about cause of error with trace span latency queue worker retry timeout value field index'.split(
    ' ',
  );
let seed = 42;
const random = () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296;
};

/** Words and numbers, so many chars; each time others. */
export function text(chars) {
  let made = '';
  while (made.length < chars)
    made += `${random() < 0.15 ? Math.floor(random() * 1e6) : WORDS[Math.floor(random() * WORDS.length)]} `;
  return made.slice(0, chars);
}

export const QUESTION = `Look the items up one by one. ${text(300)}`;
export const lookup = () => text(TOOL_CHARS);
/** A summary as a model would write it. */
export const summary = () => text(1200);

/** Answers of the model of workflow `id`, `turns` times with a call. `answer(chars)`: of the messages that it is sent. */
export function modelOf(id, turns) {
  let calls = 0;
  return (chars) => {
    noteCall(id, chars);
    calls += 1;
    if (calls > turns) return { content: 'done', call: null };
    return {
      content: `Turn ${calls}: ${text(180)}`,
      call: { id: `call_${calls}`, name: 'lookup', args: { query: `item ${calls}` } },
    };
  };
}
