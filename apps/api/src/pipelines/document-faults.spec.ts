import { faultsOfDocument, pathParts } from './document-faults.js';

describe('faults of a document', () => {
  it.each([
    ['steps[2].when', ['steps', '2', 'when']],
    ['agents.chat.tools[0]', ['agents', 'chat', 'tools', '0']],
    ['inputs["a.b"].type', ['inputs', 'a.b', 'type']],
    ['', []],
  ])('reads the path %p', (path, parts) => {
    expect(pathParts(path)).toEqual(parts);
  });

  it('keep the path of the author beside the pointer', () => {
    const fault = { path: 'steps[0].a/b', code: 'unknown_key', found: 'a/b', expected: 'a known key', detail: 'a/b is not known.' };
    expect(faultsOfDocument([fault], ['x'])).toEqual([{ ...fault, in: 'body', pointer: '#/x/steps/0/a~1b' }]);
  });
});
