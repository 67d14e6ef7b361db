import { SetMetadata, type Type } from '@nestjs/common';

/** Metadata key under which a route says which limit it stands under. */
export const RATE_LIMITED = 'rate-limited';

/** The limits; `http/rate-limit/rate-limit-table.ts` says how wide each one is. */
export type RateLimitName = 'login' | 'register' | 'refresh' | 'newsletter' | 'leads';

/** Tells which account a request is about; a provider of the feature that knows. */
export interface AccountOfRequest {
  /**
   * @param request before its validation, so nothing in it can be relied on
   * @returns a name of the account that tells nothing about it (it is stored), undefined when there is none
   */
  accountOf(request: { readonly body?: unknown }): string | undefined;
}

export interface RateLimit {
  readonly name: RateLimitName;
  readonly account?: Type<AccountOfRequest>;
}

/**
 * The route answers only so many requests a minute from one address, and about one account where `account` tells
 * which; past that it is a 429. Enforced before the handler runs, so nothing of the request has happened yet.
 */
export const RateLimited = (name: RateLimitName, account?: Type<AccountOfRequest>) =>
  SetMetadata(RATE_LIMITED, { name, account } satisfies RateLimit);
