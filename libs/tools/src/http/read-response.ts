import type { OutboundResponse } from '#libs/outbound';
import type { Content } from '#libs/domain';
import type { ToolOutcome } from '#libs/engine';
import { boundedResult, MAX_RESULT_BYTES, tooLarge } from '../results/result-text.js';
import { toolError } from '../results/tool-error.js';
import { reasonOf } from './send-request.js';

const MAX_ERROR_CHARS = 2_000;
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);
/** Base64 of parts makes four bytes of three. */
const MAX_BINARY_BYTES = Math.floor((MAX_RESULT_BYTES * 3) / 4) - 1_000;

/** An answer as a result: text as text, images and PDFs as parts, a status from 400 as an error with the start of its body. */
export async function readResponse(response: OutboundResponse, method: string): Promise<ToolOutcome> {
  const type = (response.headers.get('content-type') ?? '').toLowerCase();
  const bytes = await boundedBytes(response).catch((error: unknown) => brokenOff(response, error));
  if (bytes !== null && 'status' in bytes) return bytes;
  if (bytes === null) return tooLarge(null);
  if (response.status >= 400)
    return errorOf(response, decoded(bytes, type) ?? `(${bytes.byteLength} bytes of ${type})`);
  if (method === 'HEAD') return boundedResult(headText(response));
  if (bytes.byteLength === 0) return boundedResult(`(HTTP ${response.status}, no content)`);
  const part = binaryPart(bytes, type);
  if (part !== null) return bytes.byteLength > MAX_BINARY_BYTES ? tooLarge(bytes.byteLength) : boundedResult(part);
  const text = decoded(bytes, type);
  if (text !== null) return boundedResult(text);
  return toolError(
    `the answer is ${type === '' ? 'binary' : type} (${bytes.byteLength} bytes); only text, JSON, images and PDF documents can be shown.`,
  );
}

/** Null when there is more than a result may have; reading stops there. */
async function boundedBytes(response: OutboundResponse): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  if (body === null) return new Uint8Array();
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_RESULT_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function brokenOff({ status }: OutboundResponse, error: unknown): ToolOutcome {
  const detail = `the answer (HTTP ${status}) broke off (${reasonOf(error)}); the call may have taken effect all the same.`;
  return toolError(detail, { retryable: true, mayHaveTakenEffect: true });
}

function errorOf(response: OutboundResponse, body: string): ToolOutcome {
  const chars = [...body.trim()];
  const shown =
    chars.length > MAX_ERROR_CHARS
      ? `${chars.slice(0, MAX_ERROR_CHARS).join('')} … (${chars.length} characters in all)`
      : chars.join('');
  const status = `HTTP ${response.status}${response.statusText === '' ? '' : ` ${response.statusText}`}`;
  return toolError(shown === '' ? status : `${status}: ${shown}`, { retryable: RETRYABLE.has(response.status) });
}

function headText(response: OutboundResponse): string {
  const shown = ['content-type', 'content-length', 'last-modified', 'etag', 'location'].flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return [`HTTP ${response.status}`, ...shown].join('\n');
}

function binaryPart(bytes: Uint8Array, type: string): Content | null {
  const mediaType = type.split(';')[0]?.trim() ?? '';
  const data = (): string => Buffer.from(bytes).toString('base64');
  if (/^image\/(?:png|jpeg|gif|webp)$/.test(mediaType)) return [{ type: 'image', media_type: mediaType, data: data() }];
  if (mediaType === 'application/pdf') return [{ type: 'document', media_type: mediaType, data: data() }];
  return null;
}

const TEXT_TYPES =
  /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml)|application\/(?:x-)?(?:ndjson|jsonl|javascript|yaml|toml|sql|x-www-form-urlencoded)|image\/svg)/;

/** Text in the charset that its type names (UTF-8 without one); a body without a type counts as text when it is UTF-8. Null: no text. */
function decoded(bytes: Uint8Array, type: string): string | null {
  if (type !== '' && !TEXT_TYPES.test(type)) return null;
  const charset = /charset="?([\w.:-]+)/.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset, { fatal: type === '' }).decode(bytes);
  } catch (error) {
    // Unknown charsets are read as UTF-8; without a type the body was binary.
    return error instanceof RangeError || type !== '' ? new TextDecoder().decode(bytes) : null;
  }
}
