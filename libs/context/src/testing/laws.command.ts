// The laws in one format, in a process of their own: `assert-laws.ts` starts it.
import { API_FORMATS } from '../neutral.js';
import { playLaws } from './play-laws.js';

const format = API_FORMATS.find((one) => one === process.argv[2]);
if (format === undefined) throw new Error(`the laws take a format, one of ${API_FORMATS.join(', ')}`);
await playLaws(format);
