import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { API_KEY_SCOPES, mintApiKey, type EngineDeps } from '../../../libs/engine/src/index.js';
import {
  connect,
  createApiKey,
  createProject,
  migrate,
  postgresEventLog,
  postgresRunStore,
  type Database,
} from '../../../libs/event-store/src/index.js';
import { findRedisServer, freePorts, startGuard, type Guard } from '../../../libs/platform/src/index.js';
import { keepLog, waitFor } from '../../support/index.js';
import { secretsInDatabase } from '../../support/planted-secrets.js';
import { AppProcess } from './app-process.js';
import { ServerProcess } from './server-process.js';

export const PROJECT = 'default';

export type DeploymentOptions = {
  /** Default 2. */
  readonly workers?: number;
  /** Default 0. */
  readonly compactors?: number;
  /** Default 1. */
  readonly apis?: number;
  /** Of all processes; settings are short here, so that a scenario takes seconds. */
  readonly environment?: Readonly<Record<string, string>>;
  /** `weir.yml`. */
  readonly operatorFile?: string;
  /** Puts something between the apps and Postgres: the address that they get instead of its own. */
  readonly before?: (postgres: { url: string; folder: string; guard: Guard }) => Promise<string>;
  /** What Postgres has committed survives its kill -9; costs time. */
  readonly durable?: boolean;
};

export type Answer = { readonly status: number; readonly headers: Headers; readonly body: any; readonly ms: number };
export type Run = { readonly id: string; readonly status: string; readonly output: unknown; readonly error: unknown };

const TIMES = { WEIR_LEASE_S: '3', WEIR_HEARTBEAT_S: '0.5', WEIR_SWEEP_S: '0.5', WEIR_DRAIN_S: '5' };

/** An installation as it is run: Postgres and Redis of its own, api, workers and compactors as processes. */
export class Deployment {
  private constructor(
    readonly postgres: ServerProcess,
    readonly redis: ServerProcess,
    readonly apis: readonly AppProcess[],
    readonly workers: readonly AppProcess[],
    readonly compactors: readonly AppProcess[],
    /** What the test itself reads with; one connection outlives no restart of Postgres, a pool does. */
    readonly database: Database,
    readonly apiKey: string,
    readonly folder: string,
    private readonly guard: Guard,
  ) {}

  static async open(options: DeploymentOptions): Promise<Deployment> {
    const binary = findRedisServer(process.env['PATH']);
    if (binary === null) throw new Error('The chaos suite needs valkey-server or redis-server on PATH.');
    // Not `tmpdir()`: root's servers run as another user, which a TMPDIR of one's own may keep out.
    const folder = mkdtempSync(join(existsSync('/var/tmp') ? '/var/tmp' : tmpdir(), 'weir-chaos-'));
    chmodSync(folder, 0o711);
    mkdirSync(join(folder, 'scripts'));
    mkdirSync(join(folder, 'logs'));
    const guard = startGuard();
    guard.removeAtEnd(folder);
    const [postgres, redis] = await Promise.all([
      ServerProcess.postgres({ dataDir: folder, durable: options.durable ?? false, guard, maxConnections: 200 }),
      ServerProcess.redis({ binary, dataDir: folder, guard }),
    ]);
    await migrate(postgres.url);
    const database = connect({ url: postgres.url, poolSize: 4, prepare: true, applicationName: 'chaos' });
    const apiKey = await newApiKey(database);
    const apps = await planApps(options, { postgres, redis, folder, guard });
    const deployment = new Deployment(
      postgres,
      redis,
      apps.filter((app) => app.name.startsWith('api')),
      apps.filter((app) => app.name.startsWith('worker')),
      apps.filter((app) => app.name.startsWith('compactor')),
      database,
      apiKey,
      folder,
      guard,
    );
    try {
      await Promise.all(apps.map((app) => app.start()));
    } catch (error) {
      const logs = deployment.logTails();
      await deployment.close().catch(() => undefined);
      throw new Error(`the deployment did not start:\n${logs}`, { cause: error });
    }
    return deployment;
  }

  get apps(): readonly AppProcess[] {
    return [...this.apis, ...this.workers, ...this.compactors];
  }

  /** What is stored, read without any process of the deployment. */
  get stored(): Pick<EngineDeps, 'log' | 'runs'> {
    return { log: postgresEventLog(this.database), runs: postgresRunStore(this.database) };
  }

  script(name: string, document: unknown): void {
    writeFileSync(this.scriptFile(`${name}.json`), JSON.stringify(document));
  }

  scriptFile(name: string): string {
    return join(this.folder, 'scripts', name);
  }

  /** Any answer; only a connection that fails rejects. */
  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const began = performance.now();
    const [api] = this.apis;
    const response = await fetch(`${api?.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const ms = performance.now() - began;
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text, ms };
  }

  async apply(document: { readonly name: string; readonly [key: string]: unknown }): Promise<void> {
    const answer = await this.ask('PUT', `/v1/pipelines/${document.name}`, document);
    if (answer.status >= 300) throw new Error(`${document.name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  async start(pipeline: string, inputs: object, more: object = {}): Promise<string> {
    const answer = await this.ask('POST', `/v1/pipelines/${pipeline}/runs`, { inputs, ...more });
    if (answer.status !== 202) throw new Error(`${pipeline}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return (answer.body as Run).id;
  }

  /** Waits until all of these runs have ended. */
  async ended(runIds: readonly string[], timeoutMs = 300_000): Promise<Run[]> {
    await waitFor(
      async () => {
        const [open] = await this.database.sql<{ runs: number }[]>`
          select count(*)::int as runs from run where run_id = any(${[...runIds]}) and ended_at is null`;
        return open?.runs === 0;
      },
      { what: `the end of ${runIds.length} runs`, timeoutMs, everyMs: 100 },
    ).catch(async (error: unknown) => {
      throw new Error(await this.openRuns(runIds), { cause: error });
    });
    const rows = await this.database.sql<Run[]>`
      select run_id as id, status, output, error from run where run_id = any(${[...runIds]})`;
    const byId = new Map(rows.map((run) => [run.id, run]));
    return runIds.map((id) => {
      const run = byId.get(id);
      if (run === undefined) throw new Error(`${id} was accepted and is not stored`);
      return run;
    });
  }

  /** The ends of all logs, for people who look for a reason. */
  logTails(lines = 25): string {
    return this.apps
      .filter((app) => existsSync(app.logFile))
      .map(
        (app) => `--- ${app.name}\n${readFileSync(app.logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')}`,
      )
      .join('\n');
  }

  logLines(app: AppProcess): Record<string, any>[] {
    return readFileSync(app.logFile, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, any>);
  }

  async close(): Promise<void> {
    const faults: unknown[] = [];
    const attempt = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => faults.push(error));
    // A process that has not come up yet has no ear for SIGTERM.
    const ending = async (app: AppProcess): Promise<void> => {
      await app.untilReady();
      await app.terminate();
    };
    await Promise.all(this.apps.filter((app) => app.isRunning).map((app) => attempt(ending(app))));
    for (const app of this.apps) {
      if (!existsSync(app.logFile)) continue;
      keepLog(readFileSync(app.logFile, 'utf8'));
      const fatal = this.logLines(app).filter((line) => line['level'] === 'fatal');
      faults.push(...fatal.map((line) => new Error(`${app.name}: ${JSON.stringify(line)}`)));
      faults.push(...app.crashes.map(({ code }) => new Error(`${app.name} ended by itself with exit code ${code}`)));
    }
    if (faults.length > 0) faults.push(new Error(this.logTails(5)));
    const secrets = await this.storedSecrets().catch((error: unknown) => [String(error)]);
    faults.push(...secrets.map((secret) => new Error(`stored: ${secret}`)));
    await attempt(this.database.close());
    await attempt(Promise.all([this.postgres.stop(), this.redis.stop()]));
    rmSync(this.folder, { recursive: true, force: true });
    this.guard.close();
    if (faults.length > 0) throw new AggregateError(faults, faults.map(String).join('\n'));
  }

  /** Over a connection without a bound of time: it reads all there is. */
  private async storedSecrets(): Promise<string[]> {
    const sql = postgres(this.postgres.url, { max: 1, onnotice: () => undefined });
    try {
      return await secretsInDatabase(sql);
    } finally {
      await sql.end();
    }
  }

  private async openRuns(runIds: readonly string[]): Promise<string> {
    const rows = await this.database.sql`
      select r.run_id, r.status, r.status_reason, s.step_id, s.item, s.status as step, s.reason, s.dispatch_no, s.dispatched_at,
        s.lease_until, s.worker_id, s.stalls
      from run r left join step_run s on s.run_id = r.run_id and s.ended_at is null
      where r.run_id = any(${[...runIds]}) and r.ended_at is null limit 10`;
    return `runs did not end, for example:\n${rows.map((row) => JSON.stringify(row)).join('\n')}`;
  }
}

async function newApiKey(database: Database): Promise<string> {
  const { keyId, secretHash, token } = mintApiKey();
  const owner = { projectId: PROJECT, name: PROJECT, actor: 'chaos' };
  await createProject(database.kysely, owner);
  await createApiKey(database.kysely, { ...owner, keyId, secretHash, scopes: API_KEY_SCOPES });
  return token;
}

type Parts = { postgres: ServerProcess; redis: ServerProcess; folder: string; guard: Guard };

async function planApps(options: DeploymentOptions, parts: Parts): Promise<AppProcess[]> {
  const { apis = 1, workers = 2, compactors = 0, environment = {}, operatorFile = '' } = options;
  const file = join(parts.folder, 'weir.yml');
  writeFileSync(file, operatorFile);
  const { postgres, folder, guard } = parts;
  const env = {
    ...TIMES,
    DATABASE_URL: (await options.before?.({ url: postgres.url, folder, guard })) ?? postgres.url,
    REDIS_URL: parts.redis.url,
    WEIR_CONFIG: file,
    WEIR_SCRIPTS_DIR: join(parts.folder, 'scripts'),
    WEIR_DATA_DIR: parts.folder,
    ...environment,
  };
  const kinds = [
    ...Array.from({ length: apis }, () => 'api' as const),
    ...Array.from({ length: workers }, () => 'worker' as const),
    ...Array.from({ length: compactors }, () => 'compactor' as const),
  ];
  const ports = await freePorts(kinds.length);
  const logs = join(parts.folder, 'logs');
  return kinds.map(
    (app, index) =>
      new AppProcess({ name: `${app}-${index + 1}`, app, port: ports[index] ?? 0, logs, env }, parts.guard),
  );
}
