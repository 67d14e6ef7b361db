import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** An address and its port: `192.0.2.1:5000`, `[2001:db8::1]:5000`; IPv6 in brackets alone, too. */
const WITH_PORT = /^(?:\[([\da-f:.]{2,45})\]|([\d.]{7,15}))(?::\d{1,5})?$/i;

/**
 * Takes the ports out of `X-Forwarded-For`, which some proxies add to the addresses: with them no address is known, so that all
 * callers would share one limit. Must be called before anything asks for the caller's address.
 */
export function dropForwardedPorts({ headers }: IncomingMessage): void {
  const given = headers['x-forwarded-for'];
  if (typeof given !== 'string' || !given.includes(':')) return;
  headers['x-forwarded-for'] = given
    .split(',')
    .map((address) => withoutPort(address.trim()))
    .join(', ');
}

function withoutPort(address: string): string {
  if (isIP(address) !== 0) return address;
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? [];
  return ipv6 ?? ipv4 ?? address;
}
