import type { Json } from '#libs/domain';

export type PipelineVersionRecord = {
  projectId: string;
  name: string;
  version: number;
  document: Json;
  contentHash: string;
  createdAt: string;
};

/** What new runs of a pipeline begin with; each null: no such alias. `weight`: the share of the canary, in percent above 0. */
export type PipelineAliases = { live: number | null; canary: { version: number; weight: number } | null };

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
  /** Of a pipeline that was deleted none. */
  getAliases(projectId: string, name: string): Promise<PipelineAliases>;
}
