import { AppError, jsonSchema, type Json } from '#libs/domain';
import { createWeirClient, ServerProblem, ServerUnreachable, type WeirClient } from '#libs/client';
import { loadSettings } from '#libs/platform';
import { UnreachableError } from '../terminal/exit-code.js';
import { serverAddress } from './server-address.js';

/** An answer of the server that is not 2xx, as the command line shows it: code, detail, each fault with its pointer. */
export class RefusedError extends AppError {
  override readonly name = 'RefusedError';

  constructor(problem: ServerProblem) {
    super(problem.code, problem.message, detailsOf(problem), { cause: problem });
  }
}

function detailsOf({ status, problem }: ServerProblem): { [key: string]: Json } {
  return {
    status,
    ...(problem === null ? {} : { errors: jsonSchema.parse(problem.errors), request_id: problem.request_id }),
  };
}

/** Does something over the API; what goes wrong on the way becomes an error with an exit code. */
export async function overApi<T>(work: (client: WeirClient) => Promise<T>): Promise<T> {
  try {
    return await work(createWeirClient(serverAddress(loadSettings())));
  } catch (error) {
    if (error instanceof ServerUnreachable) throw new UnreachableError(error.url, error.cause);
    if (error instanceof ServerProblem) throw new RefusedError(error);
    throw error;
  }
}
