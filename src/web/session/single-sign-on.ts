import { hash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
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

const VERIFIER_BYTES = 32;
/** The contents of the cookie: the token of the service, and behind its last dot the verifier. */
const FLOW_WITH_VERIFIER = /^(.+)\.([\w-]+)$/;

/**
 * Begins a single sign-on: its state and the verifier are stored in a cookie, and the reply is the address of the provider's
 * page.
 *
 * @returns the service's own reply if it refuses
 */
export async function beginSso(
  service: ServiceConnection,
  session: BrowserSession,
  call: ServiceCall,
): Promise<ServiceReply> {
  // The port is never chosen by the page: this sign-in ends in this browser.
  const verifier = randomBytes(VERIFIER_BYTES).toString('base64url');
  const code_challenge = hash('sha256', verifier, 'base64url');
  const reply = await service.call(withBody(call, { code_challenge }));
  if (reply.status !== 200) return reply;
  const { authorization_url, flow } = await readJson<components['schemas']['SsoFlowResponse']>(reply);
  session.keepFlow(`${flow}.${verifier}`);
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
  const [, flow, code_verifier] = FLOW_WITH_VERIFIER.exec(session.takeFlow() ?? '') ?? [];
  if (flow === undefined) {
    throw new WebError(400, 'The sign-in was started in another browser, or took too long: start again');
  }
  const { query } = requestOf(call.body);
  return signIn(service, session, withBody(call, { flow, code_verifier, query }));
}

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
