import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { pipelineJsonSchema } from './document/pipeline-document.js';

describe('the JSON Schema for editors', () => {
  const validate = new Ajv2020({ strict: false }).compile(pipelineJsonSchema());
  const sample = () => parse(readFileSync('test/fixtures/pipelines/design-sample.yml', 'utf8'));

  it('accepts the sample of the design', () => {
    expect(validate(sample())).toBe(true);
  });

  it('refuses unknown keys, two kinds of step at once, and bare numbers for durations', () => {
    expect(validate({ ...sample(), stepz: 1 })).toBe(false);
    expect(validate({ ...sample(), timeout: 300 })).toBe(false);
    expect(validate({ name: 'p', steps: [{ id: 'a', transform: 1, tool: 'x' }] })).toBe(false);
    expect(validate({ name: 'p', steps: [{ id: 'a', for_each: [], do: { steps: [{ id: 'b' }] } }] })).toBe(false);
  });
});
