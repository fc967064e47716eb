import { stat, statfs } from 'node:fs/promises';
import { failing, fine, warning, type Finding } from '#libs/domain';

const MIB = 1024 * 1024;
const LITTLE = 1024 * MIB;
const ALMOST_NONE = 128 * MIB;

/** The folder of `weir up`: the embedded database, logs, the key. Other processes keep nothing on disk. */
export async function checkDataDir(folder: string): Promise<Finding> {
  const what = { id: 'data_dir', expected: 'a folder with 1 GiB free', isNeeded: false };
  const seen = await stat(folder).then(
    (stats) => ({ isFolder: stats.isDirectory(), fault: null }),
    ({ code }: NodeJS.ErrnoException) => ({ isFolder: false, fault: code ?? 'unknown' }),
  );
  if (seen.fault === 'ENOENT') return fine({ ...what, found: `${folder} is not there (only weir up makes it)` });
  if (seen.fault !== null)
    return failing(
      { ...what, found: `${folder} cannot be read (${seen.fault})` },
      'mend the path, or set WEIR_DATA_DIR',
    );
  if (!seen.isFolder)
    return failing({ ...what, found: `${folder} is not a folder` }, 'move it away, or set WEIR_DATA_DIR');
  const { bavail, bsize } = await statfs(folder);
  return judgeSpace(folder, bavail * bsize);
}

export function judgeSpace(folder: string, freeBytes: number): Finding {
  const found = `${Math.round(freeBytes / MIB)} MiB free at ${folder}`;
  const what = { id: 'data_dir', found, expected: 'a folder with 1 GiB free', isNeeded: false };
  const advice = 'make room: an embedded database whose disk is full stops';
  if (freeBytes >= LITTLE) return fine(what);
  return freeBytes >= ALMOST_NONE ? warning(what, advice) : failing(what, advice);
}
