import { freePort } from '../../bench/fleet/free-port.js';
import { type ChildService, startChildService, urlOf } from '../harness/child-service.js';
import { type ChildWeb, startChildWeb } from '../harness/child-web.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { TestBrowser } from './browser.js';

/** Everything that a person at a browser meets: the service, the web server, each a process, and the browser. */
export class BrowserStage {
  private constructor(
    readonly database: TestDatabase,
    private readonly settings: Readonly<Record<string, string>>,
    public service: ChildService,
    readonly web: ChildWeb,
    readonly browser: TestBrowser,
  ) {}

  static async open(settings: Readonly<Record<string, string>> = {}): Promise<BrowserStage> {
    const database = await createTestDatabase();
    const all = {
      DATABASE_URL: urlOf(database.target),
      PORT: String(await freePort()),
      TRUST_PROXY: 'loopback',
      WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
      ...settings,
    };
    const service = await startChildService(all);
    const web = await startChildWeb({
      SERVICE_URL: service.url,
      ...(settings.WEB_PORT !== undefined && { WEB_PORT: settings.WEB_PORT }),
    });
    return new BrowserStage(database, all, service, web, await TestBrowser.launch(web.url));
  }

  /** The service goes away, in order. */
  async stopService(): Promise<void> {
    await this.service.end('SIGTERM');
  }

  /** It is back, at the same address, with the same data. */
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
