import type { ErrorCode } from '../../errors/error-codes.js';

/** Code and message of refusals: without a session they are a 401, within one a 400, so that clients keep the session. */
type RefusedAnswer = readonly [code: ErrorCode, message: string];

export const questionExpired: RefusedAnswer = [
  'second_factor_expired',
  "The second factor's challenge was used before, or is older than five minutes: start again",
];

export const wrongAnswer: RefusedAnswer = [
  'wrong_second_factor',
  'The code, recovery code or passkey answer is wrong, or was used before',
];
