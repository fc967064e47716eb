// Plain JavaScript without dependencies: this runs in a fresh clone, before `npm ci` and before the first build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { dieWithParent } from './die-with-parent.mjs';

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

const stampFile = join(root, 'dist', '.build-stamp');
/** What is started here must not outlive a kill -9 of this process. */
const watcher = new URL('die-with-parent.mjs', import.meta.url).href;
const lockFolder = join(root, '.weir-prepare.lock');

/**
 * Installs packages and compiles the apps when that is needed. Everything goes to stderr: stdout belongs to the
 * command. Two commands at once in one checkout wait for each other. Throws with a sentence when a step fails.
 */
export function prepare() {
  if (!hasSources() || (!isInstallStale() && !isBuildStale())) return;
  // Below npm this process ends with npm; from a shell it may outlive it (nohup).
  const letGo = process.env.npm_lifecycle_event === undefined ? () => undefined : dieWithParent();
  withLock(() => {
    // Whoever held the lock may have done the work.
    if (isInstallStale()) install();
    if (isBuildStale()) build();
  });
  letGo();
}

/** A released image ships `dist` alone: nothing to install, nothing to compile. */
function hasSources() {
  return existsSync(join(root, 'apps', 'cli', 'src', 'main.ts')) && existsSync(join(root, 'package-lock.json'));
}

/**
 * Whether node_modules holds other versions than the lock names. Times would not do: a checkout sets them anew,
 * and `npm install` writes the two files in no certain order. Packages for other platforms may be absent.
 */
export function isInstallStale() {
  const hidden = readJson(join(root, 'node_modules', '.package-lock.json'));
  const lock = readJson(join(root, 'package-lock.json'));
  if (hidden === null || lock === null) return lock !== null;
  return Object.entries(lock.packages).some(([path, wanted]) => {
    if (path === '') return false;
    const found = hidden.packages[path];
    if (found === undefined) return wanted.optional !== true && wanted.devOptional !== true && wanted.peer !== true;
    return found.version !== wanted.version;
  });
}

function install() {
  say('Installing packages (npm ci) …');
  const npm = process.env.npm_execpath;
  const [command, args] = npm === undefined ? ['npm', ['ci']] : [process.execPath, [npm, 'ci']];
  // npm lends its own settings of the outer run to this one (npm_config_*); what the lock says is what counts.
  run(command, [...args, '--no-audit', '--no-fund', '--loglevel=error'], 'npm ci');
}

/** Compiled aside and then exchanged: whatever runs from `dist` meanwhile never finds it half there. */
function build() {
  say('Compiling …');
  const stamp = sourceStamp();
  const [dist, next, former] = ['dist', '.dist-next', '.dist-former'].map((name) => join(root, name));
  for (const folder of [next, former]) rmSync(folder, { recursive: true, force: true });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = [
    '-p',
    join(root, 'tsconfig.build.json'),
    '--outDir',
    next,
    '--incremental',
    'false',
    '--tsBuildInfoFile',
    'null',
  ];
  run(process.execPath, [compiler, ...options], 'the build');
  writeFileSync(join(next, '.build-stamp'), stamp);
  if (existsSync(dist)) renameSync(dist, former);
  renameSync(next, dist);
  rmSync(former, { recursive: true, force: true });
}

export function isBuildStale() {
  return !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== sourceStamp();
}

/** A digest of all that the compiler reads from this repository. */
function sourceStamp() {
  const hash = createHash('sha256');
  const files = ['apps', 'libs'].flatMap((folder) => sources(join(root, folder)));
  for (const file of [
    ...files.sort(),
    join(root, 'tsconfig.json'),
    join(root, 'tsconfig.build.json'),
    join(root, 'package-lock.json'),
  ]) {
    hash.update(file.slice(root.length)).update('\0').update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex');
}

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return entry.name === 'node_modules' || path === join(root, 'apps', 'console') ? [] : sources(path);
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.spec.ts') ? [path] : [];
  });
}

function run(command, args, name) {
  const options = `${process.env.NODE_OPTIONS ?? ''} --import ${watcher}`.trim();
  const env = { ...process.env, NODE_OPTIONS: options, WEIR_DIE_WITH_PARENT: '1' };
  const { status, signal, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], env });
  if (error !== undefined) throw new Error(`${name} could not be started: ${error.message}`);
  if (status !== 0) throw new Error(`${name} failed (${signal ?? `exit code ${status}`}); its output is above.`);
}

/** Creating a folder is atomic everywhere. A lock whose process has gone is taken over. */
function withLock(work) {
  const deadline = Date.now() + 10 * 60_000;
  for (;;) {
    try {
      mkdirSync(lockFolder);
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isLockStale() || Date.now() > deadline) rmSync(lockFolder, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  try {
    writeFileSync(join(lockFolder, 'pid'), String(process.pid));
    work();
  } finally {
    rmSync(lockFolder, { recursive: true, force: true });
  }
}

function isLockStale() {
  try {
    process.kill(Number(readFileSync(join(lockFolder, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    if (error.code === 'ESRCH') return true;
    // Made a moment ago and not signed yet, or gone meanwhile.
    const age = existsSync(lockFolder) ? Date.now() - statSync(lockFolder).mtimeMs : 0;
    return error.code === 'ENOENT' && age > 5000;
  }
}

function readJson(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}
