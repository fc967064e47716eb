import fc from 'fast-check';
import { v5, version, validate } from 'uuid';
import { namedUuids } from './named-uuid.js';

const name = fc.string({ unit: 'binary' });
const runId = fc.uuid({ version: 7 }).map((id) => `run_${id}`);

it('makes the same UUIDs as others', () => {
  fc.assert(
    fc.property(fc.uuid(), name, (namespace, text) => {
      expect(namedUuids(namespace)(text)).toBe(v5(text, namespace));
    }),
  );
});

it('makes UUIDs of version 8 that begin with the time of their run and go on with the hash', () => {
  fc.assert(
    fc.property(fc.uuid(), name, runId, (namespace, text, run) => {
      const id = namedUuids(namespace)(text, run);
      expect(validate(id) && version(id)).toBe(8);
      expect(`run_${id.slice(0, 14)}`).toBe(run.slice(0, 18));
      expect(id.slice(15)).toBe(v5(text, namespace).slice(15));
    }),
  );
});

it('does without the time where the run has none', () => {
  const uuid = namedUuids('6f0f3a52-6a53-4c62-9d3c-0a5c1d7f7b11');
  const other = fc.oneof(
    fc.constant(null),
    fc.string(),
    fc.uuid({ version: [1, 2, 3, 4, 5] }).map((id) => `run_${id}`),
  );
  fc.assert(
    fc.property(name, other, (text, run) => {
      expect(uuid(text, run)).toBe(uuid(text));
    }),
  );
});
