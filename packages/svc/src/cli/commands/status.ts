import { ServiceError, UnreachableError, unwrap, type User } from '@agent-control-plane/client';
import type { AddressSource } from '../api-address.js';
import { ageHint } from '../age-hint.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { agentArgument } from '../find-agent.js';
import { printableLine } from '../output/printable.js';
import { printRecord } from '../output/record.js';
import type { CredentialKind } from '../session.js';
import { version } from '../version.js';
import { command as ofAgent } from './agents/status.js';

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
  none: 'none',
};

export const command = defineCommand({
  arguments: [{ ...agentArgument, isOptional: true }],
  details:
    'With an agent, the same as svc agents status. Without one, checks the address and the login: exits ' +
    'with 0 if the service answers, even if it refuses the login, and with 4 if the service cannot be ' +
    'reached. A user API key cannot read its profile, so none is shown.',
  examples: [
    { command: 'status invoice-reader', explanation: 'an agent and its latest deployments' },
    { command: 'status', explanation: 'the service and your login' },
    {
      command: 'status --api-url https://control.example.com',
      explanation: 'whether this service can be reached',
    },
  ],
  read: (input) => ({ agent: input.optionalArgument('agent') }),
  async run({ agent }, context) {
    if (agent !== undefined) return ofAgent.run({ agent, reveals: false }, context);
    const health = await healthOf(context).catch((error: unknown) => {
      if (error instanceof UnreachableError) return error;
      throw error;
    });
    const isReached = !(health instanceof Error);
    const login = isReached ? await loginOf(context) : loginUntried(context);
    show(context, isReached ? health : null, login);
    if (!isReached) throw health;
    const hint = ageHint(version, health.version);
    if (hint !== undefined) context.terminal.note(printableLine(hint));
  },
});

type Health = Awaited<ReturnType<typeof healthOf>>;

function healthOf(context: Context) {
  return unwrap(context.stranger().GET('/health'));
}

/** The result of a call with the credential. */
interface Login {
  /** Null if the service could not check it. */
  readonly isAccepted: boolean | null;
  /** Null for a key, which may not read the profile. */
  readonly user: User | null;
  /** The service's message if it refused the credential. */
  readonly refusal?: string;
}

const NOBODY: Login = { isAccepted: false, user: null };

function loginUntried({ credential }: Context): Login {
  return credential === 'none' ? NOBODY : { isAccepted: null, user: null };
}

/** Checks the credential: a login reads the profile, and a key, which may not do that, reads a list. */
async function loginOf(context: Context): Promise<Login> {
  if (context.credential === 'none') return NOBODY;
  try {
    const service = context.service();
    if (context.credential === 'session')
      return { isAccepted: true, user: await unwrap(service.GET('/auth/me')) };
    await service.GET('/agents', { params: { query: { limit: 1 } } });
    return { isAccepted: true, user: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { status, detail } = error;
    // a key without the scope to read is valid
    if (status === 403 && detail.startsWith('Missing scope')) return { isAccepted: true, user: null };
    const isRefused = (status === 401 || status === 403) && !error.isOfProxy;
    return { isAccepted: isRefused ? false : null, user: null, refusal: detail };
  }
}

function show(context: Context, health: Health | null, { isAccepted, user, refusal }: Login): void {
  const { address, credential } = context;
  const resource = {
    api_url: address.url,
    api_url_source: address.source,
    authenticated: isAccepted,
    credential: credential === 'none' ? null : credential,
    user,
    service: health,
  };
  const advice = credential === 'environment' ? 'replace or unset SERVICE_API_KEY' : context.loginAdvice;
  const states = { true: user?.email ?? 'yes', false: `no: ${advice}`, null: 'unknown' };
  const state = states[`${isAccepted}`];
  printRecord(context, resource, [
    ['API URL', `${address.url} (from ${SOURCES[address.source]})`],
    ['Credential', CREDENTIALS[credential]],
    ['Logged in', refusal === undefined ? state : `${state} (the service said: ${refusal})`],
    ['Service', health ? `${health.status}, version ${health.version}` : 'can not be reached'],
    ['Database', health?.database],
  ]);
}
