/** The credential of a client: a key or an access token, and how to get a new one when it is refused. */
export interface Credentials {
  /** The text to send as a bearer; nothing for a caller without one. */
  current(): string | undefined | Promise<string | undefined>;
  /**
   * A fresh credential after `refused` was answered with 401; nothing when there is none to be had.
   * Any number of simultaneous calls may ask.
   */
  renew?(refused: string): Promise<string | undefined>;
}

/** A pair of tokens as `POST /auth/login` gives it. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** Store of a session's tokens: a file, cookies, memory. */
export interface TokenStore {
  read(): Tokens | undefined | Promise<Tokens | undefined>;
  write(tokens: Tokens): void | Promise<void>;
}

/** A person's session: shows the access token, and trades the refresh token in when that has expired. */
export class SessionCredentials implements Credentials {
  private renewal: Promise<string | undefined> | undefined;

  /** @param refresh `POST /auth/refresh`; nothing when the refresh token is refused too */
  constructor(
    private readonly store: TokenStore,
    private readonly refresh: (refreshToken: string) => Promise<Tokens | undefined>,
  ) {}

  async current(): Promise<string | undefined> {
    return (await this.store.read())?.access_token;
  }

  /** One refresh, however many requests were refused at the same time. */
  renew(refused: string): Promise<string | undefined> {
    this.renewal ??= this.renewOnce(refused).finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async renewOnce(refused: string): Promise<string | undefined> {
    const kept = await this.store.read();
    if (!kept) return undefined;
    // somebody else has renewed it in the meantime
    if (kept.access_token !== refused) return kept.access_token;
    const fresh = await this.refresh(kept.refresh_token);
    if (fresh) await this.store.write(fresh);
    return fresh?.access_token;
  }
}
