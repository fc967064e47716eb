import { celExpressions } from '#libs/expressions';
import { parseTemplate, renderTemplate, renderText, textOf } from './template.js';

const language = celExpressions();
const variables = {
  inputs: { name: 'Ada', n: 3, list: [1, 'a'], object: { a: 1 }, nothing: null, flag: true, evil: '${inputs.n}' },
};

function sources(text: string) {
  const parsed = parseTemplate(text);
  return parsed.ok
    ? parsed.parts.map((part) => (part.type === 'text' ? part.text : { source: part.source }))
    : parsed.detail;
}

describe('splitting a template', () => {
  it.each([
    ['plain', ['plain']],
    ['', []],
    ['${a}', [{ source: 'a' }]],
    ['x${a}y${b}z', ['x', { source: 'a' }, 'y', { source: 'b' }, 'z']],
    ['$${a}', ['${a}']],
    ['cost: $5 and $$${a}', ['cost: $5 and $${a}']],
    ['${{"k": {"l": 1}}.k}', [{ source: '{"k": {"l": 1}}.k' }]],
    ['${"}"}!', [{ source: '"}"' }, '!']],
    ["${'it\\'s }'}", [{ source: "'it\\'s }'" }]],
    ['${r"\\"}!', [{ source: 'r"\\"' }, '!']],
    ['${"""a"}"b"""}!', [{ source: '"""a"}"b"""' }, '!']],
    ['${"http://x"}', [{ source: '"http://x"' }]],
    ['${a // } no end\n}', [{ source: 'a // } no end\n' }]],
    ['${ "$${" }', [{ source: ' "$${" ' }]],
  ])('%s', (text, expected) => {
    expect(sources(text)).toEqual(expected);
  });

  it.each(['${', 'a ${b', '${"}', '${{}', '${a // }'])('%s has no end', (text) => {
    expect(parseTemplate(text)).toMatchObject({ ok: false });
  });
});

describe('rendering a template', () => {
  it.each([
    ['${inputs.n}', 3],
    ['${ inputs.list }', [1, 'a']],
    ['${inputs.nothing}', null],
    ['${inputs.flag}', true],
    ['n = ${inputs.n}', 'n = 3'],
    ['${inputs.name}${inputs.n}', 'Ada3'],
    ['${inputs.object}\n', '{"a":1}\n'],
    ['[${inputs.nothing}]', '[]'],
    ['$${inputs.n}', '${inputs.n}'],
    [
      { a: ['${inputs.n}', 'x'], '${inputs.n}': true },
      { a: [3, 'x'], '${inputs.n}': true },
    ],
    [7, 7],
  ])('%j gives %j', (template, expected) => {
    expect(renderTemplate(template, variables, language)).toEqual({ ok: true, value: expected });
  });

  it('never expands what an expression gave', () => {
    expect(renderTemplate({ a: '${inputs.evil}', b: '<${inputs.evil}>' }, variables, language)).toEqual({
      ok: true,
      value: { a: '${inputs.n}', b: '<${inputs.n}>' },
    });
  });

  it('names the place and the expression of a failure', () => {
    const failed = renderTemplate({ body: ['ok', 'x ${inputs.missing}'] }, variables, language);
    expect(failed).toMatchObject({ ok: false, code: 'expression_failed' });
    expect(failed.ok ? '' : failed.detail).toMatch(/^body\[1\]: \$\{inputs\.missing\}: /);
  });

  it('encodes values but not the text around them', () => {
    const rendered = renderText(
      'https://x/${inputs.name}/a b?q=${inputs.evil}',
      variables,
      language,
      encodeURIComponent,
    );
    expect(rendered).toEqual({ ok: true, text: 'https://x/Ada/a b?q=%24%7Binputs.n%7D' });
  });

  it('gives text for every kind of value', () => {
    expect(['a', 1, true, null, [1], { a: null }].map(textOf)).toEqual(['a', '1', 'true', '', '[1]', '{"a":null}']);
  });
});
