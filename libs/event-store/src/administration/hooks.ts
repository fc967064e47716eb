import { sql, type Kysely } from 'kysely';
import type { HookAction, HookVerification } from '#libs/domain';
import type { HookRecord } from '#libs/engine';
import { HOOK_COLUMNS, hookRecord } from '../operations/hook-row.js';
import type { DatabaseSchema } from '../schema/database-schema.js';
import { recordAudit } from './audit.js';
import { onlySecret, rotatedSecrets } from './stored-secrets.js';

type Db = Kysely<DatabaseSchema>;
type Place = { projectId: string; name: string; actor: string };

export type HookInput = Place & {
  verification: HookVerification;
  deliveryIdTemplate: string | null;
  condition: string | null;
  action: HookAction;
  /** For a new hook. */
  hookId: string;
  /** Null keeps the one that is there; it is given for a new hook, and for another kind of verification. */
  secret: string | null;
};

export async function putHook(db: Db, input: HookInput): Promise<HookRecord> {
  const values = {
    verification: input.verification,
    delivery_id_template: input.deliveryIdTemplate,
    condition: input.condition,
    action: input.action,
    ...(input.secret === null ? {} : { secrets: onlySecret(input.secret) }),
  };
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto('hook')
      .values({ project_id: input.projectId, name: input.name, hook_id: input.hookId, secrets: [], ...values })
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'name']).doUpdateSet({ ...values, updated_at: sql`now()` }),
      )
      .returning(HOOK_COLUMNS)
      .executeTakeFirstOrThrow();
    await audit(tx, input, 'hook.put');
    return hookRecord(row);
  });
}

/** Null: there is none. */
export async function rotateHookSecret(
  db: Db,
  place: Place,
  rotation: { secret: string; overlapMs: number },
): Promise<HookRecord | null> {
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .updateTable('hook')
      .set({ secrets: rotatedSecrets(rotation.secret, rotation.overlapMs), updated_at: sql`now()` })
      .where('project_id', '=', place.projectId)
      .where('name', '=', place.name)
      .returning(HOOK_COLUMNS)
      .executeTakeFirst();
    if (row === undefined) return null;
    await audit(tx, place, 'hook.secret_rotated');
    return hookRecord(row);
  });
}

/** With what it knows of its senders' deliveries. False: there is none. */
export async function deleteHook(db: Db, place: Place): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom('hook')
      .where('project_id', '=', place.projectId)
      .where('name', '=', place.name)
      .returning('name')
      .executeTakeFirst();
    if (deleted !== undefined) await audit(tx, place, 'hook.deleted');
    return deleted !== undefined;
  });
}

const audit = (tx: Db, place: Place, action: string): Promise<void> =>
  recordAudit(tx, { projectId: place.projectId, actor: place.actor, action, subject: place.name, detail: {} });
