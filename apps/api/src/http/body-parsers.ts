import type { FastifyInstance, FastifyRequest } from 'fastify';
import { costlyJson, placeWords, unfitJson, UNFIT_WORDS, type UnfitJson } from '#libs/domain';
import { jsonPointer } from './json-pointer.js';
import { ProblemError } from './problem-error.js';

export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
const MOST_POINTER_KEYS = 10;
const MOST_HEADER_CHARS = 40;
export const YAML_MEDIA_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/** A body that arrived as YAML text; only routes that take documents accept it. */
export class YamlText {
  constructor(readonly text: string) {}
}

/** A body as it came, for routes that check its signature before they read it. */
export class RawText {
  constructor(readonly text: string) {}
}

const RAW_ROUTE = '/v1/hooks/:hook';
const isRaw = ({ method, routeOptions }: FastifyRequest): boolean =>
  method === 'POST' && routeOptions.url === RAW_ROUTE;

/**
 * JSON and YAML, nothing else; where senders deliver, JSON and forms as text. An empty JSON body counts as none, so that `POST …/cancel` needs no body even when
 * a client sets the content type. Keys that would reach an object's prototype are refused.
 */
export function addBodyParsers(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  refuseCompressed(server);
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (isRaw(request)) return done(null, new RawText(text));
    if (text.trim() === '') return done(null, undefined);
    const costly = costlyJson(text);
    if (costly !== null) return done(unfit({ reason: costly, path: [] }));
    return parseJson(request, text, (error, value) => {
      if (error !== null) return done(malformedJson(text, error));
      return done(unfitBody(value), value);
    });
  });
  server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (request, body, done) => {
    if (isRaw(request)) return done(null, new RawText(body.toString()));
    return done(new ProblemError('media_type_unsupported', 'This route takes application/json.'));
  });
  server.addContentTypeParser(YAML_MEDIA_TYPES, { parseAs: 'string' }, (_request, body, done) => {
    done(null, new YamlText(body.toString()));
  });
}

/** A compressed body of some kilobytes can stand for any size, so none is unpacked; without this it would be no JSON. */
function refuseCompressed(server: FastifyInstance): void {
  server.addHook('preParsing', (request, reply, payload, done) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return done(null, payload);
    const detail = `The body is compressed (Content-Encoding: ${encoding.slice(0, MOST_HEADER_CHARS)}). Send it as it is.`;
    // It is not read, and would be taken for the next request.
    reply.header('connection', 'close');
    return done(new ProblemError('media_type_unsupported', detail));
  });
}

/** The framework says only that it is no JSON; the engine says where. What the engine reads has forbidden keys. */
function malformedJson(text: string, cause: Error): ProblemError {
  try {
    JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return new ProblemError('malformed_json', `The body is not JSON: ${reason}.`, {}, { cause });
  }
  const detail = 'The body has a key that is not allowed: `__proto__`, or `constructor` with a `prototype` in it.';
  return new ProblemError('malformed_json', detail, {}, { cause });
}

/** What cannot be kept as it came, with its place. */
function unfitBody(value: unknown): ProblemError | null {
  const found = unfitJson(value);
  return found === null ? null : unfit(found);
}

function unfit({ reason, path }: UnfitJson): ProblemError {
  const detail = path.length === 0 ? UNFIT_WORDS[reason] : `${UNFIT_WORDS[reason]} (at ${placeWords(path)})`;
  const error = { in: 'body' as const, pointer: jsonPointer(path.slice(0, MOST_POINTER_KEYS)), code: reason, detail };
  return new ProblemError('malformed_json', `The body cannot be taken: ${detail}.`, { errors: [error] });
}
