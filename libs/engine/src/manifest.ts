import { z } from 'zod';
import { API_FORMATS, policyCanonical, readPolicy, type EffectivePolicy, type Manifest } from '#libs/context';
import { AppError, jsonObjectSchema } from '#libs/domain';
import type { EngineDeps } from './engine-deps.js';
import { sha256 } from './new-event.js';

const price = z.number().nonnegative().nullable();
const modelFactsSchema = z.object({
  id: z.string(),
  apiFormat: z.enum(API_FORMATS),
  windowTokens: z.number().int().positive().nullable(),
  maxOutputTokens: z.number().int().positive().nullable(),
  promptCaching: z.boolean(),
  cacheReadRatio: z.number(),
  cacheWriteRatio: z.number(),
  priceInput: price,
  priceCachedInput: price,
  priceCacheWrite: price,
  priceOutput: price,
  images: z.boolean(),
  documents: z.boolean(),
  tokenRatio: z.number().positive(),
  weights: z.object({ imageChars: z.number(), imageTokens: z.number(), pageChars: z.number(), pageTokens: z.number() }),
});

const manifestSchema = z.object({
  policy: jsonObjectSchema,
  system_prompt: z.string().nullable(),
  tools: z.array(z.object({ name: z.string(), description: z.string(), parameters: jsonObjectSchema })),
  primary_arguments: z.record(z.string(), z.string()),
  model: modelFactsSchema,
  builder_version: z.string(),
});

/** A stored manifest; null when it is not one of this form. */
function readManifest(stored: unknown): Manifest | null {
  const parsed = manifestSchema.safeParse(stored);
  return parsed.success ? parsed.data : null;
}

/** The manifest under this hash. Erasing keeps bodies that calls refer to, so one that is not there was lost: `corrupt`. */
export async function findManifest(
  { log }: Pick<EngineDeps, 'log'>,
  projectId: string,
  hash: string,
): Promise<Manifest | 'erased' | 'corrupt'> {
  try {
    const stored = await log.getPayload(projectId, hash);
    return readManifest(stored) ?? (stored === null ? 'erased' : 'corrupt');
  } catch (error) {
    if (error instanceof AppError && error.code === 'payload_missing') return 'corrupt';
    throw error;
  }
}

/** The same where it does not matter why there is none. */
export async function storedManifest(
  deps: Pick<EngineDeps, 'log'>,
  projectId: string,
  hash: string,
): Promise<Manifest | null> {
  const found = await findManifest(deps, projectId, hash);
  return typeof found === 'string' ? null : found;
}

/** The policy that a step follows, from the manifest of its last start; null: it has not started, has no context, or was erased. */
export async function contextOfStep(
  deps: Pick<EngineDeps, 'log'>,
  projectId: string,
  manifestHash: string | null,
): Promise<{ policy_hash: string; policy: EffectivePolicy } | null> {
  const manifest = manifestHash === null ? null : await storedManifest(deps, projectId, manifestHash);
  if (manifest === null) return null;
  const policy = readPolicy(manifest.policy);
  return { policy_hash: sha256(policyCanonical(policy)), policy };
}
