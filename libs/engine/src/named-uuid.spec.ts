import fc from 'fast-check';
import { v5 } from 'uuid';
import { namedUuids } from './named-uuid.js';

it('makes the same UUIDs as others', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.string({ unit: 'binary' }), (namespace, name) => {
      expect(namedUuids(namespace)(name)).toBe(v5(name, namespace));
    }),
  );
});
