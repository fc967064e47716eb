import { AppError } from '#libs/domain';
import { isAbandonedTypeQuery } from '#libs/event-store';
import { createLogger } from '#libs/platform';

/** The first lines of every app: a start that fails says why in one line and ends with 1. */
export async function startOrExit(name: string, start: () => Promise<void>): Promise<void> {
  const logger = createLogger({ name });
  process.on('unhandledRejection', (error) => {
    if (isAbandonedTypeQuery(error))
      return logger.info({ err: error }, 'a connection to Postgres ended as it was opened');
    // A bug: nobody knows what is half done in this process. Its leases run out, its work goes on elsewhere.
    logger.fatal({ err: error }, 'a promise was rejected and nobody looked');
    process.exit(1);
  });
  try {
    await start();
  } catch (error) {
    if (error instanceof AppError) logger.fatal({ code: error.code }, error.message);
    else logger.fatal({ err: error }, `${name} did not start`);
    process.exit(1);
  }
}
