import { readFileSync } from 'node:fs';
import { describeRedis, testRedis, waitFor } from '../support/index.js';
import { Installation } from '../support/installation.js';
import { startTestApi, type TestApi } from '../contracts/api/test-api.js';

const text = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** Names of metrics in queries or prose, a histogram's series as the histogram. */
/** A problem's code is no metric. */
const namesIn = (source: string): string[] => [
  ...new Set(
    (source.match(/(?<!code `)\b(weir|process)_[a-z_]+/g) ?? []).map((name) =>
      name.replace(/_(bucket|sum|count)$/, ''),
    ),
  ),
];

/** Without Node's own and without what is zero in a histogram. */
const oursIn = (scraped: string): string =>
  scraped
    .split('\n')
    .filter((line) => line.startsWith('weir_') && !line.includes('_bucket{'))
    .join('\n');

describeRedis('metrics', () => {
  let installation: Installation;
  let api: TestApi;
  let worker: string;
  let ofApi: string;

  beforeAll(async () => {
    const { url, prefix } = await testRedis();
    installation = await Installation.open({
      REDIS_URL: url,
      WEIR_QUEUE_PREFIX: prefix,
      WEIR_LEASE_S: '60',
      WEIR_RETENTION_DAYS: '3650',
    });
    const usage = { input_tokens: 120, cached_tokens: 100, output_tokens: 7 };
    const call = { id: 'c1', name: 'now', arguments: '{}' };
    await installation.script('clock', {
      replies: [
        { text: '', tool_calls: [call], usage },
        { text: 'noon', usage },
      ],
    });
    await installation.applyDocument({
      name: 'clock',
      agents: { a: { model: 'scripted:clock', system_prompt: 'You tell the time.', tools: ['now'] } },
      steps: [{ id: 'answer', agent: 'a', task: 'What time is it?' }],
      output: '${steps.answer.output}',
    });
    const { healthUrl } = await installation.worker();
    const run = await installation.ended(await installation.startWith('clock', {}));
    expect(run).toMatchObject({ status: 'succeeded' });
    const scrape = async (): Promise<string> => (await fetch(`${healthUrl}/metrics`)).text();
    // The job's end is counted a moment after the run's.
    await waitFor(async () => /^weir_jobs_total\{[^}]*outcome="done"[^}]*\} [1-9]/m.test(await scrape()));
    worker = await waitFor(async () => {
      const scraped = await scrape();
      return scraped.includes('weir_sweeper_actions_total{') ? scraped : null;
    });
    api = await startTestApi();
    ofApi = (await api.ask('/metrics', { key: null })).text;
  });
  afterAll(async () => {
    await api.close();
    await installation.close();
  });

  it.each([
    [/^weir_events_total\{type="RunSucceeded"[^}]*\} 1$/m],
    [/^weir_events_total\{type="LlmCallCompleted"[^}]*\} 2$/m],
    [/^weir_step_queue_seconds_count\{[^}]*\} 1$/m],
    [/^weir_leases_lost_total\{[^}]*\} 0$/m],
    [/^weir_sweeper_actions_total\{action="expiredLeases"[^}]*\} 0$/m],
    [/^weir_context_build_seconds_count\{[^}]*\} 2$/m],
    [/^weir_context_chars_count\{[^}]*\} 2$/m],
    [/^weir_model_call_seconds_count\{[^}]*model="scripted:clock",outcome="answer"[^}]*\} 2$/m],
    [/^weir_model_tokens_total\{model="scripted:clock",kind="output"[^}]*\} 14$/m],
    [/^weir_tool_call_seconds_count\{[^}]*kind="builtin",status="ok"[^}]*\} 1$/m],
  ])('a worker that has run a step shows %s', (sample) => {
    expect(oursIn(worker)).toMatch(sample);
  });

  it.each([
    [/^weir_outbox_age_seconds\{of="steps"[^}]*\} 0$/m],
    [/^weir_queue_age_seconds\{of="compactions"[^}]*\} 0$/m],
    [/^weir_runs_open\{status="waiting"[^}]*\} 0$/m],
    [/^weir_redis_connections\{[^}]*\} [1-9]\d*$/m],
    [/^weir_feed_lag_seconds\{[^}]*\} \d/m],
  ])('the API shows %s', (sample) => {
    expect(oursIn(ofApi)).toMatch(sample);
  });

  it('hold nothing that a run, a stream or a user names', () => {
    expect(worker).not.toMatch(/run_id=|stream_id=|step_id=|clock-/);
  });

  it.each(['docs/grafana/weir.json', 'docs/guide/operating.md', 'docs/guide/production.md'])('of %s exist', (file) => {
    const known = new Set([...(worker + ofApi).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const names = namesIn(file.endsWith('.json') ? text(file).replaceAll('"uid": "weir"', '') : text(file));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name))).toEqual([]);
  });
});
