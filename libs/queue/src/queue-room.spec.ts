import { QueueRoom } from './queue-room.js';

describe('the room in the queue', () => {
  let asked = 0;
  let nowMs = 0;
  let room = 3;
  const queueRoom = () =>
    new QueueRoom(
      async () => {
        asked += 1;
        return room;
      },
      () => nowMs,
    );
  beforeEach(() => {
    [asked, nowMs, room] = [0, 0, 3];
  });

  it('lets nothing in before it has seen the queue', () => {
    expect(queueRoom().reserve(1)).toBe(0);
  });

  it('gives away what it saw once, and of several who ask at once one asks the queue', async () => {
    const one = queueRoom();
    await expect(Promise.all([one.room(), one.room()])).resolves.toEqual([3, 3]);
    expect(asked).toBe(1);
    expect([one.reserve(1), asked]).toEqual([1, 1]);
    expect([one.reserve(3), one.reserve(2)]).toEqual([2, 0]);
  });

  it('asks anew on the side when half of it is gone', async () => {
    const one = queueRoom();
    await one.room();
    expect([one.reserve(1), asked]).toEqual([1, 1]);
    room = 5;
    expect([one.reserve(1), asked]).toEqual([1, 2]);
    await one.room();
    expect([one.reserve(6), asked]).toEqual([5, 3]);
  });

  it('forgets what it saw, and what was reserved of it, after a second', async () => {
    const one = queueRoom();
    await one.room();
    nowMs = 1000;
    expect(one.reserve(1)).toBe(0);
    await one.room();
    expect([asked, one.reserve(4)]).toEqual([2, 3]);
  });

  it('has the place of a job that was taken again, and no more than it saw', async () => {
    const one = queueRoom();
    await one.room();
    one.jobTaken();
    expect(one.reserve(4)).toBe(3);
    one.jobTaken();
    expect([one.reserve(1), one.reserve(1)]).toEqual([1, 0]);
  });

  it('owes a place that was handed on until this process takes a job', async () => {
    const one = queueRoom();
    await one.room();
    one.reserve(3);
    one.handOn();
    one.handOn();
    one.jobTaken();
    one.jobTaken();
    expect(one.reserve(1)).toBe(0);
    one.jobTaken();
    expect(one.reserve(1)).toBe(1);
  });

  it('asks anew on the side before it forgets, as long as somebody reserves', async () => {
    const one = queueRoom();
    await one.room();
    nowMs = 499;
    expect([one.reserve(1), asked]).toEqual([1, 1]);
    nowMs = 500;
    expect([one.reserve(1), one.reserve(1), asked]).toEqual([1, 1, 2]);
    await one.room();
    nowMs = 1400;
    expect(one.reserve(3)).toBe(3);
  });

  it('tells that the queue is away, and asks again the next time', async () => {
    let isAway = true;
    const one = new QueueRoom(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve(1)));
    await expect(one.room()).rejects.toThrow('away');
    isAway = false;
    await expect(one.room()).resolves.toBe(1);
  });
});
