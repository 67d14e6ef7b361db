import {
  readJson,
  readReply,
  type ServiceCall,
  type ServiceConnection,
  type ServiceReply,
} from '../proxy/service-connection.js';
import { WebError } from '../web-error.js';
import type { BrowserSession } from './browser-session.js';
import type { SessionCookies } from './session-cookies.js';
import { readTokens } from './session-renewals.js';

/** The most that the service lists at once. */
const SESSIONS_PER_PAGE = 100;

/**
 * Signs in or up and begins a session: the tokens go into cookies, and the reply is the user.
 *
 * @returns the service's own reply if it refuses
 * @throws WebError 403 if browsers would not keep the cookies
 */
export async function signIn(
  service: ServiceConnection,
  session: BrowserSession,
  call: ServiceCall,
): Promise<ServiceReply> {
  return begin(service, session, call, await service.call(call));
}

/** Changes the password and continues the session with new tokens; the reply is the user. */
export async function changePassword(
  service: ServiceConnection,
  session: BrowserSession,
  call: ServiceCall,
): Promise<ServiceReply> {
  return begin(service, session, call, await session.call(service, call));
}

async function begin(
  service: ServiceConnection,
  session: BrowserSession,
  call: ServiceCall,
  reply: ServiceReply,
): Promise<ServiceReply> {
  if (reply.status >= 300) return reply;
  const tokens = await readTokens(reply);
  // begun before the next call: if that fails, the new account must not lose its session
  session.begin(tokens);
  const { headers, client } = call;
  const user = await service.call({
    method: 'GET',
    path: '/auth/me',
    headers: { accept: headers?.accept ?? 'application/json' },
    token: tokens.access_token,
    client,
  });
  return user.status === 200 ? { ...user, status: reply.status } : user;
}

/**
 * Ends the session in the service, so that copies of its tokens are refused, and then in this browser, whatever the
 * service answered.
 */
export async function signOut(
  service: ServiceConnection,
  session: BrowserSession,
  { client }: ServiceCall,
): Promise<void> {
  try {
    const id = await currentSessionId(service, session, client);
    if (id === undefined) return;
    const path = `/auth/sessions/${encodeURIComponent(id)}`;
    await readReply(await session.call(service, { method: 'DELETE', path, client }));
  } catch (error) {
    if (!(error instanceof WebError)) throw error;
  } finally {
    session.end();
  }
}

/** @returns undefined if the service does not list it */
async function currentSessionId(
  service: ServiceConnection,
  session: BrowserSession,
  client: ServiceCall['client'],
): Promise<string | undefined> {
  for (let skip = 0; ; skip += SESSIONS_PER_PAGE) {
    const path = `/auth/sessions?limit=${SESSIONS_PER_PAGE}&skip=${skip}`;
    const reply = await session.call(service, { method: 'GET', path, client });
    const page = await readJson<unknown>(reply);
    if (reply.status !== 200 || !Array.isArray(page)) return undefined;
    const sessions = page as readonly { id: string; current: boolean }[];
    const current = sessions.find((it) => it.current);
    if (current || sessions.length < SESSIONS_PER_PAGE) return current?.id;
  }
}

/**
 * Refuses a sign-in whose cookies browsers would not keep: it would seem to do nothing.
 *
 * @param origin of the page, as the browser sends it
 * @throws WebError 403
 */
export function requireKeepableCookies(cookies: SessionCookies, origin: string | undefined): void {
  if (cookies.isSecure && origin?.startsWith('http:')) {
    throw new WebError(
      403,
      'Signing in requires https or http://localhost: otherwise browsers do not store the session',
    );
  }
}
