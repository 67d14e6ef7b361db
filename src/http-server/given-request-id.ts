import type { IncomingMessage } from 'node:http';

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** Whether a sender is one of the proxies of `TRUST_PROXY`, as Express asks it. */
export type TrustsSender = (address: string | undefined, hop: number) => boolean;

/**
 * The well-formed `X-Request-Id` that a trusted proxy gave to the request, for its reply and the logs of both servers; undefined
 * without one. That of anybody else is not used: it could be the identifier of another request, which the audit log has already.
 */
export function givenRequestId(
  { headers, socket }: IncomingMessage,
  trusts: TrustsSender,
): string | undefined {
  const given = headers['x-request-id'];
  if (typeof given !== 'string' || !SANE.test(given)) return undefined;
  return trusts(socket.remoteAddress, 0) ? given : undefined;
}
