import type { ContentPart } from '#libs/domain';
import { abbreviate, wellFormed, type DocumentsEntry, type ResultEntry } from '../shape/index.js';

const MAX_ERROR_CHARS = 200;
const MAX_ARGUMENT_CHARS = 80;

/**
 * `[masked: name("arg") → ok, 12,431 chars, #57]`; an error keeps the first line of its message. Part of every prompt:
 * reword only with a new builder version.
 */
export function observationPlaceholder(source: ResultEntry | DocumentsEntry): string {
  const isResult = source.kind === 'result';
  // The name of documents is theirs, not an argument of a call: it stands inside their fence only.
  const argument = isResult ? source.argument : null;
  const name = isResult ? source.name : 'documents';
  const status = isResult ? source.status : 'ok';
  const error = status === 'error' ? firstLine(source.content) : '';
  const about = `${name}(${argument === null ? '' : JSON.stringify(abbreviate(argument, MAX_ARGUMENT_CHARS))}) → ${status}, ${grouped(source.chars)} chars, #${source.entry}`;
  return wellFormed(`[masked: ${about}${error === '' ? '' : `: ${error}`}]`);
}

function firstLine(content: readonly ContentPart[]): string {
  for (const part of content) {
    if (part.type !== 'text') continue;
    const line = part.text
      .split('\n', 20)
      .map((one) => one.trim())
      .find((one) => one !== '');
    if (line !== undefined) return abbreviate(line, MAX_ERROR_CHARS);
  }
  return '';
}

/** 12431 → 12,431, without the machine's locale. */
const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
