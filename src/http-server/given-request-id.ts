import type { IncomingHttpHeaders } from 'node:http';

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The request's own `X-Request-Id`, for its reply and the logs of both servers; undefined where it has none that is well-formed. */
export function givenRequestId({ 'x-request-id': given }: IncomingHttpHeaders): string | undefined {
  return typeof given === 'string' && SANE.test(given) ? given : undefined;
}
