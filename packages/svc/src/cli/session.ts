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
import { normalAddress } from './api-address.js';
import type { Config, ConfigFile } from './config-file.js';
import { NotLoggedInError } from './failures.js';
import type { Progress } from './terminal.js';

/** What there is to show the service: a key from the environment, one from the config file, a login, or nothing. */
export type CredentialKind = 'environment' | 'key' | 'session' | 'none';

export interface SessionOptions {
  readonly apiUrl: string;
  readonly config: ConfigFile;
  /** `SERVICE_API_KEY`. */
  readonly keyFromEnvironment: string | undefined;
  readonly userAgent: string;
  readonly signal: AbortSignal;
  /** Tells the caller that an answer takes its time. */
  readonly showWaiting: () => Progress;
}

/** Answers that come sooner need no spinner; milliseconds. */
const SOON_MS = 500;

/** Who the caller is to the service at one address. */
export class Session {
  constructor(
    private readonly options: SessionOptions,
    /** Nothing where the file was not needed. */
    private readonly config: Config | undefined,
  ) {}

  get kind(): CredentialKind {
    if (this.options.keyFromEnvironment) return 'environment';
    const config = this.config && credentialsFor(this.options.apiUrl, this.config);
    if (!config) return 'none';
    return config.refresh_token === null ? 'key' : 'session';
  }

  /** @throws NotLoggedInError */
  client(): ServiceClient {
    return this.clientWith(this.credentials());
  }

  stranger(): ServiceClient {
    return this.clientWith(undefined);
  }

  private credentials(): Credentials | string {
    const { keyFromEnvironment, apiUrl, config } = this.options;
    if (keyFromEnvironment) return keyFromEnvironment;
    if (this.kind === 'key') return this.config!.api_key!;
    if (this.kind === 'session')
      return new SessionCredentials(new KeptTokens(config, apiUrl), (token) => this.refresh(token));
    const elsewhere = this.config?.api_key ? ` (only to ${addressOf(this.config)})` : '';
    throw new NotLoggedInError(
      `You are not logged in to ${apiUrl}${elsewhere}: run "svc login", or set SERVICE_API_KEY`,
    );
  }

  /** Nothing when the refresh token is refused too: then the first refusal stands. */
  private async refresh(refreshToken: string): Promise<Tokens | undefined> {
    try {
      return await unwrap(this.stranger().POST('/auth/refresh', { body: { refresh_token: refreshToken } }));
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) return undefined;
      throw error;
    }
  }

  private clientWith(credentials: Credentials | string | undefined): ServiceClient {
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
      // the service never redirects; whoever does would be given a password or a token that is not for them
      // beside the request, not in a new one: an abort does not reach a request that nobody holds
      return await fetch(request, { redirect: 'error', signal });
    } finally {
      clearTimeout(timer);
      progress?.end();
    }
  }
}

/** The tokens in the config file, as long as they are for this address: others may replace them at any time. */
class KeptTokens implements TokenStore {
  constructor(
    private readonly file: ConfigFile,
    private readonly apiUrl: string,
  ) {}

  async read(): Promise<Tokens | undefined> {
    const config = credentialsFor(this.apiUrl, await this.file.read());
    if (!config?.refresh_token) return undefined;
    return { access_token: config.api_key, refresh_token: config.refresh_token };
  }

  async write({ access_token, refresh_token }: Tokens): Promise<void> {
    const config = await this.file.read();
    // somebody may have logged out, or in elsewhere, while this one was asking
    if (!credentialsFor(this.apiUrl, config)) return;
    await this.file.write({ ...config, api_key: access_token, refresh_token });
  }
}

/** What the file holds for this address, and for no other one: a token must not reach a stranger. */
function credentialsFor(apiUrl: string, config: Config): (Config & { readonly api_key: string }) | undefined {
  const { api_key } = config;
  if (api_key === null || api_key === '' || addressOf(config) !== apiUrl) return undefined;
  return { ...config, api_key };
}

function addressOf({ issued_by, api_url }: Config): string {
  return normalAddress(issued_by ?? api_url, 'issued_by in the config file');
}
