import { waitFor } from '../../support/index.js';
import { chatPipeline, startTestApi, type TestApi } from '../api/test-api.js';
import { runWeir } from './run-weir.js';

let api: TestApi;
const weir = (...argv: string[]) => runWeir({ url: api.url, key: api.token }, ...argv);

beforeAll(async () => {
  api = await startTestApi();
  await api.ask('/v1/pipelines/chat', { method: 'PUT', body: chatPipeline('chat') });
});
afterAll(() => api.close());

describe('weir run', () => {
  it('starts a run later, before others, and only until its time is up', async () => {
    const when = ['--delay', '1h30m', '--priority', '-7', '--deadline', '2100-01-31T18:00:00+01:00'];
    const { lines } = await weir('run', 'chat', '-i', 'message=hi', ...when, '--json');
    const run: string = lines[0].run_id;
    const [shown] = (await weir('show', run, '--json')).lines;
    expect(shown).toMatchObject({ status: 'queued', status_reason: 'delayed', priority: -7 });
    const starts = /Starts at (\S+Z)\.$/.exec(shown.status_detail)?.[1] ?? '';
    expect(Date.parse(starts) - Date.parse(shown.created_at)).toBe(90 * 60_000);
    const created = await waitFor(async () => (await weir('events', run, '--json')).lines[0]?.data ?? null);
    expect(created.data).toMatchObject({ priority: -7, deadline_at: expect.stringMatching(/^2100-01-31T1[78]:00:00/) });
    const late = await weir('run', 'chat', '-i', 'message=hi', '--deadline', '2020-01-31T18:00:00Z');
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining('has passed; give a time in the future') });
  });

  it('sends nothing where it cannot read when a run is to begin or end', async () => {
    const failed = await weir('run', 'chat', '--delay', '5');
    expect(failed).toMatchObject({
      code: 2,
      err: expect.stringContaining('a duration with its unit: "5s" for seconds.'),
    });
    expect((await weir('run', 'chat', '--priority', 'high')).err).toContain('Expected a whole number, -100 to 100.');
    expect((await weir('run', 'chat', '--deadline', 'tomorrow')).err).toContain('Expected a time (RFC 3339)');
  });
});
