import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject, ToolDefinition } from '#libs/domain';
import type { ToolOutcome, Tools } from '#libs/engine';
import { createTools } from '../create-tools.js';
import { toolInvocation } from '../testing/tool-invocation.js';
import { loadPlugins } from './load-plugins.js';

const definition = (plugin: string): ToolDefinition => ({
  name: plugin,
  kind: 'plugin',
  plugin,
  description: null,
  parameters: null,
  effect: null,
  timeoutMs: null,
  requiresApproval: false,
  primaryArgument: null,
  onUnknownOutcome: 'fail',
});

describe('plugins', () => {
  let tools: Tools;
  let folder: string;
  const memory: JsonObject = {};

  beforeAll(async () => {
    tools = createTools({ plugins: await loadPlugins(['./test/fixtures/plugins/sums.mjs']) });
    folder = await mkdtemp(join(tmpdir(), 'weir-plugins-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const resolved = (name: string) => {
    const resolution = tools.resolve(name, definition(name));
    if (!resolution.ok) throw new Error(resolution.detail);
    return resolution.tool;
  };
  const call = (name: string, args: JsonObject): Promise<ToolOutcome> =>
    tools.invoke({
      ...toolInvocation(resolved(name), args, { definition: definition(name), memory }),
      idempotencyKey: 'key-1',
    });
  const plugin = async (file: string, text: string): Promise<string> => {
    await writeFile(join(folder, file), text);
    return join(folder, file);
  };

  it('are declared by what their module says', () => {
    expect(resolved('add')).toMatchObject({
      declaration: { description: 'Adds two numbers.', parameters: { type: 'object', required: ['a'] } },
      effect: 'read_only',
    });
    expect(resolved('remember')).toMatchObject({ effect: 'idempotent_with_key', primaryArgument: 'text' });
    expect(resolved('fail').effect).toBe('non_idempotent');
    expect(tools.resolve('subtract', definition('subtract'))).toEqual({
      ok: false,
      detail: expect.stringContaining('there are add, remember, fail'),
    });
  });

  it('get checked arguments, defaults included, and answer JSON', async () => {
    expect(tools.parseArguments(resolved('add'), '{"a":"1"}')).toMatchObject({ ok: false });
    await expect(call('add', { a: 2 })).resolves.toEqual({ status: 'ok', content: '{"sum":3}' });
  });

  it('get memory, ids and the idempotency key of the call', async () => {
    await expect(call('remember', { text: 'milk' })).resolves.toEqual({
      status: 'ok',
      content: 'milk for r as key-1',
    });
    expect(memory).toEqual({ remembered: 'milk' });
  });

  it('tell the model what they throw, and whether to try again', async () => {
    await expect(call('fail', {})).resolves.toEqual({
      status: 'error',
      content: 'Error: no such order',
      retryable: false,
    });
    await expect(call('fail', { how: 'late' })).resolves.toMatchObject({ status: 'error', retryable: true });
    await expect(call('fail', { how: 'circular' })).resolves.toMatchObject({ status: 'error' });
  });

  it.each([
    ['missing.mjs', null, 'cannot be loaded'],
    ['throws.mjs', 'throw new Error("no licence")', 'cannot be loaded: no licence'],
    ['none.mjs', 'export const tool = 1', 'tool 1 of its default export'],
    ['bad-name.mjs', 'export default { name: "a b", input: {}, run() {} }', 'name: expected 1 to 64 letters'],
    ['bad-input.mjs', 'export default { name: "a", input: { type: "string" }, run() {} }', 'schema of type object'],
    ['no-run.mjs', 'export default { name: "a", input: { type: "object" } }', 'run: expected a function'],
  ])('that cannot be used (%s) stop the start, by name', async (file, text, why) => {
    const path = text === null ? join(folder, file) : await plugin(file, text);
    await expect(loadPlugins([path])).rejects.toThrow(why);
    await expect(loadPlugins([path])).rejects.toThrow(file);
  });

  it('may not bring the same tool twice', async () => {
    const one = await plugin('one.mjs', 'export default { name: "same", input: { type: "object" }, run() {} }');
    const two = await plugin('two.mjs', 'export default { name: "same", input: { type: "object" }, run() {} }');
    await expect(loadPlugins([one, two])).rejects.toThrow('a tool same of another plugin');
  });
});
