import type { DefaultTimestamp, JsonColumn } from './column-kinds.js';

/** Immutable. */
export type PipelineVersionTable = {
  project_id: string;
  name: string;
  version: number;
  document: JsonColumn;
  content_hash: string;
  created_at: DefaultTimestamp;
};
