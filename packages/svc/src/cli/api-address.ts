import { type Config, DEFAULT_API_URL } from './contexts.js';
import { UsageError } from './failures.js';

/** Origin of the service's address. */
export type AddressSource = 'option' | 'environment' | 'config' | 'default';

export interface ApiAddress {
  /** Without a slash at the end. */
  readonly url: string;
  readonly source: AddressSource;
}

/** The sources of the service's address, in the order of who wins. */
export interface AddressCandidates {
  readonly option: string | undefined;
  readonly environment: string | undefined;
}

/** The address that a command names by itself; nothing where the config file has the say. @throws UsageError */
export function namedAddress({ option, environment }: AddressCandidates): ApiAddress | undefined {
  if (option !== undefined) return { url: normalAddress(option, '--api-url'), source: 'option' };
  // an empty variable is one that is not set
  if (!environment) return undefined;
  return { url: normalAddress(environment, 'SERVICE_API_URL'), source: 'environment' };
}

/** The address of the current context. */
export function configuredAddress({ api_url }: Config, isDefault: boolean): ApiAddress {
  return { url: api_url ?? DEFAULT_API_URL, source: isDefault || api_url === null ? 'default' : 'config' };
}

/**
 * Two spellings of one address compare equal afterwards.
 *
 * @param name its name in the error
 * @throws UsageError for what is no address of a service; it may hold a password, so it is not repeated
 */
export function normalAddress(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isAddress = url !== undefined && /^https?:$/.test(url.protocol) && !url.search && !url.hash;
  if (!isAddress) throw new UsageError(`${name} must be an address like http://127.0.0.1:8000`);
  if (url.username || url.password)
    throw new UsageError(`${name} must not hold a user name or password: log in with "svc login"`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
