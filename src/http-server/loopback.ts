import ipaddr from 'ipaddr.js';

/** Returns true if only programs on this machine reach a server that listens on this host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}
