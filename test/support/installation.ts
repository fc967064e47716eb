import 'reflect-metadata';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startApi } from '../../apps/api/src/run-api.js';
import { compactorApp } from '../../apps/compactor/src/compactor-app.js';
import {
  composeEngine,
  logCleaner,
  startBackgroundApp,
  type BackgroundApp,
  type Runtime,
} from '../../apps/runtime/src/index.js';
import { workerApp } from '../../apps/worker/src/worker-app.js';
import type { JsonObject } from '../../libs/domain/src/index.js';
import { applyPipeline, startRun, type RunRecord } from '../../libs/engine/src/index.js';
import { createProject } from '../../libs/event-store/src/index.js';
import {
  createShutdown,
  parseEnvironment,
  parseOperatorFile,
  resolveSettings,
  type Logger,
  type Settings,
  type Shutdown,
} from '../../libs/platform/src/index.js';
import { testLogger } from './test-logger.js';
import { createTestDatabase, type TestDatabase } from './test-services.js';
import { waitFor } from './wait-for.js';

export const PROJECT = 'default';

const loggerOf = (settings: Settings): Logger => testLogger('installation', logCleaner(settings));

type Background = Awaited<ReturnType<typeof startBackgroundApp>> & { end: () => Promise<void> };

/** An installation: a database, a queue, a process that accepts runs, and workers that come and go. */
export class Installation {
  private readonly shutdowns: Shutdown[] = [];
  private constructor(
    readonly settings: Settings,
    readonly accepting: Runtime,
    private readonly database: TestDatabase,
    private readonly scripts: string,
  ) {}

  /** `operatorFile`: `weir.yml`; `environment`: of all its processes. */
  static async open(environment: Record<string, string>, operatorFile = ''): Promise<Installation> {
    const database = await createTestDatabase();
    const scripts = await mkdtemp(join(tmpdir(), 'weir-scripts-'));
    const variables = {
      ...{
        DATABASE_URL: database.url,
        WEIR_SCRIPTS_DIR: scripts,
        WEIR_DRAIN_S: '0.2',
        WEIR_LEASE_S: '3',
        WEIR_SWEEP_S: '0.5',
        WEIR_HEALTH_PORT: '0',
      },
      ...environment,
    };
    const settings = resolveSettings(
      parseEnvironment(variables),
      parseOperatorFile(operatorFile, 'weir.yml'),
      variables,
    );
    const accepting = await composeEngine(settings, loggerOf(settings), 'api');
    const project = { projectId: PROJECT, name: 'test', actor: 'test' };
    await createProject(accepting.database.kysely, project);
    return new Installation(settings, accepting, database, scripts);
  }

  worker(): Promise<Background> {
    return this.background(workerApp);
  }

  compactor(): Promise<Background> {
    return this.background(compactorApp);
  }

  /** A whole api process, with another port than its settings say. */
  async api(): Promise<Awaited<ReturnType<typeof startApi>>> {
    const { logger, shutdown } = this.process();
    const settings = { ...this.settings, server: { ...this.settings.server, port: 0 } };
    return startApi(settings, logger, shutdown, { docs: false });
  }

  private process(): { logger: Logger; shutdown: Shutdown } {
    const logger = loggerOf(this.settings);
    const shutdown = createShutdown(logger);
    this.shutdowns.push(shutdown);
    return { logger, shutdown };
  }

  private async background(app: BackgroundApp): Promise<Background> {
    const { logger, shutdown } = this.process();
    const started = await startBackgroundApp(app, this.settings, logger, shutdown);
    await waitFor(async () => (await fetch(`${started.healthUrl}/health/ready`)).ok);
    return {
      ...started,
      end: async () => expect(await shutdown.begin('test')).toEqual({ exitCode: 0, failed: [] }),
    };
  }

  async script(name: string, document: unknown): Promise<void> {
    await writeFile(join(this.scripts, `${name}.json`), JSON.stringify(document));
  }

  /** Whether a script has touched this file. */
  isTouched(file: string): boolean {
    return existsSync(join(this.scripts, file));
  }

  /** A pipeline with the input `n`; `a` is an agent whose scripted model has the pipeline's name. */
  apply(name: string, steps: (JsonObject & { id: string })[]): Promise<void> {
    return this.applyDocument({
      name,
      inputs: { n: { type: 'integer' } },
      agents: { a: { model: `scripted:${name}`, system_prompt: 'You answer.' } },
      steps,
      output: `\${steps.${steps.at(-1)?.id}.output}`,
    });
  }

  async applyDocument(document: JsonObject & { name: string }): Promise<void> {
    const { name } = document;
    const applied = await applyPipeline(this.accepting.engine, { projectId: PROJECT, name, document, promote: true });
    expect(applied).toEqual(expect.objectContaining({ ok: true }));
  }

  start(pipeline: string, n: number): Promise<string> {
    return this.startWith(pipeline, { n });
  }

  async startWith(pipeline: string, inputs: JsonObject, streamId: string | null = null): Promise<string> {
    const command = {
      projectId: PROJECT,
      pipeline,
      version: null,
      inputs,
      streamId,
      tags: [],
      metadata: {},
      priority: 0,
      deadlineAt: null,
      idempotencyKey: null,
    };
    const started = await startRun(this.accepting.engine, command);
    if (started.status !== 'started') throw new Error(JSON.stringify(started));
    return started.runId;
  }

  async ended(runId: string, timeoutMs = 30_000): Promise<RunRecord> {
    return waitFor(
      async () => {
        const run = await this.accepting.engine.runs.getRun(PROJECT, runId);
        return run !== null && run.endedAt !== null ? run : null;
      },
      { what: `the end of ${runId}`, timeoutMs },
    );
  }

  async close(): Promise<void> {
    for (const shutdown of this.shutdowns) await shutdown.begin('test');
    await this.accepting.tools.close();
    await this.accepting.queue.close();
    await this.accepting.database.close();
    await this.accepting.tracing.close();
    await this.database.drop();
    await rm(this.scripts, { recursive: true });
  }
}
