import { boundedResult } from '../results/result-text.js';
import { toolError } from '../results/tool-error.js';
import type { BuiltinTool } from './builtin-tool.js';

const MAX_VALUE_CHARS = 100_000;

export const memoryWrite: BuiltinTool = {
  name: 'memory_write',
  description:
    'Keeps a value in the memory of this conversation under a key. It stays for later runs and replaces what the key held. Keep facts and decisions that will be needed again.',
  parameters: {
    type: 'object',
    required: ['key', 'value'],
    additionalProperties: false,
    properties: {
      key: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'Name of the value, for example customer_name.',
      },
      value: { description: 'Text or any JSON value. null is kept as null; use memory_delete to remove a key.' },
    },
  },
  effect: 'idempotent',
  primaryArgument: 'key',
  async run({ args, memory }) {
    const { key, value } = args;
    if (typeof key !== 'string' || value === undefined) return toolError('memory_write needs key and value.');
    const chars = JSON.stringify(value).length;
    if (chars > MAX_VALUE_CHARS) {
      return toolError(
        `the value has ${chars} characters, at most ${MAX_VALUE_CHARS} are allowed. Keep a shorter form of it.`,
      );
    }
    await memory.write(key, value);
    return boundedResult(`Saved under ${JSON.stringify(key)}.`);
  },
};
