import { forget } from './forget.js';
import { mask } from './mask.js';
import { select } from './select.js';
import { dropReasoning } from './drop-reasoning.js';
import { shorten } from './shorten.js';
import type { Stage } from './stage.js';

/** Every stage over entries, in their one fixed order (elide, compress and truncate belong between mask and shorten). To add one: its file, a line here. */
export const stages: readonly Stage[] = [select, forget, dropReasoning, mask, shorten];
