import { stepRunId } from './advance/step-run-id.js';
import { effectKey } from './call-tools/effect-key.js';
import { toolRunId } from './call-tools/tool-run-id.js';

const RUN = 'run_01a22ea3-0d7f-7077-a123-b15eed47cd26';
const STEP = 'stp_681c3857-ed12-5e76-8348-1afef454bf0d';

// What a version of 2026-11-30 made. What a run began under one version goes on under the next, and is found by these.
describe('an id that is made of what it names is the same in every version', () => {
  it('of a step: another one would lose sight of the rows of runs under way; loops never end, retries fail', () => {
    expect(stepRunId(RUN, { stepId: 'm', item: null, round: 0 })).toBe(STEP);
    expect(stepRunId(RUN, { stepId: 'x', item: 3, round: 0 })).toBe('stp_b774c224-175a-5953-8fc3-27f549c6eecb');
  });

  it('of a call: another Idempotency-Key would let its effect happen twice', () => {
    const subject = { runId: RUN, stepId: 'm', item: null, round: 0 };
    expect(effectKey(subject, 1, 0)).toBe('0bba07ea-8571-5532-ae2d-380b1bba907d');
  });

  it('of the run that a call starts: another one would be a second run', () => {
    expect(toolRunId(STEP, 1, 0)).toBe('run_81d449bb-3c50-5dad-90cf-979163fddcc6');
  });
});
