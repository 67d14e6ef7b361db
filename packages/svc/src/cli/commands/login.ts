import { type SecondFactorQuestion, ServiceError, type Tokens, unwrap } from '@agent-control-plane/client';
import { plainHttpWarning } from '../api-address.js';
import { defineCommand } from '../command.js';
import type { Context } from '../context.js';
import { withLogin } from '../contexts.js';
import { CommandFailedError, UsageError } from '../failures.js';
import { filled } from '../option-values.js';
import { printJson } from '../output/json.js';
import { printableLine } from '../output/printable.js';
import { proveByCode } from '../second-factor.js';
import { singleSignOn } from '../single-sign-on.js';

export interface LoginOptions {
  readonly email: string | undefined;
  readonly isPasswordOnInput: boolean;
  /** The code of the second factor. */
  readonly code: string | undefined;
  /** Set for single sign-on instead of a password. */
  readonly sso: { readonly opensBrowser: boolean } | undefined;
}

export const command = defineCommand<LoginOptions>({
  replacesConfig: true,
  options: [
    { flags: '--email <address>', description: 'your email address (asked for if absent)', parse: filled },
    { flags: '--password-stdin', description: 'read the password from standard input' },
    {
      flags: '--code <code>',
      description: 'a code of your authenticator app, or a recovery code (asked for if needed)',
      parse: filled,
    },
    { flags: '--sso', description: 'log in with single sign-on, in a browser' },
    { flags: '--no-browser', description: 'with --sso: only show the address to open' },
  ],
  details:
    'Asks for what is missing. The password is never an argument, because other users of the machine ' +
    'could read it. Without a terminal, give it on standard input (--password-stdin) or in ' +
    'SERVICE_PASSWORD. An account with a second factor also needs a code: typed, by --code, or in ' +
    'SERVICE_CODE. Each code works once. Tokens are stored in ~/.svc/config.json, for this address only; ' +
    'svc context list shows the others. --sso opens a browser on this machine. To create an account, use ' +
    'the dashboard or POST /auth/register.',
  examples: [
    { command: 'login', explanation: 'asks for email and password' },
    {
      command: 'login --email ada@example.com --password-stdin < password.txt',
      explanation: 'without a terminal',
    },
    { command: 'login --sso', explanation: 'in a browser, with your identity provider' },
    {
      command: 'login --api-url https://control.example.com',
      explanation: 'commands then use this address',
    },
  ],
  read(input) {
    const options = {
      email: input.text('email'),
      isPasswordOnInput: input.flag('password-stdin'),
      code: input.text('code'),
      sso: input.flag('sso') ? { opensBrowser: input.flag('browser') } : undefined,
    };
    if (
      options.sso &&
      (options.email !== undefined || options.isPasswordOnInput || options.code !== undefined)
    )
      throw new UsageError(
        '--sso goes without --email, --password-stdin and --code: the provider asks for them',
      );
    return options;
  },
  async run(options, context) {
    const warning = plainHttpWarning(context.address.url);
    if (warning !== undefined) context.terminal.note(printableLine(warning));
    const tokens = options.sso
      ? await singleSignOn(context, options.sso.opensBrowser)
      : await withPassword(options, context);
    const { access_token: api_key, refresh_token } = tokens;
    const headers = { authorization: `Bearer ${api_key}` };
    const { email, password_reset_at: resetAt } = await unwrap(
      context.stranger().GET('/auth/me', { headers }),
    );
    const config = await context.config.read();
    await context.config.write(withLogin(config, context.address.url, { api_key, refresh_token }));
    if (resetAt !== null)
      context.terminal.note(
        printableLine(
          `An operator made a link to set a new password of your account at ${resetAt}: if you did not do not wait, change ` +
            'your password, look at "svc audit", and tell your operators',
        ),
      );
    if (context.output === 'json') return printJson(context, { api_url: context.address.url, email });
    context.terminal.print(printableLine(`Logged in to ${context.address.url} as ${email}`));
    if (context.credential === 'environment')
      context.terminal.note('SERVICE_API_KEY is set and goes before this login: unset it to use the login');
  },
});

async function withPassword(options: LoginOptions, context: Context): Promise<Tokens> {
  const email = options.email ?? (await askedEmail(context));
  const password = await passwordFor(options, context);
  return tokensFor(context, { email, password }, options.code);
}

async function askedEmail(context: Context): Promise<string> {
  if (!context.terminal.isInteractive)
    throw new UsageError('There is no terminal to ask on: add --email and --password-stdin');
  return (await (await context.prompts()).text('Email')).trim();
}

async function passwordFor({ isPasswordOnInput }: LoginOptions, context: Context): Promise<string> {
  if (isPasswordOnInput) {
    // the line feed is the editor's, not the password's
    const password = (await context.terminal.readInput()).replace(/\r?\n$/, '');
    if (password === '') throw new UsageError('Standard input contains no password');
    return password;
  }
  const { SERVICE_PASSWORD } = context.environment;
  if (SERVICE_PASSWORD) return SERVICE_PASSWORD;
  if (!context.terminal.isInteractive)
    throw new UsageError('There is no terminal to ask on: add --password-stdin, or set SERVICE_PASSWORD');
  return (await context.prompts()).secret('Password');
}

async function tokensFor(
  context: Context,
  body: { readonly email: string; readonly password: string },
  code: string | undefined,
): Promise<Tokens> {
  try {
    return await unwrap(context.stranger().POST('/auth/login', { body }));
  } catch (error) {
    if (!(error instanceof ServiceError && error.status === 401)) throw error;
    if (error.secondFactor) return withSecondFactor(context, error.secondFactor, code);
    // reported as a refusal, not as a missing login, because the caller tried to log in
    throw new CommandFailedError(
      `${error.detail}: try again; who has no account yet makes one with POST /auth/register`,
    );
  }
}

async function withSecondFactor(
  context: Context,
  { token, methods }: SecondFactorQuestion,
  code: string | undefined,
): Promise<Tokens> {
  if (!methods.some((it) => it === 'totp' || it === 'recovery_code'))
    throw new CommandFailedError(
      'This account has only passkeys, which need a browser: add an authenticator app to it in the dashboard',
    );
  const source = {
    given: code ?? (context.environment.SERVICE_CODE || undefined),
    terminal: context.terminal,
    prompts: () => context.prompts(),
  };
  try {
    return await proveByCode(source, 'This account has a second factor', (proof) =>
      unwrap(context.stranger().POST('/auth/login/second-factor', { body: { token, ...proof } })),
    );
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401)
      throw new CommandFailedError(`${error.detail}: log in again`);
    throw error;
  }
}
