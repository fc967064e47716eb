import { dataOf, followRun, type WeirClient } from '#libs/client';
import type { Output } from '../terminal/output.js';
import { createStyle } from '../terminal/style.js';
import { eventText } from './event-text.js';
import { runText } from './run-text.js';

/** Shows a run's events as they come, then how it ended. Returns its last status. */
export async function watchRun(client: WeirClient, runId: string, output: Output): Promise<string> {
  const style = createStyle();
  for await (const news of followRun(client, runId)) {
    switch (news.kind) {
      case 'event':
        output.json({ event: 'event', data: news.event });
        output.text(eventText(news.event, style));
        break;
      case 'end': {
        const run = await dataOf(client.api.GET('/v1/runs/{run}', { params: { path: { run: runId } } }));
        output.json({ event: 'ended', run_id: run.id, status: run.status, output: run.output, error: run.error });
        output.text('');
        runText(run, style).forEach(output.text);
        return run.status;
      }
      case 'snapshot':
      case 'delta':
        break;
    }
  }
  return 'unknown';
}
