import type { DefaultTimestamp } from './column-kinds.js';

export type ProjectTable = { project_id: string; name: string; created_at: DefaultTimestamp };
