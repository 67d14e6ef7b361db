import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Rules for the targets of webhooks. Pure: names are resolved elsewhere, their addresses are checked here. */

const MAXIMUM_LENGTH = 2_048;

/**
 * Ports of other protocols above 1023, by the list of the Fetch standard ("port blocking"). Below 1024 only 80 and 443
 * are allowed: the other servers there use other protocols, and some would execute a request as commands.
 */
const OTHER_PROTOCOLS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697,
  10080,
]);

/**
 * Addresses outside the link-local networks at which clouds return a machine's credentials: AWS by IPv6 (of the machine
 * and of a pod), Google by IPv6, Alibaba, Oracle's former one, and the host of an Azure machine, whose address is a
 * public one.
 */
const METADATA_ADDRESSES = new Set([
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
]);
/** The names of these services, which resolve only inside a cloud. */
const METADATA_NAMES = [
  'metadata',
  'metadata.google.internal',
  'metadata.azure.internal',
  'instance-data',
  'instance-data.ec2.internal',
];
/**
 * Link-local networks contain 169.254.169.254 and similar addresses. The others are IPv6 forms that lead to any IPv4
 * address.
 */
const NEVER_REACHED = ['linkLocal', 'rfc6052', 'rfc6145', '6to4', 'teredo'];

/** Names that mean this machine or this network wherever they are resolved: RFC 6761, 6762, 8375, ICANN's `internal`. */
const PRIVATE_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa'];

export type Target =
  | { readonly url: URL; readonly problem?: undefined }
  | { readonly url?: undefined; readonly problem: string };

/**
 * Parses the address of a webhook. The URL parser normalises all spellings of an IPv4 address (`0x7f.1`, `2130706433`,
 * `０１７７.0.0.1`), so the checked address is the one that is connected to.
 */
export function parseTarget(text: string): Target {
  if (text.length > MAXIMUM_LENGTH)
    return { problem: `url must be at most ${MAXIMUM_LENGTH} characters long` };
  // The parser would silently drop or replace some characters (tabs, line ends, backslashes), which could deceive a
  // reader.
  const isPlain = /^https?:\/\/[^\s\\/][^\s\\]*$/i.test(text) && !hasControlCharacters(text);
  const url = isPlain ? URL.parse(text) : null;
  if (!url) return { problem: 'url must be an absolute http or https URL' };
  if (url.username !== '' || url.password !== '') return { problem: 'url must not contain credentials' };
  return { url };
}

/** The host of a URL if it is an IP address, else null. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}

/** Returns true if the port of a URL may be an HTTP port. The URL parser leaves out the default port of the scheme. */
export function hasHttpPort({ port }: URL): boolean {
  if (port === '' || port === '80' || port === '443') return true;
  return Number(port) > 1_023 && !OTHER_PROTOCOLS.has(Number(port));
}

/**
 * Returns true if the address belongs to a cloud's metadata service, or may lead to one. It is refused for every
 * webhook, even if private targets are allowed.
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
 * Returns true if an address is that of a host on the public internet. All others are refused: private, loopback,
 * link-local (169.254.169.254 returns a cloud machine's credentials), carrier-grade NAT, multicast, unspecified,
 * benchmarking, documentation, reserved; and each IPv6 form that leads to an IPv4 address (mapped, compatible, 6to4,
 * Teredo, NAT64), whatever that address is.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || isMetadataAddress(address)) return false;
  // 2000::/3 is the only part of IPv6 that has been assigned to networks (RFC 4291, 2.4).
  return !(parsed instanceof ipaddr.IPv6) || (parsed.parts[0]! & 0xe000) === 0x2000;
}

/** A name with a public and a private address is refused, because either could be used. */
export function areAllPublic(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isPublicAddress);
}

function withoutFinalDot(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '');
}

function hasControlCharacters(text: string): boolean {
  return [...text].some((character) => character <= '\u001f' || character === '\u007f');
}
