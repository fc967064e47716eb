import type { Json } from '../json.js';
import type { ExpressionErrorCode, ExpressionLanguage, ExpressionVariables } from './expression-language.js';
import { formatPath, type FaultPath } from './fault-writer.js';

/** JSON whose strings may hold `${…}`. */
export type Template = Json;

/** `position`: UTF-16 offset of the expression in the string. */
export type TemplatePart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'expression'; readonly source: string; readonly position: number };

export type ParsedTemplate =
  | { readonly ok: true; readonly parts: readonly TemplatePart[] }
  | { readonly ok: false; readonly detail: string; readonly position: number };

/**
 * Splits a string at its `${…}`. `$${` stands for a literal `${`. A `}` inside a CEL string, map or comment does not end
 * the expression.
 */
export function parseTemplate(text: string): ParsedTemplate {
  const parts: TemplatePart[] = [];
  let literal = '';
  let at = 0;
  while (at < text.length) {
    if (text.startsWith('$${', at)) {
      literal += '${';
      at += 3;
    } else if (text.startsWith('${', at)) {
      const end = expressionEnd(text, at + 2);
      if (end === null)
        return { ok: false, detail: 'the "${" has no "}"; write "$${" for a literal one', position: at };
      if (literal !== '') parts.push({ type: 'text', text: literal });
      literal = '';
      parts.push({ type: 'expression', source: text.slice(at + 2, end), position: at + 2 });
      at = end + 1;
    } else {
      const next = text.indexOf('$', at + 1);
      const stop = next === -1 ? text.length : next;
      literal += text.slice(at, stop);
      at = stop;
    }
  }
  if (literal !== '') parts.push({ type: 'text', text: literal });
  return { ok: true, parts };
}

/** Index of the `}` that closes the expression starting at `from`, or null. */
function expressionEnd(text: string, from: number): number | null {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"' || char === "'") {
      at = stringEnd(text, at, char, /[rR][bB]?$|[bB][rR]$/.test(prefixBefore(text, from, at)));
      continue;
    }
    if (char === '/' && text.charAt(at + 1) === '/') {
      const lineEnd = text.indexOf('\n', at);
      if (lineEnd === -1) return null;
      at = lineEnd;
    } else if (char === '{') {
      depth += 1;
    } else if (char === '}') {
      if (depth === 0) return at;
      depth -= 1;
    }
    at += 1;
  }
  return null;
}

/** The letters directly before a quote: `r` there makes backslashes literal. */
function prefixBefore(text: string, from: number, quoteAt: number): string {
  return /[A-Za-z0-9_]*$/.exec(text.slice(Math.max(from, quoteAt - 8), quoteAt))?.[0] ?? '';
}

/** Index after the string that starts with the quote at `at` (also triple quotes), or the end of the text. */
function stringEnd(text: string, at: number, quote: string, isRaw: boolean): number {
  const triple = quote.repeat(3);
  const close = text.startsWith(triple, at) ? triple : quote;
  let index = at + close.length;
  while (index < text.length) {
    if (!isRaw && text.charAt(index) === '\\') index += 2;
    else if (text.startsWith(close, index)) return index + close.length;
    else index += 1;
  }
  return text.length;
}

export type RenderFailure = {
  readonly ok: false;
  readonly code: ExpressionErrorCode;
  /** Names the place and the expression. */
  readonly detail: string;
};

export type Rendered = { readonly ok: true; readonly value: Json } | RenderFailure;
export type RenderedText = { readonly ok: true; readonly text: string } | RenderFailure;

/**
 * Expands `${…}` in all strings of a JSON value, also in nested lists and objects; keys stay as they are.
 * A string that is one whole `${…}` becomes the value with its type; embedded ones become text (`textOf`).
 * What an expression gave is put in as it is and never looked at again, whatever it contains.
 */
export function renderTemplate(
  template: Template,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
): Rendered {
  return render(template, [], { variables, language });
}

type Rendering = { readonly variables: ExpressionVariables; readonly language: ExpressionLanguage };

function render(template: Template, path: FaultPath, rendering: Rendering): Rendered {
  if (typeof template === 'string') return renderString(template, path, rendering);
  if (Array.isArray(template)) return renderList(template, path, rendering);
  if (typeof template === 'object' && template !== null) return renderObject(template, path, rendering);
  return { ok: true, value: template };
}

function renderList(list: readonly Json[], path: FaultPath, rendering: Rendering): Rendered {
  const value: Json[] = [];
  for (const [index, element] of list.entries()) {
    const rendered = render(element, [...path, index], rendering);
    if (!rendered.ok) return rendered;
    value.push(rendered.value);
  }
  return { ok: true, value };
}

function renderObject(object: { [key: string]: Json }, path: FaultPath, rendering: Rendering): Rendered {
  const members: [string, Json][] = [];
  for (const [key, member] of Object.entries(object)) {
    const rendered = render(member, [...path, key], rendering);
    if (!rendered.ok) return rendered;
    members.push([key, rendered.value]);
  }
  return { ok: true, value: Object.fromEntries(members) };
}

function renderString(template: string, path: FaultPath, rendering: Rendering): Rendered {
  if (!template.includes('${')) return { ok: true, value: template };
  const parsed = parseTemplate(template);
  if (!parsed.ok) return failure('expression_invalid', path, template, parsed.detail);
  const only = parsed.parts.length === 1 ? parsed.parts[0] : undefined;
  if (only?.type === 'expression') return evaluateAt(only.source, path, rendering);
  const text = joinParts(parsed.parts, path, rendering, (value) => value);
  return text.ok ? { ok: true, value: text.text } : text;
}

/**
 * Expands a string into text, each expression's text passed through `encode` first (for the place it stands in: a path
 * segment, a query value). Literal text is not encoded.
 */
export function renderText(
  template: string,
  variables: ExpressionVariables,
  language: ExpressionLanguage,
  encode: (text: string) => string = (text) => text,
): RenderedText {
  const parsed = parseTemplate(template);
  if (!parsed.ok) return failure('expression_invalid', [], template, parsed.detail);
  return joinParts(parsed.parts, [], { variables, language }, encode);
}

function joinParts(
  parts: readonly TemplatePart[],
  path: FaultPath,
  rendering: Rendering,
  encode: (text: string) => string,
): RenderedText {
  let text = '';
  for (const part of parts) {
    if (part.type === 'text') {
      text += part.text;
      continue;
    }
    const rendered = evaluateAt(part.source, path, rendering);
    if (!rendered.ok) return rendered;
    text += encode(textOf(rendered.value));
  }
  return { ok: true, text };
}

function evaluateAt(source: string, path: FaultPath, rendering: Rendering): Rendered {
  const result = rendering.language.evaluate(source.trim(), rendering.variables);
  return result.ok ? result : failure(result.code, path, source, result.detail);
}

function failure(code: ExpressionErrorCode, path: FaultPath, source: string, detail: string): RenderFailure {
  const where = path.length === 0 ? '' : `${formatPath(path)}: `;
  const shown = source.length > 200 ? `${source.slice(0, 197)}...` : source;
  return { ok: false, code, detail: `${where}\${${shown}}: ${detail}` };
}

/** The text of a value inside other text: strings as they are, null nothing, everything else as JSON. */
export function textOf(value: Json): string {
  if (typeof value === 'string') return value;
  return value === null ? '' : JSON.stringify(value);
}
