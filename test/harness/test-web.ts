import { type IncomingHttpHeaders, request } from 'node:http';
import { pino } from 'pino';
import { parseSetCookie, type SetCookie } from 'cookie';
import { WebServer } from '../../src/web/web-server.js';
import { readWebSettings } from '../../src/web/web-settings.js';
import { collectSecrets, expectNoSecretIn } from './secrets-made.js';

/** The web server in this process, with the built dashboard. */
export interface TestWeb {
  readonly url: string;
  /** A browser without a session. */
  browser(): WebClient;
  close(): Promise<void>;
}

export async function startTestWeb(settings: Readonly<Record<string, string>>): Promise<TestWeb> {
  const all = readWebSettings({
    WEB_PORT: '0',
    // its log is compared with the secrets of the suite
    LOG_LEVEL: 'trace',
    DRAIN_TIMEOUT_SECONDS: '1',
    ...settings,
  });
  const lines: string[] = [];
  const logger = pino({ level: all.LOG_LEVEL }, { write: (line) => void lines.push(line) });
  const server = new WebServer(all, logger, { pages: 'dist/src/web/ui', guide: 'guide/dist' });
  const url = await server.start();
  return {
    url,
    browser: () => new WebClient(url),
    async close() {
      await server.stop();
      expectNoSecretIn('the log of a web server', lines.join(''));
    },
  };
}

export interface WebReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; throws if it is not JSON. */
  readonly body: any;
  readonly cookies: readonly SetCookie[];
}

export interface WebRequest {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client like a page's script in a browser: with its cookies, and from its origin. */
export class WebClient {
  constructor(
    readonly url: string,
    readonly jar = new Map<string, string>(),
    readonly origin = new URL(url).origin,
  ) {}

  /** Another tab with the present cookies; later ones stay separate. */
  copy(): WebClient {
    return new WebClient(this.url, new Map(this.jar), this.origin);
  }

  /** The value of `Cookie`. */
  get cookies(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  get(path: string, request?: WebRequest): Promise<WebReply> {
    return this.request('GET', path, request);
  }

  post(path: string, body?: unknown, headers?: WebRequest['headers']): Promise<WebReply> {
    return this.request('POST', path, { body, headers });
  }

  async request(method: string, path: string, { body, headers }: WebRequest = {}): Promise<WebReply> {
    const content = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await exchange(this.url, method, path, content, {
      ...(method === 'GET' ? {} : { origin: this.origin }),
      ...(content === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(content)) }),
      ...(this.jar.size === 0 ? {} : { cookie: this.cookies }),
      ...headers,
    });
    collectSecrets(body, ...reply.cookies.map(({ value }) => ({ token: value })));
    for (const { name, value, maxAge } of reply.cookies) {
      if (maxAge === 0) this.jar.delete(name);
      else this.jar.set(name, value ?? '');
    }
    return reply;
  }
}

/** Sends the path unchanged: `fetch` would normalise it, and send another origin. */
function exchange(
  url: string,
  method: string,
  path: string,
  content: string | undefined,
  headers: Readonly<Record<string, string>>,
): Promise<WebReply> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      reply.on('error', reject);
      reply.on('end', () =>
        resolve({
          status: reply.statusCode ?? 0,
          headers: reply.headers,
          text,
          get body() {
            return JSON.parse(text) as unknown;
          },
          cookies: (reply.headers['set-cookie'] ?? []).map((it) => parseSetCookie(it)),
        }),
      );
    });
    sent.on('error', reject);
    sent.end(content);
  });
}

/** A reply of the web server in the form of the service's. */
export function asApiReply({ status, headers, text }: WebReply) {
  const known: [string, string][] = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, [value].flat().join(', ')]],
  );
  return { status, headers: new Headers(known), body: text === '' ? '' : JSON.parse(text) };
}
