import { measureOnce } from '../measure/measured-item.js';
import type { ShownItem } from '../view/entry.js';
import { isReasoning } from '../shape/fit-item.js';
import { changeCells, type Stage } from './stage.js';

/** Reasoning of answers before the frontier is left out, whole; the answer itself stays as it is. */
export const dropReasoning: Stage = {
  name: 'drop_reasoning',
  apply(input, knobs) {
    const from = knobs.marks.reasoningFrom;
    return changeCells(input, (cell) => {
      const item = cell.shown?.item;
      if (item?.role !== 'assistant' || item.entry >= from || !item.content.some(isReasoning)) return null;
      const shown = measureOnce(cell.forms, 'bare', knobs.model, (): ShownItem => ({
        ...item,
        content: item.content.filter((part) => !isReasoning(part)),
      }));
      return shown === null ? null : { ...cell, shown };
    });
  },
};
