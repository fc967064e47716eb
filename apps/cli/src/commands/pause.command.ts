import { InvalidArgumentError, type Command } from 'commander';
import { dataOf } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { createStyle, statusText } from '../terminal/style.js';

type PauseFlags = { reason?: string; json?: true };
type ResumeFlags = { tokens?: number; costUsd?: number; toolCalls?: number; json?: true };

export function registerPause(program: Command): void {
  program
    .command('pause')
    .description('Pause a run: its steps stop at their next turn boundary')
    .argument('<run>', 'its id')
    .option('--reason <text>', 'why, for whoever asks later')
    .action(async (run: string, flags: PauseFlags) => {
      const body = flags.reason === undefined ? {} : { reason: flags.reason };
      const answer = await overApi((client) =>
        dataOf(client.api.POST('/v1/runs/{run}/pause', { params: { path: { run } }, body })),
      );
      show('paused', answer, flags.json);
    });
}

export function registerResume(program: Command): void {
  program
    .command('resume')
    .description('Go on with a paused run; with a bound, also with one that stopped at its spend limit')
    .argument('<run>', 'its id')
    .option('--tokens <n>', 'the new spend limit: tokens', bound)
    .option('--cost-usd <n>', 'the new spend limit: US dollars', bound)
    .option('--tool-calls <n>', 'the new spend limit: tool calls', bound)
    .action(async (run: string, flags: ResumeFlags) => {
      const answer = await overApi((client) =>
        dataOf(client.api.POST('/v1/runs/{run}/resume', { params: { path: { run } }, body: spendLimit(flags) })),
      );
      show('resumed', answer, flags.json);
    });
}

function spendLimit({ tokens, costUsd, toolCalls }: ResumeFlags) {
  if (tokens === undefined && costUsd === undefined && toolCalls === undefined) return {};
  return { spend_limit: { tokens, cost_usd: costUsd, tool_calls: toolCalls } };
}

function bound(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0)
    throw new InvalidArgumentError('Expected a number that is not negative.');
  return number;
}

function show(event: 'paused' | 'resumed', answer: { id: string; status: string }, json: true | undefined): void {
  const output = createOutput(json === true);
  const style = createStyle();
  output.json({ event, run_id: answer.id, status: answer.status });
  output.text(`${style('bold', answer.id)}  ${event}, ${statusText(answer.status, style)}`);
}
