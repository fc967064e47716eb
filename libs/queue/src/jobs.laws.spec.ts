import fc from 'fast-check';
import { jobId, subStreamId } from '#libs/domain';
import { bullPriority, decodeStepJob, encodeStepJob } from './jobs.js';

describe('the job of a step', () => {
  // Row A1, A2: colons and anything else that a step's or tenant's name may hold never reach a job's id.
  const stepRunId = fc.uuid().map((uuid) => `stp_${uuid}`);

  it('has an id of letters, digits, _ and - for every step run and dispatch', () => {
    fc.assert(
      fc.property(stepRunId, fc.integer({ min: 1, max: 1_000_000 }), (id, dispatchNo) => {
        expect(jobId(id, dispatchNo)).toMatch(/^[A-Za-z0-9_-]{1,200}$/);
      }),
    );
  });

  it('is refused, not mangled, when somebody passes a name where an id belongs', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (slug) => {
        fc.pre(!/^[A-Za-z0-9_-]+$/.test(slug));
        expect(() => encodeStepJob({ stepRunId: subStreamId('chat', slug, 3), dispatchNo: 1, priority: 0 })).toThrow(
          'cannot be queued',
        );
      }),
    );
  });

  it('has another id for each dispatch', () => {
    fc.assert(
      fc.property(stepRunId, fc.uniqueArray(fc.integer({ min: 1 }), { minLength: 2 }), (id, numbers) => {
        expect(new Set(numbers.map((number) => jobId(id, number))).size).toBe(numbers.length);
      }),
    );
  });

  it('reads back as it was written, holds ids only and stays far below 2 KB', () => {
    fc.assert(
      fc.property(stepRunId, fc.integer({ min: 1 }), fc.integer(), (id, dispatchNo, priority) => {
        const job = encodeStepJob({ stepRunId: id, dispatchNo, priority });
        expect(decodeStepJob(JSON.parse(JSON.stringify(job.data)))).toEqual({ stepRunId: id, dispatchNo });
        expect(Object.keys(job.data)).toEqual(['step_run_id', 'dispatch_no']);
        expect(JSON.stringify(job.data).length).toBeLessThan(2048);
        expect(job.opts).toMatchObject({ attempts: 1, removeOnComplete: true, removeOnFail: true });
      }),
    );
  });

  it('is served before those of smaller priority, within what BullMQ takes', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -900_000, max: 900_000 }),
        fc.integer({ min: 1, max: 90_000 }),
        (priority, more) => {
          expect(bullPriority(priority + more)).toBeLessThan(bullPriority(priority));
        },
      ),
    );
    fc.assert(
      fc.property(fc.integer(), (priority) => {
        expect(bullPriority(priority)).toBeGreaterThanOrEqual(1);
        expect(bullPriority(priority)).toBeLessThanOrEqual(2_097_152);
      }),
    );
  });
});
