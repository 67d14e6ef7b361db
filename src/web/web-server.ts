import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, Router } from 'express';
import type { Logger } from 'pino';
import { AnsweredHosts } from '../http-server/answered-hosts.js';
import { dropForwardedPorts } from '../http-server/forwarded-addresses.js';
import { guardConnections } from '../http-server/guard-connections.js';
import { pathOf } from '../http-server/public-address.js';
import { closeIfUnread, unreadableReason } from '../http-server/readable-request.js';
import { serveGuide } from './pages/guide.js';
import { servePages } from './pages/pages.js';
import { securityHeaders } from './pages/security-headers.js';
import { ApiHandler } from './proxy/api-handler.js';
import { compressedReplies } from './proxy/compressed-replies.js';
import { OpenStreams } from './proxy/open-streams.js';
import { ServiceConnection } from './proxy/service-connection.js';
import { ownOrigin } from './same-origin.js';
import { SessionCookies } from './session/session-cookies.js';
import { answerWithError, requestIdFor, WebError } from './web-error.js';
import type { WebSettings } from './web-settings.js';

const IDLE_CHECK_MS = 50;
/** Serves the dashboard's pages and forwards their requests to the service. It holds no data. */
export class WebServer {
  private readonly service: ServiceConnection;
  private readonly streams = new OpenStreams();
  private readonly server: Server;
  /** Path of the dashboard, of which a proxy keeps each request's: `/agents`; empty: it is at the root. */
  private readonly basePath: string;

  /**
   * @param folders of the built dashboard, and of the built documentation
   * @throws PagesMissingError if one of them is not built
   */
  constructor(
    private readonly settings: WebSettings,
    private readonly logger: Logger,
    folders: { readonly pages: string; readonly guide: string },
  ) {
    this.service = new ServiceConnection(settings.SERVICE_URL);
    const api = new ApiHandler({
      service: this.service,
      streams: this.streams,
      publicUrl: settings.WEB_PUBLIC_URL,
      maxBodyBytes: settings.MAX_BODY_BYTES,
    });
    const { WEB_HOST, WEB_PUBLIC_URL, PUBLIC_URL } = settings;
    const hosts = new AnsweredHosts(WEB_HOST, [WEB_PUBLIC_URL, PUBLIC_URL]);
    this.basePath = pathOf(WEB_PUBLIC_URL);
    const dashboard = Router();
    dashboard.use((request, response, next) =>
      isUnderApi(request.url) ? api.handle(request, response, next) : next(),
    );
    dashboard.use(serveGuide(folders.guide, PUBLIC_URL));
    const isSignedIn = (request: Request) =>
      new SessionCookies(ownOrigin(request, WEB_PUBLIC_URL), this.basePath).hasSession(
        request.headers.cookie,
      );
    dashboard.use(servePages(folders.pages, { serviceUrl: PUBLIC_URL, basePath: this.basePath, isSignedIn }));
    const app = express();
    // the paths of cookies distinguish upper and lower case, too
    app.enable('case sensitive routing');
    app.set('trust proxy', settings.TRUST_PROXY);
    app.disable('x-powered-by');
    app.disable('etag');
    app.use(nameRequest, securityHeaders, refuseUnreadable(hosts));
    app.get(
      ['/healthz', `${this.basePath}/healthz`],
      (_request, response) => void response.json({ status: 'ok' }),
    );
    app.use(compressedReplies());
    app.use(this.basePath || '/', dashboard);
    app.use(() => {
      throw new WebError(404, `The dashboard is at ${this.basePath}/: the proxy must keep this path`);
    });
    app.use(this.answerFailure);
    this.server = createServer(app);
    guardConnections(this.server);
  }

  /**
   * @returns `http://127.0.0.1:3000`, with the path of the dashboard
   * @throws if the address is in use or not allowed; the message says what to do
   */
  async start(): Promise<string> {
    const { WEB_HOST, WEB_PORT } = this.settings;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error) => reject(refusalOf(error, WEB_HOST, WEB_PORT)));
      this.server.listen(WEB_PORT, WEB_HOST, resolve);
    });
    const { port } = this.server.address() as AddressInfo;
    return `http://${WEB_HOST.includes(':') ? `[${WEB_HOST}]` : WEB_HOST}:${port}${this.basePath}`;
  }

  /** Ends the server: answers requests under way within the drain time, and ends streams at once, which resume elsewhere. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.streams.end();
    const idle = setInterval(() => this.server.closeIdleConnections(), IDLE_CHECK_MS);
    const patience = new AbortController();
    const late = delay(this.settings.DRAIN_TIMEOUT_SECONDS * 1_000, undefined, {
      signal: patience.signal,
    }).then(
      () => this.server.closeAllConnections(),
      () => undefined,
    );
    await closed;
    clearInterval(idle);
    patience.abort();
    await late;
    await this.service.close();
  }

  private readonly answerFailure: ErrorRequestHandler = (error: unknown, request, response, _next) => {
    const refusal = error instanceof WebError ? error : new WebError(500, 'Internal server error', {}, error);
    if (refusal.status >= 500) {
      const [path] = request.url.split('?', 1);
      const requestId = response.getHeader('X-Request-Id');
      const details = { method: request.method, path, status: refusal.status, request_id: requestId };
      // only the code of the cause is logged: its message may contain data of the request
      const { code } = (refusal.cause ?? {}) as { code?: unknown };
      if (error instanceof WebError) this.logger.warn({ ...details, code }, refusal.message);
      else this.logger.error({ ...details, err: error }, 'request failed');
    }
    if (response.headersSent) response.destroy();
    else {
      closeIfUnread(request, response);
      answerWithError(response, refusal);
    }
  };
}

const nameRequest: RequestHandler = (request, response, next) => {
  dropForwardedPorts(request);
  response.set({ 'X-Request-Id': requestIdFor(request), 'Cache-Control': 'no-store' });
  next();
};

const refuseUnreadable =
  (hosts: AnsweredHosts): RequestHandler =>
  (request, _response, next) => {
    const refusal = unreadableReason(request, hosts);
    if (refusal) throw new WebError(refusal.status, refusal.message);
    next();
  };

/** Returns true if a path is under `/api`, regardless of case and encoding, so that no such path is answered with a page. */
function isUnderApi(url: string): boolean {
  return /^\/+api(\/|\?|$)/i.test(url) || !url.startsWith('/');
}

function refusalOf(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const told: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} is taken. Set WEB_PORT to another one.`,
    EACCES: `Port ${port} is not allowed for this user. Set WEB_PORT to another one.`,
    EADDRNOTAVAIL: `WEB_HOST ${host} is not an address of this machine.`,
    ENOTFOUND: `WEB_HOST ${host} is not an address of this machine.`,
  };
  const message = told[error.code ?? ''];
  return message === undefined ? error : new Error(message, { cause: error });
}
