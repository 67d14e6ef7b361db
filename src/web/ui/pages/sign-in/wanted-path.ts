/**
 * Where somebody wanted to go before they had to sign in: a path of this dashboard, never another site's.
 *
 * @param next as the address of the sign-in page has it, which anybody may have written
 * @param origin of this dashboard
 */
export function wantedPath(next: string | null, origin: string): string {
  const target = URL.parse(next ?? '/', origin);
  // two slashes would name another host, and some ways to write them are found out only after the address was read
  if (target?.origin !== origin || target.pathname.startsWith('//')) return '/';
  return `${target.pathname}${target.search}`;
}
