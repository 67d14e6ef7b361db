import { isIP } from 'node:net';
import { EnvError, makeExactValidator, makeValidator } from 'envalid';
import ipaddr from 'ipaddr.js';
import { PUBLIC_ADDRESS_RULE, publicAddress } from '../http-server/public-address.js';
import { isLoopback } from '../http-server/loopback.js';

/** Validators of variables. Their messages never contain the value, because it may be a secret. */
export const integer = (minimum: number, maximum: number) =>
  makeValidator<number>((input) => {
    const value = Number(input);
    if (!/^\d+$/.test(input.trim()) || value < minimum || value > maximum) {
      throw new EnvError(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  });

/** A share, from 0 to 1. */
export const ratio = makeValidator<number>((input) => {
  const value = Number(input);
  if (input.trim() === '' || !(value >= 0 && value <= 1)) throw new EnvError('must be a number from 0 to 1');
  return value;
});

export const secret = makeValidator<string>((input) => {
  if (Buffer.byteLength(input) < 32) throw new EnvError('must be at least 32 bytes');
  return input;
});

/** An `http` or `https` address; returned without a slash at its end, so that paths can be appended. */
export const webAddress = makeValidator<string>((input) => {
  if (!/^https?:\/\//i.test(input) || !URL.canParse(input)) {
    throw new EnvError('must be an address that begins with http:// or https://');
  }
  return input.replace(/(?<!\/)\/+$/, '');
});

/** The address of a proxy, as other programs take it: `http://` may be left out, and it may hold a login. */
export const proxyAddress = makeValidator<string>((input) => {
  const url = URL.parse(input.includes('://') ? input : `http://${input}`);
  const isProxy =
    url !== null && /^https?:$/.test(url.protocol) && url.pathname + url.search + url.hash === '/';
  if (!isProxy) throw new EnvError('must be an address like http://proxy:3128, which may contain a login');
  return url.href;
});

/** The address of the dashboard, without a slash at its end. The web server has the same rule. */
export const dashboardAddress = makeValidator<string>((input) => {
  const found = publicAddress(input);
  if (found === undefined) throw new EnvError(PUBLIC_ADDRESS_RULE);
  return found;
});

/**
 * The identifier of an identity provider, exactly as the provider writes it. Without TLS, anyone on the network path
 * could log in as any user.
 */
export const issuer = makeValidator<string>((input) => {
  const { protocol, hostname, search, hash } = URL.parse(input) ?? {};
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname!));
  if (!isSafe || search + hash! !== '') {
    throw new EnvError(
      'must be an address that begins with https://, without a query (http:// on this machine only)',
    );
  }
  return input;
});

/** Email addresses, separated by commas. */
export const emailList = makeValidator<string>((input) => {
  if (!input.split(',').every((email) => /^[^\s@]+@[^\s@]+$/.test(email.trim()))) {
    throw new EnvError('must be email addresses, separated by commas');
  }
  return input;
});

/** The parts of the work that an instance can do. */
export const ROLES = ['api', 'dispatcher', 'monitor'] as const;
export type Role = (typeof ROLES)[number];

/** Names of roles, separated by commas. */
export const roles = makeExactValidator<readonly Role[]>((input) => {
  const names = input.split(',').map((name) => name.trim());
  const isRole = (name: string): name is Role => (ROLES as readonly string[]).includes(name);
  if (!names.every(isRole))
    throw new EnvError(`must be one or more of ${ROLES.join(', ')}, separated by commas`);
  return names;
});

const PROXY_NAMES = ['loopback', 'linklocal', 'uniquelocal'];

/** The value of Express's `trust proxy`: `false`, `true`, a number of hops, or a list of addresses. */
export const trustedProxies = makeExactValidator<boolean | number | string>((input) => {
  if (input === 'true' || input === 'false') return input === 'true';
  if (/^\d+$/.test(input)) return Number(input);
  if (!input.split(',').every((proxy) => PROXY_NAMES.includes(proxy.trim()) || isNetwork(proxy.trim()))) {
    throw new EnvError(
      `must be true, false, a number of hops, or addresses and networks (${PROXY_NAMES.join(', ')}, 10.0.0.0/8)`,
    );
  }
  return input;
});

function isNetwork(text: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  return isIP(text) !== 0 || IPv4.isValidCIDRFourPartDecimal(text) || IPv6.isValidCIDR(text);
}
