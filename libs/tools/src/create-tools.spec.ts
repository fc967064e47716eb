import type { Json, JsonObject, ToolDefinition } from '#libs/domain';
import type { ResolvedTool, ToolOutcome } from '#libs/engine';
import { createTools } from './create-tools.js';
import { toolInvocation } from './testing/tool-invocation.js';

const tools = createTools({ now: () => new Date('2026-11-29T21:00:00.000Z') });

function resolved(name: string, definition: ToolDefinition | null = null): ResolvedTool {
  const resolution = tools.resolve(name, definition);
  if (!resolution.ok) throw new Error(resolution.detail);
  return resolution.tool;
}

const call = (name: string, args: JsonObject, setting?: Parameters<typeof toolInvocation>[2]): Promise<ToolOutcome> =>
  tools.invoke(toolInvocation(resolved(name), args, setting));

describe('resolving tools', () => {
  it('finds every builtin by its name, with a usable schema', () => {
    for (const name of ['memory_write', 'memory_read', 'memory_delete', 'read_tool_result', 'now']) {
      expect(resolved(name)).toMatchObject({ name, requiresApproval: false, declaration: { name } });
    }
  });

  it('names what is there when a name is unknown', () => {
    expect(tools.resolve('memory_wipe', null)).toEqual({
      ok: false,
      detail: expect.stringContaining('memory_write, memory_read'),
    });
  });

  it('refuses names that a provider would refuse', () => {
    for (const name of ['', 'a b', 'x'.repeat(65), 'a:b'])
      expect(tools.resolve(name, null)).toMatchObject({ ok: false });
  });

  it('gives a declared builtin its own name, description and limits', async () => {
    const definition: ToolDefinition = {
      name: 'clock',
      kind: 'builtin',
      builtin: 'now',
      description: 'What time is it?',
      parameters: null,
      effect: null,
      timeoutMs: 1_000,
      requiresApproval: true,
      primaryArgument: null,
      onUnknownOutcome: 'ask',
    };
    const tool = resolved('clock', definition);
    expect(tool).toMatchObject({
      timeoutMs: 1_000,
      requiresApproval: true,
      effect: 'read_only',
      declaration: { name: 'clock', description: 'What time is it?' },
    });
    const outcome = await tools.invoke({ ...toolInvocation(tool, {}), definition });
    expect(outcome).toEqual({ status: 'ok', content: '2026-11-29T21:00:00.000Z' });
  });

  it('says that a kind is not in this build', () => {
    const definition = { name: 'x', kind: 'plugin', plugin: 'x' } as unknown as ToolDefinition;
    expect(tools.resolve('x', definition)).toEqual({
      ok: false,
      detail: 'tool x: the kind plugin is not available in this build of Weir',
    });
  });
});

describe('memory tools', () => {
  it('write, read, list and delete keys', async () => {
    const memory: { [key: string]: Json } = {};
    await call('memory_write', { key: 'name', value: 'Ada' }, { memory });
    await call('memory_write', { key: 'age', value: { years: 36 } }, { memory });
    expect(await call('memory_read', { key: 'name' }, { memory })).toEqual({ status: 'ok', content: 'Ada' });
    expect(await call('memory_read', { key: 'age' }, { memory })).toEqual({ status: 'ok', content: '{"years":36}' });
    expect(await call('memory_read', {}, { memory })).toEqual({
      status: 'ok',
      content: '{"age":{"years":36},"name":"Ada"}',
    });
    expect(await call('memory_delete', { key: 'name' }, { memory })).toEqual({
      status: 'ok',
      content: 'Removed "name".',
    });
    expect(await call('memory_read', { key: 'name' }, { memory })).toEqual({
      status: 'ok',
      content: 'Nothing is kept under "name". Keys: "age".',
    });
    expect(await call('memory_read', { key: 'toString' }, { memory })).toMatchObject({
      content: expect.stringContaining('Nothing is kept'),
    });
  });

  it('refuse a value that is too long, with its size', async () => {
    const outcome = await call('memory_write', { key: 'k', value: 'x'.repeat(100_001) });
    expect(outcome).toMatchObject({ status: 'error', content: expect.stringContaining('100003 characters') });
  });
});

describe('read_tool_result', () => {
  const results = {
    57: `${'a'.repeat(9_000)}\u{1F600}end`,
    58: [
      { type: 'text' as const, text: 'page' },
      { type: 'image' as const, name: 'x.png' },
    ],
  };

  it('reads a result by its number in slices that say where they stand', async () => {
    const first = await call('read_tool_result', { entry: '#57' }, { results });
    expect(first).toEqual({
      status: 'ok',
      content: `[#57, characters 0 to 8000 of 9004. Read on with from: 8000.]\n${'a'.repeat(8_000)}`,
    });
    const rest = await call('read_tool_result', { entry: 57, from: 8_999, length: 2 }, { results });
    expect(rest).toEqual({
      status: 'ok',
      content: '[#57, characters 8999 to 9001 of 9004. Read on with from: 9001.]\na\u{1F600}',
    });
  });

  it('names parts that are not text', async () => {
    expect(await call('read_tool_result', { entry: 58 }, { results })).toMatchObject({
      content: '[#58, characters 0 to 19 of 19.]\npage\n[image: x.png]',
    });
  });

  it('tells the model when there is no such result or the slice lies behind its end', async () => {
    expect(await call('read_tool_result', { entry: 9 }, { results })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('no tool result #9'),
    });
    expect(await call('read_tool_result', { entry: 58, from: 500 }, { results })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('19 characters'),
    });
  });
});

describe('now', () => {
  it('tells the time in UTC and in a zone', async () => {
    expect(await call('now', { time_zone: 'Europe/Berlin' })).toEqual({
      status: 'ok',
      content: '2026-11-29T21:00:00.000Z (2026-11-29 22:00:00 GMT+01:00 in Europe/Berlin)',
    });
    expect(await call('now', { time_zone: 'Mars/Base' })).toMatchObject({
      status: 'error',
      content: expect.stringContaining('Mars/Base'),
    });
  });
});

describe('arguments', () => {
  const parse = (text: string) => tools.parseArguments(resolved('memory_write'), text);

  it('are parsed and checked against the schema', () => {
    expect(parse('{"key":"a","value":1}')).toEqual({ ok: true, args: { key: 'a', value: 1 } });
    expect(tools.parseArguments(resolved('now'), ' ')).toEqual({ ok: true, args: {} });
  });

  it.each([
    ['{"key":"a","value":', 'not valid JSON'],
    ['[1]', 'one JSON object'],
    ['null', 'one JSON object'],
    ['{"key":"a"}', "must have required property 'value'"],
    ['{"key":7,"value":1}', '/key must be string'],
    ['{"key":"a","value":1,"extra":2}', 'must not have the property "extra"'],
  ])('that are wrong (%s) are explained to the model', (text, expected) => {
    expect(parse(text)).toEqual({ ok: false, detail: expect.stringContaining(expected) });
  });

  it('do not appear in the explanation of bad JSON', () => {
    const parsed = parse('{"key": "my-password-is-hunter2", oops}');
    expect(parsed).toMatchObject({ ok: false, detail: expect.not.stringContaining('hunter2') });
  });
});

describe('cancelling', () => {
  it('ends a call whose signal aborted', async () => {
    const outcome = await call('now', {}, { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ status: 'cancelled' });
  });
});
