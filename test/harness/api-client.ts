import { expectDocumented } from './api-contract.js';
import { collectSecrets } from './secrets-made.js';

export interface ApiReply<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** Sent as it is, instead of `body` as JSON. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Speaks to the service as a stranger would; {@link as} gives a client that carries a credential. */
export class ApiClient {
  constructor(
    private readonly url: string,
    private readonly credential?: string,
  ) {}

  as(credential: string): ApiClient {
    return new ApiClient(this.url, credential);
  }

  get<Body = any>(path: string, options?: RequestOptions) {
    return this.request<Body>('GET', path, options);
  }

  post<Body = any>(path: string, body?: unknown, options?: RequestOptions) {
    return this.request<Body>('POST', path, { body, ...options });
  }

  patch<Body = any>(path: string, body?: unknown, options?: RequestOptions) {
    return this.request<Body>('PATCH', path, { body, ...options });
  }

  delete<Body = any>(path: string, options?: RequestOptions) {
    return this.request<Body>('DELETE', path, options);
  }

  async request<Body = any>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<ApiReply<Body>> {
    const content = options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.credential ? { authorization: `Bearer ${this.credential}` } : {}),
        ...options.headers,
      },
      body: content,
      signal: options.signal,
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    const reply = {
      status: response.status,
      headers: response.headers,
      body: (text !== '' && isJson ? JSON.parse(text) : text) as Body,
    };
    collectSecrets(options.body, reply.body);
    expectDocumented({ method, path, ...reply });
    return reply;
  }
}
