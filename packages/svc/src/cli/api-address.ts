import { type Config, DEFAULT_API_URL } from './contexts.js';
import { UsageError } from './failures.js';

/** Origin of the service's address. */
export type AddressSource = 'option' | 'environment' | 'config' | 'default';

export interface ApiAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly source: AddressSource;
}

/** The possible sources of the service's address, in the order of their precedence. */
export interface AddressCandidates {
  readonly option: string | undefined;
  readonly environment: string | undefined;
}

/** Names of this machine, as in `URL.hostname`. */
const LOCAL = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** The address from the command line or the environment; undefined if the config file decides. @throws UsageError */
export function namedAddress({ option, environment }: AddressCandidates): ApiAddress | undefined {
  if (option !== undefined) return { url: normalAddress(option, '--api-url'), source: 'option' };
  // an empty variable counts as absent
  if (!environment) return undefined;
  return { url: normalAddress(environment, 'SERVICE_API_URL'), source: 'environment' };
}

/** The address of the current context. */
export function configuredAddress({ api_url }: Config, isDefault: boolean): ApiAddress {
  return { url: api_url ?? DEFAULT_API_URL, source: isDefault || api_url === null ? 'default' : 'config' };
}

/**
 * Normalises an address, so that two spellings of the same one become equal.
 *
 * @param name name of the address in the error
 * @throws UsageError for an invalid address; the message does not contain it, because it may contain a password
 */
export function normalAddress(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol) && !url.search && !url.hash;
  if (!isAddress) throw new UsageError(`${name} must be an address like http://127.0.0.1:8000`);
  if (url.username || url.password)
    throw new UsageError(`${name} must not contain a user name or password: log in with "svc login"`);
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}

/** The warning before credentials are sent to an address without TLS; undefined for `https` and for this machine. */
export function plainHttpWarning(address: string): string | undefined {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || LOCAL.test(hostname)) return undefined;
  return `${address} is not encrypted: everybody on the way can read passwords and keys; use https`;
}
