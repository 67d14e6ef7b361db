import { UnreadableTextError } from '../secrets/stored-text-cipher.js';
import { ProxyError } from './proxy-tunnels.js';
import type { AttemptResult } from './webhook.types.js';
import { RefusedTargetError } from './webhook-targets.js';

/** Thrown when the time limit of an attempt is over. */
export class AttemptTimeoutError extends Error {}

const NOT_RESOLVED = /^(ENOTFOUND|ENODATA|ESERVFAIL|EAI_|EREFUSED|EFORMERR|EBADNAME|EBADRESP|ETIMEOUT)/;
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO|^CRL_|HOSTNAME_MISMATCH/;
const NOT_HTTP = /^HPE_/;

const BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was reset',
  EPIPE: 'The connection was reset',
  UND_ERR_SOCKET: 'The connection was closed before a response arrived',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out',
  ETIMEDOUT: 'The connection timed out',
  EHOSTUNREACH: 'The address is unreachable',
  ENETUNREACH: 'The address is unreachable',
  UND_ERR_HEADERS_OVERFLOW: "The response's headers are too large",
};

/** The reason why there was no answer, as a text for the webhook's owner: no address, no path, no stack. */
export function failureOf(error: unknown): string {
  if (error instanceof RefusedTargetError) return 'The target is not a public address';
  if (error instanceof AttemptTimeoutError || error instanceof ProxyError) return error.message;
  if (error instanceof UnreadableTextError) return `The signing secret ${error.message}`;
  const { code = '', name } = error as { code?: string; name?: string };
  const known = BY_CODE[code];
  if (known) return known;
  if (NOT_RESOLVED.test(code)) return "The host name can't be resolved";
  if (CERTIFICATE.test(code)) return `The TLS handshake failed (${code})`;
  if (NOT_HTTP.test(code) || name === 'HTTPParserError') return 'The response is not HTTP';
  return code === '' ? 'The request failed' : `The request failed (${code})`;
}

export function failedAttempt(errorMessage: string): AttemptResult {
  return { succeeded: false, statusCode: null, responseBody: null, errorMessage, retryAfterSeconds: null };
}
