import { relative } from 'node:path';
import { AppError } from '#libs/domain';
import type { Output } from '../terminal/output.js';
import { demonstrationText } from '../render/demonstration-text.js';
import { createStyle } from '../terminal/style.js';
import { keyFile } from '../client/server-address.js';
import type { BackingServices } from './backing-services.js';
import type { DemoResult } from './demonstration/demonstration.js';

export type ReadyFacts = {
  readonly url: string;
  readonly apiKey: string;
  readonly pids: { readonly up: number; readonly api: number; readonly worker: number[]; readonly compactor: number[] };
  readonly services: BackingServices;
  readonly dataDir: string;
  readonly version: string;
};

/** What `weir up` says: the lines that scripts read, or a few for people. */
export type UpReport = {
  readonly progress: (text: string) => void;
  readonly ready: (facts: ReadyFacts) => void;
  readonly demo: (result: DemoResult) => void;
  readonly stay: () => void;
  readonly failed: (error: unknown) => void;
  readonly stopped: (exitCode: number) => void;
};

const hints: Readonly<Record<string, string>> = {
  port_in_use: 'Give another port with --port, or none: then a free one is taken.',
  data_dir_locked: 'Stop the other one, or give --data-dir.',
  postgres_version_mismatch: 'Give another --data-dir, or start the Weir that made this one.',
  service_not_started: 'The end of its log is in the detail; all logs are in the data folder under logs/.',
  service_unreachable: 'npx weir doctor shows all that is checked.',
  app_not_started: 'Its log has the reason: on stderr with --json, else in the data folder under logs/.',
  postgres_binaries_missing: 'Run npm ci with optional dependencies, or set DATABASE_URL.',
};

export function createUpReport(output: Output): UpReport {
  return {
    progress: (text) => output.text(text),
    ready: (facts) => {
      output.json({
        event: 'ready',
        url: facts.url,
        api_key: facts.apiKey,
        pids: facts.pids,
        postgres_url: facts.services.postgresUrl,
        redis_url: facts.services.redisUrl,
        queue_backend: facts.services.queueBackend,
        data_dir: facts.dataDir,
        version: facts.version,
      });
      readyText(facts).forEach(output.text);
    },
    demo: (result) => {
      output.json({ event: 'demo', ...result });
      demonstrationText(result, createStyle()).forEach(output.text);
    },
    stay: () => output.text('\nWeir stays until you press Ctrl-C.'),
    failed: (error) => {
      const code = error instanceof AppError ? error.code : 'unexpected';
      const detail = error instanceof Error ? error.message : String(error);
      output.json({
        event: 'failed',
        code,
        detail,
        hint: hints[code] ?? 'The logs are in the data folder under logs/.',
      });
      output.error(`weir up: ${detail}`);
    },
    stopped: (exitCode) => {
      output.json({ event: 'stopped', exit_code: exitCode });
      output.text('Weir has stopped.');
    },
  };
}

function readyText(facts: ReadyFacts): string[] {
  const { services, pids } = facts;
  const here = (path: string): string => relative(process.cwd(), path) || '.';
  return [
    `\nWeir ${facts.version} is ready.\n`,
    `  address    ${facts.url}   (API: ${facts.url}/docs)`,
    `  key        ${facts.apiKey}   (in ${here(keyFile(facts.dataDir))})`,
    `  Postgres   ${services.postgresNote}`,
    `  queue      ${services.queueNote}`,
    `  processes  api ${pids.api}, worker ${pids.worker.join(' ')}, compactor ${pids.compactor.join(' ')}`,
    `  data       ${here(facts.dataDir)}   (logs in ${here(facts.dataDir)}/logs)`,
  ];
}
