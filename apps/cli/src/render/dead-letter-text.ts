import type { Api } from '#libs/client';
import { readable } from '../terminal/excerpt.js';
import { moment } from '../terminal/numbers.js';
import { statusText, type Style } from '../terminal/style.js';
import { facts } from '../terminal/table.js';

type DeadLetter = Api['DeadLetter'];

/** For a table: see DEAD_LETTER_HEADINGS. */
export function deadLetterRow(letter: DeadLetter): string[] {
  return [letter.id, letter.run_id, letter.pipeline, place(letter), moment(letter.dead_at)];
}
export const DEAD_LETTER_HEADINGS = ['DEAD LETTER', 'RUN', 'PIPELINE', 'STEP', 'GIVEN UP'];

/** One dead letter for people: where it belongs, how often it began, and the diagnosis. */
export function deadLetterText(letter: DeadLetter, style: Style): string[] {
  const { error } = letter;
  return [
    `${style('bold', letter.id)}  ${statusText('dead_letter', style)}`,
    ...facts([
      ['run', letter.run_id],
      ['pipeline', letter.pipeline],
      ['step', place(letter)],
      ['attempt', String(letter.attempt)],
      ['starts', String(letter.starts)],
      ['given up', moment(letter.dead_at)],
    ]),
    ...(error === null ? [] : [style('red', `${error.code}: ${readable(error.detail)}`)]),
  ];
}

/** `judge`, `judge[3]` of an item, `judge round 2` of a loop. */
function place({ step_id, item, round }: DeadLetter): string {
  return `${step_id}${item === null ? '' : `[${item}]`}${round === 0 ? '' : ` round ${round}`}`;
}
