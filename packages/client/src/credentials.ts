/** The credential of a client: a key or an access token, and how to get a new one after a refusal. */
export interface Credentials {
  /** The bearer credential; undefined for a caller without one. */
  current(): string | undefined | Promise<string | undefined>;
  /**
   * Returns a new credential after `refused` was answered with 401; undefined if there is none. Calls may be
   * concurrent.
   */
  renew?(refused: string): Promise<string | undefined>;
}

/** Returns true for a text that a header can hold (RFC 9110, 5.5) and that has no space, as every key and token. */
export function isCredential(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}

/** The tokens in the reply of `POST /auth/login`. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Store of a session's tokens: a file, cookies, memory. */
export interface TokenStore {
  read(): Tokens | undefined | Promise<Tokens | undefined>;
  write(tokens: Tokens): void | Promise<void>;
}

/** A person's session: sends the access token, and renews it with the refresh token after its expiry. */
export class SessionCredentials implements Credentials {
  private renewal: Promise<string | undefined> | undefined;

  /** @param refresh calls `POST /auth/refresh`; returns undefined if the refresh token is refused too */
  constructor(
    private readonly store: TokenStore,
    private readonly refresh: (refreshToken: string) => Promise<Tokens | undefined>,
  ) {}

  async current(): Promise<string | undefined> {
    return (await this.store.read())?.access_token;
  }

  /** Refreshes once for all requests that were refused at the same time. */
  renew(refused: string): Promise<string | undefined> {
    this.renewal ??= this.renewOnce(refused).finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async renewOnce(refused: string): Promise<string | undefined> {
    const kept = await this.store.read();
    if (!kept) return undefined;
    // another caller has renewed it in the meantime
    if (kept.access_token !== refused) return kept.access_token;
    const fresh = await this.refresh(kept.refresh_token);
    if (fresh) await this.store.write(fresh);
    return fresh?.access_token;
  }
}
