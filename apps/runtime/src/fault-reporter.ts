import type { ReportFault } from '#libs/queue';

/** A server that is away makes the same fault several times a second: one line a minute is enough. */
const EVERY_MS = 60_000;
const MAX_KINDS = 200;

/** Logs faults that nobody waits for; of equal ones the first, then one a minute with how many there were. */
export function faultReporter(
  logger: { warn: (fields: object, message: string) => void },
  now: () => number = () => performance.now(),
): ReportFault {
  const kinds = new Map<string, { loggedAt: number; silent: number }>();
  return (what, error) => {
    const kind = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    const known = kinds.get(kind);
    if (known !== undefined && now() - known.loggedAt < EVERY_MS) {
      known.silent += 1;
      return;
    }
    if (kinds.size >= MAX_KINDS) kinds.clear();
    kinds.set(kind, { loggedAt: now(), silent: 0 });
    const repeated = known === undefined || known.silent === 0 ? {} : { repeated: known.silent };
    logger.warn({ err: error, ...repeated }, what);
  };
}
