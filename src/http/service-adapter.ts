import { createServer, IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import { HttpException, MethodNotAllowedException, NotFoundException, StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { ErrorRequestHandler, Express, Request, Response } from 'express';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { hasTraces } from '../config/tracing.js';
import { Page } from '../database/page.js';
import { guardConnections } from '../http-server/guard-connections.js';
import { unreadableReason } from '../http-server/readable-request.js';
import { readBodies } from './body-parsing.js';
import { measureRequests } from './measure-requests.js';
import { DOCUMENTATION_PATHS, isDocumentation } from './openapi/documentation.js';
import { describePage } from './page-headers.js';
import { parseQuery } from './query-parsing.js';
import { refuseWithoutRole } from './refuse-without-role.js';
import { setBaseHeaders, withBaseHeaders } from './request-id.js';
import { parametersOf, type Route, type RouteHandler, RouteTable } from './route-table.js';
import { sendJson } from './send-json.js';
import { traceRequest } from './trace-requests.js';

/**
 * Takes each request from the connection to the handler of its route, and the handler's return value back. Express serves the
 * documentation's page alone. Requests and responses have Express's properties, from classes that are made once: Express
 * gives each request another prototype, and walks over all routes with a regular expression each.
 */
export class ServiceAdapter extends ExpressAdapter {
  readonly routes = new RouteTable();
  private readonly express: Express;
  private readonly measure: ReturnType<typeof measureRequests>;
  private readonly readBody: ReturnType<typeof readBodies>;
  private readonly isTraced: boolean;
  private readonly servesApi: boolean;
  private readonly classes: ReturnType<typeof classesOf>;
  /** Nest's filters; set while the application starts. */
  private answerError: ErrorRequestHandler | undefined;

  constructor(settings: Settings, logger: Logger) {
    super();
    this.express = this.getInstance<Express>();
    this.express.set('query parser', parseQuery);
    this.express.set('trust proxy', settings.TRUST_PROXY);
    this.express.disable('x-powered-by');
    this.express.disable('etag');
    this.classes = classesOf(this.express);
    for (const path of DOCUMENTATION_PATHS) this.routes.add('GET', path, this.express);
    this.measure = measureRequests(settings.REQUEST_LOG_ONE_IN, logger);
    this.readBody = readBodies(settings.MAX_BODY_BYTES);
    this.isTraced = hasTraces(settings);
    this.servesApi = settings.ROLES.includes('api');
  }

  /** Makes a server that hands every request to this adapter, with the limits of connections. */
  createServer(): Server {
    const server = createServer(this.classes, this.receive as RequestListener);
    guardConnections(server);
    return server;
  }

  override initHttpServer(): void {
    this.httpServer = this.createServer();
  }

  override isRouteOrderSensitive(): boolean {
    return false;
  }

  override get(...route: unknown[]): void {
    if (isDocumentation((route as RouteArguments)[0]))
      super.get(...(route as Parameters<ExpressAdapter['get']>));
    else this.add('GET', route);
  }

  override post(...route: unknown[]): void {
    this.add('POST', route);
  }

  override put(...route: unknown[]): void {
    this.add('PUT', route);
  }

  override patch(...route: unknown[]): void {
    this.add('PATCH', route);
  }

  override delete(...route: unknown[]): void {
    this.add('DELETE', route);
  }

  override setErrorHandler(handler: ErrorRequestHandler, prefix?: string): unknown {
    this.answerError = handler;
    return super.setErrorHandler(handler, prefix) as unknown;
  }

  /** A {@link Page} is sent as its body and headers, and JSON in a single write. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body instanceof Page) {
      describePage(body, response.req, response);
      return this.reply(response, body.body, statusCode);
    }
    // Files, failures and other content types are left to Nest.
    if (!isData(body) || response.hasHeader('Content-Type')) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.statusCode = statusCode;
    return sendJson(response, body);
  }

  private add(method: string, route: unknown[]): void {
    this.routes.add(method, ...(route as RouteArguments));
  }

  private readonly receive = (request: Request, response: Response): void => {
    request.res = response;
    response.on('close', this.measure);
    if (this.isTraced) traceRequest(request, response, () => this.serve(request, response));
    else this.serve(request, response);
  };

  private serve(request: Request, response: Response): void {
    try {
      if (!this.servesApi) refuseWithoutRole(request);
      const unreadable = unreadableReason(request);
      if (unreadable) throw new HttpException(unreadable.message, unreadable.status);
      // From here on `headers` is read, which has the values by their names: a waiting poll holds them only once.
      request.rawHeaders = NO_HEADERS;
      const route = this.routeOf(request, response);
      const reading = this.readBody(request, response);
      if (reading === undefined) this.run(route, request, response);
      else
        reading
          .then(() => {
            // Nobody waits for it, and what the route would take for as long as its caller is there would not be given back.
            if (!response.closed) this.run(route, request, response);
          })
          .catch((error: unknown) => this.fail(error, request, response));
    } catch (error) {
      this.fail(error, request, response);
    }
  }

  /**
   * A 405 comes before the credential and the body are read. OPTIONS is a 405, too, because pages of other origins may not
   * call the service.
   *
   * @returns undefined for the documentation and the files of its page, which Express routes
   * @throws NotFoundException, MethodNotAllowedException
   */
  private routeOf({ path, method }: Request, response: Response): Route | undefined {
    const routes = this.routes.at(path);
    const route = routes?.get(method);
    if (route) return route.handle === this.express ? undefined : route;
    if (routes) {
      response.setHeader('Allow', [...routes.keys()].sort().join(', '));
      throw new MethodNotAllowedException(`The path has no ${method}: see Allow`);
    }
    if (isDocumentation(path)) return undefined;
    throw new NotFoundException();
  }

  /** @throws BadRequestException for a parameter that is not percent-encoded correctly */
  private run(route: Route | undefined, request: Request, response: Response): void {
    if (!route) {
      // Express gives the response other methods; the page replaces some headers, and its files would have others by default.
      setBaseHeaders(response);
      this.express(request, response);
      return;
    }
    request.params = parametersOf(route, request.path);
    request.route = route;
    const fail = (error?: unknown) => this.fail(error, request, response);
    const handled = route.handle(request, response, fail);
    if (handled instanceof Promise) handled.catch(fail);
  }

  private fail(error: unknown, request: Request, response: Response): void {
    const answered = this.answerError!(error, request, response, () => undefined);
    // A filter that fails has no other way to end the request.
    Promise.resolve(answered).catch(() => response.destroy());
  }
}

const NO_HEADERS: string[] = [];

type RouteArguments = [path: string, handle: RouteHandler];

/** Classes of one application, whose settings Express's properties read from their prototypes. */
function classesOf({ request, response }: Express) {
  class ServiceRequest extends IncomingMessage {
    get originalUrl(): string | undefined {
      return this.url;
    }

    /** Most requests name no other address, so none has to be looked for by `TRUST_PROXY`. */
    get ip(): string | undefined {
      if (this.headers['x-forwarded-for'] === undefined) return this.socket.remoteAddress;
      return Reflect.get(request, 'ip', this);
    }

    /**
     * The target up to its query. Express's `path` and `query` parse it into an object that the request holds for as long as
     * it waits: 0.3 KiB. Targets that are whole addresses are left to them.
     */
    get path(): string {
      const { url = '' } = this;
      if (!url.startsWith('/')) return Reflect.get(request, 'path', this);
      const end = url.search(/[?#]/);
      return end < 0 ? url : url.slice(0, end);
    }

    get query(): ReturnType<typeof parseQuery> {
      const { url = '' } = this;
      if (!url.startsWith('/')) return Reflect.get(request, 'query', this) as ReturnType<typeof parseQuery>;
      const at = url.search(/[?#]/);
      return parseQuery(at >= 0 && url[at] === '?' ? url.slice(at + 1).split('#', 1)[0]! : null);
    }
  }
  class ServiceResponse extends ServerResponse {
    readonly receivedAt = performance.now();
    requestId: string | undefined;

    /**
     * Emits `answered`. Where a client has not read the reply to an earlier request of its connection, this one is not sent
     * before, so `finish` and `close` come when the client wants them to.
     */
    override end(...rest: unknown[]): this {
      super.end(...(rest as []));
      this.emit('answered');
      return this;
    }

    /**
     * Headers that all replies have are added when the reply is sent: a waiting poll would hold 0.6 KiB of them. Node writes
     * those that come together as they are, where for one that is set it keeps a table by names in lower case.
     */
    override writeHead(status: number, ...[headers = []]: unknown[]): this {
      return super.writeHead(
        status,
        withBaseHeaders(this as unknown as Response, headers as readonly string[]),
      );
    }
  }
  Object.setPrototypeOf(ServiceRequest.prototype, request);
  Object.setPrototypeOf(ServiceResponse.prototype, response);
  // Node makes no other requests than these; its types have a response for any kind of request.
  return {
    IncomingMessage: ServiceRequest,
    ServerResponse: ServiceResponse as unknown as typeof ServerResponse<IncomingMessage>,
  };
}

function isData(body: unknown): body is object {
  return (
    typeof body === 'object' && body !== null && !(body instanceof StreamableFile || body instanceof Error)
  );
}
