import {
  createServiceClient,
  type Credentials,
  type ServiceClient,
  ServiceError,
  SessionCredentials,
  type Tokens,
  type TokenStore,
  unwrap,
} from '@agent-control-plane/client';
import { proxiedFetch } from '@agent-control-plane/client/internal/runtime/proxied-fetch';
import { serviceFetch } from '@agent-control-plane/client/internal/service-fetch';
import type { ConfigFile } from './config-file.js';
import { type Config, contextAt, type Login, loginAtTwin, NO_CONFIG, withTokens } from './contexts.js';
import { CommandFailedError, NotLoggedInError } from './failures.js';
import type { CodeSource } from './second-factor.js';
import { steppingUp } from './step-up.js';
import type { Progress } from './terminal.js';

/** The kind of credential: a key from the environment, one from the config file, a login, or none. */
export type CredentialKind = 'environment' | 'key' | 'session' | 'none';

export interface SessionOptions {
  readonly apiUrl: string;
  readonly config: ConfigFile;
  /** Names the proxies. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `SERVICE_API_KEY`. */
  readonly keyFromEnvironment: string | undefined;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Shows that an answer takes long. */
  readonly showWaiting: () => Progress;
  /** The source of a code, for a service that wants a fresh second factor. */
  readonly codes: CodeSource;
  /** Tells the caller why renewed tokens are good for this command alone. */
  readonly showUnkept: (reason: string) => void;
}

/** Time after which a spinner is shown; milliseconds. */
const SOON_MS = 500;

/** The caller's credential for the service at one address. */
export class Session {
  private readonly tokens: KeptTokens;
  private readonly proxiedFetch: ReturnType<typeof proxiedFetch>;

  constructor(
    private readonly options: SessionOptions,
    /** Empty if the file was not needed. */
    private readonly config: Config = NO_CONFIG,
  ) {
    this.proxiedFetch = proxiedFetch(options.environment);
    this.tokens = new KeptTokens(options.config, options.apiUrl, options.showUnkept);
  }

  get kind(): CredentialKind {
    if (this.options.keyFromEnvironment) return 'environment';
    return kindOf(contextAt(this.config, this.options.apiUrl));
  }

  /** Advice on how to get a credential; names a login at another address of the same machine. */
  get loginAdvice(): string {
    const twin = loginAtTwin(this.config, this.options.apiUrl)?.api_url;
    const offer = twin ? `add --api-url ${twin}, the same place, where you are logged in, or ` : '';
    return `${offer}run "svc login"`;
  }

  /** @throws NotLoggedInError */
  client(): ServiceClient {
    const client = this.clientWith(this.credentials());
    // a key has no session that could remember it
    if (this.kind === 'session') client.use(steppingUp(client, this.options.codes));
    return client;
  }

  /** See {@link Context.authorizedFetch}. @throws NotLoggedInError */
  authorizedFetch(timeoutMs: number): (request: Request) => Promise<Response> {
    const { apiUrl: baseUrl, userAgent } = this.options;
    const credentials = this.credentials();
    const send = (request: Request) => this.fetch(request);
    const repeated = serviceFetch({ baseUrl, credentials, retries: 0, timeoutMs, fetch: send });
    return (request) => {
      request.headers.set('user-agent', userAgent);
      return repeated(request);
    };
  }

  stranger(): ServiceClient {
    return this.clientWith(undefined);
  }

  private credentials(): Credentials {
    const { keyFromEnvironment, apiUrl } = this.options;
    if (keyFromEnvironment) return { current: () => keyFromEnvironment };
    if (this.kind === 'key') return { current: () => contextAt(this.config, apiUrl)!.api_key! };
    if (this.kind === 'session') return new SessionCredentials(this.tokens, (token) => this.refresh(token));
    throw new NotLoggedInError(
      `You are not logged in to ${apiUrl}: ${this.loginAdvice}, or set SERVICE_API_KEY`,
    );
  }

  /** Refreshes the tokens. Undefined if the refresh token is refused too: the first refusal is then reported. */
  private async refresh(refreshToken: string): Promise<Tokens | undefined> {
    try {
      return await unwrap(this.stranger().POST('/auth/refresh', { body: { refresh_token: refreshToken } }));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401 && !error.isOfProxy) return undefined;
      throw error;
    }
  }

  private clientWith(credentials: Credentials | undefined): ServiceClient {
    const { apiUrl, userAgent } = this.options;
    return createServiceClient({
      baseUrl: apiUrl,
      credentials,
      userAgent,
      fetch: (request) => this.fetch(request),
    });
  }

  private async fetch(request: Request): Promise<Response> {
    let progress: Progress | undefined;
    const timer = setTimeout(() => (progress = this.options.showWaiting()), SOON_MS);
    try {
      const signal = AbortSignal.any([request.signal, this.options.signal]);
      // the service never redirects; another server would get a password or a token that is not for it
      // the signal is a separate option, because an abort does not reach a request without references
      return await this.proxiedFetch(request, { redirect: 'error', signal });
    } finally {
      clearTimeout(timer);
      progress?.end();
    }
  }
}

/** The credential of a context. */
export function kindOf(login: Login | undefined): Exclude<CredentialKind, 'environment'> {
  if (!login?.api_key) return 'none';
  return login.refresh_token === null ? 'key' : 'session';
}

/**
 * The tokens in the config file, as long as they are for this address: others may replace them at any time. Where the file
 * can't be written, renewed ones last as long as this command.
 */
class KeptTokens implements TokenStore {
  private unkept: Tokens | undefined;

  constructor(
    private readonly file: ConfigFile,
    private readonly apiUrl: string,
    private readonly showUnkept: (reason: string) => void,
  ) {}

  async read(): Promise<Tokens | undefined> {
    if (this.unkept) return this.unkept;
    const { api_key, refresh_token } = contextAt(await this.file.read(), this.apiUrl) ?? {};
    if (!api_key || !refresh_token) return undefined;
    return { access_token: api_key, refresh_token };
  }

  async write(tokens: Tokens): Promise<void> {
    const { access_token: api_key, refresh_token } = tokens;
    const config = await this.file.read();
    try {
      await this.file.write(withTokens(config, this.apiUrl, { api_key, refresh_token }));
    } catch (error) {
      if (!(error instanceof CommandFailedError)) throw error;
      if (!this.unkept) this.showUnkept(error.message);
      this.unkept = tokens;
    }
  }
}
