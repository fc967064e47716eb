import type { Json } from '#libs/domain';

export type PipelineVersionRecord = {
  projectId: string;
  name: string;
  version: number;
  document: Json;
  contentHash: string;
  createdAt: string;
};

export interface PipelineStore {
  /** The same content again changes nothing (`created: false`); `promote` moves the alias `live`. */
  applyVersion(input: {
    projectId: string;
    name: string;
    document: Json;
    contentHash: string;
    promote: boolean;
  }): Promise<{ version: number; created: boolean }>;
  /** `version` null: what the alias `live` points to. */
  getVersion(projectId: string, name: string, version: number | null): Promise<PipelineVersionRecord | null>;
  /** What the alias `canary` points to, with its share of new runs in percent; null: none. */
  getCanary(projectId: string, name: string): Promise<{ version: number; weight: number } | null>;
}
