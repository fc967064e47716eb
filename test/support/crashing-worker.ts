import type { EngineDeps } from '../../libs/engine/src/index.js';

/** A worker process that died: every further call of its fails. */
export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';
}

/**
 * The same worker, which dies right after its nth write (append or transaction) has committed, or when it is killed.
 * `writes` tells how many there were; with `dieAfter` null it lives until then.
 */
export function crashingWorker(
  deps: EngineDeps,
  dieAfter: number | null,
): { deps: EngineDeps; writes: () => number; kill: () => void } {
  let writes = 0;
  let isKilled = false;
  const isDead = (): boolean => isKilled || (dieAfter !== null && writes >= dieAfter);
  const alive = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isDead()) throw new WorkerDied('this worker is dead');
    return call();
  };
  const written = async <T>(call: () => Promise<T>): Promise<T> => {
    const result = await alive(call);
    writes += 1;
    if (isDead()) throw new WorkerDied(`dies after write ${writes}`);
    return result;
  };
  const log: EngineDeps['log'] = {
    append: (units) => written(() => deps.log.append(units)),
    read: (query) => alive(() => deps.log.read(query)),
    readLastBuild: (query) => alive(() => deps.log.readLastBuild(query)),
    digests: (query) => alive(() => deps.log.digests(query)),
    version: (projectId, streamId) => alive(() => deps.log.version(projectId, streamId)),
    putPayload: (projectId, hash, body) => alive(() => deps.log.putPayload(projectId, hash, body)),
    getPayload: (projectId, hash) => alive(() => deps.log.getPayload(projectId, hash)),
  };
  const runs = new Proxy(deps.runs, {
    get: (target, name: keyof EngineDeps['runs']) => {
      if (name === 'transact')
        return (work: Parameters<EngineDeps['runs']['transact']>[0]) => written(() => target.transact(work));
      if (name === 'transactRun')
        return (...given: Parameters<EngineDeps['runs']['transactRun']>) => written(() => target.transactRun(...given));
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function'
        ? (...args: unknown[]) => alive(async () => Reflect.apply(member, target, args) as unknown)
        : member;
    },
  });
  return {
    deps: { ...deps, log, runs },
    writes: () => writes,
    kill: () => {
      isKilled = true;
    },
  };
}
