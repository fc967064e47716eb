import { readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '#libs/domain';

/** Whom a server runs as, and whose files its data are. */
export type ServiceUser = { readonly name: string; readonly uid: number; readonly gid: number };

/**
 * Postgres refuses to run as root. Root lends it the user `postgres`, else `nobody`, else any other user that
 * has a name (initdb looks the name up). Null: this process is not root and serves itself.
 */
export function serviceUser(): ServiceUser | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name: name ?? '', uid: Number(uid), gid: Number(gid) }))
    .filter((user) => user.name !== '' && user.uid > 0 && user.gid > 0);
  const chosen =
    users.find((user) => user.name === 'postgres') ?? users.find((user) => user.name === 'nobody') ?? users[0];
  if (chosen !== undefined) return chosen;
  throw new AppError(
    'no_service_user',
    'Postgres cannot run as root and /etc/passwd names no other user. Run Weir as another user, or set DATABASE_URL.',
  );
}

/** Whether `user` can enter every folder above `path` and has the permissions `wanted` on `path` itself. */
export function isReachable(path: string, user: ServiceUser | null, wanted: 'enter' | 'read'): boolean {
  if (user === null) return true;
  const real = realpathSync(path);
  if (!hasAccess(real, user, wanted === 'enter' ? 1 : statSync(real).isDirectory() ? 5 : 4)) return false;
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    if (!hasAccess(folder, user, 1)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** @param bits permission bits of one class: 4 read, 1 enter. */
function hasAccess(path: string, user: ServiceUser, bits: number): boolean {
  const { mode, uid, gid } = statSync(path);
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0;
  return ((mode >> shift) & bits) === bits;
}
