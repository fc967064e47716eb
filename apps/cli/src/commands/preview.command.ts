import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { z } from 'zod';
import { toWire, type ApiFormat, type NeutralRequest } from '#libs/context';
import { lineJson, previewTranscript, type CallLine, type TotalLine } from '#libs/engine';
import { overApi } from '../client/api.js';
import { callsText, totalText } from '../render/calls-text.js';
import { apiFormatOption, measuredModel } from '../replay/measured-model.js';
import { readPolicyFile } from '../replay/read-policy.js';
import { readTranscript } from '../replay/read-transcript.js';
import { exitCodes, UsageError } from '../terminal/exit-code.js';
import { createOutput, type Output } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = {
  messages?: string;
  policy?: string;
  model?: string;
  apiFormat?: ApiFormat;
  step?: string;
  messagesOut?: string;
  json?: true;
};

export function registerPreview(program: Command): void {
  program
    .command('preview')
    .description('What each call would send under a policy: of a recorded session (no server needed), or of a stream')
    .argument('[stream]', 'a stream or sub-stream; instead of --messages')
    .option('--messages <file>', 'a recorded session (transcript)')
    .option('--policy <file>', 'a context policy (YAML or JSON); the default policy without it')
    .option('--model <model>', 'measured as this model: window, prices and form (connection:model)')
    .addOption(
      new Option(apiFormatOption.flags, 'in this form instead of the model’s').choices(apiFormatOption.choices),
    )
    .option('--step <step>', 'which step of the stream, where it has several')
    .option('--messages-out <folder>', 'write the messages of each call there, as the provider would get them')
    .action(async (stream: string | undefined, flags: Flags) => {
      const output = createOutput(flags.json === true);
      if ((stream === undefined) === (flags.messages === undefined))
        throw new UsageError('Name a stream, or a transcript with --messages.');
      const { calls, total } =
        stream === undefined ? ofTranscript(flags, output) : await ofStream(stream, flags, output);
      const style = createStyle();
      callsText(calls, style).forEach(output.text);
      output.text('');
      totalText(total, style).forEach(output.text);
      if (total.lint_violations > 0) process.exitCode = exitCodes.failed;
    });
}

type Previewed = { calls: CallLine[]; total: TotalLine };

function ofTranscript(flags: Flags, output: Output): Previewed {
  const { transcript } = readTranscript(flags.messages ?? '');
  const { policy } = readPolicyFile(flags.policy);
  const model = measuredModel(flags.model, flags.apiFormat);
  const calls: CallLine[] = [];
  const previewing = previewTranscript(transcript, policy, model);
  for (;;) {
    const next = previewing.next();
    if (next.done === true) {
      output.json(lineJson(next.value));
      return { calls, total: next.value };
    }
    const { line, request } = next.value;
    calls.push(line);
    output.json(lineJson(line));
    if (flags.messagesOut !== undefined && request !== null)
      writeRequest(flags.messagesOut, line.call, request, model.apiFormat);
  }
}

function writeRequest(folder: string, call: number, request: NeutralRequest, apiFormat: ApiFormat): void {
  mkdirSync(folder, { recursive: true });
  const body = { api_format: apiFormat, ...toWire(request, apiFormat) };
  writeFileSync(join(folder, `${String(call).padStart(5, '0')}.json`), `${JSON.stringify(body)}\n`);
}

const answerSchema = z.looseObject({
  calls: z.array(z.custom<CallLine>()),
  total: z.custom<TotalLine>(),
});

async function ofStream(stream: string, flags: Flags, output: Output): Promise<Previewed> {
  if (flags.messagesOut !== undefined) throw new UsageError('--messages-out goes with --messages.');
  const { block } = readPolicyFile(flags.policy);
  const body = {
    policy: block,
    ...(flags.step === undefined ? {} : { step_id: flags.step }),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags.apiFormat === undefined ? {} : { api_format: flags.apiFormat }),
  };
  const path = `/v1/admin/streams/${encodeURIComponent(stream)}/context-preview`;
  const headers = { 'content-type': 'application/json' };
  const answer = await overApi(async (client) =>
    (await client.open(path, { method: 'POST', headers, body: JSON.stringify(body) })).json(),
  );
  const { calls, total } = answerSchema.parse(answer);
  for (const line of calls) output.json(lineJson(line));
  output.json(lineJson(total));
  return { calls, total };
}
