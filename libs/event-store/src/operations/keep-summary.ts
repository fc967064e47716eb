import type { CompactionStore } from '#libs/engine';
import { toStoredText } from '../encoding/stored-text.js';
import type { Session } from '../session.js';

/** Fenced: a compactor that lost its lease writes nothing. */
export async function keepSummary(
  session: Session,
  kept: Parameters<CompactionStore['keepSummary']>[0],
): Promise<boolean> {
  const [updated] = await session`
    update compaction set summary = ${toStoredText(kept.summary)}, summarizer_model = ${kept.model}, source_digest = ${kept.sourceDigest}
    where project_id = ${kept.projectId} and compaction_id = ${kept.compactionId} and fence = ${kept.fence} and status = 'running'
    returning 1`;
  return updated !== undefined;
}
