import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Returns true if only programs on this machine reach a server that listens on this host: `localhost`, or an address of loopback in
 * its usual form.
 */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return host === 'localhost' || (version !== 0 && LOOPBACK.check(host, version === 6 ? 'ipv6' : 'ipv4'));
}
