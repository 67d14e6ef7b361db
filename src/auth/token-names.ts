import type { Settings } from '../config/settings.js';
import { name } from '../config/version.js';

export interface TokenNames {
  readonly issuer: string;
  readonly accessAudience: string;
  readonly refreshAudience: string;
}

/**
 * The issuer is the installation, by its `PUBLIC_URL`: a token of one installation is refused by another that has the same
 * secret, such as a copy for tests. The audience is the place where the token is good: all of the API, or the refresh.
 */
export function tokenNames({ PUBLIC_URL }: Pick<Settings, 'PUBLIC_URL'>): TokenNames {
  const issuer = PUBLIC_URL || name;
  return { issuer, accessAudience: issuer, refreshAudience: `${issuer}/auth/refresh` };
}
