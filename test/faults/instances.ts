import { WEBHOOK_SETTINGS } from '../builders/webhooks.js';
import { type ChildService, startChildService, urlOf } from '../harness/child-service.js';
import { expectCleanAudit } from '../harness/clean-audit.js';
import type { TestApp } from '../harness/test-app.js';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.js';
import { until } from '../harness/until.js';

/** Instances of the service on one database, each a separate process that can be killed. */
export class Instances {
  private readonly services: ChildService[] = [];

  private constructor(
    readonly database: TestDatabase,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /**
   * @param settings environment variables in addition to the tests' own; with `DATABASE_URL` they reach the database by
   * another way than the test
   * @param database absent: a new one; it is dropped at the end
   */
  static async start(
    count: number,
    settings: Readonly<Record<string, string>> = {},
    database?: TestDatabase,
  ): Promise<Instances> {
    const instances = new Instances(database ?? (await createTestDatabase()), {
      ...WEBHOOK_SETTINGS,
      DATABASE_URL: '',
      ...settings,
    });
    try {
      await Promise.all(Array.from({ length: count }, () => instances.add()));
    } catch (error) {
      await instances.end();
      throw error;
    }
    return instances;
  }

  /**
   * Starts one more instance, and waits until it is ready.
   *
   * @param own settings of this instance only
   * @param older path of the compiled `main.js` of an older version; absent: this version
   */
  async add(own: Readonly<Record<string, string>> = {}, older?: string): Promise<ChildService> {
    const service = await this.addUnready(own, older);
    await until(async () => (await service.api.get('/ready')).status === 200, 60_000);
    return service;
  }

  /** As {@link add}, but waits only until it listens. */
  async addUnready(own: Readonly<Record<string, string>>, older?: string): Promise<ChildService> {
    const { database, settings, services } = this;
    const DATABASE_URL = settings.DATABASE_URL || urlOf(database.target);
    const service = await startChildService({ ...settings, ...own, DATABASE_URL }, { older });
    services.push(service);
    return service;
  }

  get all(): readonly ChildService[] {
    return this.services;
  }

  get first(): ChildService {
    return this.services[0]!;
  }

  /** An instance in the form of the builders, which use its client and the database. */
  app(service = this.first): TestApp {
    return { api: service.api, url: service.url, database: this.database } as TestApp;
  }

  /** Ends an instance in order, and starts another one. @returns the exit code */
  async restart(service: ChildService): Promise<number | null> {
    const code = await service.end('SIGTERM');
    this.services.splice(this.services.indexOf(service), 1);
    await this.add();
    return code;
  }

  /** Kills an instance. */
  async kill(service: ChildService): Promise<void> {
    this.services.splice(this.services.indexOf(service), 1);
    await service.end('SIGKILL');
  }

  /** Ends all running instances, after an audit of their data. */
  async close(): Promise<void> {
    try {
      await expectCleanAudit(this.database);
    } finally {
      await this.end();
    }
  }

  private async end(): Promise<void> {
    await Promise.all(this.services.map((service) => service.end('SIGKILL')));
    await this.database.drop();
  }
}
