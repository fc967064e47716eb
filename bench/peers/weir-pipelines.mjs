// The workloads as pipelines of Weir.
import { BUDGET_TOKENS, CHARS_PER_TOKEN, QUESTION } from './lib/agent-loop.mjs';
import { STEPS } from './lib/basics.mjs';

const plugin = (name) => ({ kind: 'plugin', plugin: name, effect: 'read_only' });
const tools = { noop: plugin('noop') };
const inputs = { id: { type: 'string' } };

const step = (id, before) => ({
  id,
  ...(before === null ? {} : { depends_on: [before] }),
  tool: 'noop',
  args: { id: '${inputs.id}', i: Number(id.slice(1)), prev: before === null ? null : `\${steps.${before}.output}` },
});

export const CHAIN = {
  name: 'chain',
  inputs,
  tools,
  steps: Array.from({ length: STEPS }, (_, n) => step(`s${n + 1}`, n === 0 ? null : `s${n}`)),
};

export const ONE = { name: 'one', inputs, tools, steps: [step('s1', null)] };

const fan = (name, settings) => ({
  name,
  inputs: { ...inputs, items: { type: 'array' } },
  tools,
  steps: [
    { id: 's0', tool: 'noop', args: { id: '${inputs.id}', i: 0 } },
    {
      id: 'map',
      depends_on: ['s0'],
      for_each: '${inputs.items}',
      ...settings,
      do: { steps: [{ id: 'item', tool: 'noop', args: { id: '${inputs.id}', i: '${item}' } }] },
    },
    { id: 'join', depends_on: ['map'], tool: 'noop', args: { id: '${inputs.id}', i: 0 } },
  ],
});

/** As many at once as there are. */
export const FAN = fan('fan', { max_parallel: 1000 });
/** As many at once as a map that says nothing of it: 10. */
export const FAN_BY_DEFAULT = fan('fan-by-default', {});

const softCap = BUDGET_TOKENS * CHARS_PER_TOKEN;

/** Any name that the process knows: its calls are answered by `agent-model.mjs`. */
export const MODEL = 'scripted:loop';

export const LOOP = {
  name: 'loop',
  inputs: {},
  tools: { lookup: plugin('lookup') },
  context: {
    window: { soft_cap_chars: softCap, hard_cap_chars: 2 * softCap },
    compaction: { model: 'builtin:extractive' },
  },
  agents: { reader: { model: MODEL, tools: ['lookup'], max_turns: 1000 } },
  steps: [{ id: 'read', agent: 'reader', task: QUESTION }],
};
