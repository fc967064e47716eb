import { ApiHeader } from '@nestjs/swagger';
import { IDEMPOTENCY_HEADER } from './idempotency.js';

/** Documents the header on a POST that creates or acts. */
export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: IDEMPOTENCY_HEADER,
    required: false,
    description:
      'The same key and body: the same answer, with `Idempotency-Replayed: true`. The same key and another body: 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  });
