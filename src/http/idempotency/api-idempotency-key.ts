import { ApiHeader } from '@nestjs/swagger';

/** @param promise what the route makes of the key, beyond what all of them do */
export const ApiIdempotencyKey = (promise: string) =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: `Kept for 24 hours for each caller; a refused request keeps nothing. ${promise}`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  });
