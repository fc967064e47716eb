import { boundedResult, resultText } from '../results/result-text.js';
import type { BuiltinTool } from './builtin-tool.js';

export const memoryRead: BuiltinTool = {
  name: 'memory_read',
  description: 'Reads the memory of this conversation: one key, or everything when no key is given.',
  parameters: {
    type: 'object',
    additionalProperties: false,
    properties: { key: { type: 'string', description: 'The key to read. Leave it out to read all keys.' } },
  },
  effect: 'read_only',
  primaryArgument: 'key',
  async run({ args, memory }) {
    const values = await memory.read();
    const keys = Object.keys(values).sort();
    if (typeof args['key'] !== 'string') {
      if (keys.length === 0) return boundedResult('The memory is empty.');
      return boundedResult(JSON.stringify(Object.fromEntries(keys.map((key) => [key, values[key] ?? null]))));
    }
    const key = args['key'];
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    if (value !== undefined) return boundedResult(resultText(value));
    const known =
      keys.length === 0 ? 'The memory is empty.' : `Keys: ${keys.map((name) => JSON.stringify(name)).join(', ')}.`;
    return boundedResult(`Nothing is kept under ${JSON.stringify(key)}. ${known}`);
  },
};
