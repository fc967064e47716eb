import { chmodSync, writeFileSync } from 'node:fs';
import { createWeirClient, ServerProblem } from '#libs/client';
import { API_KEY_SCOPES } from '#libs/engine';
import { keyFile, readNote, urlFile } from '../client/server-address.js';
import { issueKey } from '../keys/issue-key.js';

/**
 * The key that scripts and the other commands use: the one in the data folder as long as the server takes it,
 * else a new one with all scopes, stored there for its owner alone. Also notes the address.
 */
export async function firstKey(options: { url: string; postgresUrl: string; dataDir: string }): Promise<string> {
  const file = keyFile(options.dataDir);
  writeFileSync(urlFile(options.dataDir), `${options.url}\n`);
  const kept = readNote(file);
  if (kept !== null && (await isAccepted(options.url, kept))) return kept;
  const { token } = await issueKey(options.postgresUrl, {
    projectId: 'default',
    name: 'weir up',
    scopes: API_KEY_SCOPES,
  });
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return token;
}

/** The database may be another one than the key was made for. */
async function isAccepted(url: string, key: string): Promise<boolean> {
  try {
    await createWeirClient({ url, apiKey: key }).api.GET('/v1/pipelines', { params: { query: { limit: 1 } } });
    return true;
  } catch (error) {
    if (error instanceof ServerProblem && (error.status === 401 || error.status === 403)) return false;
    throw error;
  }
}
