import { Inject, Injectable } from '@nestjs/common';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimitName } from '../../access/rate-limited.js';
import { SETTINGS } from '../../config/injection-tokens.js';
import type { Settings } from '../../config/settings.js';
import { Database } from '../../database/database.js';

/**
 * The subject of a limit: the requests from an address, those for an account, or those for an account from one address.
 */
export type RateLimitSubject = 'address' | 'account' | 'account_at_address';

type LimitSetting = Extract<keyof Settings, `RATE_LIMIT_${string}`>;

/** The setting of each limit, in requests a minute; for `password`, in failures a minute, for `second_factor` a day. */
const rateLimitTable: Readonly<
  Record<RateLimitName, Readonly<Partial<Record<RateLimitSubject, LimitSetting>>>>
> = {
  login: { address: 'RATE_LIMIT_LOGIN_PER_ADDRESS' },
  password: {
    account_at_address: 'RATE_LIMIT_LOGIN_PER_ACCOUNT',
    account: 'RATE_LIMIT_LOGIN_PER_ACCOUNT_EVERYWHERE',
  },
  second_factor: { account: 'RATE_LIMIT_SECOND_FACTOR_PER_ACCOUNT' },
  register: { address: 'RATE_LIMIT_REGISTER_PER_ADDRESS', account: 'RATE_LIMIT_REGISTER_PER_ACCOUNT' },
  refresh: { address: 'RATE_LIMIT_REFRESH_PER_ADDRESS', account: 'RATE_LIMIT_REFRESH_PER_ACCOUNT' },
  newsletter: { address: 'RATE_LIMIT_NEWSLETTER_PER_ADDRESS' },
  leads: { address: 'RATE_LIMIT_LEADS_PER_ADDRESS' },
};

const WINDOW_SECONDS = 60;
/** A code has six digits: only a long window keeps a person who has the password from guessing one. */
const LONG_WINDOW_SECONDS = 86_400;

/** State of a limit after a request was counted. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  /** Time until the count restarts; whole seconds, at least 1. */
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/**
 * Counts requests in the database, so that a limit applies across instances. A subject past its limit is refused from
 * memory, which keeps a flood away from the database.
 */
@Injectable()
export class RateLimits {
  private readonly limiters = new Map<string, RateLimiterPostgres>();

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counts one request.
   *
   * @param key of the address or account; at most 200 characters
   * @throws if the database is unavailable: every limited request is then refused
   */
  async count(name: RateLimitName, subject: RateLimitSubject, key: string): Promise<RateLimitState> {
    const setting = rateLimitTable[name][subject];
    if (!setting) throw new Error(`The table has no limit ${name} for ${subject}`);
    const limit = this.settings[setting];
    try {
      return stateOf(await this.limiter(name, subject, limit).consume(key), limit, false);
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return stateOf(refusal, limit, true);
      throw refusal;
    }
  }

  /** Reverts the count of one request that does not belong to the limit after all. */
  async forgive(name: RateLimitName, subject: RateLimitSubject, key: string): Promise<void> {
    await this.limiters.get(`${name}:${subject}`)?.reward(key, 1);
  }

  /** Creates a limiter on first use, because the connection exists only once the database is ready. */
  private limiter(name: RateLimitName, subject: RateLimitSubject, points: number): RateLimiterPostgres {
    const prefix = `${name}:${subject}`;
    const known = this.limiters.get(prefix);
    if (known) return known;
    const limiter = new RateLimiterPostgres({
      storeClient: this.database.people.requireDataSource(),
      storeType: 'typeorm',
      tableName: 'rate_limits',
      tableCreated: true,
      keyPrefix: prefix,
      points,
      duration: name === 'second_factor' ? LONG_WINDOW_SECONDS : WINDOW_SECONDS,
      // One more than allowed, because one point of a key at its limit may be reverted.
      inMemoryBlockOnConsumed: points + 1,
      // All limiters share the table, so only the first one deletes expired rows.
      clearExpiredByTimeout: this.limiters.size === 0,
    });
    this.limiters.set(prefix, limiter);
    return limiter;
  }
}

function stateOf(result: RateLimiterRes, limit: number, exceeded: boolean): RateLimitState {
  return {
    limit,
    remaining: exceeded ? 0 : result.remainingPoints,
    resetSeconds: Math.max(1, Math.ceil(result.msBeforeNext / 1_000)),
    exceeded,
  };
}
