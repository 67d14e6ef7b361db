import { Readable } from 'node:stream';
import type { RequestHandler } from 'express';
import type { components } from '@agent-control-plane/client';
import {
  readJson,
  type ServiceCall,
  type ServiceConnection,
  type ServiceReply,
} from '../proxy/service-connection.js';
import { WebError } from '../web-error.js';
import type { BrowserSession } from './browser-session.js';
import { signIn } from './sign-in.js';

/** The `state` of a sign-in that a program on the person's machine has begun: the program's port, and a secret. */
const STATE_OF_PROGRAM = /^(\d{4,5})\.[\w-]+$/;
const LOWEST_PORT = 1_024;
const HIGHEST_PORT = 65_535;

/**
 * Begins a single sign-on: its state is stored in a cookie, and the reply is the address of the provider's page.
 *
 * @returns the service's own reply if it refuses
 */
export async function beginSso(
  service: ServiceConnection,
  session: BrowserSession,
  call: ServiceCall,
): Promise<ServiceReply> {
  // The port is never chosen by the page: this sign-in ends in this browser.
  const reply = await service.call(withBody(call, {}));
  if (reply.status !== 200) return reply;
  const { authorization_url, flow } = await readJson<components['schemas']['SsoFlowResponse']>(reply);
  session.keepFlow(flow);
  const body = Readable.from([JSON.stringify({ authorization_url })]);
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/**
 * Finishes the single sign-on that this browser has begun, and begins a session; the reply is the user.
 *
 * @returns the service's own reply if it refuses
 * @throws WebError 400 if this browser has begun none
 */
export async function finishSso(
  service: ServiceConnection,
  session: BrowserSession,
  call: ServiceCall,
): Promise<ServiceReply> {
  const flow = session.takeFlow();
  if (flow === undefined) {
    throw new WebError(400, 'The sign-in was not begun in this browser, or has taken too long: start again');
  }
  const { query } = requestOf(call.body);
  return signIn(service, session, withBody(call, { flow, query }));
}

/** Redirects a browser that returns from the provider to the program that began the sign-in, if one did. */
export const returnToProgram: RequestHandler = (request, response, next) => {
  const [, query = ''] = request.url.split(/\?(.*)/s, 2);
  const state = new URLSearchParams(query).get('state') ?? '';
  const port = Number(STATE_OF_PROGRAM.exec(state)?.[1]);
  if (!(port >= LOWEST_PORT && port <= HIGHEST_PORT)) return next();
  response.redirect(303, `http://127.0.0.1:${port}/callback?${query}`);
};

function withBody(call: ServiceCall, body: unknown): ServiceCall {
  const headers = { ...call.headers, 'content-type': 'application/json' };
  return { ...call, headers, body: JSON.stringify(body) };
}

/** The page's own request, whose content the service validates. */
function requestOf(body: ServiceCall['body']): { readonly query?: unknown } {
  try {
    return (JSON.parse(String(body)) ?? {}) as { query?: unknown };
  } catch {
    return {};
  }
}
