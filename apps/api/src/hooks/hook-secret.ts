import { createHash, randomBytes } from 'node:crypto';
import type { HookVerification } from '#libs/domain';
import { isWebhookSecret, mintWebhookSecret } from '#libs/engine';
import { ProblemError } from '../http/problem-error.js';

const TOKEN_BYTES = 32;

/**
 * `shown` is what the owner of the hook gets, once; `stored` is what verifies: of a token its hash is enough.
 * @throws ProblemError when a given one does not have the standard's form.
 */
export function hookSecret(kind: HookVerification['kind'], given: string | null): { shown: string; stored: string } {
  switch (kind) {
    case 'standard_webhooks': {
      const secret = given ?? mintWebhookSecret();
      if (!isWebhookSecret(secret)) throw notOfTheStandard();
      return { shown: secret, stored: secret };
    }
    case 'hmac_sha256': {
      const secret = given ?? randomBytes(TOKEN_BYTES).toString('hex');
      return { shown: secret, stored: secret };
    }
    case 'token': {
      const token = given ?? randomBytes(TOKEN_BYTES).toString('hex');
      return { shown: token, stored: createHash('sha256').update(token).digest('hex') };
    }
  }
}

function notOfTheStandard(): ProblemError {
  const detail = 'expected `whsec_` and 24 to 64 bytes in base64, as Standard Webhooks say';
  const error = { in: 'body' as const, pointer: '#/secret', code: 'invalid_format', detail };
  return new ProblemError('invalid_request', 'The secret cannot be used.', { errors: [error] });
}
