import { isEndedRun, isEndedStep, type RunStatus, type StepStatus } from '../../libs/domain/src/index.js';
import { explainRun } from '../../libs/engine/src/index.js';
import { PROJECT, type EngineHarness } from './engine-harness.js';

type ExplainedStep = {
  step_id: string;
  status: StepStatus;
  reason: string | null;
  detail: string;
  held_by: string | null;
  lease_until: string | null;
  since: string | null;
  next: string | null;
};
type Explained = {
  status: RunStatus;
  status_reason: string | null;
  status_detail: string;
  next: string | null;
  since: string | null;
  blocked_on: { kind: string; id: string; since: string }[];
  allowed_actions: string[];
  steps: ExplainedStep[];
};

/** S11: whatever state a run is in, the answer says what it waits for, who holds it, since when, what comes next, what one can do. */
export async function expectExplained(harness: EngineHarness, runId: string): Promise<void> {
  const explained = (await explainRun(harness.deps, PROJECT, runId)) as unknown as Explained;
  const missing: string[] = [];
  const need = (is: boolean, what: string): void => void (is ? undefined : missing.push(what));
  need(explained.status_detail !== '' && !explained.status_detail.includes('undefined'), 'status_detail');
  const hasEnded = isEndedRun(explained.status);
  need(hasEnded === (explained.next === null), 'next of the run');
  need(explained.since !== null, 'since of the run');
  need(
    explained.status === 'succeeded' || explained.allowed_actions.length > 0 || explained.status === 'cancelling',
    'allowed_actions',
  );
  if (explained.status === 'waiting' || explained.status === 'queued') {
    need(explained.status_reason !== null, 'status_reason');
    need(explained.blocked_on.length > 0, 'blocked_on');
  }
  for (const blocker of explained.blocked_on)
    need(blocker.id !== '' && blocker.since !== '', 'a blocker without id or since');
  if (explained.status === 'running') need(explained.steps.some(isActive), 'a running step');
  for (const step of explained.steps) explainStep(step, need);
  if (missing.length > 0)
    throw new Error(`S11: explain does not say ${missing.join('; ')}: ${JSON.stringify(explained)}`);
}

const isActive = ({ status }: ExplainedStep): boolean => status === 'queued' || status === 'running';

function explainStep(step: ExplainedStep, need: (is: boolean, what: string) => void): void {
  const place = `of step ${step.step_id} (${step.status})`;
  need(step.detail !== '' && !step.detail.includes('undefined') && !step.detail.includes('unknown'), `detail ${place}`);
  if (isEndedStep(step.status)) return;
  need(step.next !== null, `next ${place}`);
  need(step.since !== null, `since ${place}`);
  if (step.status === 'running') need(step.held_by !== null && step.lease_until !== null, `held_by ${place}`);
  if (step.status === 'waiting') need(step.reason !== null, `reason ${place}`);
}
