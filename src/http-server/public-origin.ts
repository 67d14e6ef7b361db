/** Rule of an origin, in the words of a refusal. */
export const ORIGIN_RULE = 'must be scheme, host and port alone, as in https://control.example.com';

/**
 * The origin of the dashboard in browsers (`WEB_PUBLIC_URL`), as in their `Origin` header. The service and the web
 * server get the same one: pages are served only at its root.
 *
 * @returns undefined if the text is no origin, or has a path
 */
export function publicOrigin(text: string): string | undefined {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  return url && url.href === `${url.origin}/` ? url.origin : undefined;
}
