import { fileURLToPath } from 'node:url';
import { migrate } from '../../src/database/migrate.js';
import { migrations } from '../../src/schema-migrations.js';
import { entities } from '../../src/schema.js';
import { BenchDatabase } from '../fleet/bench-database.js';
import { postgresPids, ResourceSampler } from '../fleet/resource-sampler.js';
import { callJson } from './json-calls.js';
import { Program } from './program.js';
import { PASSWORD, seed, type Seed, type SeedSizes, WEBHOOK_SECRET_KEY } from './seed.js';

const SERVICE = new URL('../../service/main.js', import.meta.url);
/** The service without bundling, so that a profile names its modules. */
const SERVICE_IN_MODULES = new URL('../../src/main.js', import.meta.url);
const LIMITS = new URL('../limits/', import.meta.url);

/**
 * Nothing that the service does by itself must fall into one contender's turn: seeded agents stay online without
 * heartbeats.
 */
const ENVIRONMENT = {
  HEARTBEAT_TIMEOUT_SECONDS: '86400',
  HEARTBEAT_MAX_RATE: '1000000',
  JWT_SECRET: 'a secret of the bench, and of nobody else',
  WEBHOOK_SECRET_KEY,
  LOG_LEVEL: 'warn',
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  DRAIN_TIMEOUT_SECONDS: '1',
};

export interface BenchSizes {
  readonly seed: SeedSizes;
  /** Number of polls that wait at once. */
  readonly waitingPolls: number;
  /** Time until V8 has returned the memory that the arrival of the polls took for new objects. */
  readonly settleMs: number;
  /** Deliveries of webhooks that are queued before they are sent. */
  readonly deliveries: number;
  /** Heavy requests at once. */
  readonly heavyRequests: number;
  /** Requests of each connection of a load; absent: as many as it can send in its time. */
  readonly requestsEach?: number;
}

/** The service's default. */
const BCRYPT_COST = 12;

export const FULL_SIZES: BenchSizes = {
  seed: { agents: 100_000, events: 1_000_000, logs: 1_000_000, bcryptCost: BCRYPT_COST },
  waitingPolls: 10_000,
  settleMs: 12_000,
  deliveries: 20_000,
  heavyRequests: 200,
};
/**
 * Agents without a key for each connection of the section `transition`. Two runs of each agent, because `spans` takes the
 * oldest one, and `traces` the newest.
 */
export const SMALL_SIZES: BenchSizes = {
  seed: { agents: 2_000, events: 4_000, logs: 2_000, bcryptCost: 4 },
  waitingPolls: 400,
  settleMs: 500,
  deliveries: 500,
  heavyRequests: 10,
  requestsEach: 2,
};

/** An instance of the service, its seed and the credential of its caller. */
export interface Stand {
  readonly service: Program;
  readonly seed: Seed;
  /** Authorization header of a person's requests. */
  readonly person: Readonly<Record<string, string>>;
}

/** A database full of rows, and the programs that are measured on it. */
export class Bench {
  private readonly ends: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly sizes: BenchSizes,
    readonly database: BenchDatabase,
    readonly databaseCpu: ResourceSampler,
    readonly seed: Seed,
    private readonly isProfiled: boolean,
  ) {}

  /** @param interrupted rejects when the run is to end; the database is removed then, filled or not */
  static async open(sizes: BenchSizes, isProfiled: boolean, interrupted: Promise<never>): Promise<Bench> {
    const database = await BenchDatabase.open();
    try {
      const filled = await Promise.race([fill(database, sizes.seed), interrupted]);
      const databaseCpu = new ResourceSampler();
      databaseCpu.add('postgres', postgresPids(await database.backendPid()));
      return new Bench(sizes, database, databaseCpu, filled, isProfiled);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Starts an instance of the service. */
  service(settings: Readonly<Record<string, string>> = {}): Promise<Program> {
    const main = this.isProfiled ? SERVICE_IN_MODULES : SERVICE;
    return this.start(main, { ...ENVIRONMENT, ...settings });
  }

  /** Starts a server of `bench/limits`. */
  limit(name: 'node-http' | 'express'): Promise<Program> {
    return this.start(new URL(`${name}.js`, LIMITS), {});
  }

  /** The header of a person's requests, with an access token that is valid for half an hour. */
  async login(service: Program, email = this.seed.email): Promise<{ authorization: string }> {
    const { access_token: token } = await callJson<{ access_token: string }>(`${service.url}/auth/login`, {
      method: 'POST',
      body: { email, password: PASSWORD },
    });
    return { authorization: `Bearer ${token}` };
  }

  /**
   * An instance of the service on a database of its own, on the same server, with so many rows of each kind.
   *
   * @param prepare changes the rows before the service starts
   */
  async ofSize(
    rows: number,
    users?: number,
    prepare: (database: BenchDatabase, seed: Seed) => Promise<void> = () => Promise.resolve(),
  ): Promise<Stand> {
    const database = await BenchDatabase.open(this.database.url);
    this.atEndOfSection(() => database.close());
    const filled = await fill(database, {
      users,
      agents: rows,
      events: rows,
      logs: rows,
      bcryptCost: this.sizes.seed.bcryptCost,
    });
    await prepare(database, filled);
    const service = await this.service({ DATABASE_URL: database.url });
    return { service, seed: filled, person: await this.login(service, filled.email) };
  }

  /** Registers what is to be ended with the section; in the opposite order. */
  atEndOfSection(end: () => Promise<unknown>): void {
    this.ends.push(end);
  }

  /** Ends the programs, and writes what is left to be written, so that the next section finds a database at rest. */
  async endSection(): Promise<void> {
    await this.endPrograms();
    await this.database.query('CHECKPOINT');
  }

  async close(): Promise<void> {
    try {
      await this.endPrograms();
    } finally {
      await this.database.close();
    }
  }

  private async endPrograms(): Promise<void> {
    this.databaseCpu.end();
    // an interrupted section may register more meanwhile
    for (let end = this.ends.pop(); end; end = this.ends.pop()) await end();
  }

  private async start(main: URL, settings: Readonly<Record<string, string>>): Promise<Program> {
    const environment = { NODE_ENV: 'production', DATABASE_URL: this.database.url, ...settings };
    const program = await Program.start(fileURLToPath(main), environment);
    this.atEndOfSection(() => program.stop());
    return program;
  }
}

async function fill(database: BenchDatabase, sizes: SeedSizes): Promise<Seed> {
  await migrate({ target: { url: database.url }, entities, migrations });
  return seed(database, sizes);
}
