import type { FastifyInstance } from 'fastify';
import { ProblemError } from './problem-error.js';

export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
export const YAML_MEDIA_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/** A body that arrived as YAML text; only routes that take documents accept it. */
export class YamlText {
  constructor(readonly text: string) {}
}

/**
 * JSON and YAML, nothing else. An empty JSON body counts as none, so that `POST …/cancel` needs no body even when
 * a client sets the content type. Keys that would reach an object's prototype are refused.
 */
export function addBodyParsers(server: FastifyInstance): void {
  const parseJson = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString();
    if (text.trim() === '') return done(null, undefined);
    return parseJson(request, text, (error, value) => {
      if (error !== null) return done(malformedJson(error));
      return done(null, value);
    });
  });
  server.addContentTypeParser(YAML_MEDIA_TYPES, { parseAs: 'string' }, (_request, body, done) => {
    done(null, new YamlText(body.toString()));
  });
}

function malformedJson(cause: Error): ProblemError {
  return new ProblemError('malformed_json', `The body is not JSON: ${cause.message}.`, {}, { cause });
}
