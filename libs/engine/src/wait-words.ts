import type { StepRunRecord } from './ports/run-records.port.js';

/** Where a step stands, as people write it: `judge[2]`. */
export function placeOf(step: Pick<StepRunRecord, 'stepId' | 'item'>): string {
  return step.item === null ? step.stepId : `${step.stepId}[${step.item}]`;
}

/** What a waiting step waits for, as a sentence. `spent`: of the limit that stopped it, where it was asked for. */
export function waitingDetail(step: StepRunRecord, spent: string | null = null): string {
  const until = step.dueAt === null ? '' : ` until ${step.dueAt} at the latest`;
  const place = `Step ${placeOf(step)}`;
  const key = step.waitingKey ?? '';
  switch (step.reason) {
    case 'timer':
      return step.error === null
        ? `${place} sleeps until ${step.dueAt ?? 'its time comes'}.`
        : `${place} is tried again (attempt ${step.attempt}) at ${step.dueAt ?? 'once'}, after: ${step.error.detail}`;
    case 'approval':
      return `${place} waits for a decision on approval ${key}${until}.`;
    case 'signal':
      return step.kind === 'wait_for'
        ? `${place} waits for the signal ${shown(key)}${until}.`
        : `${place} waits for the real result of a tool call (${key}).`;
    case 'children':
      return childrenDetail(step, place);
    case 'paused':
      return `${place} stopped at a turn boundary because the run, or one around it, is paused.`;
    case 'spend_limit':
      return spent === null
        ? `${place} stopped because the run, or one around it, has reached its spend limit.`
        : `${place} stopped because ${spent}.`;
    case 'compaction':
      return `${place} waits for compaction ${key}${until}.`;
    case 'rate_limit':
      return `${place} waits for its share of what ${key === '' ? 'its model' : key} may be asked${until}.`;
    case 'concurrency':
    case null:
      return `${place} waits for ${step.reason ?? 'a timer'}${until}.`;
  }
}

function childrenDetail(step: StepRunRecord, place: string): string {
  if (step.kind === 'pipeline') return `${place} waits for run ${step.waitingKey ?? ''}.`;
  return step.kind === 'repeat'
    ? `${place} is in round ${Number(step.waitingKey ?? 0) + 1}.`
    : `${place} waits for the steps of its items.`;
}

/** What comes after a wait, and what one can do about it. */
export function afterWait(step: StepRunRecord): string {
  const atTheLatest = step.dueAt === null ? '' : ` Its time-out decides at ${step.dueAt}.`;
  switch (step.reason) {
    case 'timer':
      return `It goes on by itself${step.dueAt === null ? '' : ` at ${step.dueAt}`}.`;
    case 'rate_limit':
      return `It asks again by itself${step.dueAt === null ? '' : ` at ${step.dueAt}`}.`;
    case 'compaction':
      return `It goes on when the compaction ends${step.dueAt === null ? '' : `, or at ${step.dueAt} without it`}: weir compactions show ${step.waitingKey ?? 'ID'}.`;
    case 'approval':
      return `It goes on when somebody decides: weir approve|deny ${step.waitingKey ?? 'ID'}, or POST /v1/approvals/{id}/decision.${atTheLatest}`;
    case 'signal':
      return step.kind === 'wait_for'
        ? `It goes on when the signal is sent: ${signalCommand(step.waitingKey ?? '')}, or POST /v1/signals/{name}.${atTheLatest}`
        : 'It goes on when the run that the call started has ended, or the result is sent: POST /v1/runs/{run}/steps/{step}/calls/{n}/result.';
    case 'children':
      return step.kind === 'pipeline'
        ? `It goes on when that run ends; look at it with weir explain ${step.waitingKey ?? 'RUN'}.`
        : 'It goes on as its steps end.';
    case 'paused':
      return 'It goes on when what is paused is resumed: weir resume RUN.';
    case 'spend_limit':
      return 'It goes on when the limit is raised: weir resume RUN --cost-usd N (or --tokens, --tool-calls).';
    case 'concurrency':
    case null:
      return 'It goes on when what it waits for is there.';
  }
}

/** Names and keys may hold anything, and not all of it may stand in a command as it is. */
function signalCommand(label: string): string {
  const plain = /^([\w.@:-]+)\/([\w.@:-]{1,120})$/.exec(label);
  return plain === null ? 'weir signal NAME --key KEY' : `weir signal ${plain[1]} --key ${plain[2]}`;
}

/** Keys may be of any length. */
const SHOWN_KEY = 120;
const shown = (key: string): string => (key.length > SHOWN_KEY ? `${key.slice(0, SHOWN_KEY)}…` : key);
