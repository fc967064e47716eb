import type { Command } from 'commander';
import { dataOf, type Api } from '#libs/client';
import { overApi } from '../client/api.js';
import { type RunContext } from '../render/policy-text.js';
import { runText } from '../render/run-text.js';
import { createOutput } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';

export function registerShow(program: Command): void {
  program
    .command('show')
    .description('Show a run: where it stands, its steps, what it cost, its output')
    .argument('<run>', 'its id')
    .action(async (runId: string, flags: { json?: true }) => {
      const output = createOutput(flags.json === true);
      const run = await overApi((client) =>
        dataOf(client.api.GET('/v1/runs/{run}', { params: { path: { run: runId } } })),
      );
      const [contexts, explained] = await Promise.all([contextsOf(run), explanationOf(run)]);
      output.json({ event: 'run', ...run, contexts });
      runText(run, createStyle(), { contexts, explained }).forEach(output.text);
    });
}

/** Since when an open run is where it is, and what comes next; an ended one says it all itself. */
async function explanationOf(run: Api['Run']): Promise<Api['RunExplanation'] | null> {
  if (run.ended_at !== null) return null;
  return overApi((client) => dataOf(client.api.GET('/v1/runs/{run}/explain', { params: { path: { run: run.id } } })));
}

/** The policies of the run's agent steps, each once; items and rounds of a step follow the same one. */
async function contextsOf(run: Api['Run']): Promise<RunContext[]> {
  const steps = new Map(run.steps.filter(({ kind }) => kind === 'agent').map((step) => [step.id, step]));
  const found = await Promise.all(
    [...steps.values()].map(async ({ id, item }) => {
      const path = { run: run.id, step: id };
      const query = item === null ? {} : { item };
      const { context } = await overApi((client) =>
        dataOf(client.api.GET('/v1/runs/{run}/steps/{step}', { params: { path, query } })),
      );
      return { id, context };
    }),
  );
  const byHash = new Map<string, RunContext>();
  for (const { id, context } of found) {
    if (context === null) continue;
    const known = byHash.get(context.policy_hash);
    if (known === undefined) byHash.set(context.policy_hash, { steps: [id], ...context });
    else known.steps.push(id);
  }
  return [...byHash.values()];
}
