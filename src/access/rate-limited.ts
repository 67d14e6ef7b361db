import { applyDecorators, SetMetadata, type Type } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';

/** Metadata key of a route's rate limit. */
export const RATE_LIMITED = 'rate-limited';
/** Vendor extension that marks such a route for the document's builder; not in the document. */
export const MARKED_RATE_LIMITED = 'x-rate-limited';

/**
 * Names of the rate limits; `http/rate-limit/rate-limits.ts` has their settings. `password` counts wrong passwords
 * and `second_factor` wrong codes, after they were checked; all others count requests.
 */
export type RateLimitName =
  'login' | 'password' | 'second_factor' | 'register' | 'refresh' | 'newsletter' | 'leads';

/** Finds the account that a request concerns; implemented by the feature of the route. */
export interface AccountOfRequest {
  /**
   * @param request not validated yet: its body may be anything
   * @returns a pseudonym of the account (it is stored), undefined if there is none
   */
  accountOf(request: { readonly body?: unknown }): string | undefined;
}

export interface RateLimit {
  readonly name: RateLimitName;
  readonly account?: Type<AccountOfRequest>;
}

/**
 * Limits the requests a minute from one address and, with `account`, for one account. The guard returns 429 for more
 * requests before the handler runs, so a refused request has no effect.
 */
export const RateLimited = (name: RateLimitName, account?: Type<AccountOfRequest>) =>
  applyDecorators(
    SetMetadata(RATE_LIMITED, { name, account } satisfies RateLimit),
    ApiExtension(MARKED_RATE_LIMITED, true),
  );
