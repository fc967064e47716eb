import { readFileSync } from 'node:fs';
import { transcriptSchema, type Transcript } from '../../libs/context/src/index.js';

const folder = new URL('../fixtures/transcripts/', import.meta.url);

export const TRANSCRIPTS = [
  'cc-cjk-emoji-errors',
  'cc-episodic-long',
  'cc-huge-output',
  'openhands-pony-103',
  'pi-large-session',
  'sweagent-marshmallow',
  'tau-airline-33',
  'vcr-anthropic-parallel4',
  'vcr-anthropic-redacted-thinking',
  'vcr-anthropic-two-images',
  'zh-toolcall',
] as const;
export type TranscriptName = (typeof TRANSCRIPTS)[number];

export const readTranscript = (name: TranscriptName): Transcript =>
  transcriptSchema.parse(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')));
