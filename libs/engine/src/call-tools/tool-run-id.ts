import { namedUuids } from '../named-uuid.js';

const runUuid = namedUuids('0b7f2c34-9a51-4f0e-8d2c-6b1a7e5c3d90');

/** The run that a call of an agent's tool starts: the same for the same call, so that starting it again finds it. */
export const toolRunId = (stepRunId: string, callNo: number, ordinal: number): string =>
  `run_${runUuid(JSON.stringify([stepRunId, callNo, ordinal]))}`;
