import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const GROUPS_OF_A_NETWORK = 4;

/**
 * Key under which requests of an address are counted: an IPv4 address itself, the first 64 bits of an IPv6 address,
 * because a caller usually has a whole /64 network. All texts that are no addresses (a forwarded header may contain
 * anything) share one key.
 */
export function addressKey(address: string): string {
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  const network = parsed.parts.slice(0, GROUPS_OF_A_NETWORK).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}
