import { createHash } from 'node:crypto';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalJson, type Json } from '#libs/domain';
import type { EngineDeps } from '#libs/engine';
import { ProblemError } from './problem-error.js';

const KEY = /^[\x21-\x7e]{1,255}$/;
export const IDEMPOTENCY_HEADER = 'idempotency-key';
export const REPLAYED_HEADER = 'idempotency-replayed';

/** The `Idempotency-Key` of a request, or null. */
export const FromIdempotencyKey = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  idempotencyKeyOf(context.switchToHttp().getRequest<FastifyRequest>()),
);

function idempotencyKeyOf(request: FastifyRequest): string | null {
  const header = request.headers[IDEMPOTENCY_HEADER];
  if (header === undefined) return null;
  if (typeof header === 'string' && KEY.test(header)) return header;
  throw new ProblemError('invalid_request', 'The Idempotency-Key cannot be used.', {
    errors: [
      {
        in: 'header',
        pointer: '#/idempotency-key',
        code: 'invalid_format',
        detail: 'expected 1 to 255 printable ASCII characters without spaces',
      },
    ],
  });
}

export type Deed = {
  projectId: string;
  /** The operation, for instance `cancel:run_…`: keys of different operations do not meet. */
  scope: string;
  key: string | null;
  body: Json;
  reply: FastifyReply;
};

/**
 * A deed holds one connection for its key while it works on another. With as many deeds as connections all would wait
 * for each other, so only some may be under way.
 */
const DEEDS_AT_ONCE = 3;
let deedsUnderWay = 0;
const queue: (() => void)[] = [];

async function takeTurn(): Promise<void> {
  if (deedsUnderWay < DEEDS_AT_ONCE) {
    deedsUnderWay += 1;
    return;
  }
  await new Promise<void>((resolve) => queue.push(resolve));
}

function endTurn(): void {
  const next = queue.shift();
  if (next === undefined) deedsUnderWay -= 1;
  else next();
}

/**
 * Does a deed once per key. The key's row is claimed first and its transaction stays open meanwhile, so a second
 * request waits for the first and gets its answer. When the process dies in between, the row is rolled back and the
 * repeated request does the deed again: only for deeds that may be repeated.
 * @param stored what to keep of the answer when it holds a secret.
 */
export async function doOnce<T extends Json>(
  engine: Pick<EngineDeps, 'runs'>,
  deed: Deed,
  perform: () => Promise<T>,
  stored: (answer: T) => T,
  parse: (body: Json) => T,
): Promise<T> {
  if (deed.key === null) return perform();
  await takeTurn();
  try {
    return await claimAndDo(engine, { ...deed, key: deed.key }, perform, stored, parse);
  } finally {
    endTurn();
  }
}

async function claimAndDo<T extends Json>(
  engine: Pick<EngineDeps, 'runs'>,
  { projectId, scope, key, body, reply }: Deed & { key: string },
  perform: () => Promise<T>,
  stored: (answer: T) => T,
  parse: (body: Json) => T,
): Promise<T> {
  const claim = { projectId, scope, key, requestHash: createHash('sha256').update(canonicalJson(body)).digest('hex') };
  return engine.runs.transact(async (tx) => {
    const claimed = await tx.claimIdempotencyKey(claim);
    switch (claimed.status) {
      case 'mismatch':
        throw keyReused();
      case 'stored':
        reply.header(REPLAYED_HEADER, 'true');
        return parse(claimed.body);
      case 'new': {
        const answer = await perform();
        await tx.storeIdempotentAnswer(claim, reply.statusCode, stored(answer));
        return answer;
      }
    }
  });
}

export function keyReused(): ProblemError {
  return new ProblemError(
    'idempotency_key_reused',
    'This Idempotency-Key was used with another body. Use a new key for a new request.',
  );
}
