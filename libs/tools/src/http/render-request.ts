import { wellFormed } from '#libs/context';
import {
  isJsonObject,
  parseTemplate,
  renderTemplate,
  renderText,
  textOf,
  type ExpressionLanguage,
  type ExpressionVariables,
  type Json,
  type Template,
  type ToolDefinition,
} from '#libs/domain';
import type { HttpRequest } from './http-request.js';
import { renderUrl } from './render-url.js';

export type HttpDefinition = Extract<ToolDefinition, { kind: 'http' }>;
type Rendered<T> = { ok: true; value: T } | { ok: false; detail: string };

/** Headers that belong to the connection, not to a document. */
const RESERVED = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
  'expect',
  'proxy-authorization',
  'proxy-connection',
]);

/** Expands a definition into a request; every value is encoded for the place it stands in and never expanded again. */
export function renderRequest(
  definition: HttpDefinition,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
): Rendered<HttpRequest> {
  const address = renderUrl(definition.url, variables, language);
  if (!address.ok) return address;
  const query = addQuery(address.url, definition.query, variables, language);
  if (!query.ok) return query;
  const headers = renderHeaders(definition.headers, variables, language);
  if (!headers.ok) return headers;
  const body = renderBody(definition.body, headers.value, variables, language);
  if (!body.ok) return body;
  return { ok: true, value: { method: definition.method, url: address.url, headers: headers.value, body: body.value } };
}

/** null leaves a parameter out, a list repeats it. */
function addQuery(
  url: URL,
  query: ReadonlyMap<string, Template>,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
): Rendered<null> {
  for (const [name, template] of query) {
    const rendered = renderTemplate(template, variables, language);
    if (!rendered.ok) return { ok: false, detail: `query.${name}: ${rendered.detail}` };
    const values = Array.isArray(rendered.value) ? rendered.value : [rendered.value];
    for (const value of values) if (value !== null) url.searchParams.append(name, wellFormed(textOf(value)));
  }
  return { ok: true, value: null };
}

function renderHeaders(
  templates: ReadonlyMap<string, string>,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
): Rendered<Map<string, string>> {
  const headers = new Map<string, string>();
  for (const [given, template] of templates) {
    const name = given.toLowerCase();
    if (RESERVED.has(name)) return { ok: false, detail: `headers.${given}: this header is set by the connection` };
    const rendered = renderText(template, variables, language);
    if (!rendered.ok) return { ok: false, detail: `headers.${given}: ${rendered.detail}` };
    if (!/^[\t\x20-\x7e]*$/.test(rendered.text))
      return {
        ok: false,
        detail: `headers.${given}: line breaks and characters outside ASCII are not allowed in a header`,
      };
    headers.set(name, rendered.text);
  }
  return { ok: true, value: headers };
}

/** Sets `content-type` where the definition does not. */
function renderBody(
  template: Template,
  headers: Map<string, string>,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
): Rendered<string | null> {
  if (template === null) return { ok: true, value: null };
  const type =
    headers.get('content-type') ?? (typeof template === 'string' ? 'text/plain; charset=utf-8' : 'application/json');
  headers.set('content-type', type);
  if (typeof template === 'string' && !isWholeExpression(template)) {
    const text = renderText(template, variables, language, encoderFor(type));
    return text.ok ? { ok: true, value: text.text } : { ok: false, detail: `body: ${text.detail}` };
  }
  const rendered = renderTemplate(template, variables, language);
  if (!rendered.ok) return { ok: false, detail: `body: ${rendered.detail}` };
  return { ok: true, value: bodyText(rendered.value, type) };
}

function bodyText(value: Json, type: string): string {
  if (isForm(type) && isJsonObject(value)) {
    const form = new URLSearchParams();
    for (const [name, member] of Object.entries(value))
      if (member !== null) form.append(name, wellFormed(textOf(member)));
    return form.toString();
  }
  return isJson(type) ? JSON.stringify(value) : textOf(value);
}

/** A value inside a text that is JSON or a form is written so that it stays one value. */
function encoderFor(type: string): (text: string) => string {
  if (isJson(type)) return (text) => JSON.stringify(text).slice(1, -1);
  if (isForm(type)) return (text) => encodeURIComponent(wellFormed(text));
  return (text) => text;
}

const isJson = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
const isForm = (type: string): boolean => /^application\/x-www-form-urlencoded\b/i.test(type);

/** One whole `${…}` keeps the value's type. */
function isWholeExpression(template: string): boolean {
  const parsed = parseTemplate(template);
  return parsed.ok && parsed.parts.length === 1 && parsed.parts[0]?.type === 'expression';
}
