import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expectDocumented } from './api-contract.js';
import { collectSecrets } from './secrets-made.js';

export interface ApiReply<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface RequestOptions {
  readonly body?: unknown;
  /** The unchanged body, instead of `body` as JSON. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** `fetch` would take twice the processor time for a request. */
const agent = new Agent({ keepAlive: true });

/** A client of the service without a credential; {@link as} gives a client with one. */
export class ApiClient {
  /** @param isOlder an older version may answer: replies are not compared with the document of this one */
  constructor(
    private readonly url: string,
    private readonly credential?: string,
    private readonly isOlder = false,
  ) {}

  as(credential: string): ApiClient {
    return new ApiClient(this.url, credential, this.isOlder);
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
    const response = await this.send(method, path, content, options);
    const received = await text(response);
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(response.headersDistinct))
      for (const value of values) headers.append(name, value);
    const isJson = headers.get('content-type')?.startsWith('application/json') ?? false;
    const reply = {
      status: response.statusCode ?? 0,
      headers,
      body: (received !== '' && isJson ? JSON.parse(received) : received) as Body,
    };
    collectSecrets(options.body, reply.body);
    if (!this.isOlder) expectDocumented({ method, path, ...reply });
    return reply;
  }

  /** @returns the response, whose body is not read yet */
  private send(
    method: string,
    path: string,
    content: string | undefined,
    { headers, signal }: RequestOptions,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      request(
        `${this.url}${path}`,
        {
          method,
          agent,
          signal,
          headers: {
            'user-agent': 'the tests',
            ...(content === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
            ...(this.credential ? { authorization: `Bearer ${this.credential}` } : {}),
            ...headers,
          },
        },
        resolve,
      )
        .on('error', reject)
        .end(content);
    });
  }
}
