import { celExpressions } from './cel-expressions.js';

const language = celExpressions();
const variables = {
  inputs: { n: 3, text: 'abc', list: [1, 2, 3], nothing: null, flag: true, 'two words': 4, emoji: 'a😀b' },
  steps: {
    route: { status: 'succeeded', output: { intent: 'question' } },
    skipped: { status: 'skipped', output: null },
  },
};

function valueOf(source: string) {
  const result = language.evaluate(source, variables);
  if (!result.ok) throw new Error(`${source}: ${result.code} ${result.detail}`);
  return result.value;
}

describe('evaluating', () => {
  it.each([
    ['inputs.n + 1', 4],
    ['1 + inputs.n', 4],
    ['inputs.n - 1', 2],
    ['inputs.n * 2', 6],
    ['inputs.n / 2', 1.5],
    ['7 / 2', 3],
    ['inputs.n % 2', 1],
    ['-inputs.n', -3],
    ['inputs.n == 3', true],
    ['3 == inputs.n', true],
    ['inputs.n in inputs.list', true],
    ['inputs.list[inputs.n - 1]', 3],
    ['size(inputs.list)', 3],
    ['inputs.list + [4]', [1, 2, 3, 4]],
    ['[1, "a", null]', [1, 'a', null]],
    ['{"a": 1, "b": [2.5]}', { a: 1, b: [2.5] }],
    ['inputs.nothing == null', true],
    ['inputs["two words"]', 4],
    ['inputs.?missing.orValue("none")', 'none'],
    ['inputs.?missing', null],
    ['inputs.text.replace("b", "$&")', 'a$&c'],
    ['inputs.text.matches("^a.c$")', true],
    ['inputs.list.filter(x, x > 1).map(x, x * 10)', [20, 30]],
    ['inputs.list.exists(x, x == 2)', true],
    ['steps.route.output.intent == "question"', true],
    ['steps.skipped.output == null', true],
    ['timestamp("2026-01-01T00:00:00Z")', '2026-01-01T00:00:00.000Z'],
    ['duration("90s")', '90s'],
    ['duration("-1.5s")', '-1.5s'],
    ['timestamp("2026-01-02T00:00:00Z") - timestamp("2026-01-01T00:00:00Z")', '86400s'],
    ['uint(3)', 3],
    ['b"abc"', 'YWJj'],
    ['inputs.emoji.substring(0, 2)', 'a\uFFFD'],
  ])('%s', (source, expected) => {
    expect(valueOf(source)).toEqual(expected);
  });

  it.each([
    ['inputs.missing', 'expression_failed', 'where it may be absent'],
    ['inputs.text + 1', 'expression_failed', 'no such overload'],
    ['inputs.constructor', 'expression_failed', 'No such key'],
    ['inputs.__proto__', 'expression_failed', 'No such key'],
    ['1 / 0', 'expression_failed', 'division by zero'],
    ['1.0 / 0.0', 'expression_result_not_json', 'Infinity'],
    ['9007199254740993', 'expression_result_not_json', 'would lose digits'],
    ['type(1)', 'expression_result_not_json', 'JSON cannot hold'],
    ['unknown', 'expression_invalid', 'unknown name "unknown"'],
    ['process.env', 'expression_invalid', 'unknown name "process"'],
    ['cel.bind(a, 1, a)', 'expression_invalid', 'unknown name "cel"'],
    ['', 'expression_invalid', 'empty'],
    ['inputs.', 'expression_invalid', 'IDENTIFIER'],
  ])('%s ends in %s', (source, code, detail) => {
    const result = language.evaluate(source, variables);
    expect(result).toMatchObject({ ok: false, code });
    expect(result.ok ? '' : result.detail).toContain(detail);
  });

  it('reads data that has keys with names of JavaScript', () => {
    const inputs = { a: { constructor: { name: 'x' }, toString: 1, list: [{ constructor: 2 }] } };
    expect(language.evaluate('inputs.a', { inputs })).toEqual({ ok: true, value: inputs.a });
    expect(language.evaluate('inputs.a.constructor.name', { inputs })).toEqual({ ok: true, value: 'x' });
    expect(language.evaluate('inputs.a.list.map(e, e.constructor)', { inputs })).toEqual({ ok: true, value: [2] });
  });

  it('does not let a bad pattern block the process: matches runs in linear time', () => {
    const started = performance.now();
    const result = language.evaluate('inputs.text.matches("(a+)+$")', { inputs: { text: `${'a'.repeat(50_000)}!` } });
    expect(result).toEqual({ ok: true, value: false });
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('stops a loop that takes too long, and evaluates the same expression again afterwards', () => {
    const bounded = celExpressions({ timeoutMs: 100 });
    const source = 'inputs.list.all(a, inputs.list.all(b, inputs.list.all(c, a + b + c >= 0)))';
    const long = Array.from({ length: 5_000 }, (_, index) => index);
    expect(bounded.evaluate(source, { inputs: { list: long } })).toMatchObject({
      ok: false,
      code: 'expression_timeout',
    });
    expect(bounded.evaluate(source, { inputs: { list: [1, 2] } })).toEqual({ ok: true, value: true });
  });

  it('refuses results that grow beyond what a step may hold', () => {
    const list = Array.from({ length: 2_000 }, () => 'x'.repeat(10));
    const result = celExpressions({ timeoutMs: 5_000 }).evaluate('inputs.list.map(a, inputs.list)', {
      inputs: { list },
    });
    expect(result).toMatchObject({ ok: false, code: 'expression_result_too_large' });
    const grown = `inputs.text${'.replace("x", "xxxxxxxxxx")'.repeat(12)}`;
    expect(language.evaluate(grown, { inputs: { text: 'x' } })).toMatchObject({ ok: false, code: 'expression_failed' });
  });
});

describe('checking', () => {
  const scope = ['inputs', 'steps'];

  it('names what an expression refers to, without the variables of its own loops', () => {
    const checked = language.check(
      'steps.route.output.list.filter(x, x.name == inputs["who is"])[0].size + inputs.n[0]',
      scope,
    );
    expect(checked.ok && checked.references.map(({ root, path }) => [root, ...path].join('.'))).toEqual([
      'steps.route.output.list',
      'inputs.who is',
      'inputs.n.0',
    ]);
  });

  it('ends the path of a reference where a key is computed, and reads the key', () => {
    const checked = language.check('steps[inputs.which].output', scope);
    expect(checked.ok && checked.references.map(({ root, path }) => [root, ...path].join('.'))).toEqual([
      'inputs.which',
      'steps',
    ]);
  });

  it.each([
    ['inputs.n == 3', 'boolean'],
    ['inputs.n', 'unknown'],
    ['"a" + inputs.text', 'string'],
    ['1 + 2', 'number'],
    ['[1]', 'list'],
    ['{"a": 1}', 'map'],
    ['null', 'null'],
  ])('%s has type %s', (source, type) => {
    expect(language.check(source, scope)).toMatchObject({ ok: true, type });
  });

  it.each([
    ['inputs.n +', 'Unexpected token', 10],
    ['inputs.n == other.m', 'unknown name "other"; known here: inputs, steps', 12],
    ['inputs.text.matches("(?=a)")', 'not RE2 syntax', 20],
    ['inputs.flag ? "a" : null', 'wrap one in dyn', 0],
    ['inputs.a.map(a, a.map(b, b.map(c, c.map(d, d))))', 'loops inside each other', 0],
    [`${'inputs.n + '.repeat(70)}1`, 'additions', 0],
    [`inputs.n ${' '.repeat(4_000)}`, 'at most 4000', 0],
  ])('%s is refused', (source, detail, position) => {
    const checked = language.check(source, scope);
    expect(checked).toMatchObject({ ok: false, position });
    expect(checked.ok ? '' : checked.detail).toContain(detail);
  });
});
