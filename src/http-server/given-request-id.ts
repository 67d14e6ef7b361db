import type { IncomingHttpHeaders } from 'node:http';

const SANE = /^[A-Za-z0-9._:-]{1,128}$/;

/** The well-formed `X-Request-Id` of the request, for its reply and the logs of both servers; undefined without one. */
export function givenRequestId({ 'x-request-id': given }: IncomingHttpHeaders): string | undefined {
  return typeof given === 'string' && SANE.test(given) ? given : undefined;
}
