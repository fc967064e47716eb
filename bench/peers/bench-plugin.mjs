// The harness' step and tool as an operator's plugin; the worker process loads it and asks it which run is whose.
import { lookup } from './lib/agent-loop.mjs';
import { noop } from './lib/harness.mjs';

const ids = new Map();

/** The harness' id of a run; forgotten once asked. */
export function harnessIdOf(runId) {
  const id = ids.get(runId);
  ids.delete(runId);
  return id;
}
export const setHarnessId = (runId, id) => ids.set(runId, id);

export default [
  {
    name: 'noop',
    effect: 'read_only',
    input: {
      type: 'object',
      properties: { id: { type: 'string' }, i: { type: 'integer' }, prev: {} },
      required: ['id', 'i'],
    },
    run: ({ id, i, prev }, { runId }) => {
      setHarnessId(runId, id);
      return noop(id, i, prev);
    },
  },
  {
    name: 'lookup',
    description: 'looks an item up',
    effect: 'read_only',
    input: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    primaryArgument: 'query',
    run: lookup,
  },
];
