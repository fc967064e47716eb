import type { NewEvent } from '#libs/domain';
import { RetryableError } from '#libs/domain';
import type { AppendResult, AppendUnit } from '#libs/engine';
import { Flights } from './flights.js';

const unit = (streamId: string): AppendUnit => {
  const event: NewEvent = {
    type: 'StepCancelled',
    eventId: streamId,
    schemaVersion: 1,
    data: {},
    json: '{}',
    chars: 0,
    digest: 'd',
    runId: null,
    stepId: null,
    item: null,
    round: 0,
  };
  return { projectId: 'p', streamId, events: [event] };
};
const appended: AppendResult = { status: 'appended', version: 1, events: [], repeated: false };

/** A store whose flights land when told. */
function airport() {
  const flown: string[][] = [];
  const landings: (() => void)[] = [];
  const flights = new Flights((units) => {
    flown.push(units.map(({ streamId }) => streamId));
    return new Promise((resolve) =>
      landings.push(() => {
        resolve(units.map(() => appended));
      }),
    );
  });
  const land = async (): Promise<void> => {
    landings.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { flights, flown, land };
}

describe('Flights', () => {
  it('gathers what comes while a flight is under way into the next one', async () => {
    const { flights, flown, land } = airport();
    const all = [flights.append(unit('a')), flights.append(unit('b'))];
    await Promise.resolve();
    expect(flown).toEqual([['a', 'b']]);
    all.push(flights.append(unit('c')), flights.append(unit('d')));
    await land();
    expect(flown).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    await land();
    expect(await Promise.all(all)).toEqual([appended, appended, appended, appended]);
    const later = flights.append(unit('e'));
    await Promise.resolve();
    await land();
    expect(await later).toEqual(appended);
  });

  it('lets one faulty unit fail alone', async () => {
    const flights = new Flights((units) =>
      units.some(({ streamId }) => streamId === 'bad')
        ? Promise.reject(new Error('bad unit'))
        : Promise.resolve(units.map(() => appended)),
    );
    const outcomes = await Promise.allSettled(['a', 'bad', 'b'].map((name) => flights.append(unit(name))));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('does not try one by one when the database is away', async () => {
    let tries = 0;
    const flights = new Flights(() => {
      tries += 1;
      return Promise.reject(new RetryableError('database_unavailable', 'away'));
    });
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((name) => flights.append(unit(name))));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(tries).toBe(1);
  });
});
