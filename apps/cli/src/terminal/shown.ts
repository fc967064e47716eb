/** What our own styles emit: bold, dim, italic, underlined, the eight colours and their bright ones, and their ends. */
const OWN_STYLES = '\\u001b\\[(?:0|[1-4]|22|23|24|3[0-7]|39|9[0-7])m';
/** Marks that turn the direction of what stands after them: text that reads otherwise than it is. */
const DIRECTIONS = '\\u202a-\\u202e\\u2066-\\u2069';
const STEERING = `[^\\P{Cc}\\n\\t]|[${DIRECTIONS}]`;

const STYLED = new RegExp(`(${OWN_STYLES})|${STEERING}`, 'gu');
const PLAIN = new RegExp(STEERING, 'gu');

/**
 * Text for a terminal, without what would steer it: others wrote parts of it (names, answers of models, arguments to
 * approve, errors of other systems). Line ends and tabs stay, and on a terminal with colours those of `createStyle`.
 */
export function shown(text: string, isColoured: boolean): string {
  return isColoured ? text.replace(STYLED, (_all, own?: string) => own ?? '�') : text.replace(PLAIN, '�');
}

/** A JSON line of printable characters only: the value is the same, C1 controls are escaped like C0 ones. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`);
}
