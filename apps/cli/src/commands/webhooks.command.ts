import { Option, type Command } from 'commander';
import { dataOf, type Api } from '#libs/client';
import { overApi } from '../client/api.js';
import { createOutput } from '../terminal/output.js';
import { table } from '../terminal/table.js';

type Flags = { json?: true };
type Endpoint = Api['WebhookEndpoint'];
type CreateFlags = Flags & { eventType?: Api['NewWebhookEndpoint']['event_types']; includeContent?: true };
type RedeliverFlags = Flags & { delivery?: string[]; since?: string };

/** `weir webhooks` lists the addresses that events are sent to; the rest are what one may do with them. */
export function registerWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('Addresses that events are sent to');
  webhooks
    .command('list', { isDefault: true })
    .description('List them')
    .action(async (flags: Flags) => {
      const query = { limit: 200 };
      const { data } = await overApi(({ api }) => dataOf(api.GET('/v1/webhook-endpoints', { params: { query } })));
      show(data, flags);
    });
  webhooks
    .command('create')
    .description('Have events sent to an address; its secret is shown this once')
    .argument('<url>', 'https://…')
    .option('--event-type <type...>', 'only these; without it the end of every run')
    .option('--include-content', 'with inputs, outputs and prompts')
    .action(async (url: string, flags: CreateFlags) => {
      const body = {
        url,
        include_content: flags.includeContent === true,
        ...(flags.eventType === undefined ? {} : { event_types: flags.eventType }),
      };
      showSecret(await overApi(({ api }) => dataOf(api.POST('/v1/webhook-endpoints', { body }))), flags);
    });
  registerVerbs(webhooks);
  registerDeliveries(webhooks);
}

function registerVerbs(webhooks: Command): void {
  const named = (verb: string, description: string, act: (id: string, flags: Flags) => Promise<void>) =>
    webhooks.command(verb).description(description).argument('<id>', 'its id').action(act);
  const change = async (id: string, enabled: boolean, flags: Flags) => {
    const request = { params: { path: { endpoint: id } }, body: { enabled } };
    show([await overApi(({ api }) => dataOf(api.PATCH('/v1/webhook-endpoints/{endpoint}', request)))], flags);
  };
  named('enable', 'Send to it again; what waited goes on', (id, flags) => change(id, true, flags));
  named('disable', 'Send nothing to it', (id, flags) => change(id, false, flags));
  named('rotate', 'Give it a new secret; the one before holds for a day more', async (id, flags) => {
    const params = { path: { endpoint: id } };
    showSecret(
      await overApi(({ api }) =>
        dataOf(api.POST('/v1/webhook-endpoints/{endpoint}/rotate-secret', { params, body: {} })),
      ),
      flags,
    );
  });
  named('test', 'Send a test delivery to it', async (id, flags) => {
    const params = { path: { endpoint: id } };
    const sent = await overApi(({ api }) => dataOf(api.POST('/v1/webhook-endpoints/{endpoint}/test', { params })));
    const output = createOutput(flags.json === true);
    output.json({ event: 'delivery', ...sent });
    output.text(`${sent.id}  on its way; see weir webhooks deliveries ${id}`);
  });
  named('delete', 'Delete it with its ledger', async (id, flags) => {
    await overApi(({ api }) => api.DELETE('/v1/webhook-endpoints/{endpoint}', { params: { path: { endpoint: id } } }));
    const output = createOutput(flags.json === true);
    output.json({ event: 'deleted', endpoint_id: id });
    output.text(`${id}  deleted`);
  });
}

function registerDeliveries(webhooks: Command): void {
  webhooks
    .command('deliveries')
    .description('What was sent to it, and what was not, newest first')
    .argument('<id>', 'its id')
    .addOption(new Option('--status <status>', 'only these').choices(['pending', 'delivered', 'dead']))
    .action(async (id: string, flags: Flags & { status?: Api['WebhookDelivery']['status'] }) => {
      const query = flags.status === undefined ? {} : { status: flags.status };
      const params = { path: { endpoint: id }, query };
      const { data } = await overApi(({ api }) =>
        dataOf(api.GET('/v1/webhook-endpoints/{endpoint}/deliveries', { params })),
      );
      const output = createOutput(flags.json === true);
      for (const delivery of data) output.json({ event: 'delivery', ...delivery });
      const rows = data.map((one) => [one.id, one.event_type, one.status, String(one.attempts), one.last_error ?? '']);
      for (const line of table(['DELIVERY', 'EVENT', 'STATUS', 'ATTEMPTS', 'LAST ERROR'], rows)) output.text(line);
    });
  webhooks
    .command('redeliver')
    .description('Send again, under the same ids; without --delivery all that are dead')
    .argument('<id>', 'its id')
    .option('--delivery <id...>', 'these')
    .option('--since <time>', 'only those made since, RFC 3339')
    .action(async (id: string, flags: RedeliverFlags) => {
      const body = {
        ...(flags.delivery === undefined ? { status: 'dead' as const } : { delivery_ids: flags.delivery }),
        ...(flags.since === undefined ? {} : { since: flags.since }),
      };
      const request = { params: { path: { endpoint: id } }, body };
      const { redelivered } = await overApi(({ api }) =>
        dataOf(api.POST('/v1/webhook-endpoints/{endpoint}/redeliver', request)),
      );
      const output = createOutput(flags.json === true);
      output.json({ event: 'redelivered', count: redelivered });
      output.text(`${redelivered} on their way again`);
    });
}

function showSecret(endpoint: Api['WebhookEndpointWithSecret'], flags: Flags): void {
  const output = createOutput(flags.json === true);
  output.json({ event: 'endpoint', ...endpoint });
  output.text(`${endpoint.id}  ${endpoint.url}`);
  output.text(`secret  ${endpoint.secret ?? ''}  (shown this once)`);
}

function show(endpoints: readonly Endpoint[], flags: Flags): void {
  const output = createOutput(flags.json === true);
  for (const endpoint of endpoints) output.json({ event: 'endpoint', ...endpoint });
  if (endpoints.length === 0) return output.text('There are no webhook endpoints.');
  const rows = endpoints.map(({ id, url, enabled, disabled_reason, failures }) => [
    id,
    enabled ? (failures === 0 ? 'works' : `${failures} failures`) : `disabled: ${disabled_reason ?? ''}`,
    url,
  ]);
  for (const line of table(['ID', 'STATE', 'URL'], rows)) output.text(line);
}
