import { z } from 'zod';
import { API_KEY_SCOPES } from '#libs/engine';
import { pageQuery } from '../http/list-page.js';
import { line, time } from '../http/scalars.js';

const projectId = z.string().regex(/^[a-z][a-z0-9-]{0,62}$/, 'expected a-z, 0-9 and -, a letter first, at most 63');
const name = line(200);

export const newProjectBody = z.strictObject({ id: projectId, name: name.optional() }).meta({ id: 'NewProject' });
export type NewProjectBody = z.output<typeof newProjectBody>;

export const project = z.object({ id: z.string(), name: z.string(), created_at: time }).meta({ id: 'Project' });
export type Project = z.output<typeof project>;

export const newApiKeyBody = z
  .strictObject({
    name,
    scopes: z.array(z.enum(API_KEY_SCOPES)).min(1).max(API_KEY_SCOPES.length),
    project_id: projectId.optional(),
  })
  .meta({ id: 'NewApiKey' });
export type NewApiKeyBody = z.output<typeof newApiKeyBody>;

export const apiKey = z
  .object({
    id: z.string(),
    project_id: z.string(),
    name: z.string(),
    scopes: z.array(z.string()),
    created_at: time,
    revoked_at: time.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.output<typeof apiKey>;

export const issuedApiKey = apiKey.extend({ key: z.string().nullable() }).meta({
  id: 'IssuedApiKey',
  description: '`key` is shown once: null when the answer is replayed for an Idempotency-Key.',
});
export type IssuedApiKey = z.output<typeof issuedApiKey>;

export const projectListQuery = z.strictObject(pageQuery);
export const apiKeyListQuery = z.strictObject({ ...pageQuery, project_id: projectId.optional() });
