import type { IncomingHttpHeaders } from 'node:http';

/** Of a request, what the service needs. Never a cookie, and never a credential that a page brings along. */
const TO_SERVICE = [
  'accept',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'last-event-id',
];

/** Of a reply, what a page needs. `Link` is rewritten; `X-Request-Id` is this server's own, which the service was given. */
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
  'x-total-count',
];

export function headersForService(given: IncomingHttpHeaders): Record<string, string> {
  return selected(given, TO_SERVICE);
}

/** @param path under which the browser knows the resource */
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

/** A page of the service's list is a page of this server's: only the query differs between them. */
function linkUnder(path: string, link: string | string[] | undefined): string | undefined {
  const [, query, parameters] = /^<[^?>]*(\?[^>]*)>(;.*)$/.exec([link ?? ''].flat().join()) ?? [];
  return query === undefined ? undefined : `<${path}${query}>${parameters}`;
}
