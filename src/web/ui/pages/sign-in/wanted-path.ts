/**
 * Path of the page to open after the sign-in: always a path of this dashboard, never another site.
 *
 * @param next of the sign-in page's address; not trusted
 * @param origin of this dashboard
 */
export function wantedPath(next: string | null, origin: string): string {
  const target = URL.parse(next ?? '/', origin);
  // two slashes would name another host, and some notations of them appear only after parsing
  if (target?.origin !== origin || target.pathname.startsWith('//')) return '/';
  return `${target.pathname}${target.search}`;
}

const KEY = 'wanted-path';

/** Stores the path while this tab is at the identity provider. */
export function keepWantedPath(path: string): void {
  sessionStorage.setItem(KEY, path);
}

/** The path that {@link keepWantedPath} stored; `/` without one. */
export function keptWantedPath(): string {
  return wantedPath(sessionStorage.getItem(KEY), location.origin);
}
