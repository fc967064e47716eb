import type { DefaultTimestamp, JsonColumn } from './column-kinds.js';

export type InstallationTable = { name: string; value: JsonColumn; updated_at: DefaultTimestamp };
