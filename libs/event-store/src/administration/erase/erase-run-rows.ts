import { sql, type Kysely } from 'kysely';
import type { DatabaseSchema } from '../../schema/database-schema.js';

/**
 * What rows hold of these runs besides ids, numbers, times and status. The rows stay: usage is still counted, and what
 * refers to them finds them. To keep content of a run in another table, add its statement here.
 */
export async function eraseRunRows(
  db: Kysely<DatabaseSchema>,
  projectId: string,
  runIds: readonly string[],
): Promise<void> {
  const ids = sql`any(${[...runIds]}::text[])`;
  await sql`
    update run set inputs = '{}', output = null, error = null, tags = '{}', metadata = '{}', cancel_reason = null, status_reason = 'erased'
    where project_id = ${projectId} and run_id = ${ids}`.execute(db);
  await sql`
    update step_run set output = null, error = null, manifest = null, waiting_key = null
    where project_id = ${projectId} and run_id = ${ids}`.execute(db);
  await sql`
    update step_item i set value = null, output = null, error = null from step_run s
    where s.project_id = ${projectId} and s.run_id = ${ids} and i.project_id = s.project_id and i.step_run_id = s.step_run_id`.execute(
    db,
  );
  await sql`
    update signal_inbox g set payload = null from step_run s
    where s.project_id = ${projectId} and s.run_id = ${ids} and g.project_id = s.project_id and g.taken_by = s.step_run_id`.execute(
    db,
  );
  // Stored answers of decisions repeat what was decided.
  await sql`
    delete from idempotency_key k using approval a
    where a.project_id = ${projectId} and a.run_id = ${ids} and k.project_id = a.project_id and k.scope = 'decide:' || a.approval_id`.execute(
    db,
  );
  await sql`
    update approval set prompt = '', form_schema = null, arguments = null, decision_form = null, decision_comment = null, decision_arguments = null
    where project_id = ${projectId} and run_id = ${ids}`.execute(db);
}
