import type { EventLog } from '#libs/engine';
import { AppError } from '#libs/domain';
import { appendUnits } from './append/append-units.js';
import { Flights } from './append/flights.js';
import type { Database } from './connect.js';
import { toStoredJson } from './encoding/stored-json.js';
import { readDigests } from './operations/read-digests.js';
import { readEvents } from './operations/read-events.js';
import { readLastBuild } from './operations/read-last-build.js';
import { readPayload } from './operations/read-payload.js';
import { readStreamVersion } from './operations/read-stream-version.js';
import { storeBodies } from './operations/store-bodies.js';

/** The event log on Postgres. Appends of one log leave in flights; make one per process. */
export function postgresEventLog(db: Database): EventLog {
  const flights = new Flights((units) => db.within(() => appendUnits(db.dedicated.appends, units)));
  return {
    append: (units) => Promise.all(units.map((unit) => flights.append(unit))),
    read: (query) => db.run((sql) => readEvents(sql, query)),
    readLastBuild: (query) => db.run((sql) => readLastBuild(sql, query)),
    digests: (query) => db.run((sql) => readDigests(sql, query)),
    version: (projectId, streamId) => db.run((sql) => readStreamVersion(sql, projectId, streamId)),
    putPayload: (projectId, hash, body) => {
      const json = toStoredJson(body) ?? 'null';
      return db.run((sql) => storeBodies(sql, [{ projectId, hash, json, bytes: Buffer.byteLength(json) }]));
    },
    getPayload: async (projectId, hash) => {
      const body = await db.run((sql) => readPayload(sql, projectId, hash));
      if (body === undefined)
        throw new AppError('payload_missing', `no stored body ${hash} in project ${projectId}`, { hash });
      return body;
    },
  };
}
