import type { Settings } from './settings.js';

/**
 * The address for which the identity provider makes access tokens that assistants send to `/mcp` (RFC 8707).
 *
 * @returns null if single sign-on is not set up, or the service does not know its address
 */
export function tokenResourceOf({ OIDC_ISSUER, PUBLIC_URL }: Settings): string | null {
  return OIDC_ISSUER === '' || PUBLIC_URL === '' ? null : `${PUBLIC_URL.replace(/\/$/, '')}/mcp`;
}
