import { received, sent } from './narrator.js';

/** The service did something else than the demo expects; the message says what. */
export class UnexpectedError extends Error {}

export interface Reply<Body> {
  readonly status: number;
  readonly body: Body;
}

/** Calls the service and prints requests and replies. */
export class Api {
  constructor(
    private readonly url: string,
    private readonly credential?: string,
  ) {}

  as(credential: string): Api {
    return new Api(this.url, credential);
  }

  /** @throws UnexpectedError when the reply's status is another one */
  async tell<Body>(expectedStatus: number, method: string, path: string, body?: unknown): Promise<Body> {
    sent(method, path, body);
    const reply = await this.call<Body>(method, path, body);
    received(reply.status, reply.body);
    if (reply.status !== expectedStatus) {
      throw new UnexpectedError(`${method} ${path} answered ${reply.status} instead of ${expectedStatus}`);
    }
    return reply.body;
  }

  /** Calls the service without printing, for requests that are repeated. */
  async call<Body>(method: string, path: string, body?: unknown): Promise<Reply<Body>> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.credential ? { authorization: `Bearer ${this.credential}` } : {}),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, body: (text === '' ? '' : JSON.parse(text)) as Body };
  }
}
