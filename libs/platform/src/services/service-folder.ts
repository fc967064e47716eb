import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { AppError } from '#libs/domain';
import { sharedTemporaryFolder } from './postgres-binaries.js';
import { isReachable, type ServiceUser } from './service-user.js';

/** In the data folder, when the servers' files cannot be there: the path of the folder that holds them. */
const noteName = 'services-folder';

/**
 * The folder in which the servers of `dataDir` keep their files: `dataDir` itself, unless `user` cannot reach it
 * (root in a checkout below a 0700 folder). Then a folder in /var/tmp named by a hash of the data folder's path.
 */
export function serviceFolder(dataDir: string, user: ServiceUser | null): string {
  const note = join(dataDir, noteName);
  if (existsSync(note)) return ownFolder(readFileSync(note, 'utf8').trim());
  if (isReachable(dataDir, user, 'enter')) return dataDir;
  const hash = createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16);
  const folder = join(sharedTemporaryFolder(), `weir-data-${hash}`);
  // Without a note the data folder is a new one, and what lies here belonged to one that was deleted.
  if (existsSync(folder)) rmSync(ownFolder(folder), { recursive: true, force: true });
  writeFileSync(note, `${folder}\n`, { mode: 0o600 });
  return ownFolder(folder);
}

function ownFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || stat.uid !== process.getuid?.()) {
    throw new AppError(
      'foreign_service_folder',
      `${folder} should hold this server's data but belongs to somebody else. Choose another --data-dir.`,
      { folder },
    );
  }
  chmodSync(folder, 0o755);
  return folder;
}
