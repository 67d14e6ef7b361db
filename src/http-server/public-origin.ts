/** Rule of an origin, as a refusal names it. */
export const ORIGIN_RULE = 'must be scheme, host and port alone, as in https://control.example.com';

/**
 * The origin under which people reach the dashboard (`WEB_PUBLIC_URL`), as in a browser's `Origin` header. The service and the web
 * server are given the same one: pages are served at its root only.
 *
 * @returns undefined where it is none, or has a path
 */
export function publicOrigin(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url && url.href === `${url.origin}/` ? url.origin : undefined;
}
