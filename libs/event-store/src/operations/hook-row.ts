import type { Selectable } from 'kysely';
import { hookActionSchema, hookVerificationSchema } from '#libs/domain';
import type { HookRecord } from '#libs/engine';
import type { HookTable } from '../schema/hook.table.js';

export const HOOK_COLUMNS = [
  'project_id',
  'name',
  'hook_id',
  'verification',
  'delivery_id_template',
  'condition',
  'action',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof HookTable)[];

export function hookRecord(row: Pick<Selectable<HookTable>, (typeof HOOK_COLUMNS)[number]>): HookRecord {
  return {
    projectId: row.project_id,
    name: row.name,
    hookId: row.hook_id,
    verification: hookVerificationSchema.parse(row.verification),
    deliveryIdTemplate: row.delivery_id_template,
    condition: row.condition,
    action: hookActionSchema.parse(row.action),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
