import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
const GROUPS_OF_A_NETWORK = 4;

/**
 * Key under which an address is counted: an IPv4 address as it is, the first 64 bits of an IPv6 address, because a caller
 * usually has a whole /64 network. All text that is no address (a forwarded header may hold anything) has one key.
 */
export function addressKey(address: string): string {
  if (isIPv4(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  const [bare = ''] = address.split('%');
  if (isIPv6(bare)) return `${networkOf(bare)}::/64`;
  return 'unknown';
}

function networkOf(address: string): string {
  const [before = '', after] = address.split('::');
  const head = groupsOf(before);
  const tail = groupsOf(after ?? '');
  const gap = after === undefined ? 0 : GROUPS - head.length - tail.length;
  return [...head, ...Array<string>(Math.max(gap, 0)).fill('0'), ...tail]
    .slice(0, GROUPS_OF_A_NETWORK)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

/** An IPv4 address at the end (`64:ff9b::192.0.2.1`) takes the place of two groups. */
function groupsOf(part: string): string[] {
  return part.split(':').flatMap((group) => (group === '' ? [] : group.includes('.') ? ['0', '0'] : [group]));
}
