import type { NeutralMessage } from '../../../libs/context/src/index.js';
import type { Rival, Setting } from './rival.js';
import { charsOf } from './sizes.js';

/** The whole history, as it was recorded. */
export const unmanaged: Rival = {
  label: 'unmanaged',
  keepsMost: false,
  settings: () => [
    {
      label: 'all',
      forFuzz: true,
      start: () => ({ next: (history) => Promise.resolve({ messages: history, charged: 0 }) }),
    },
  ],
};

/** The newest messages that fit. */
export const slidingWindow: Rival = {
  label: 'sliding window',
  keepsMost: false,
  settings: ({ chars, headChars }): Setting[] => [
    {
      label: `${chars} chars`,
      forFuzz: true,
      start: () => ({
        next: (history) => Promise.resolve({ messages: newest(history, chars - headChars), charged: 0 }),
      }),
    },
  ],
};

function newest(history: readonly NeutralMessage[], chars: number): readonly NeutralMessage[] {
  let from = history.length;
  for (let room = chars; from > 0; from -= 1) {
    const message = history[from - 1];
    if (message === undefined) break;
    room -= charsOf([message]);
    if (room < 0) break;
  }
  return history.slice(from);
}
