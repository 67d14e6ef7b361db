import { freePort } from '../../bench/fleet/free-port.js';
import { type ChildService, startChildService, urlOf } from '../harness/child-service.js';
import { type ChildWeb, startChildWeb } from '../harness/child-web.js';
import { startTestApp, type TestApp } from '../harness/test-app.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { startTestWeb, type TestWeb } from '../harness/test-web.js';
import { TestBrowser } from './browser.js';

/** Settings of the service in both stages. */
const OF_SERVICE = { TRUST_PROXY: 'loopback', WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' };

type Settings = Readonly<Record<string, string>>;

function ofWeb(serviceUrl: string, { WEB_PORT }: Settings): Settings {
  return { SERVICE_URL: serviceUrl, ...(WEB_PORT !== undefined && { WEB_PORT }) };
}

/** The service and the web server in this process, and a browser: for pages, for which it makes no difference. */
export class PageStage {
  private constructor(
    readonly service: TestApp,
    readonly web: TestWeb,
    readonly browser: TestBrowser,
  ) {}

  /**
   * @param settings of the service; `WEB_PORT` is the web server's
   * @param host under which the browser knows the web server
   */
  static async open(settings: Settings = {}, host = '127.0.0.1'): Promise<PageStage> {
    const service = await startTestApp({ settings: { ...OF_SERVICE, ...settings } });
    const web = await startTestWeb(ofWeb(service.url, settings));
    const browser = await TestBrowser.launch(web.url.replace('127.0.0.1', host));
    return new PageStage(service, web, browser);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.web.close();
    await this.service.close();
  }
}

/** The service, the web server, each in a process, and the browser. */
export class BrowserStage {
  private constructor(
    readonly database: TestDatabase,
    private readonly settings: Settings,
    public service: ChildService,
    readonly web: ChildWeb,
    readonly browser: TestBrowser,
  ) {}

  static async open(settings: Settings = {}): Promise<BrowserStage> {
    const database = await createTestDatabase();
    const all = {
      DATABASE_URL: urlOf(database.target),
      PORT: String(await freePort()),
      ...OF_SERVICE,
      ...settings,
    };
    const service = await startChildService(all);
    const web = await startChildWeb(ofWeb(service.url, settings));
    return new BrowserStage(database, all, service, web, await TestBrowser.launch(web.url));
  }

  /** Stops the service in order. */
  async stopService(): Promise<void> {
    await this.service.end('SIGTERM');
  }

  /** Starts the service again, at the same address, with the same data. */
  async startService(): Promise<void> {
    this.service = await startChildService(this.settings);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.web.end();
    if (this.service.process.exitCode === null) await this.service.end('SIGTERM');
    await this.database.drop();
  }
}
