/** Rule of the dashboard's address, in the words of a refusal. */
export const PUBLIC_ADDRESS_RULE =
  'must be scheme, host, port and a plain path, as in https://control.example.com or https://example.com/agents';

/** Segments of letters, digits, `_`, `-`, `~` and dots that need no encoding; `.` and `..` never reach a server. */
const PLAIN_PATH = /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*\/?$/;

/**
 * The address of the dashboard in browsers (`WEB_PUBLIC_URL`), with the origin as in their `Origin` header and without a slash at
 * its end. The service and the web server get the same one.
 *
 * @returns undefined if the text is no such address
 */
export function publicAddress(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url || url.href !== `${url.origin}${url.pathname}` || !PLAIN_PATH.test(url.pathname)) return undefined;
  return url.href.replace(/\/$/, '');
}

/** Path of an address from outside, without a slash at its end: `/control`; empty where there is none. */
export function pathOf(address: string): string {
  return address === '' ? '' : new URL(address).pathname.replace(/\/$/, '');
}
