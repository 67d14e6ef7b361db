import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  discard,
  NOT_THE_SERVICE,
  readJson,
  readRefusal,
  type ServiceConnection,
  type ServiceReply,
} from '../proxy/service-connection.js';
import { NoSessionError, WebError } from '../web-error.js';
import type { SessionTokens } from './session-cookies.js';

/** Maximum number of sessions in the cache; a dropped one costs one more refresh. */
const MOST_SESSIONS = 10_000;
/** Time for which a renewal is kept, for requests that left the browser before it had the new cookies. */
const KEPT_MS = 60_000;
/** Time for which an ended session is kept; longer than any reply to a request that began before. */
const OVER_MS = 10 * 60_000;

export interface Client {
  readonly address: string;
  readonly requestId: string;
}

/**
 * Renews sessions: once for all requests with the same refresh token that arrive at the same time or shortly after. The
 * state is only in memory; a second web server may renew the same session in parallel.
 */
export class SessionRenewals {
  private readonly renewals = new LRUCache<string, Promise<SessionTokens>>({ max: MOST_SESSIONS });
  private readonly over = new LRUCache<string, true>({ max: MOST_SESSIONS, ttl: OVER_MS });

  constructor(private readonly service: ServiceConnection) {}

  /**
   * @throws NoSessionError if the service refuses the token permanently; WebError if it can't answer now
   */
  renew(refreshToken: string, client: Client): Promise<SessionTokens> {
    const key = keyOf(refreshToken);
    if (this.over.has(key)) return Promise.reject(new NoSessionError());
    const known = this.renewals.get(key);
    if (known) return known;
    // not aborted with the first request: its browser may leave while others wait for the same renewal
    const renewal = this.refresh(refreshToken, client);
    this.renewals.set(key, renewal);
    renewal.then(
      () => this.renewals.set(key, renewal, { ttl: KEPT_MS }),
      () => this.renewals.delete(key),
    );
    return renewal;
  }

  /** Ends the session of the token and of its renewal, so that a late reply can't restore it. */
  end(refreshToken: string): void {
    const key = keyOf(refreshToken);
    this.over.set(key, true);
    this.renewals.get(key)?.then(
      (tokens) => this.over.set(keyOf(tokens.refresh_token), true),
      () => undefined,
    );
  }

  isOver(refreshToken: string): boolean {
    return this.over.has(keyOf(refreshToken));
  }

  private async refresh(refreshToken: string, client: Client): Promise<SessionTokens> {
    const reply = await this.service.call({
      method: 'POST',
      path: '/auth/refresh',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: refreshToken }),
      client,
    });
    if (reply.status === 200) return readTokens(reply);
    if (reply.status === 429 || reply.status === 503) {
      discard(reply);
      const after = String(reply.headers['retry-after'] ?? 1);
      throw new WebError(reply.status, "The session can't be renewed at the moment: try again later", {
        'Retry-After': after,
      });
    }
    if (reply.status >= 500) {
      discard(reply);
      throw new WebError(502, `The service answered ${reply.status}`);
    }
    throw new NoSessionError(await readRefusal(reply));
  }
}

/** Reads the tokens of a reply. @throws WebError 502 if there are none */
export async function readTokens(reply: ServiceReply): Promise<SessionTokens> {
  const tokens = await readJson<Partial<SessionTokens> | null>(reply);
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = tokens ?? {};
  if (typeof access !== 'string' || typeof refresh !== 'string' || !Number.isInteger(seconds)) {
    throw new WebError(502, NOT_THE_SERVICE);
  }
  return tokens as SessionTokens;
}

/** Hash of a token as key of the cache, so that the token itself is not kept. */
function keyOf(refreshToken: string): string {
  return createHash('sha256').update(refreshToken).digest('base64url');
}
