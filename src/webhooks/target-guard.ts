import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Rules for the targets of webhooks. Pure: names are resolved elsewhere, their addresses are judged here. */

const MAXIMUM_LENGTH = 2_048;

/**
 * Ports of other protocols above 1023, by the list of the Fetch standard ("port blocking"). Below, only 80 and 443 are open:
 * what listens there speaks another protocol, and some of them take a request for commands.
 */
const OTHER_PROTOCOLS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/**
 * Addresses outside of the link-local networks at which clouds hand out a machine's credentials: AWS by IPv6 (of the machine and
 * of a pod), Google by IPv6, Alibaba, Oracle's former one, and the host of an Azure machine, whose address is a public one.
 */
const METADATA_ADDRESSES = new Set([
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
]);
/** The names of these services, which resolve inside of a cloud only. */
const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
];
/** Link-local networks hold 169.254.169.254 and its like. The others are IPv6 forms that lead to any IPv4 address. */
const NEVER_REACHED = ['linkLocal', 'rfc6052', 'rfc6145', '6to4', 'teredo'];

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
  // Characters that the parser would silently drop or turn round (tabs, line ends, backslashes) only deceive a reader.
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

/** Returns true if a URL has a port on which HTTP may be spoken. The URL parser leaves out the port of the scheme. */
export function hasHttpPort({ port }: URL): boolean {
  if (port === '' || port === '80' || port === '443') return true;
  return Number(port) > 1_023 && !OTHER_PROTOCOLS.has(Number(port));
}

/**
 * Returns true if the address belongs to a cloud's metadata service, or may lead to one. No webhook goes there, also where
 * private targets are allowed.
 */
export function isMetadataAddress(address: string): boolean {
  const parsed = ipaddr.process(address);
  const bytes = parsed.toByteArray();
  // The deprecated form `::a.b.c.d`.
  if (bytes.length === 16 && bytes.slice(0, 12).every((byte) => byte === 0) && bytes[12] !== 0) return true;
  return NEVER_REACHED.includes(parsed.range()) || METADATA_ADDRESSES.has(parsed.toString());
}

/** Returns true if the name is that of a cloud's metadata service. */
export function isMetadataName(hostname: string): boolean {
  return METADATA_NAMES.includes(withoutFinalDot(hostname));
}

/** Returns true if a name can be a public one: it has two labels and is not reserved for private use. */
export function isPublicName(hostname: string): boolean {
  const name = withoutFinalDot(hostname);
  if (!name.includes('.')) return false;
  return !PRIVATE_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));
}

/**
 * Returns true if an address is a host's on the public internet. Everything that is anything else is refused: private,
 * loopback, link-local (169.254.169.254 hands out a cloud machine's credentials), carrier-grade NAT, multicast,
 * unspecified, benchmarking, documentation, reserved; and each IPv6 form that leads to an IPv4 address (mapped,
 * compatible, 6to4, Teredo, NAT64), whatever that address is.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || isMetadataAddress(address)) return false;
  // 2000::/3 is all of IPv6 that has ever been given to networks (RFC 4291, 2.4).
  return !(parsed instanceof ipaddr.IPv6) || (parsed.parts[0]! & 0xe000) === 0x2000;
}

/** A name that leads to a public and to a private address is refused: which one is taken would be chance. */
export function areAllPublic(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isPublicAddress);
}

function withoutFinalDot(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function hasControlCharacters(text: string): boolean {
  return [...text].some((character) => character <= '\u001f' || character === '\u007f');
}
