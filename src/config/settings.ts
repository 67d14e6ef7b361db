import { bool, cleanEnv, EnvError, makeExactValidator, makeValidator, str, url } from 'envalid';

const integer = (minimum: number, maximum: number) =>
  makeValidator<number>((input) => {
    const value = Number(input);
    if (!/^\d+$/.test(input.trim()) || value < minimum || value > maximum) {
      throw new EnvError(`must be a whole number from ${minimum} to ${maximum}`);
    }
    return value;
  });

const emails = makeExactValidator<readonly string[]>((input) =>
  input
    .split(',')
    .map((address) => address.trim().toLowerCase())
    .filter((address) => address !== ''),
);

/** What Express calls `trust proxy`: `false`, `true`, a number of hops, or a list of addresses. */
const trustedProxies = makeExactValidator<boolean | number | string>((input) => {
  if (input === 'true' || input === 'false') return input === 'true';
  return /^\d+$/.test(input) ? Number(input) : input;
});

const secret = makeValidator<string>((input) => {
  if (Buffer.byteLength(input) < 32) throw new EnvError('must be at least 32 bytes');
  return input;
});

const variables = {
  NODE_ENV: str({ choices: ['development', 'production', 'test'], default: 'development' }),
  HOST: str({ default: '127.0.0.1' }),
  PORT: integer(0, 65_535)({ default: 8000 }),
  PUBLIC_URL: url({ default: '' }),
  TRUST_PROXY: trustedProxies({ default: false }),
  MAX_BODY_BYTES: integer(1_024, 64 * 1024 * 1024)({ default: 1024 * 1024 }),
  DRAIN_TIMEOUT_SECONDS: integer(0, 600)({ default: 20 }),

  DATABASE_URL: str({ default: '' }),
  DATABASE_POOL_SIZE: integer(4, 1_000)({ default: 20 }),
  DATA_DIR: str({ default: '.data' }),

  JWT_SECRET: secret({ default: '' }),
  JWT_SECRET_PREVIOUS: secret({ default: '' }),
  ADMIN_EMAILS: emails({ default: [] }),
  ALLOW_REGISTRATION: bool({ default: true }),
  BCRYPT_COST: integer(4, 16)({ default: 12 }),

  RATE_LIMIT_LOGIN_PER_ACCOUNT: integer(1, 1_000_000)({ default: 20 }),
  RATE_LIMIT_LOGIN_PER_ADDRESS: integer(1, 1_000_000)({ default: 100 }),
  RATE_LIMIT_REGISTER_PER_ACCOUNT: integer(1, 1_000_000)({ default: 60 }),
  RATE_LIMIT_REGISTER_PER_ADDRESS: integer(1, 1_000_000)({ default: 60 }),
  RATE_LIMIT_REFRESH_PER_ACCOUNT: integer(1, 1_000_000)({ default: 120 }),
  RATE_LIMIT_REFRESH_PER_ADDRESS: integer(1, 1_000_000)({ default: 120 }),

  MAX_REPLICAS: integer(1, 100_000)({ default: 100 }),
  HEARTBEAT_INTERVAL_SECONDS: integer(1, 3_600)({ default: 30 }),
  HEARTBEAT_TIMEOUT_SECONDS: integer(1, 86_400)({ default: 120 }),
  HEARTBEAT_MAX_RATE: integer(1, 1_000_000)({ default: 300 }),
  PROGRESS_DEADLINE_SECONDS: integer(1, 86_400)({ default: 600 }),
  COMMAND_LEASE_SECONDS: integer(1, 3_600)({ default: 60 }),
  MONITOR_INTERVAL_SECONDS: integer(1, 300)({ default: 5 }),
  LOG_RETENTION_DAYS: integer(1, 3_650)({ default: 14 }),
  METRIC_RETENTION_DAYS: integer(1, 3_650)({ default: 30 }),
  HISTORY_RETENTION_DAYS: integer(1, 36_500)({ default: 730 }),
  COMMAND_RETENTION_DAYS: integer(1, 36_500)({ default: 90 }),

  LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  LOG_FORMAT: str({ choices: ['pretty', 'json'], default: 'json' }),
};

/** The limits that are ten times as wide on the embedded database, where one person tries things out. */
const widenedWhenEmbedded = [
  'RATE_LIMIT_LOGIN_PER_ACCOUNT',
  'RATE_LIMIT_LOGIN_PER_ADDRESS',
  'RATE_LIMIT_REGISTER_PER_ACCOUNT',
  'RATE_LIMIT_REGISTER_PER_ADDRESS',
  'RATE_LIMIT_REFRESH_PER_ACCOUNT',
  'RATE_LIMIT_REFRESH_PER_ADDRESS',
] as const;

/** Injection token of the {@link Settings}. */
export const SETTINGS = Symbol('SETTINGS');

export type Settings = Readonly<ReturnType<typeof readVariables>> & { readonly embedded: boolean };

/** A setting is missing or out of bounds; the message is one line that names each bad variable. */
export class SettingsError extends Error {}

function readVariables(environment: NodeJS.ProcessEnv) {
  return cleanEnv(environment, variables, {
    reporter: ({ errors }) => {
      const problems = Object.entries(errors).map(([name, error]) => `${name}: ${error?.message}`);
      if (problems.length > 0) throw new SettingsError(`Invalid settings: ${problems.join('; ')}`);
    },
  });
}

/**
 * The one reader of environment variables. An empty value counts as absent.
 *
 * @throws SettingsError when a variable is out of its bounds, or production lacks a `JWT_SECRET`
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const values = readVariables(given);
  const embedded = values.DATABASE_URL === '';
  if (values.NODE_ENV === 'production' && values.JWT_SECRET === '') {
    throw new SettingsError('Invalid settings: JWT_SECRET: is required in production');
  }
  if (values.HEARTBEAT_TIMEOUT_SECONDS < 2 * values.HEARTBEAT_INTERVAL_SECONDS) {
    throw new SettingsError(
      'Invalid settings: HEARTBEAT_TIMEOUT_SECONDS: must be at least twice HEARTBEAT_INTERVAL_SECONDS',
    );
  }
  const widened = embedded
    ? widenedWhenEmbedded.filter((name) => given[name] === undefined).map((name) => [name, values[name] * 10])
    : [];
  return Object.freeze({ ...values, ...(Object.fromEntries(widened) as object), embedded });
}
