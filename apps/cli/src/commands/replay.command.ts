import { Option, type Command } from 'commander';
import type { ApiFormat } from '#libs/context';
import { overApi } from '../client/api.js';
import { callsText, totalText } from '../render/calls-text.js';
import { apiFormatOption, measuredModel } from '../replay/measured-model.js';
import { playRecording, recordingName, type Played } from '../replay/play-recording.js';
import { readPolicyFile } from '../replay/read-policy.js';
import { readTranscript } from '../replay/read-transcript.js';
import { exitCodes } from '../terminal/exit-code.js';
import { createOutput, type Output } from '../terminal/output.js';
import { createProgress } from '../terminal/progress.js';
import { createStyle } from '../terminal/style.js';

type Flags = { policy?: string; model?: string; apiFormat?: ApiFormat; streamId?: string; json?: true };

export function registerReplay(program: Command): void {
  program
    .command('replay')
    .description('Play a recorded session through the service: one run after the other on one stream')
    .argument('<transcript>', 'the recorded session')
    .option('--policy <file>', 'a context policy (YAML or JSON); the default policy without it')
    .option('--stream-id <id>', 'the stream to play on; a new one without it')
    .option('--model <model>', 'measured as this model: window, prices and form (connection:model)')
    .addOption(
      new Option(apiFormatOption.flags, 'in this form instead of the model’s').choices(apiFormatOption.choices),
    )
    .action(async (file: string, flags: Flags) => {
      const output = createOutput(flags.json === true);
      const { body, transcript } = readTranscript(file);
      const { policy } = readPolicyFile(flags.policy);
      const model = measuredModel(flags.model, flags.apiFormat);
      const name = recordingName(file, body);
      const streamId = flags.streamId ?? `${name}-${Date.now().toString(36)}`;
      const progress = createProgress();
      const recording = { name, body, transcript, policy, model, streamId };
      const named = { modelName: flags.model ?? null, apiFormat: flags.apiFormat ?? null };
      const played = await overApi((client) =>
        playRecording(
          client,
          { ...recording, ...named },
          {
            onRun: ({ runId, userIndex, status }, done, all) => {
              output.json({ event: 'run', run_id: runId, user_index: userIndex, status });
              progress.show(`${done} of ${all} runs`);
            },
          },
        ),
      ).finally(() => progress.clear());
      show(played, streamId, output);
      if (!isAsRecorded(played)) process.exitCode = exitCodes.failed;
    });
}

function show({ runs, calls, total }: Played, streamId: string, output: Output): void {
  for (const line of calls) output.json({ ...line });
  const cancelled = runs.filter(({ status }) => status === 'cancelled').length;
  const failed = runs.filter(({ status }) => status !== 'cancelled' && status !== 'succeeded').length;
  output.json({ ...total, runs: runs.length, cancelled, failed });
  const style = createStyle();
  callsText(calls, style).forEach(output.text);
  output.text('');
  output.text(
    `${style('bold', `${runs.length} runs`)} on ${streamId}, ${cancelled} cancelled and ${failed} failed as recorded`,
  );
  totalText(total, style).forEach(output.text);
  const changed = calls.filter(({ rebuilt }) => rebuilt !== 'equal').length;
  output.text(
    changed === 0 ? '  contexts    all rebuilt equal' : style('red', `  contexts    ${changed} rebuild to other bytes`),
  );
  const other = runs.filter(({ status, expected }) => status !== expected);
  for (const { runId, status, expected } of other)
    output.error(`run ${runId} ended ${status}, the recorded one ${expected}`);
}

const isAsRecorded = ({ runs, calls, total }: Played): boolean =>
  runs.every(({ status, expected }) => status === expected) &&
  calls.every(({ rebuilt }) => rebuilt === 'equal') &&
  total.lint_violations === 0;
