import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ProblemError } from './problem-error.js';

export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
/** Deeper than anybody writes, and far from where writing it down again overflows the stack. */
const MOST_LEVELS = 500;
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
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (isRaw(request)) return done(null, new RawText(text));
    if (text.trim() === '') return done(null, undefined);
    return parseJson(request, text, (error, value) => {
      if (error !== null) return done(malformedJson(text, error));
      const found = firstUnfit(value);
      if (found !== null) return done(found);
      return done(null, value);
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

/**
 * What cannot be kept as it came: values that are nested too deep, and numbers too large for a double, which would be
 * written down as null. Level by level: a function that calls itself would overflow on exactly what it looks for.
 */
export function firstUnfit(value: unknown): ProblemError | null {
  let level: unknown[] = [value];
  for (let depth = 0; depth <= MOST_LEVELS; depth += 1) {
    if (level.some((one) => typeof one === 'number' && !Number.isFinite(one)))
      return new ProblemError('malformed_json', 'The body has a number that is too large; send it as a string.');
    level = level.flatMap((one): unknown[] => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return null;
  }
  return new ProblemError('malformed_json', `The body has values over ${MOST_LEVELS} levels deep.`);
}
