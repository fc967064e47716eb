import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import { pipelineJsonSchema } from './document/pipeline-document.js';
import { pipelineFixture } from './testing/sound-facts.js';

describe('the JSON Schema for editors', () => {
  const validate = new Ajv2020({ strict: false }).compile(pipelineJsonSchema());
  const sample = () => z.record(z.string(), z.unknown()).parse(pipelineFixture('design-sample.yml'));

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
