import type { ErrorCode } from '../../errors/error-codes.js';

/** Code and message of refusals: without a session they are a 401, within one a 400, so that clients keep the session. */
type RefusedAnswer = readonly [code: ErrorCode, message: string];

export const questionExpired: RefusedAnswer = [
  'second_factor_expired',
  'The question for the second factor was answered before, or is older than five minutes: start again',
];

export const wrongAnswer: RefusedAnswer = [
  'wrong_second_factor',
  'The code, the recovery code or the answer of the passkey is wrong, or was used before',
];
