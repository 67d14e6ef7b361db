import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isLoopback } from '../http-server/loopback.js';
import { literalAddress } from './target-guard.js';

/**
 * Returns true if a target is reached without a proxy, by the list that other programs read from `NO_PROXY`: names with all that is
 * below them, addresses, networks (`10.0.0.0/8`), each with a port where only that one is meant, or `*`. This machine is always one.
 */
export function isWithoutProxy(list: string, hostname: string, port: number): boolean {
  const host = (literalAddress(hostname) ?? hostname).toLowerCase().replace(/\.$/, '');
  if (isLoopback(host) || host.endsWith('.localhost')) return true;
  return list
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: number): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isWithin(entry, host);
  const [, whole = entry, onlyPort] = isIP(entry) === 0 ? (/^(.*):(\d+)$/.exec(entry) ?? []) : [];
  if (onlyPort !== undefined && Number(onlyPort) !== port) return false;
  const name = (literalAddress(whole) ?? whole).replace(/^\*?\./, '');
  return host === name || (isIP(host) === 0 && host.endsWith(`.${name}`));
}

function isWithin(network: string, host: string): boolean {
  if (isIP(host) === 0 || !ipaddr.isValidCIDR(network)) return false;
  const [address, bits] = ipaddr.parseCIDR(network);
  const list = new BlockList();
  list.addSubnet(address.toString(), bits, address.kind());
  return list.check(host, ipaddr.parse(host).kind());
}
