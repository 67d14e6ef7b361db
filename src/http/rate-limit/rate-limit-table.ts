import type { RateLimitName } from '../../access/rate-limited.js';
import type { Settings } from '../../config/settings.js';

/**
 * The subject of a limit: the requests from an address, those about an account, or those about an account from one
 * address.
 */
export type RateLimitSubject = 'address' | 'account' | 'account_at_address';

type LimitSetting = Extract<keyof Settings, `RATE_LIMIT_${string}`>;

/** The setting that holds each limit, in requests a minute; of `password`, in failures a minute. */
export const rateLimitTable: Readonly<
  Record<RateLimitName, Readonly<Partial<Record<RateLimitSubject, LimitSetting>>>>
> = {
  login: { address: 'RATE_LIMIT_LOGIN_PER_ADDRESS' },
  password: {
    account_at_address: 'RATE_LIMIT_LOGIN_PER_ACCOUNT',
    account: 'RATE_LIMIT_LOGIN_PER_ACCOUNT_EVERYWHERE',
  },
  register: { address: 'RATE_LIMIT_REGISTER_PER_ADDRESS', account: 'RATE_LIMIT_REGISTER_PER_ACCOUNT' },
  refresh: { address: 'RATE_LIMIT_REFRESH_PER_ADDRESS', account: 'RATE_LIMIT_REFRESH_PER_ACCOUNT' },
  newsletter: { address: 'RATE_LIMIT_NEWSLETTER_PER_ADDRESS' },
  leads: { address: 'RATE_LIMIT_LEADS_PER_ADDRESS' },
};
