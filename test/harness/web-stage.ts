import { randomBytes } from 'node:crypto';
import { GOOD_PASSWORD, type Person, registerOperator } from '../builders/people.js';
import { ServiceRelay, type Verdict } from './service-relay.js';
import { startTestApp, type TestApp } from './test-app.js';
import { startTestWeb, type TestWeb, type WebClient, type WebReply } from './test-web.js';

/** The service, the web server, and the relay between them. */
export class WebStage {
  private constructor(
    readonly app: TestApp,
    readonly relay: ServiceRelay,
    readonly web: TestWeb,
    readonly operator: Person,
  ) {}

  /** @param ofService settings of the service, in addition to those of the web server */
  static async open(
    settings: Readonly<Record<string, string>> = {},
    ofService: Readonly<Record<string, string>> = {},
  ): Promise<WebStage> {
    const app = await startTestApp({ settings: { TRUST_PROXY: 'loopback', ...ofService } });
    const operator = await registerOperator(app);
    const relay = await ServiceRelay.start(app.url);
    return new WebStage(app, relay, await startTestWeb({ SERVICE_URL: relay.url, ...settings }), operator);
  }

  /** A browser with a session, and its credentials; the relay does not record its requests. */
  async signedUp(web = this.web) {
    const browser = web.browser();
    const credentials = newCredentials();
    const reply = await browser.post('/api/auth/register', credentials);
    expect(reply.status).toBe(201);
    this.relay.reset();
    return { browser, credentials, reply };
  }

  /** Treats requests to one path, and forwards all others. */
  only(path: string, verdict: Verdict): void {
    this.relay.decide((it) => (it.path === path ? verdict : 'pass'));
  }

  /** Holds requests to a path until the returned function is called, and then treats them by the verdict. */
  hold(path: string, verdict: Verdict = 'pass'): () => void {
    let open!: () => void;
    const gate = new Promise<void>((resolve) => (open = resolve));
    this.relay.decide((it) => (it.path === path ? gate.then(() => verdict) : 'pass'));
    return open;
  }

  async close(): Promise<void> {
    await this.web.close();
    await this.relay.close();
    await this.app.close();
  }
}

export function newCredentials() {
  return { email: `person-${randomBytes(6).toString('hex')}@example.com`, password: GOOD_PASSWORD };
}

/** The name of one of the session's cookies. */
export function cookieOf(browser: WebClient, kind: 'access' | 'refresh'): string {
  return [...browser.jar.keys()].find((name) => name.includes(kind))!;
}

/** Removes the access cookie, like a browser after its expiry. */
export function dropAccess(browser: WebClient): void {
  browser.jar.delete(cookieOf(browser, 'access'));
}

/** Replaces the access token by one that the service refuses. */
export function spoilAccess(browser: WebClient): void {
  browser.jar.set(cookieOf(browser, 'access'), 'no.longer.good');
}

export function clearsSession({ cookies }: WebReply): boolean {
  return cookies.length === 3 && cookies.every(({ maxAge, value }) => maxAge === 0 && !value);
}
