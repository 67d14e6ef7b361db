import {
  AuthorizationResponseError,
  ClientError,
  type CustomFetch,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import { DomainError, ForbiddenError, RefusedError, UnavailableError } from '../../errors/domain-error.js';

/** Maximum size of an answer of the provider; the longest real ones, lists of keys, have some ten thousand bytes. */
const MAXIMUM_ANSWER_BYTES = 1024 * 1024;
/** Code of errors in the browser's parameters: another state, another issuer, no code. */
const FOREIGN = 'OAUTH_INVALID_RESPONSE';

/**
 * Maps a failure of the client library to an error for the caller. Texts of the provider are left out, because the
 * browser could have invented them.
 *
 * @returns the error itself if it comes from elsewhere
 */
export function failureOf(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError) {
    return new ForbiddenError('sign_in_refused', 'The identity provider refused the sign-in');
  }
  if (isGrantGone(error)) {
    return new RefusedError(
      'sign_in_expired',
      'The sign-in has expired, or was finished before: start again',
    );
  }
  const code = providerCodeOf(error);
  if (code === FOREIGN) {
    return new RefusedError(
      'sign_in_expired',
      "The identity provider's reply belongs to another sign-in: start again",
    );
  }
  if (error instanceof ClientError && error.cause instanceof DomainError) return error.cause;
  if (code === '') return error;
  return new DomainError(
    'bad_gateway',
    'identity_provider_failed',
    `The identity provider's reply is invalid (${code})`,
  );
}

/** Returns true if the provider no longer knows a code or a refresh token: it has expired, or was revoked or used before. */
export function isGrantGone(error: unknown): boolean {
  return error instanceof ResponseBodyError && error.error === 'invalid_grant';
}

/** The error code of the provider or the library, for messages and the log; empty for other errors. */
export function providerCodeOf(error: unknown): string {
  if (error instanceof ResponseBodyError) return error.error.replaceAll(/[^\w.-]/g, '').slice(0, 60);
  if (error instanceof WWWAuthenticateChallengeError) return `status_${error.status}`;
  return error instanceof ClientError ? (error.code ?? 'unknown') : '';
}

/**
 * `fetch` whose failures mean that the provider does not answer. The whole answer is read here, so that the library's
 * time limit includes its end.
 */
export const fetchFromProvider: CustomFetch = async (url, options) => {
  try {
    const { status, headers, body } = await fetch(url, options);
    // Statuses such as 204 allow no body, not even an empty one.
    return new Response(body && (await allOf(body)), { status, headers });
  } catch (error) {
    throw error instanceof DomainError
      ? error
      : new UnavailableError('The identity provider does not respond: try again later');
  }
};

/** @throws DomainError `bad_gateway` if the answer is longer than 1 MiB; the rest is not read */
async function allOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > MAXIMUM_ANSWER_BYTES) {
      throw new DomainError(
        'bad_gateway',
        'identity_provider_failed',
        "The identity provider's reply is longer than 1 MiB",
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
