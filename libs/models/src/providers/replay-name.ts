import { API_FORMATS, type ApiFormat } from '#libs/context';

/** `model` and `apiFormat`: whose window, prices and form the replay is measured with. */
export type ReplayName = { recording: string; model: string | null; apiFormat: ApiFormat | null };

/** `<recording>` or `<recording>?model=<connection:model>&api_format=<format>`; null when it is neither. */
export function parseReplayName(name: string): ReplayName | null {
  const [recording = '', query = ''] = name.split('?', 2);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(recording)) return null;
  const options = new URLSearchParams(query);
  const format = options.get('api_format');
  const apiFormat = API_FORMATS.find((known) => known === format) ?? null;
  if (format !== null && apiFormat === null) return null;
  if ([...options.keys()].some((key) => key !== 'model' && key !== 'api_format')) return null;
  return { recording, model: options.get('model'), apiFormat };
}
