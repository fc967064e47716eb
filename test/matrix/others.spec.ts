import { describeMatrix } from './describe-matrix.js';
import { TRANSCRIPTS } from './transcripts.js';

describeMatrix(TRANSCRIPTS.filter((name) => name !== 'pi-large-session'));
