import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Logger } from 'pino';
import type { Settings } from './config/settings.js';
import { createApp, createServerOf } from './create-app.js';
import type { DatabaseTarget } from './database/data-source-options.js';
import { PostgresDatabase } from './database/postgres-database.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
import { SharedPort } from './http-server/shared-port.js';
import { MetricsServer } from './observability/metrics-server.js';
import { closeInTime, endsWithin } from './timely-end.js';

/** Time for the last checkpoint of the embedded PostgreSQL; a longer one continues after this process has ended. */
const POSTGRES_MS = 20_000;
/** Connections for LISTEN, migrations, locks of background jobs, and a person who inspects the database. */
const SPARE_CONNECTIONS = 20;

/** One instance of the service: the HTTP server, and the embedded PostgreSQL unless another database is configured. */
export class Service {
  private app: NestExpressApplication | undefined;
  private port: SharedPort | undefined;
  private embedded: Promise<EmbeddedPostgres> | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly logger: Logger,
  ) {}

  /**
   * Listens at once and resolves when the first requests can be served; until then data routes return 503.
   *
   * @throws if the port is taken, the embedded PostgreSQL can't be started, or the database is not usable
   */
  async start(): Promise<void> {
    const { settings, logger } = this;
    if (settings.embedded) {
      this.embedded = startEmbeddedPostgres({
        dataDir: settings.DATA_DIR,
        log: (message) => logger.debug(message),
        parameters: { max_connections: String(settings.DATABASE_POOL_SIZE + SPARE_CONNECTIONS) },
      });
      this.embedded.catch(() => undefined);
    }
    const embedded = this.embedded;
    this.app = await createApp({
      settings,
      logger,
      locateDatabase: async () => (embedded ? (await embedded).connection : databaseOf(settings)),
    });
    await this.app.init();
    this.port = await this.listen(this.app);
    await this.app.get(MetricsServer).listen();
    await embedded;
    const database = this.app.get(PostgresDatabase);
    await database.whenOpen();
    if (database.refusal) throw database.refusal;
    // The end may have been requested before the database was open.
    if (database.wasOpened) this.announce(this.port);
  }

  /**
   * Answers open requests within the drain time, then ends everything, PostgreSQL last. Parts that do not end in time
   * are left to the end of the process.
   *
   * @returns the parts that have not ended; empty if all have
   */
  async stop(): Promise<string[]> {
    const unfinished: string[] = [];
    const { SHUTDOWN_DELAY_SECONDS, DRAIN_TIMEOUT_SECONDS } = this.settings;
    const times = { delayMs: SHUTDOWN_DELAY_SECONDS * 1_000, drainMs: DRAIN_TIMEOUT_SECONDS * 1_000 };
    try {
      const open = this.app && (await closeInTime(this.app, this.port, times));
      if (open) unfinished.push(open);
    } finally {
      const ended = this.embedded?.catch(() => undefined).then((postgres) => postgres?.stop());
      if (ended && !(await endsWithin(POSTGRES_MS, ended))) unfinished.push('the embedded PostgreSQL');
    }
    return unfinished;
  }

  private async listen(app: NestExpressApplication): Promise<SharedPort> {
    const { HOST, PORT } = this.settings;
    try {
      return await SharedPort.listen(app.getHttpServer(), () => createServerOf(app), {
        port: PORT,
        host: HOST,
      });
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (code === 'EADDRINUSE')
        throw new Error(`Port ${PORT} is taken. Set PORT to another one.`, { cause: error });
      if (code === 'EACCES')
        throw new Error(`Port ${PORT} is not allowed for this user. Set PORT to another one.`, {
          cause: error,
        });
      if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        throw new Error(`HOST ${HOST} is not an address of this machine.`, { cause: error });
      }
      throw error;
    }
  }

  /**
   * Prints the address for a person at the terminal; log collectors get a log line, and `npm start` gets the address
   * and prints it itself.
   */
  private announce({ port }: SharedPort): void {
    const { HOST, LOG_FORMAT } = this.settings;
    const address = `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`;
    this.logger.info({ address }, 'ready');
    if (process.send) process.send({ address });
    else if (LOG_FORMAT === 'pretty')
      process.stdout.write(`\n  API            ${address}\n  API reference  ${address}/docs\n\n`);
  }
}

function databaseOf(settings: Settings): DatabaseTarget {
  const { DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl } = settings;
  return directUrl === '' ? { url } : { url, directUrl };
}
