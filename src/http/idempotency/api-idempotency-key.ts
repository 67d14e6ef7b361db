import { ApiHeader } from '@nestjs/swagger';

/** @param promise the meaning of the key for this route, in addition to the common one */
export const ApiIdempotencyKey = (promise: string) =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: `Kept for 24 hours for each caller; a refused request keeps nothing. ${promise}`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  });
