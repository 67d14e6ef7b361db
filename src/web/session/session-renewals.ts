import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import {
  discard,
  readJson,
  readReply,
  type ServiceConnection,
  type ServiceReply,
} from '../proxy/service-connection.js';
import { NoSessionError, WebError } from '../web-error.js';
import type { SessionTokens } from './session-cookies.js';

/** Sessions remembered at most; one that is forgotten costs a refresh more. */
const MOST_SESSIONS = 10_000;
/** Requests that left the browser before it had the new cookies come this late at most. */
const KEPT_MS = 60_000;
/** Longer than any reply to a request that began before its session ended. */
const OVER_MS = 10 * 60_000;

export interface Client {
  readonly address: string;
  readonly requestId: string;
}

/**
 * Trades refresh tokens in: once for all requests that come with the same one, at the same time or shortly after.
 * Nothing here needs to outlive the process; a second server that does the same in parallel does no harm.
 */
export class SessionRenewals {
  private readonly renewals = new LRUCache<string, Promise<SessionTokens>>({ max: MOST_SESSIONS });
  private readonly over = new LRUCache<string, true>({ max: MOST_SESSIONS, ttl: OVER_MS });

  constructor(private readonly service: ServiceConnection) {}

  /**
   * @throws NoSessionError when the service refuses the token for good; WebError when it can't tell at the moment
   */
  renew(refreshToken: string, client: Client): Promise<SessionTokens> {
    const key = keyOf(refreshToken);
    if (this.over.has(key)) return Promise.reject(new NoSessionError());
    const known = this.renewals.get(key);
    if (known) return known;
    // never tied to the request that asked first: its browser may leave while others wait for the same
    const renewal = this.refresh(refreshToken, client);
    this.renewals.set(key, renewal);
    renewal.then(
      () => this.renewals.set(key, renewal, { ttl: KEPT_MS }),
      () => this.renewals.delete(key),
    );
    return renewal;
  }

  /** From now on the token, and what it is being traded in for, is no session: a late reply can't bring it back. */
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
      throw new WebError(reply.status, 'The session can not be renewed just now', { 'Retry-After': after });
    }
    if (reply.status >= 500) {
      discard(reply);
      throw new WebError(502, `The service answered ${reply.status}`);
    }
    throw new NoSessionError(detailOf(await readReply(reply)));
  }
}

/** @throws WebError 502 when the reply holds no pair of tokens */
export async function readTokens(reply: ServiceReply): Promise<SessionTokens> {
  const tokens = await readJson<Partial<SessionTokens> | null>(reply);
  const { access_token: access, refresh_token: refresh, expires_in: seconds } = tokens ?? {};
  if (typeof access !== 'string' || typeof refresh !== 'string' || !Number.isInteger(seconds)) {
    throw new WebError(502, 'What answers as the service is not one');
  }
  return tokens as SessionTokens;
}

/** The token itself is kept no longer than it is needed. */
function keyOf(refreshToken: string): string {
  return createHash('sha256').update(refreshToken).digest('base64url');
}

function detailOf(body: string): string | undefined {
  try {
    const { detail } = JSON.parse(body) as { detail?: unknown };
    return typeof detail === 'string' ? detail : undefined;
  } catch {
    return undefined;
  }
}
