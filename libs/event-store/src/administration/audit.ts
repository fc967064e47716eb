import type { Kysely } from 'kysely';
import type { JsonObject } from '#libs/domain';
import type { DatabaseSchema } from '../schema/database-schema.js';

export type AuditEntry = { projectId: string; actor: string; action: string; subject: string; detail: JsonObject };

/** Who did what to what. Written in the transaction of the deed where there is one. */
export async function recordAudit(db: Kysely<DatabaseSchema>, entry: AuditEntry): Promise<void> {
  await db
    .insertInto('audit_log')
    .values({
      project_id: entry.projectId,
      actor: entry.actor,
      action: entry.action,
      subject: entry.subject,
      detail: entry.detail,
    })
    .execute();
}
