import type { Command } from 'commander';
import { dataOf, type Api } from '#libs/client';
import { overApi } from '../client/api.js';
import { readable } from '../terminal/excerpt.js';
import { whole } from '../terminal/numbers.js';
import { createOutput } from '../terminal/output.js';
import { createStyle, statusText, type Style } from '../terminal/style.js';
import { facts, table } from '../terminal/table.js';

export function registerExplain(program: Command): void {
  program
    .command('explain')
    .description('Say why a run is where it is, who holds its steps, and what comes next')
    .argument('<run>', 'its id')
    .action(async (runId: string, flags: { json?: true }) => {
      const output = createOutput(flags.json === true);
      const explained = await overApi((client) =>
        dataOf(client.api.GET('/v1/runs/{run}/explain', { params: { path: { run: runId } } })),
      );
      output.json({ event: 'explanation', ...explained });
      explanationText(explained, createStyle()).forEach(output.text);
    });
}

function explanationText(explained: Api['RunExplanation'], style: Style): string[] {
  const standing = facts([
    ['why', explained.status_detail],
    ['reason', explained.status_reason],
    ['waits for', explained.blocked_on.map((blocker) => `${blocker.kind} ${blocker.id ?? ''}`.trim()).join(', ')],
    ['since', explained.since],
    ['next', explained.next],
    ['can', explained.allowed_actions.join(', ')],
  ]);
  const steps = explained.steps.flatMap((step) => [
    '',
    `${style('bold', step.item === null ? step.step_id : `${step.step_id}[${step.item}]`)}  ${statusText(step.status, style)}`,
    `  ${readable(step.detail)}`,
    ...hardCapText(step.hard_cap),
    ...(step.next === null ? [] : [style('dim', `  ${step.next}`)]),
  ]);
  return [`${style('bold', explained.run_id)}  ${statusText(explained.status, style)}`, ...standing, ...steps];
}

/** What stood in a request that was too large, as `HardCapExceeded` has it. */
function hardCapText(exceeded: Api['RunExplanation']['steps'][number]['hard_cap']): string[] {
  if (exceeded === null) return [];
  const rows = exceeded.contributors.map(({ kind, name, entry, chars }) => [
    kind,
    readable(name ?? ''),
    entry === null ? '' : `#${entry}`,
    whole(chars),
  ]);
  const lines = [
    `${whole(exceeded.size)} chars, over the hard cap of ${whole(exceeded.cap)}`,
    ...table(['LARGEST', 'NAME', 'ENTRY', 'CHARS'], rows),
    `to turn: ${readable(exceeded.knob)}`,
  ];
  return lines.map((line) => `  ${line}`);
}
