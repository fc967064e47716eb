import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#libs/domain';
import { settleFormerServer } from './former-postgres.js';
import { freePort } from './free-port.js';
import type { EndStage, Guard } from './guard.js';
import { lastLines, startProcess, waitForLogLine, type ManagedProcess } from './managed-process.js';
import { postgresBinaries, type PostgresBinaries } from './postgres-binaries.js';
import { serviceFolder } from './service-folder.js';
import { serviceUser, type ServiceUser } from './service-user.js';

export type RunningService = { readonly url: string; readonly pid: number; readonly process: ManagedProcess };

export type EmbeddedPostgresOptions = {
  /** Must exist. Logs go to its `logs/`, the cluster below it or where its user can reach it. */
  readonly dataDir: string;
  /** False only for tests: no fsync, no password, nothing survives a crash of the machine. */
  readonly durable: boolean;
  readonly guard: Guard;
  readonly maxConnections?: number;
  /** Where a server is to be found that is started again; else any free port. */
  readonly port?: number;
};

const superuser = 'weir';
/**
 * Fast shutdown, then immediate shutdown (loses nothing: the next start replays the log), then nothing is left to
 * ask. Five seconds after its end nothing of Weir may run, and the apps before it need some of them.
 */
const endStages: readonly EndStage[] = [
  { signal: 'SIGINT', afterMs: 0 },
  { signal: 'SIGQUIT', afterMs: 1500 },
  { signal: 'SIGKILL', afterMs: 3000 },
];
const killAtOnce: readonly EndStage[] = [{ signal: 'SIGKILL', afterMs: 0 }];

type Cluster = {
  readonly options: EmbeddedPostgresOptions;
  readonly binaries: PostgresBinaries;
  readonly user: ServiceUser | null;
  /** Holds the cluster and, while it is made, its unfinished form. */
  readonly folder: string;
  readonly data: string;
};

/**
 * Starts Postgres on a free port of 127.0.0.1, making the cluster when there is none, and waits until it accepts
 * connections. No unix socket: its path may be at most 107 bytes, a checkout's may be longer.
 * @throws AppError `service_not_started`, `postgres_version_mismatch`, `postgres_binaries_*`.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<RunningService> {
  const user = serviceUser();
  const folder = serviceFolder(options.dataDir, user);
  const cluster: Cluster = { options, binaries: postgresBinaries(user), user, folder, data: join(folder, 'postgres') };
  mkdirSync(join(options.dataDir, 'logs'), { recursive: true });
  if (existsSync(join(cluster.data, 'PG_VERSION'))) {
    checkVersion(cluster);
    await settleFormerServer(cluster.data);
  } else {
    await initialise(cluster);
  }
  return startOnPort(cluster);
}

function checkVersion({ data, binaries }: Cluster): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (Number(found) === binaries.major) return;
  throw new AppError(
    'postgres_version_mismatch',
    `The data in ${data} belong to Postgres ${found}, this Weir ships Postgres ${binaries.major}. Start the Weir that made them and export what is needed, or choose another --data-dir.`,
    { found, expected: binaries.major },
  );
}

/** The cluster appears under its name only when it is whole: an interrupted initdb leaves nothing to trip over. */
async function initialise(cluster: Cluster): Promise<void> {
  const { options, folder, user, binaries } = cluster;
  const half = join(folder, 'postgres-unfinished');
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { mode: 0o700 });
  const passwordFile = join(half, 'password');
  const password = options.durable ? readOrMakePassword(options.dataDir) : null;
  if (password !== null) writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user !== null)
    for (const path of password === null ? [half] : [half, passwordFile]) chownSync(path, user.uid, user.gid);
  const data = join(half, 'data');
  const log = join(options.dataDir, 'logs', 'initdb.log');
  const initdb = await startProcess({
    name: 'initdb',
    command: binaries.initdb,
    args: [
      ...['-D', data, '-U', superuser, '--encoding=UTF8', '--no-locale'],
      ...(password === null ? ['--auth=trust', '--no-sync'] : ['--auth=scram-sha-256', `--pwfile=${passwordFile}`]),
    ],
    env: serverEnvironment,
    cwd: half,
    user,
    output: { file: log },
    guard: options.guard,
    stopWith: killAtOnce,
    orphanedWith: killAtOnce,
  });
  const { code } = await initdb.exited;
  if (code !== 0) {
    throw new AppError('service_not_started', `initdb failed:\n${lastLines(readFileSync(log, 'utf8'))}`, { log });
  }
  renameSync(data, cluster.data);
  rmSync(half, { recursive: true, force: true });
}

const serverEnvironment: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Other users of the machine can reach 127.0.0.1 too. */
function readOrMakePassword(dataDir: string): string {
  const file = join(dataDir, 'postgres-password');
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  chmodSync(file, 0o600);
  return readFileSync(file, 'utf8').trim();
}

/** A port that was free may be taken when Postgres binds it: three attempts. */
async function startOnPort(cluster: Cluster, attempt = 1): Promise<RunningService> {
  const port = cluster.options.port ?? (await freePort());
  const log = join(cluster.options.dataDir, 'logs', 'postgres.log');
  const server = await startServer(cluster, port, log);
  try {
    // A killed server replays its log first, which may take a while.
    await waitForLogLine(server, log, 'ready to accept connections', 60_000);
  } catch (error) {
    await server.stop();
    const isPortTaken = readFileSync(log, 'utf8').includes('Address already in use');
    if (isPortTaken && cluster.options.port === undefined && attempt < 3) return startOnPort(cluster, attempt + 1);
    throw error;
  }
  const login = cluster.options.durable ? `${superuser}:${readOrMakePassword(cluster.options.dataDir)}` : superuser;
  return { url: `postgres://${login}@127.0.0.1:${port}/postgres`, pid: server.pid, process: server };
}

async function startServer(
  { options, binaries, data, user }: Cluster,
  port: number,
  log: string,
): Promise<ManagedProcess> {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: options.maxConnections ?? 100,
    shared_buffers: '64MB',
    timezone: 'UTC',
    log_checkpoints: 'off',
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return startProcess({
    name: 'Postgres',
    command: binaries.postgres,
    args: ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    env: serverEnvironment,
    cwd: data,
    user,
    output: { file: log },
    guard: options.guard,
    stopWith: endStages,
    orphanedWith: endStages,
  });
}
