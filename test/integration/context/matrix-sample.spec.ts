import { checkTranscript } from '../../matrix/check-transcript.js';
import { sectionCells, windowCells } from '../../matrix/policies.js';
import { readTranscript } from '../../matrix/transcripts.js';

// The whole matrix: npm run test:matrix. 13 and 8 are prime to the numbers of cells in a row, so each kind of cell comes up.
const sample = [...windowCells().filter((_, at) => at % 13 === 0), ...sectionCells().filter((_, at) => at % 8 === 0)];

describe('a sample of the matrix', () => {
  it.each([
    'cc-cjk-emoji-errors',
    'cc-huge-output',
    'sweagent-marshmallow',
    'tau-airline-33',
    'vcr-anthropic-parallel4',
    'vcr-anthropic-redacted-thinking',
    'vcr-anthropic-two-images',
  ] as const)('is valid in every call: %s', (name) => {
    const transcript = readTranscript(name);
    for (const cell of sample) {
      const { violations, overCap, calls, ready } = checkTranscript(transcript, cell);
      expect({ cell: cell.name, violations, overCap }).toEqual({ cell: cell.name, violations: [], overCap: [] });
      expect(ready).toBe(calls);
    }
  });
});
