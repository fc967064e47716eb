import { celExpressions } from '#libs/expressions';
import fc from 'fast-check';
import type { Json } from '../json.js';
import { parseTemplate, renderTemplate } from './template.js';

const language = celExpressions();
const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)));
const tricky = fc.oneof(
  fc.string(),
  fc
    .array(fc.constantFrom('${', '}', '$', '{', '"', "'", 'inputs.v', '$${', '\\', ' ', 'r"', '//', '\n'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
);

/** A function as replacement, because `$$` in a replacement string stands for one `$`. */
const escaped = (text: string) => text.replaceAll('${', () => '$${');

describe('laws of templates', () => {
  it('no value is ever expanded again, whole or inside text', () => {
    fc.assert(
      fc.property(tricky, tricky, (value, around) => {
        const literal = around.replaceAll('$', '');
        const rendered = renderTemplate(
          { whole: '${inputs.v}', embedded: `${literal}\${inputs.v}${literal}` },
          { inputs: { v: value } },
          language,
        );
        const wellFormed = value.replaceAll(/\p{Surrogate}/gu, '\uFFFD');
        expect(rendered).toEqual({
          ok: true,
          value: { whole: wellFormed, embedded: `${literal}${wellFormed}${literal}` },
        });
      }),
      { numRuns: 500 },
    );
  });

  it('a whole expression keeps the value and its type', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(renderTemplate('${inputs}', { inputs: value }, language)).toEqual({ ok: true, value });
      }),
    );
  });

  it('any string can be written as a literal', () => {
    fc.assert(
      fc.property(tricky, (text) => {
        // A "$" before the escaped "${" would take part in another escape, so only texts without that are written so.
        fc.pre(!/\$\$\{/.test(text));
        expect(renderTemplate(escaped(text), {}, language)).toEqual({ ok: true, value: text });
      }),
      { numRuns: 500 },
    );
  });

  it('splitting is total and loses nothing', () => {
    fc.assert(
      fc.property(tricky, (text) => {
        const parsed = parseTemplate(text);
        if (!parsed.ok) return;
        const written = parsed.parts
          .map((part) => (part.type === 'text' ? escaped(part.text) : `\${${part.source}}`))
          .join('');
        expect(written.length).toBe(text.length);
      }),
      { numRuns: 500 },
    );
  });
});
