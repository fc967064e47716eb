import { elide } from './elide.js';
import { forget } from './forget.js';
import { mask } from './mask.js';
import { select } from './select.js';
import { dropReasoning } from './drop-reasoning.js';
import { shorten } from './shorten.js';
import type { Stage } from './stage.js';
import { truncate } from './truncate.js';

/**
 * Every stage over entries, in their one fixed order. Compressing is a proposal (`propose-compaction.ts`); what came of it
 * is selected. Observations are shortened before turns are left out, as on the ladder. To add one: its file, a line here.
 */
export const stages: readonly Stage[] = [select, forget, dropReasoning, mask, elide, shorten, truncate];
