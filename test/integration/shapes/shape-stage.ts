import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { startTestApi } from '../../contracts/api/test-api.js';
import { startWebhookReceiver } from '../../support/webhook-receiver.js';

const folder = new URL('../../../pipelines/shapes/', import.meta.url);

/** The example pipelines as they stand in `pipelines/shapes`, with scripted models and a server of this test behind them. */
export async function startShapeStage() {
  const others = await startWebhookReceiver();
  const { host, origin } = new URL(others.url);
  const api = await startTestApi({ takesJobs: true, operatorFile: `http: { allowed_hosts: ["${host}"] }` });
  const post = async (path: string, body: object = {}) => {
    const answer = await api.ask(path, { method: 'POST', body });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  };
  return {
    api,
    others,
    post,
    /** Applies a shape; its models are the script of its name, its hosts the test's server. */
    apply: async (name: string, model = `scripted:${name}`, first = model): Promise<void> => {
      const text = readFileSync(new URL(`${name}.yml`, folder), 'utf8').replaceAll(
        /https:\/\/\w+\.example\.com/g,
        origin,
      );
      const models = text.replaceAll('"openai:gpt-4.1"', JSON.stringify(first));
      const document = parse(models.replaceAll('"builtin:extractive"', JSON.stringify(model)));
      const answer = await api.ask(`/v1/pipelines/${name}`, { method: 'PUT', body: document });
      if (answer.status !== 201) throw new Error(`${name} was refused: ${answer.text}`);
    },
    start: async (name: string, inputs: object, more: object = {}): Promise<string> => {
      const run = await post(`/v1/pipelines/${name}/runs`, { inputs, ...more });
      await api.work();
      return run.id;
    },
    run: async (id: string) => (await api.ask(`/v1/runs/${id}`)).body,
    decide: async (run: string, body: object): Promise<void> => {
      const asked = await api.ask(`/v1/approvals?status=pending&run_id=${run}`);
      await post(`/v1/approvals/${asked.body.data[0].id}/decision`, body);
      await api.work();
    },
    close: async () => {
      await api.close();
      await others.close();
    },
  };
}

export type ShapeStage = Awaited<ReturnType<typeof startShapeStage>>;
