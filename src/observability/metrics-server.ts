import { createServer, type Server, type ServerResponse } from 'node:http';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '../config/injection-tokens.js';
import type { Settings } from '../config/settings.js';
import { AnsweredHosts } from '../http-server/answered-hosts.js';
import { type Refusal, unreadableReason } from '../http-server/readable-request.js';
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

  /**
   * Does nothing without `METRICS_PORT`. Like the service's own port it answers, on loopback, to this machine's names alone: a page
   * whose name was given this machine's address must not read the metrics.
   *
   * @throws if the port is taken
   */
  async listen(): Promise<void> {
    const { METRICS_HOST, METRICS_PORT, PUBLIC_URL, WEB_PUBLIC_URL } = this.settings;
    if (METRICS_PORT === 0) return;
    const hosts = new AnsweredHosts(METRICS_HOST, [PUBLIC_URL, WEB_PUBLIC_URL]);
    const server = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
      const unreadable = unreadableReason(request, hosts);
      if (unreadable) return void refuse(response, unreadable);
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

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${message}\n`);
}
