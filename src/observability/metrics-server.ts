import { createServer, type Server } from 'node:http';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { METRICS_TYPE, ServiceMetrics } from './service-metrics.js';

/** Time for a request of a scraper to arrive; milliseconds. */
const REQUEST_MS = 5_000;

/**
 * Serves `GET /metrics` without a credential on a separate port, which only scrapers should reach: for scrapers without
 * a key, and while the service's own port is overloaded.
 */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(
    private readonly metrics: ServiceMetrics,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Does nothing without `METRICS_PORT`. @throws if the port is taken */
  async listen(): Promise<void> {
    const { METRICS_HOST, METRICS_PORT } = this.settings;
    if (METRICS_PORT === 0) return;
    const server = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
      const isScrape = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
      if (!isScrape) return void response.writeHead(404).end();
      this.metrics.read().then(
        (text) => response.writeHead(200, { 'Content-Type': METRICS_TYPE }).end(text),
        () => response.writeHead(503).end(),
      );
    });
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) =>
        reject(new Error(`METRICS_PORT ${METRICS_PORT} can't be used: ${error.message}`, { cause: error })),
      );
      server.listen(METRICS_PORT, METRICS_HOST, resolve);
    });
  }

  onApplicationShutdown(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }
}
