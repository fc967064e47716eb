import { stepRunId } from './step-run-id.js';

const RUN = 'run_01a22ea3-0d7f-7077-a123-b15eed47cd26';

// What a version of 2026-11-30 stored. Another formula loses sight of every step that is stored: loops never end, retries fail.
it('names a step as all versions before did, since the rows of runs under way are looked up by it', () => {
  expect(stepRunId(RUN, { stepId: 'm', item: null, round: 0 })).toBe('stp_681c3857-ed12-5e76-8348-1afef454bf0d');
  expect(stepRunId(RUN, { stepId: 'x', item: 3, round: 0 })).toBe('stp_b774c224-175a-5953-8fc3-27f549c6eecb');
});
