import type { AppendUnit } from '#libs/engine';

/**
 * Units without conditions: the events of each stream in one, in their order. A stream stands where its last events do, so that
 * the feed tells of what a step did before it tells of its end, and of the run's.
 */
export function oneUnitOfEachStream(units: readonly AppendUnit[]): AppendUnit[] {
  const byStream = new Map<string, AppendUnit>();
  for (const unit of units) {
    const key = `${unit.projectId}\n${unit.streamId}`;
    const former = byStream.get(key);
    byStream.delete(key);
    byStream.set(key, former === undefined ? unit : { ...former, events: [...former.events, ...unit.events] });
  }
  return [...byStream.values()];
}
