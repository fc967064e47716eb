import { z } from 'zod';
import { anyJsonObject, line, versionInBody } from '../http/scalars.js';

/** What a schedule or a hook starts. Strings in `inputs`, `stream_id` and `metadata` may hold `${…}`. */
export const runTemplate = z
  .strictObject({
    pipeline: line(128),
    version: versionInBody.nullable().default(null),
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
