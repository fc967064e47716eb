import { join } from 'node:path';
import type { WeirClient } from '#libs/client';
import { effectivePolicy } from '#libs/context';
import { recordedModel } from '#libs/engine';
import { packageRoot } from '#libs/platform';
import { playRecording, recordingName, type Played } from '../../replay/play-recording.js';
import { readTranscript } from '../../replay/read-transcript.js';
import { createProgress } from '../../terminal/progress.js';
import type { Demonstration, DemoResult } from './demonstration.js';

const CONTEXT = { preset: 'coding_agent', window: { soft_cap_chars: 60_000, hard_cap_chars: 120_000 } };

/** A recorded session of a coding agent, played on one stream: 88 user messages, 391 tool calls, with a bounded context. */
export const largeSession: Demonstration = { name: 'large-session', run: runLargeSession };

async function runLargeSession(client: WeirClient): Promise<DemoResult> {
  const file = join(packageRoot(), 'pipelines/recordings/pi-large-session.json');
  const { body, transcript } = readTranscript(file);
  const progress = createProgress();
  const recording = {
    name: recordingName(file, body),
    body,
    transcript,
    policy: effectivePolicy({ pipeline: CONTEXT }, false),
    model: recordedModel(null, null),
    modelName: null,
    apiFormat: null,
    streamId: `demo-large-session-${Date.now().toString(36)}`,
  };
  const onRun = (_run: unknown, done: number, all: number): void =>
    progress.show(`  large-session: ${done} of ${all} runs${done === all ? ', building every context again' : ''}`);
  const played = await playRecording(client, recording, { onRun }).finally(() => progress.clear());
  return resultOf(played);
}

function resultOf({ runs, calls, total }: Played): DemoResult {
  const mismatches = calls.filter(({ rebuilt }) => rebuilt !== 'equal').length;
  const isAsRecorded = runs.every(({ status, expected }) => status === expected);
  return {
    name: 'large-session',
    ok: isAsRecorded && mismatches === 0 && total.lint_violations === 0 && total.over_hard_cap === 0,
    runs: runs.length,
    model_calls: total.calls,
    chars_sent: total.chars,
    chars_unmanaged: total.chars_unmanaged,
    masked_results: total.masked,
    compactions: total.compactions,
    cost: total.cost,
    cost_unmanaged: total.cost_unmanaged,
    max_build_ms: Math.max(0, ...calls.map((call) => call.build_ms ?? 0)),
    lint_violations: total.lint_violations,
    hash_mismatches: mismatches,
  };
}
