import { ServiceError, UnreachableError, unwrap, type User } from '@agent-control-plane/client';
import type { AddressSource } from '../api-address.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { printRecord } from '../output/record.js';
import type { CredentialKind } from '../session.js';

const SOURCES: Readonly<Record<AddressSource, string>> = {
  option: '--api-url',
  environment: 'SERVICE_API_URL',
  config: 'the config file',
  default: 'the default',
};

const CREDENTIALS: Readonly<Record<CredentialKind, string>> = {
  environment: 'SERVICE_API_KEY',
  key: 'the key in the config file',
  session: 'a login',
  none: 'none: run "svc login"',
};

export const command = defineCommand({
  details:
    'Ends with 0 whether somebody is logged in or not, and with 4 when the service can not be reached.\n' +
    'The profile behind a user API key is not shown: such a key may not read it.',
  examples: [
    { command: 'status', explanation: 'which service this talks to, and as whom' },
    {
      command: 'status --api-url https://control.example.com',
      explanation: 'whether that one can be reached',
    },
  ],
  read: () => ({}),
  async run(_options, context) {
    const health = await healthOf(context).catch((error: unknown) => {
      if (error instanceof UnreachableError) return error;
      throw error;
    });
    const isReached = !(health instanceof Error);
    const { user, isRefused } = isReached ? await userOf(context) : { user: null, isRefused: false };
    show(context, isReached ? health : null, user, isRefused);
    if (!isReached) throw health;
  },
});

type Health = Awaited<ReturnType<typeof healthOf>>;

function healthOf(context: Context) {
  return unwrap(context.stranger().GET('/health'));
}

/** Nobody where there is no login, or it has run out for good; a key may be good for everything but this. */
async function userOf(context: Context): Promise<{ user: User | null; isRefused: boolean }> {
  if (context.credential !== 'session') return { user: null, isRefused: false };
  try {
    return { user: await unwrap(context.service().GET('/auth/me')), isRefused: false };
  } catch (error) {
    if (error instanceof ServiceError) return { user: null, isRefused: error.status === 401 };
    throw error;
  }
}

function show(context: Context, health: Health | null, user: User | null, isRefused: boolean): void {
  const { address, credential } = context;
  const isLoggedIn = credential !== 'none' && !isRefused;
  const resource = {
    api_url: address.url,
    api_url_source: address.source,
    authenticated: isLoggedIn,
    credential: credential === 'none' ? null : credential,
    user,
    service: health,
  };
  const state = isRefused ? 'an expired login: run "svc login"' : CREDENTIALS[credential];
  printRecord(context, resource, [
    ['API URL', `${address.url} (from ${SOURCES[address.source]})`],
    ['Credential', state],
    ['Logged in', isLoggedIn ? (user?.email ?? 'yes') : 'no'],
    ['Service', health ? `${health.status}, version ${health.version}` : 'can not be reached'],
    ['Database', health?.database],
  ]);
}
