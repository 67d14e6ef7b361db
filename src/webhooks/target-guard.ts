import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Which targets a webhook may have. Pure: names are resolved elsewhere, what they resolve to is judged here. */

const MAXIMUM_LENGTH = 2_048;

/** Names that mean this machine or this network wherever they are resolved: RFC 6761, 6762, 8375, ICANN's `internal`. */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa'];

export type Target =
  | { readonly url: URL; readonly problem?: undefined }
  | { readonly url?: undefined; readonly problem: string };

/**
 * Reads an address that was given for a webhook. The URL parser makes one form of all spellings of an IPv4 address
 * (`0x7f.1`, `2130706433`, `０１７７.0.0.1`), so what is judged is what would be connected to.
 */
export function parseTarget(text: string): Target {
  if (text.length > MAXIMUM_LENGTH)
    return { problem: `url must be at most ${MAXIMUM_LENGTH} characters long` };
  // What the parser would silently drop or turn round (tabs, line ends, backslashes) only serves to deceive a reader.
  const isPlain = /^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) && !hasControlCharacters(text);
  const url = isPlain ? URL.parse(text) : null;
  if (!url) return { problem: 'url must be an absolute http or https URL' };
  if (url.username !== '' || url.password !== '') return { problem: 'url must not hold credentials' };
  return { url };
}

/** The host of a URL when it is an IP address, else null. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

/** Whether a name can be a public one at all: it has two labels and is not reserved for private use. */
export function isPublicName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  if (!name.includes('.')) return false;
  return !PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/**
 * Whether an address is a host's on the public internet. Everything that is anything else is refused: private,
 * loopback, link-local (169.254.169.254 hands out a cloud machine's credentials), carrier-grade NAT, multicast,
 * unspecified, benchmarking, documentation, reserved; and each IPv6 form that leads to an IPv4 address (mapped,
 * compatible, 6to4, Teredo, NAT64), whatever that address is.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  // 2000::/3 is all of IPv6 that has ever been given to networks (RFC 4291, 2.4).
  return !(parsed instanceof ipaddr.IPv6) || (parsed.parts[0]! & 0xe000) === 0x2000;
}

/** A name that leads to a public and to a private address is refused: which one is taken would be chance. */
export function areAllPublic(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isPublicAddress);
}

function hasControlCharacters(text: string): boolean {
  return [...text].some((character) => character <= '\u001f' || character === '\u007f');
}
