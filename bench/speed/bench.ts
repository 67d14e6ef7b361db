import { migrate } from '../../src/database/migrate.js';
import { entities, migrations } from '../../src/schema.js';
import { BenchDatabase } from '../fleet/bench-database.js';
import { postgresPids, ResourceSampler } from '../fleet/resource-sampler.js';
import { Program } from './program.js';
import { PASSWORD, seed, type Seed, type SeedSizes } from './seed.js';

const SERVICE = new URL('../../src/main.js', import.meta.url);
const LIMITS = new URL('../limits/', import.meta.url);

/**
 * Nothing that the service does by itself must fall into one contender's turn: seeded agents stay online without
 * heartbeats, and nobody is turned away for asking too often.
 */
const ENVIRONMENT = {
  HEARTBEAT_TIMEOUT_SECONDS: '86400',
  HEARTBEAT_MAX_RATE: '1000000',
  JWT_SECRET: 'a secret of the bench, and of nobody else',
  LOG_LEVEL: 'warn',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
};

/** A database full of rows, and the programs that are measured on it. */
export class Bench {
  private readonly running: Program[] = [];

  private constructor(
    readonly database: BenchDatabase,
    readonly databaseCpu: ResourceSampler,
    readonly seed: Seed,
  ) {}

  static async open(sizes: SeedSizes): Promise<Bench> {
    const database = await BenchDatabase.open();
    try {
      await migrate({ target: { url: database.url }, poolSize: 2, entities, migrations });
      const databaseCpu = new ResourceSampler();
      databaseCpu.add('postgres', postgresPids(await database.backendPid()));
      return new Bench(database, databaseCpu, await seed(database, sizes));
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Starts an instance of the service. */
  service(settings: Readonly<Record<string, string>> = {}): Promise<Program> {
    return this.start(SERVICE, { ...ENVIRONMENT, ...settings });
  }

  /** Starts a server of `bench/limits`. */
  limit(name: 'node-http' | 'express'): Promise<Program> {
    return this.start(new URL(`${name}.js`, LIMITS), {});
  }

  /** The header of a person's requests, with an access token that is valid for half an hour. */
  async login(service: Program): Promise<{ authorization: string }> {
    const response = await fetch(`${service.url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: this.seed.email, password: PASSWORD }),
    });
    if (!response.ok) throw new Error(`The login is answered with ${response.status}`);
    const { access_token: token } = (await response.json()) as { access_token: string };
    return { authorization: `Bearer ${token}` };
  }

  /** The service and all others that the section has started. */
  get programs(): readonly Program[] {
    return this.running;
  }

  /** Ends the programs, and writes what is left to be written, so that the next section finds a database at rest. */
  async endSection(): Promise<void> {
    this.databaseCpu.end();
    await Promise.all(this.running.splice(0).map((program) => program.stop()));
    await this.database.query('CHECKPOINT');
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((program) => program.stop()));
    await this.database.close();
  }

  private async start(main: URL, settings: Readonly<Record<string, string>>): Promise<Program> {
    const program = await Program.start(main, {
      NODE_ENV: 'production',
      DATABASE_URL: this.database.url,
      ...settings,
    });
    this.running.push(program);
    return program;
  }
}
