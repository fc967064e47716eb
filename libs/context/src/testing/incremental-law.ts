import type { StoredEvent } from '#libs/domain';
import type { BuildResult } from '../build-result.js';
import {
  BUILD_EVENTS,
  COMPACTION_EVENTS,
  neededEvents,
  needsAllCompactions,
  type NextBuild,
} from '../needed-events.js';
import { compactionState } from '../view/compaction-state.js';
import { KeptEvents } from '../view/kept-events.js';
import { isOutlineEnough, outlineOf, outlinesToRead } from '../view/outline.js';
import { lastBuildOf } from '../view/read-view.js';
import { recordCompaction } from '../view/record-compaction.js';
import { baseSchema } from '../view/recorded-build.js';
import { isInView, viewKey } from '../view/view-key.js';
import { hold } from './broken-law.js';
import type { Observed } from './play-plan.js';
import type { Session } from './session.js';

export const canonicalOf = (build: BuildResult): string =>
  build.kind === 'ready' ? build.canonical.join('') : JSON.stringify({ ...build, report: null });

/**
 * The build of a worker that knows nothing yet, and the build of one that has followed the log, are the build from
 * everything, to the base that the next one goes on from.
 */
export function checkIncremental({ session, build }: Observed, workers: Map<string, KeptEvents>): void {
  const folded = JSON.stringify(recordCompaction(compactionState(session.events, session.view)));
  const recorded = JSON.stringify(baseSchema.parse(build.report['base']).compaction);
  hold(
    'C11',
    recorded === folded,
    () => `compactions ${recorded} since the last build, ${folded} from the first event`,
  );
  const key = viewKey(session.view);
  const warm = workers.get(key);
  if (warm !== undefined) follow(warm, session.events);
  const isFollowed = warm?.covers(nextBuild(session)) === true;
  if (isFollowed) checkPart(session, build, warm);
  // A build more for each build of every session takes minutes of the suite: each third one finds the same.
  if (isFollowed && session.events.length % 3 !== 0) return;
  const cold = newWorker(session);
  checkPart(session, build, cold);
  if (!isFollowed) workers.set(key, cold);
}

/** In pieces of any size, some of it again. */
function follow(worker: KeptEvents, events: readonly StoredEvent[]): void {
  let from = worker.uptoSeq;
  while (worker.uptoSeq < events.length) {
    const to = Math.min(events.length, from + 1 + (events.length % 7));
    worker.append(events.slice(Math.max(0, from - 2), to));
    from = to;
  }
}

function checkPart(session: Session, build: BuildResult, { events, uptoSeq }: KeptEvents): void {
  const about = `${events.length} of ${session.events.length} events`;
  hold('C11', uptoSeq === session.events.length, () => `${about}, to seq ${uptoSeq}`);
  if (events.length === session.events.length) return;
  const again = session.build('managed', events);
  hold(
    'C11',
    canonicalOf(again) === canonicalOf(build),
    () =>
      `${about}: ${again.kind} ${canonicalOf(again).slice(0, 600)}\nin full: ${build.kind} ${canonicalOf(build).slice(0, 600)}`,
  );
  hold(
    'C11',
    decisionsOf(again) === decisionsOf(build),
    () => `${about}: ${decisionsOf(again)}\nin full: ${decisionsOf(build)}`,
  );
}

const nextBuild = ({ view, policyHash, manifest }: Session): NextBuild => ({ view, policyHash, model: manifest.model });

/** One that knows nothing yet reads the last call of the view, and what it says is needed. */
function newWorker(session: Session): KeptEvents {
  const { events, view } = session;
  const last = lastBuildOf(
    events.filter((event) => isInView(view, event)),
    view,
  );
  const since = events.filter(({ seq }) => seq > (last?.uptoSeq ?? 0));
  const hasAllCompactions = needsAllCompactions(last, since);
  const compactions = (hasAllCompactions ? events : since).filter(isCompactionEvent);
  const { fromSeq, alsoSeqs, isAnew } = neededEvents(last, compactions, nextBuild(session));
  const read = events.filter(
    (event) =>
      event.seq === last?.seq ||
      (hasAllCompactions && isCompactionEvent(event)) ||
      (isBuildEvent(event) && (event.seq >= fromSeq || alsoSeqs.includes(event.seq))),
  );
  const outlined =
    isAnew || last === null ? read : read.map((event) => (isOutlineEnough(event, last) ? outlineOf(event) : event));
  const isEnough = outlinesToRead(outlined, isAnew).length === 0;
  return new KeptEvents(view, {
    events: isEnough ? outlined : read,
    fromSeq,
    uptoSeq: events.length,
    hasAllCompactions,
  });
}

const isCompactionEvent = ({ type }: StoredEvent): boolean => COMPACTION_EVENTS.some((one) => one === type);
const isBuildEvent = ({ type }: StoredEvent): boolean => BUILD_EVENTS.some((one) => one === type);

const decisionsOf = (build: BuildResult): string =>
  JSON.stringify([
    build.report['base'],
    build.kind === 'over_hard_cap' ? build.knob : build.proposal,
    build.kind === 'ready' ? build.frontier : null,
  ]);
