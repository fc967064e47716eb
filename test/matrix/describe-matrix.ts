import { API_FORMATS } from '../../libs/context/src/index.js';
import { checkTranscript } from './check-transcript.js';
import { matrixCells } from './policies.js';
import { readTranscript, type TranscriptName } from './transcripts.js';

/** One test a form: all of its policies. What is over a cap is listed in the report. */
export function describeMatrix(names: readonly TranscriptName[]): void {
  describe.each(names)('%s', (name) => {
    const transcript = readTranscript(name);
    it.each(API_FORMATS)(
      'is valid in every call under every policy as %s',
      (apiFormat) => {
        for (const cell of matrixCells([apiFormat])) {
          const { violations, overCap, calls, ready } = checkTranscript(transcript, cell);
          expect({ cell: cell.name, violations }).toEqual({ cell: cell.name, violations: [] });
          expect({ cell: cell.name, avoidable: overCap.filter(({ isOneEntry }) => !isOneEntry) }).toEqual({
            cell: cell.name,
            avoidable: [],
          });
          expect(ready + overCap.length).toBe(calls);
          for (const { call, size, cap, largest } of overCap)
            process.stderr.write(
              `over the cap: ${name}, ${cell.name}: call ${call}, ${size} > ${cap}, one entry of ${largest}\n`,
            );
        }
      },
      30 * 60_000,
    );
  });
}
