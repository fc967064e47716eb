import { readFileSync } from 'node:fs';
import { InvalidArgumentError, type Command } from 'commander';
import { z } from 'zod';
import { dataOf, ServerProblem, type Api, type WeirClient } from '#libs/client';
import { expectedDuration, jsonObjectSchema, parseDurationMs, readJson, type JsonObject } from '#libs/domain';
import { overApi } from '../client/api.js';
import { runText } from '../render/run-text.js';
import { watchRun } from '../render/watch-run.js';
import { exitCodes } from '../terminal/exit-code.js';
import { createOutput, type Output } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

type Flags = {
  input: JsonObject;
  inputs?: JsonObject;
  streamId?: string;
  version?: number;
  tag?: string[];
  delay?: string;
  priority?: number;
  deadline?: string;
  idempotencyKey?: string;
  watch?: true;
  json?: true;
};

export function registerRun(program: Command): void {
  program
    .command('run')
    .description('Start a run of a pipeline')
    .argument('<name>', 'the pipeline')
    .option(
      '-i, --input <k=v>',
      'an input: k=text, k=@file for the text of a file, k:=json for numbers, true, false, lists and objects; may be repeated',
      input,
      {},
    )
    .option('--inputs <json>', 'all inputs as a JSON object', inputs)
    .option('--stream-id <id>', 'the conversation that the run belongs to')
    .option('--version <n>', 'a version instead of the one that is live', version)
    .option('--tag <tag...>', 'tags to find it by')
    .option('--delay <duration>', 'let it begin later, for example 5m or 1h30m', delay)
    .option(
      '--priority <n>',
      '-100 to 100, 0 unless given: of the steps that wait for a worker the higher come first',
      priority,
    )
    .option('--deadline <time>', 'when its time is up, RFC 3339, for example 2030-01-31T18:00:00Z', deadline)
    .option('--idempotency-key <key>', 'starting again with the same key starts nothing new')
    .option('--watch', 'follow it to its end; exit code 1 unless it succeeds')
    .action(async (name: string, flags: Flags) => {
      const output = createOutput(flags.json === true);
      await overApi(async (client) => {
        const run = await start(client, name, flags).catch((error: unknown) => {
          throw withAdvice(error, flags.input);
        });
        if (flags.watch !== true) return showStarted(run, output);
        const status = await watchRun(client, run.id, output);
        if (status !== 'succeeded') process.exitCode = exitCodes.failed;
      });
    });
}

async function start(client: WeirClient, name: string, flags: Flags): Promise<Api['Run']> {
  const { streamId, version: wanted, tag, idempotencyKey, ...others } = flags;
  return dataOf(
    client.api.POST('/v1/pipelines/{name}/runs', {
      params: {
        path: { name },
        ...(idempotencyKey === undefined ? {} : { header: { 'idempotency-key': idempotencyKey } }),
      },
      body: {
        inputs: { ...flags.inputs, ...flags.input },
        ...(streamId === undefined ? {} : { stream_id: streamId }),
        ...(wanted === undefined ? {} : { version: wanted }),
        ...(tag === undefined ? {} : { tags: tag }),
        ...timing(others),
      },
    }),
  );
}

function timing({ delay: wait, priority: rank, deadline: end }: Pick<Flags, 'delay' | 'priority' | 'deadline'>) {
  return {
    ...(wait === undefined ? {} : { delay: wait }),
    ...(rank === undefined ? {} : { priority: rank }),
    ...(end === undefined ? {} : { deadline: end }),
  };
}

/** A refusal of text where the pipeline declares something else says how to write that. */
function withAdvice(error: unknown, given: JsonObject): unknown {
  if (!(error instanceof ServerProblem)) return error;
  const refused = error.problem?.errors.filter(({ code }) => code === 'wrong_type').map(({ pointer }) => pointer) ?? [];
  const names = Object.keys(given).filter(
    (name) => typeof given[name] === 'string' && refused.includes(`#/inputs/${name}`),
  );
  if (names.length === 0) return error;
  const better = names.map((name) => `-i ${name}:=…`).join(' ');
  const advice = `What stands behind = is text. JSON (numbers, true, false, lists, objects) goes behind := as in ${better}`;
  return new ServerProblem(error.status, error.code, `${error.message}\n  ${advice}`, error.problem);
}

function showStarted(run: Api['Run'], output: Output): void {
  output.json({
    event: 'started',
    run_id: run.id,
    pipeline: run.pipeline,
    stream_id: run.stream_id,
    status: run.status,
  });
  runText(run, createStyle()).slice(0, 1).forEach(output.text);
  output.text(`follow it with: weir events ${run.id} --follow`);
}

function input(text: string, others: JsonObject): JsonObject {
  const match = /^([A-Za-z_][A-Za-z0-9_]*)(:?=)(.*)$/s.exec(text);
  const [name, sign, value] = [match?.[1], match?.[2], match?.[3]];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Expected name=text or name:=json.');
  return {
    ...others,
    [name]: sign === ':=' ? parseJson(value) : value.startsWith('@') ? fileText(value.slice(1)) : value,
  };
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new InvalidArgumentError(`Cannot read ${path}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

function inputs(text: string): JsonObject {
  const parsed = jsonObjectSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new InvalidArgumentError('Expected a JSON object.');
}

function parseJson(text: string) {
  try {
    return readJson(text);
  } catch {
    throw new InvalidArgumentError(`Expected JSON, found ${text.slice(0, 60)}`);
  }
}

function version(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('Expected a version, 1 or more.');
}

function delay(text: string): string {
  if (parseDurationMs(text) !== null) return text;
  throw new InvalidArgumentError(`Expected ${expectedDuration(text)}.`);
}

function priority(text: string): number {
  if (/^[+-]?\d+$/.test(text) && Math.abs(Number(text)) <= 100) return Number(text);
  throw new InvalidArgumentError('Expected a whole number, -100 to 100.');
}

/** `Date.parse` would take 30 February for 2 March. */
const rfc3339 = z.iso.datetime({ offset: true });

function deadline(text: string): string {
  if (rfc3339.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a time (RFC 3339) with its offset, for example 2030-01-31T18:00:00Z.');
}
