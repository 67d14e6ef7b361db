import type { Request, RequestHandler, Response } from 'express';
import { finished } from 'node:stream/promises';
import { BrowserSession } from '../session/browser-session.js';
import { SessionCookies } from '../session/session-cookies.js';
import { SessionRenewals } from '../session/session-renewals.js';
import { changePassword, requireKeepableCookies, signIn, signOut } from '../session/sign-in.js';
import { beginSso, finishSso } from '../session/single-sign-on.js';
import { ownOrigin, requireSameOrigin } from '../same-origin.js';
import { WebError } from '../web-error.js';
import type { OpenStreams } from './open-streams.js';
import type { Method } from './passable-routes.js';
import { headersForBrowser, headersForService } from './passing-headers.js';
import { type BodyReader, jsonBodyReader } from './request-body.js';
import { matchRoute, methodsOf } from './route-table.js';
import {
  discard,
  type ServiceCall,
  type ServiceConnection,
  type ServiceReply,
} from './service-connection.js';
import { visibleHeartbeats } from './visible-heartbeats.js';

/** Passages that begin a session. */
const OPENS_SESSION: readonly string[] = ['login', 'register', 'sso', 'sso-tokens'];

export interface ApiHandlerOptions {
  readonly service: ServiceConnection;
  readonly streams: OpenStreams;
  /** `WEB_PUBLIC_URL`, or empty. */
  readonly publicUrl: string;
  readonly maxBodyBytes: number;
}

/** Handles everything under `/api`: forwards listed routes to the service, with the token of the cookies' session. */
export class ApiHandler {
  private readonly renewals: SessionRenewals;
  private readonly readBody: BodyReader;

  constructor(private readonly options: ApiHandlerOptions) {
    this.renewals = new SessionRenewals(options.service);
    this.readBody = jsonBodyReader(options.maxBodyBytes);
  }

  /** @throws WebError if this server refuses the request, or can't reach the service */
  readonly handle: RequestHandler = async (request, response) => {
    const [path = '', query] = request.url.split(/\?(.*)/s, 2);
    const match = matchRoute(path);
    if (!match) throw new WebError(404, 'The route does not exist');
    const passage = match.route.methods[request.method as Method];
    if (passage === undefined) {
      const allowed = methodsOf(match.route).join(', ');
      throw new WebError(405, `This path only accepts ${allowed}`, { Allow: allowed });
    }
    const own = ownOrigin(request, this.options.publicUrl);
    if (request.method !== 'GET') requireSameOrigin(request, own);
    const cookies = new SessionCookies(own, request.baseUrl);
    if (OPENS_SESSION.includes(passage)) {
      requireKeepableCookies(cookies, request.headers.origin);
    }
    const gone = whenGone(response);
    const call: ServiceCall = {
      method: request.method,
      path: query === undefined ? match.servicePath : `${match.servicePath}?${query}`,
      headers: headersForService(request.headers),
      body: await this.readBody(request, response),
      client: clientOf(request, response),
      isStream: passage === 'stream',
      // a request that changes something is completed even if the browser has left
      signal: request.method === 'GET' ? gone : undefined,
    };
    const session = new BrowserSession(cookies, this.renewals, request.headers.cookie, call.client);
    try {
      const reply = await this.replyTo(passage, call, session);
      session.writeTo(response);
      if (reply)
        await this.pass(reply, response, `${request.baseUrl}${path.replace(/\/$/, '')}`, call.isStream);
      else response.json({ message: 'Successfully logged out' });
    } catch (error) {
      if (gone.aborted) return;
      if (!response.headersSent) session.writeTo(response);
      throw error;
    }
  };

  private async replyTo(
    passage: string,
    call: ServiceCall,
    session: BrowserSession,
  ): Promise<ServiceReply | undefined> {
    const { service } = this.options;
    switch (passage) {
      case 'login':
      case 'register':
        return signIn(service, session, call);
      case 'sso':
        return beginSso(service, session, call);
      case 'sso-tokens':
        return finishSso(service, session, call);
      case 'password':
        return changePassword(service, session, call);
      case 'logout':
        await signOut(service, session, call);
        return undefined;
      case 'open':
        return service.call(call);
      default:
        return session.call(service, call);
    }
  }

  private async pass(
    reply: ServiceReply,
    response: Response,
    path: string,
    isStream: boolean | undefined,
  ): Promise<void> {
    if (response.destroyed) return discard(reply);
    response.status(reply.status).set(headersForBrowser(reply.headers, path));
    const isOpenStream = isStream && reply.status === 200;
    if (isOpenStream) {
      // without it nginx buffers the stream
      response.set('X-Accel-Buffering', 'no');
      response.flushHeaders();
      this.options.streams.add(response);
    }
    reply.body.on('error', () => response.destroy());
    response.on('close', () => reply.body.destroy());
    const body = isOpenStream ? reply.body.pipe(visibleHeartbeats()) : reply.body;
    body.pipe(response);
    // a browser that leaves early is no failure
    await finished(response).catch(() => undefined);
  }
}

function clientOf(request: Request, response: Response): ServiceCall['client'] {
  return {
    address: (request.ip ?? '').replace(/^::ffff:(?=\d+\.)/, ''),
    requestId: String(response.getHeader('X-Request-Id')),
  };
}

function whenGone(response: Response): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}
