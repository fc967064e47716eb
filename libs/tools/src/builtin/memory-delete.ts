import { boundedResult } from '../results/result-text.js';
import { toolError } from '../results/tool-error.js';
import type { BuiltinTool } from './builtin-tool.js';

export const memoryDelete: BuiltinTool = {
  name: 'memory_delete',
  description: 'Removes a key from the memory of this conversation.',
  parameters: {
    type: 'object',
    required: ['key'],
    additionalProperties: false,
    properties: { key: { type: 'string', minLength: 1, description: 'The key to remove.' } },
  },
  effect: 'idempotent',
  primaryArgument: 'key',
  async run({ args, memory }) {
    const { key } = args;
    if (typeof key !== 'string') return toolError('memory_delete needs a key.');
    const existed = await memory.delete(key);
    return boundedResult(
      existed ? `Removed ${JSON.stringify(key)}.` : `Nothing was kept under ${JSON.stringify(key)}.`,
    );
  },
};
