import {
  AuthorizationResponseError,
  ClientError,
  type CustomFetch,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { DomainError, ForbiddenError, RefusedError, UnavailableError } from '../../errors/domain-error.js';

const UNREACHABLE = ['OAUTH_TIMEOUT', 'OAUTH_ABORT'];
/** Thrown for parameters of the browser: another state, another issuer, no code. */
const FOREIGN = 'OAUTH_INVALID_RESPONSE';

/**
 * Maps a failure of the client library to one that the caller may see. Texts of the provider are left out: the browser
 * could have made them up.
 *
 * @returns the error itself when it is none of the library's
 */
export function failureOf(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError) {
    return new ForbiddenError('The identity provider has refused the sign-in');
  }
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') {
    return new RefusedError('The sign-in has expired, or was finished before: start again');
  }
  const code = providerCodeOf(error);
  if (code === FOREIGN) {
    return new RefusedError('The answer of the identity provider belongs to another sign-in: start again');
  }
  if (error instanceof ClientError && error.cause instanceof UnavailableError) return error.cause;
  // The body of an answer that began did not come to its end.
  if (UNREACHABLE.includes(code)) return new UnavailableError('The identity provider does not answer');
  if (code === '') return error;
  return new DomainError('bad_gateway', `The identity provider's answer can not be used (${code})`);
}

/** The provider's or the library's code of an error, for messages and the log; empty when it is neither's. */
export function providerCodeOf(error: unknown): string {
  if (error instanceof ResponseBodyError) return error.error.replaceAll(/[^\w.-]/g, '').slice(0, 60);
  if (error instanceof WWWAuthenticateChallengeError) return `status_${error.status}`;
  return error instanceof ClientError ? (error.code ?? 'unknown') : '';
}

/** `fetch`, whose failures are those of a provider that does not answer. */
export const fetchFromProvider: CustomFetch = async (url, options) => {
  try {
    return await fetch(url, options);
  } catch {
    throw new UnavailableError('The identity provider does not answer');
  }
};
