import type { Json } from '#libs/domain';
import type { Database } from './connect.js';
import {
  deleteRecording,
  findRecording,
  findRecordingHash,
  listRecordings,
  putRecording,
  type RecordingRecord,
} from './operations/recordings.js';

/** Uploaded recordings; bodies are shared by content in `payload`. */
export type RecordingStore = {
  put(projectId: string, name: string, body: Json): Promise<RecordingRecord>;
  hash(projectId: string, name: string): Promise<string | null>;
  get(projectId: string, name: string): Promise<(RecordingRecord & { body: Json }) | null>;
  list(projectId: string, page: { afterName: string | null; limit: number }): Promise<RecordingRecord[]>;
  delete(projectId: string, name: string): Promise<boolean>;
};

export function postgresRecordingStore(db: Database): RecordingStore {
  return {
    put: (projectId, name, body) => db.run((sql) => putRecording(sql, projectId, name, body)),
    hash: (projectId, name) => db.run((sql) => findRecordingHash(sql, projectId, name)),
    get: (projectId, name) => db.run((sql) => findRecording(sql, projectId, name)),
    list: (projectId, page) => db.run((sql) => listRecordings(sql, projectId, page)),
    delete: (projectId, name) => db.run((sql) => deleteRecording(sql, projectId, name)),
  };
}
