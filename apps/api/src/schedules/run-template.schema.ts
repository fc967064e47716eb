import { z } from 'zod';
import { anyJsonObject, line } from '../http/scalars.js';

const LARGEST_VERSION = 2_147_483_647;

/** What a schedule or a hook starts. Strings in `inputs`, `stream_id` and `metadata` may hold `${…}`. */
export const runTemplate = z
  .strictObject({
    pipeline: line(128),
    version: z.int().min(1).max(LARGEST_VERSION).nullable().default(null),
    inputs: anyJsonObject.default({}),
    stream_id: line(2000).nullable().default(null),
    tags: z.array(line(128)).max(50).default([]),
    metadata: anyJsonObject.default({}),
    priority: z.int().min(-100).max(100).default(0),
  })
  .meta({
    id: 'RunTemplate',
    description: 'Strings in `inputs`, `stream_id` and `metadata` may hold `${…}`; `version` null: what is live.',
  });
