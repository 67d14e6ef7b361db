import type { IncomingHttpHeaders } from 'node:http';

/** Request headers that are forwarded. Cookies and credentials of a page are not. */
const TO_SERVICE = [
  'accept',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
  'user-agent',
];

/** Response headers that are forwarded. `Link` is rewritten; a service that trusts this server keeps the `X-Request-Id` that it sent. */
const TO_BROWSER = [
  'allow',
  'content-length',
  'content-type',
  'etag',
  'idempotency-replayed',
  'last-modified',
  'ratelimit',
  'ratelimit-limit',
  'ratelimit-policy',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'www-authenticate',
  'x-request-id',
  'x-total-count',
];

export function headersForService(given: IncomingHttpHeaders): Record<string, string> {
  return selected(given, TO_SERVICE);
}

/** @param path of the resource on this server */
export function headersForBrowser(given: IncomingHttpHeaders, path: string): Record<string, string> {
  const passed = selected(given, TO_BROWSER);
  const next = linkUnder(path, given.link);
  return next === undefined ? passed : { ...passed, link: next };
}

function selected(given: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = given[name];
      return value === undefined ? [] : [[name, [value].flat().join(', ')]];
    }),
  );
}

/** Rewrites `Link` to this server's path; the query stays. */
function linkUnder(path: string, link: string | string[] | undefined): string | undefined {
  const [, query, parameters] = /^<[^?>]*(\?[^>]*)>(;.*)$/.exec([link ?? ''].flat().join()) ?? [];
  return query === undefined ? undefined : `<${path}${query}>${parameters}`;
}
