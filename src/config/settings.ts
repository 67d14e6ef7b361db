import { bool, cleanEnv, str } from 'envalid';
import { isLoopback } from '../http-server/loopback.js';
import { databaseAddress } from './database-address.js';
import {
  dashboardAddress,
  emailList,
  integer,
  issuer,
  proxyAddress,
  ratio,
  ROLES,
  roles,
  secret,
  trustedProxies,
  webAddress,
} from './setting-kinds.js';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

const variables = {
  NODE_ENV: str({ choices: ['development', 'production', 'test'], default: 'development' }),
  HOST: str({ default: '127.0.0.1' }),
  PORT: integer(0, 65_535)({ default: 8000 }),
  PUBLIC_URL: webAddress({ default: '' }),
  WEB_PUBLIC_URL: dashboardAddress({ default: '' }),
  WEB_PORT: integer(0, 65_535)({ default: 3000 }),
  TRUST_PROXY: trustedProxies({ default: false }),
  MAX_BODY_BYTES: integer(1_024, 64 * 1024 * 1024)({ default: 1024 * 1024 }),
  MAX_TRACE_BYTES: integer(1_024, 64 * 1024 * 1024)({ default: 8 * 1024 * 1024 }),
  MAX_REQUESTS_IN_FLIGHT: integer(1, 1_000_000)({ default: 300 }),
  MAX_REQUESTS_IN_FLIGHT_PER_ADDRESS: integer(1, 1_000_000)({ default: 300 }),
  ROLES: roles({ default: ROLES }),
  SHUTDOWN_DELAY_SECONDS: integer(0, 600)({ default: 0 }),
  DRAIN_TIMEOUT_SECONDS: integer(0, 600)({ default: 20 }),

  DATABASE_URL: databaseAddress({ default: '' }),
  DATABASE_DIRECT_URL: databaseAddress({ default: '' }),
  TELEMETRY_DATABASE_URL: databaseAddress({ default: '' }),
  DATABASE_POOL_SIZE: integer(4, 1_000)({ default: 20 }),
  DATABASE_LOCK_TIMEOUT_SECONDS: integer(1, 15)({ default: 3 }),
  COSTLY_READ_TIMEOUT_SECONDS: integer(1, 15)({ default: 5 }),
  DATA_DIR: str({ default: '.data' }),

  JWT_SECRET: secret({ default: '' }),
  JWT_SECRET_PREVIOUS: secret({ default: '' }),
  SETUP_TOKEN: secret({ default: '' }),
  ALLOW_REGISTRATION: bool({ default: true }),
  SECOND_FACTOR_FOR_OPERATORS: bool({ default: false }),
  SESSION_MAX_DAYS: integer(1, 365)({ default: 30 }),
  BCRYPT_COST: integer(4, 16)({ default: 12 }),

  OIDC_ISSUER: issuer({ default: '' }),
  OIDC_CLIENT_ID: str({ default: '' }),
  OIDC_CLIENT_SECRET: str({ default: '' }),
  OIDC_GROUPS_CLAIM: str({ default: '' }),
  OIDC_ACR_VALUES: str({ default: '' }),
  OIDC_AMR_VALUES: str({ default: '' }),
  OIDC_LINK_BY_EMAIL: bool({ default: false }),
  ADMIN_EMAILS: emailList({ default: '' }),
  PASSWORD_LOGIN: bool({ default: true }),

  RATE_LIMIT_LOGIN_PER_ACCOUNT: integer(1, 1_000_000)({ default: 20 }),
  RATE_LIMIT_LOGIN_PER_ACCOUNT_EVERYWHERE: integer(1, 1_000_000)({ default: 100 }),
  RATE_LIMIT_LOGIN_PER_ADDRESS: integer(1, 1_000_000)({ default: 100 }),
  RATE_LIMIT_SECOND_FACTOR_PER_ACCOUNT: integer(1, 1_000_000)({ default: 50 }),
  RATE_LIMIT_REGISTER_PER_ACCOUNT: integer(1, 1_000_000)({ default: 60 }),
  RATE_LIMIT_REGISTER_PER_ADDRESS: integer(1, 1_000_000)({ default: 60 }),
  RATE_LIMIT_REFRESH_PER_ACCOUNT: integer(1, 1_000_000)({ default: 120 }),
  RATE_LIMIT_REFRESH_PER_ADDRESS: integer(1, 1_000_000)({ default: 120 }),
  RATE_LIMIT_NEWSLETTER_PER_ADDRESS: integer(1, 1_000_000)({ default: 30 }),
  RATE_LIMIT_LEADS_PER_ADDRESS: integer(1, 1_000_000)({ default: 30 }),

  MAX_PROJECTS_PER_USER: integer(1, 1_000_000)({ default: 100 }),
  MAX_AGENTS_PER_PROJECT: integer(0, 10_000_000)({ default: 0 }),
  MAX_API_KEYS_PER_PROJECT: integer(1, 1_000_000)({ default: 1_000 }),
  MAX_WEBHOOKS_PER_PROJECT: integer(1, 10_000)({ default: 100 }),
  MAX_BUDGETS_PER_PROJECT: integer(1, 10_000)({ default: 100 }),
  MAX_CONTENT_BYTES_PER_AGENT: integer(0, 1024 ** 4)({ default: 64 * 1024 * 1024 }),
  MAX_LOG_BYTES_PER_AGENT: integer(0, 1024 ** 5)({ default: 1024 ** 3 }),
  MAX_LOG_BYTES_PER_PROJECT: integer(0, 1024 ** 5)({ default: 50 * 1024 ** 3 }),
  MAX_METRIC_BYTES_PER_AGENT: integer(0, 1024 ** 5)({ default: 256 * 1024 ** 2 }),
  MAX_METRIC_BYTES_PER_PROJECT: integer(0, 1024 ** 5)({ default: 20 * 1024 ** 3 }),
  MAX_SPAN_BYTES_PER_AGENT: integer(0, 1024 ** 5)({ default: 1024 ** 3 }),
  MAX_SPAN_BYTES_PER_PROJECT: integer(0, 1024 ** 5)({ default: 50 * 1024 ** 3 }),
  MAX_CONFIG_BYTES_PER_AGENT: integer(0, 1024 ** 5)({ default: 64 * 1024 ** 2 }),
  MAX_CONFIG_BYTES_PER_PROJECT: integer(0, 1024 ** 5)({ default: 1024 ** 3 }),
  MAX_CONFIGS_PER_AGENT: integer(0, 1_000_000_000)({ default: 1_000 }),
  MAX_CONFIGS_PER_PROJECT: integer(0, 1_000_000_000)({ default: 0 }),
  KEPT_CONFIGS_PER_AGENT: integer(0, 1_000_000)({ default: 100 }),
  MAX_TELEMETRY_RATE_PER_AGENT: integer(0, 1024 ** 5)({ default: 64 * 1024 ** 2 }),
  MAX_TELEMETRY_RATE_PER_PROJECT: integer(0, 1024 ** 5)({ default: 1024 ** 3 }),
  MAX_SCHEDULES_PER_PROJECT: integer(1, 1_000_000)({ default: 1_000 }),
  MAX_QUEUED_RUNS_PER_AGENT: integer(1, 1_000_000)({ default: 10_000 }),
  MAX_REPLICAS: integer(1, 100_000)({ default: 100 }),
  HEARTBEAT_INTERVAL_SECONDS: integer(1, 3_600)({ default: 30 }),
  HEARTBEAT_TIMEOUT_SECONDS: integer(1, 86_400)({ default: 120 }),
  HEARTBEAT_MAX_RATE: integer(1, 1_000_000)({ default: 300 }),
  PROGRESS_DEADLINE_SECONDS: integer(1, 86_400)({ default: 600 }),
  COMMAND_LEASE_SECONDS: integer(1, 3_600)({ default: 60 }),
  STREAMS_PER_USER: integer(1, 100_000)({ default: 50 }),
  STREAM_HEARTBEAT_SECONDS: integer(1, 3_600)({ default: 15 }),
  STREAM_STALL_SECONDS: integer(1, 3_600)({ default: 60 }),
  MONITOR_INTERVAL_SECONDS: integer(1, 300)({ default: 5 }),
  LOG_RETENTION_DAYS: integer(1, 3_650)({ default: 14 }),
  METRIC_RETENTION_DAYS: integer(1, 3_650)({ default: 30 }),
  HISTORY_RETENTION_DAYS: integer(1, 36_500)({ default: 730 }),
  RUN_RETENTION_DAYS: integer(1, 36_500)({ default: 90 }),
  TRACE_DETAIL: str({ choices: ['genai', 'all'], default: 'genai' }),
  SPAN_RETENTION_DAYS: integer(1, 36_500)({ default: 7 }),
  USAGE_RETENTION_DAYS: integer(31, 36_500)({ default: 400 }),
  COMMAND_RETENTION_DAYS: integer(1, 36_500)({ default: 90 }),
  DELIVERY_RETENTION_DAYS: integer(1, 36_500)({ default: 30 }),
  KEY_RETENTION_DAYS: integer(1, 36_500)({ default: 365 }),
  AUDIT_RETENTION_DAYS: integer(30, 36_500)({ default: 365 }),

  WEBHOOK_ALLOW_PRIVATE_TARGETS: bool({ default: false }),
  WEBHOOK_SECRET_KEY: secret({ default: '' }),
  WEBHOOK_SECRET_KEY_PREVIOUS: secret({ default: '' }),
  WEBHOOK_TIMEOUT_SECONDS: integer(1, 60)({ default: 15 }),
  WEBHOOK_POLL_INTERVAL_MS: integer(10, 60_000)({ default: 1_000 }),
  WEBHOOK_CONCURRENCY: integer(1, 10_000)({ default: 1_000 }),
  WEBHOOK_ENDPOINT_CONCURRENCY: integer(1, 1_000)({ default: 50 }),

  // The names that other programs read, also in small letters.
  HTTP_PROXY: proxyAddress({ default: '' }),
  HTTPS_PROXY: proxyAddress({ default: '' }),
  NO_PROXY: str({ default: '' }),

  LOG_LEVEL: str({
    choices: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    default: 'info',
  }),
  LOG_FORMAT: str({ choices: ['pretty', 'json'], default: 'json' }),
  REQUEST_LOG_ONE_IN: integer(0, 1_000_000)({ default: 0 }),

  METRICS_HOST: str({ default: '127.0.0.1' }),
  METRICS_PORT: integer(0, 65_535)({ default: 0 }),

  // OpenTelemetry's SDK reads these variables itself; here they are validated, and switch it on.
  OTEL_SDK_DISABLED: bool({ default: false }),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress({ default: '' }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webAddress({ default: '' }),
  OTEL_EXPORTER_OTLP_HEADERS: str({ default: '' }),
  OTEL_EXPORTER_OTLP_PROTOCOL: str({ choices: ['http/protobuf'], default: 'http/protobuf' }),
  OTEL_SERVICE_NAME: str({ default: '' }),
  OTEL_RESOURCE_ATTRIBUTES: str({ default: '' }),
  OTEL_TRACES_SAMPLER: str({ choices: SAMPLERS, default: 'parentbased_always_on' }),
  OTEL_TRACES_SAMPLER_ARG: ratio({ default: 1 }),
};

export const SETTING_NAMES: readonly string[] = Object.keys(variables);

/** Limits that are ten times as high on the embedded database, which one person uses for a trial. */
type RateLimit = Extract<keyof typeof variables, `RATE_LIMIT_${string}`>;

const RATE_LIMITS = Object.keys(variables).filter((name): name is RateLimit =>
  name.startsWith('RATE_LIMIT_'),
);

export type Settings = Readonly<ReturnType<typeof readVariables>> & { readonly embedded: boolean };

/** A setting is missing or out of bounds; the message is one line that names each bad variable. */
export class SettingsError extends Error {}

function readVariables(environment: NodeJS.ProcessEnv) {
  return cleanEnv(environment, variables, {
    reporter: ({ errors }) => {
      const problems = Object.entries(errors).map(
        ([name, error]) => `${name}: ${error?.message.replaceAll(/\s+/g, ' ')}`,
      );
      if (problems.length > 0) throw new SettingsError(`Invalid settings: ${problems.join('; ')}`);
    },
  });
}

/** @throws SettingsError */
function assertFitForProduction(values: ReturnType<typeof readVariables>): void {
  const missing = (['JWT_SECRET', 'WEBHOOK_SECRET_KEY'] as const).filter((name) => values[name] === '');
  const problems = missing.map((name) => `${name}: is required in production`);
  if (values.BCRYPT_COST < 10) problems.push('BCRYPT_COST: must be at least 10 in production');
  if (problems.length > 0) throw new SettingsError(`Invalid settings: ${problems.join('; ')}`);
}

const SMALL_NAMES = ['http_proxy', 'https_proxy', 'no_proxy'];

/**
 * Reads the service's environment variables. An empty value counts as absent.
 *
 * @throws SettingsError if a variable is out of its bounds, or not allowed in production
 */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = Object.fromEntries(
    Object.entries(environment)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => [SMALL_NAMES.includes(name) ? name.toUpperCase() : name, value]),
  );
  const values = readVariables(given);
  const embedded = values.DATABASE_URL === '';
  if (values.NODE_ENV === 'production') assertFitForProduction(values);
  if (embedded && values.DATABASE_DIRECT_URL !== '') {
    throw new SettingsError('Invalid settings: DATABASE_DIRECT_URL: needs DATABASE_URL beside it');
  }
  if (values.TELEMETRY_DATABASE_URL !== '' && values.TELEMETRY_DATABASE_URL === values.DATABASE_URL) {
    throw new SettingsError(
      'Invalid settings: TELEMETRY_DATABASE_URL: is the same as DATABASE_URL; remove it, or set it to another ' +
        'database',
    );
  }
  if (values.HEARTBEAT_TIMEOUT_SECONDS < 2 * values.HEARTBEAT_INTERVAL_SECONDS) {
    throw new SettingsError(
      'Invalid settings: HEARTBEAT_TIMEOUT_SECONDS: must be at least twice HEARTBEAT_INTERVAL_SECONDS',
    );
  }
  const missing = missingForSso(values);
  if (missing !== undefined)
    throw new SettingsError(`Invalid settings: ${missing}: is required for single sign-on`);
  if (!values.PASSWORD_LOGIN && values.OIDC_ISSUER === '') {
    throw new SettingsError('Invalid settings: PASSWORD_LOGIN: can only be false with OIDC_ISSUER');
  }
  // Sessions keep the provider's refresh tokens, which are never stored in clear.
  const lacking = (['OIDC_ISSUER', 'WEBHOOK_SECRET_KEY'] as const).find((name) => values[name] === '');
  if (values.OIDC_GROUPS_CLAIM !== '' && lacking)
    throw new SettingsError(`Invalid settings: OIDC_GROUPS_CLAIM: can only be set with ${lacking}`);
  const demanding = (['OIDC_ACR_VALUES', 'OIDC_AMR_VALUES'] as const).find((name) => values[name] !== '');
  if (demanding && values.OIDC_ISSUER === '')
    throw new SettingsError(`Invalid settings: ${demanding}: can only be set with OIDC_ISSUER`);
  const widened = embedded
    ? RATE_LIMITS.filter((name) => given[name] === undefined).map((name) => [name, values[name] * 10])
    : [];
  const allowsPrivateTargets =
    given.WEBHOOK_ALLOW_PRIVATE_TARGETS === undefined && embedded && isLoopback(values.HOST);
  return Object.freeze({
    ...values,
    ...(Object.fromEntries(widened) as object),
    // On the embedded database the first receiver is usually on this machine. If strangers can reach the service,
    // private targets would let them reach its network.
    WEBHOOK_ALLOW_PRIVATE_TARGETS: values.WEBHOOK_ALLOW_PRIVATE_TARGETS || allowsPrivateTargets,
    embedded,
  });
}

const SSO = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const;

/** The first variable that is missing for single sign-on; undefined if none is, or single sign-on is off. */
function missingForSso(values: ReturnType<typeof readVariables>): string | undefined {
  if (SSO.every((name) => values[name] === '')) return undefined;
  // The provider redirects browsers to this address, which a Host header must not decide.
  return [...SSO, 'WEB_PUBLIC_URL' as const].find((name) => values[name] === '');
}

/**
 * Reads only the address of the database's server, without a pooler, for programs that need no other setting.
 *
 * @throws SettingsError if it is missing or invalid
 */
export function readDatabaseUrl(environment: NodeJS.ProcessEnv = process.env): string {
  const { DATABASE_URL, DATABASE_DIRECT_URL } = readVariables({
    DATABASE_URL: environment.DATABASE_URL || undefined,
    DATABASE_DIRECT_URL: environment.DATABASE_DIRECT_URL || undefined,
  });
  if (DATABASE_URL === '') throw new SettingsError('Invalid settings: DATABASE_URL: is required here');
  return DATABASE_DIRECT_URL || DATABASE_URL;
}

/**
 * Reads only the address of the telemetry's database, for the same programs.
 *
 * @returns undefined if the telemetry is in the main one
 * @throws SettingsError if it is invalid
 */
export function readTelemetryDatabaseUrl(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const { TELEMETRY_DATABASE_URL: given } = environment;
  return readVariables({ TELEMETRY_DATABASE_URL: given || undefined }).TELEMETRY_DATABASE_URL || undefined;
}
