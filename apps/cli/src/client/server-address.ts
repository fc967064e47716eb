import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Settings } from '#libs/platform';

/** Where `weir up` listens unless told otherwise. */
export const defaultPort = 7117;

/** Files that `weir up` leaves in its data folder for the other commands. */
export const keyFile = (dataDir: string): string => join(dataDir, 'key');
export const urlFile = (dataDir: string): string => join(dataDir, 'url');

/** `WEIR_URL` and `WEIR_API_KEY`, else what `weir up` wrote into the data folder. */
export function serverAddress(settings: Settings): { readonly url: string; readonly apiKey: string | null } {
  const dataDir = resolve(settings.dataDir);
  return {
    url: settings.client.url ?? readNote(urlFile(dataDir)) ?? `http://127.0.0.1:${defaultPort}`,
    apiKey: settings.client.apiKey ?? readNote(keyFile(dataDir)),
  };
}

export function readNote(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
}
