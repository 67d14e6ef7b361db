/** Path of the service's address from outside: `/control` where a proxy strips it; empty where there is none. */
export function pathOf(address: string): string {
  return address === '' ? '' : new URL(address).pathname.replace(/\/$/, '');
}
