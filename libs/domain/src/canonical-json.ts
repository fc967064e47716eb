import { quoteJson } from './quote-json.js';

/** What canonical JSON takes: JSON whose members may be absent. */
export type JsonLike =
  string | number | boolean | null | undefined | readonly JsonLike[] | { readonly [key: string]: JsonLike };

/**
 * Canonical JSON: object keys sorted by UTF-16 code unit, no white space, `undefined` members left out
 * (the ordering of RFC 8785; numbers as ECMAScript prints them, which is what that RFC asks for).
 * Equal values give equal strings, so digests and hashes are taken over this form.
 */
export function canonicalJson(value: JsonLike): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return quoteJson(value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) members.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${members.join(',')}}`;
}

const isList = (value: object): value is readonly JsonLike[] => Array.isArray(value);
