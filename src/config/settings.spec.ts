import { readSettings, SettingsError } from './settings.js';

const SECRET = 'x'.repeat(32);

/** The message with which these settings are refused. */
function refusalOf(environment: Record<string, string>): string {
  try {
    readSettings(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingsError);
    return (error as Error).message;
  }
  throw new Error(`Nothing was refused in ${JSON.stringify(environment)}`);
}

/** Variables of which every text is valid; whether the host or folder can be used shows at the start. */
const FREE = [
  'NO_PROXY',
  'HOST',
  'METRICS_HOST',
  'DATA_DIR',
  'OIDC_CLIENT_ID',
  'OIDC_GROUPS_CLAIM',
  'OIDC_ACR_VALUES',
  'OIDC_AMR_VALUES',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_RESOURCE_ATTRIBUTES',
  'OTEL_SERVICE_NAME',
];

const choices = ['nonsense', 'Production', 'x\ny'];
const booleans = ['nonsense', '2', 'yes please'];
const DATABASE_ADDRESSES = [
  'nonsense',
  'mysql://localhost/x',
  '/var/lib/postgres',
  'postgres://db:99999/x',
  'postgres://me:50%@db/x',
  'postgres://db-1,/x',
  'postgres://db-1,:5433/x',
  'postgres://db-1,db-2/x?host=db-3',
  'postgres://db/x?options=-c%20timezone%3DAsia/Tokyo',
  'postgres://db/x?application_name=me',
  'postgres://db/x?sslmode=require&statement_timeout=0',
  'postgres://db-1,db-2/x?target_session_attrs=any',
];
const secrets = ['short', 'x'.repeat(31), 'é'.repeat(15)];

const bad: Readonly<Record<string, readonly string[]>> = {
  NODE_ENV: choices,
  LOG_LEVEL: choices,
  TRACE_DETAIL: choices,
  LOG_FORMAT: choices,
  ALLOW_REGISTRATION: booleans,
  PASSWORD_LOGIN: booleans,
  SECOND_FACTOR_FOR_OPERATORS: booleans,
  OIDC_LINK_BY_EMAIL: booleans,
  OIDC_ISSUER: ['nonsense', 'http://id.example.com', 'https://a.com/?x', 'ftp://localhost', 'https://'],
  ADMIN_EMAILS: ['nonsense', 'a@example.com,b', 'a@example.com b@example.com'],
  WEBHOOK_ALLOW_PRIVATE_TARGETS: booleans,
  JWT_SECRET: secrets,
  JWT_SECRET_PREVIOUS: secrets,
  WEBHOOK_SECRET_KEY: secrets,
  WEBHOOK_SECRET_KEY_PREVIOUS: secrets,
  SETUP_TOKEN: secrets,
  PUBLIC_URL: ['nonsense', '/path', 'ftp://example.com', 'example.com'],
  WEB_PORT: ['-1', '65536', 'x', '1.5', ' '],
  WEB_PUBLIC_URL: [
    'nonsense',
    '/path',
    'ftp://example.com',
    'https://example.com/a%20b',
    'http://a@b.example',
  ],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['nonsense', 'collector:4318'],
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ['nonsense', 'collector:4318'],
  OTEL_EXPORTER_OTLP_PROTOCOL: ['grpc'],
  OTEL_SDK_DISABLED: booleans,
  OTEL_TRACES_SAMPLER: ['sometimes'],
  OTEL_TRACES_SAMPLER_ARG: ['-0.1', '1.1', 'half', ' '],
  ...{ DATABASE_URL: DATABASE_ADDRESSES, DATABASE_DIRECT_URL: DATABASE_ADDRESSES },
  TELEMETRY_DATABASE_URL: DATABASE_ADDRESSES,
  ROLES: ['nonsense', 'api,nonsense', 'api,', 'API'],
  HTTP_PROXY: ['socks5://proxy', 'http://proxy/path', 'http://', 'a b'],
  HTTPS_PROXY: ['ftp://proxy', 'http://proxy:99999', 'http://proxy?x'],
  TRUST_PROXY: ['nonsense', '10.0.0.0/33', '10.0.0', '-1', 'loopback,nonsense'],
};

describe('An invalid variable', () => {
  const defaults = readSettings({});
  const numbers = Object.entries(defaults)
    .filter(([name, value]) => typeof value === 'number' && !(name in bad))
    .map(([name]) => name);

  it('is tested below for every variable', () => {
    const known = Object.keys(defaults).filter((name) => name !== 'embedded');
    expect([...numbers, ...Object.keys(bad), ...FREE].sort()).toEqual(known.sort());
  });

  it.each(Object.entries(bad))('is refused with one line that names the variable: %s', (name, values) => {
    for (const value of values) {
      expect(refusalOf({ [name]: value })).toMatch(new RegExp(`^Invalid settings: ${name}: [^\n]+$`));
    }
  });

  it.each(numbers)('is refused with one line that names the variable and its bounds: %s', (name) => {
    for (const value of ['-1', '1.5', '1e2', '0x10', 'many', ' ', '99999999999999999999', '5 6', '٣']) {
      expect(refusalOf({ [name]: value })).toMatch(
        new RegExp(`^Invalid settings: ${name}: must be a whole number from \\d+ to \\d+$`),
      );
    }
  });

  it('is named together with every other invalid variable', () => {
    const message = refusalOf({ PORT: 'x', LOG_LEVEL: 'y', JWT_SECRET: 'z' });
    for (const name of ['PORT', 'LOG_LEVEL', 'JWT_SECRET']) expect(message).toContain(`${name}: `);
    expect(message).not.toContain('\n');
  });

  it('is not printed when it is a secret', () => {
    expect(refusalOf({ JWT_SECRET: 'hunter2' })).not.toContain('hunter2');
    expect(refusalOf({ DATABASE_URL: 'mysql://me:hunter2@db/x' })).not.toContain('hunter2');
    expect(refusalOf({ DATABASE_URL: 'postgres://me:hunter2%@db/x' })).not.toContain('hunter2');
    expect(refusalOf({ DATABASE_URL: 'postgres://me:hunter2@db,db2/x?options=hunter2' })).not.toContain(
      'hunter2',
    );
  });

  it('is refused with an alternative when DATABASE_URL wants standbys, or has a parameter of its own', () => {
    expect(refusalOf({ DATABASE_URL: 'postgres://db-1,db-2/x?target_session_attrs=prefer-standby' })).toBe(
      'Invalid settings: DATABASE_URL: must not have target_session_attrs=prefer-standby: the service writes, so use ' +
        'read-write or primary',
    );
    expect(refusalOf({ DATABASE_URL: 'postgres://db/x?options=a&application_name=b' })).toMatch(
      /^Invalid settings: DATABASE_URL: must not have the parameter options, application_name: /,
    );
  });

  it('is refused when it contradicts another variable or when production requires it', () => {
    const production = { NODE_ENV: 'production', JWT_SECRET: SECRET, WEBHOOK_SECRET_KEY: SECRET };
    expect(refusalOf({ NODE_ENV: 'production' })).toBe(
      'Invalid settings: JWT_SECRET: is required in production; WEBHOOK_SECRET_KEY: is required in production',
    );
    expect(refusalOf({ ...production, WEBHOOK_SECRET_KEY: '' })).toBe(
      'Invalid settings: WEBHOOK_SECRET_KEY: is required in production',
    );
    expect(refusalOf({ HEARTBEAT_INTERVAL_SECONDS: '100' })).toMatch(
      /^Invalid settings: HEARTBEAT_TIMEOUT_SECONDS: /,
    );
    expect(refusalOf({ ...production, BCRYPT_COST: '9' })).toBe(
      'Invalid settings: BCRYPT_COST: must be at least 10 in production',
    );
    expect(readSettings(production)).toMatchObject(production);
  });

  it('is refused when single sign-on is incomplete or all logins are off', () => {
    const sso = {
      OIDC_ISSUER: 'https://id.example.com/',
      OIDC_CLIENT_ID: 'id',
      OIDC_CLIENT_SECRET: 'secret',
      WEB_PUBLIC_URL: 'https://control.example.com',
    };
    for (const name of Object.keys(sso)) {
      expect(refusalOf({ ...sso, [name]: '' })).toBe(
        `Invalid settings: ${name}: is required for single sign-on`,
      );
    }
    expect(refusalOf({ PASSWORD_LOGIN: 'false' })).toMatch(/^Invalid settings: PASSWORD_LOGIN: /);
    expect(readSettings({ ...sso, PASSWORD_LOGIN: 'false' })).toMatchObject(sso);
    expect(refusalOf({ OIDC_ACR_VALUES: 'x' })).toMatch(/OIDC_ACR_VALUES: .* OIDC_ISSUER$/);
    expect(refusalOf({ OIDC_AMR_VALUES: 'x' })).toMatch(/OIDC_AMR_VALUES: .* OIDC_ISSUER$/);
    const groups = { OIDC_GROUPS_CLAIM: 'groups' };
    expect(refusalOf(groups)).toMatch(/^Invalid settings: OIDC_GROUPS_CLAIM: .* OIDC_ISSUER$/);
    expect(refusalOf({ ...sso, ...groups })).toMatch(/OIDC_GROUPS_CLAIM: .* WEBHOOK_SECRET_KEY$/);
    expect(readSettings({ ...sso, ...groups, WEBHOOK_SECRET_KEY: 'x'.repeat(32) })).toMatchObject(groups);
  });
});

describe('Without any variable', () => {
  it('the service listens on loopback and uses the embedded database', () => {
    expect(readSettings({})).toMatchObject({
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      PORT: 8000,
      MAX_BODY_BYTES: 1_048_576,
      DATABASE_URL: '',
      DATABASE_DIRECT_URL: '',
      DATA_DIR: '.data',
      embedded: true,
      JWT_SECRET: '',
      SESSION_MAX_DAYS: 30,
      ALLOW_REGISTRATION: true,
      MAX_REPLICAS: 100,
      HEARTBEAT_INTERVAL_SECONDS: 30,
      HEARTBEAT_TIMEOUT_SECONDS: 120,
      PROGRESS_DEADLINE_SECONDS: 600,
      COMMAND_LEASE_SECONDS: 60,
      LOG_LEVEL: 'info',
    });
  });

  it('the settings object is frozen', () => {
    const settings = readSettings({}) as { PORT: number };
    expect(() => (settings.PORT = 1)).toThrow(TypeError);
  });
});

describe('An empty variable', () => {
  it('counts as absent', () => {
    const names = Object.keys(readSettings({}));
    expect(readSettings(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readSettings({}));
  });
});

describe('The rate limits and the private targets of webhooks', () => {
  const limits = {
    RATE_LIMIT_LOGIN_PER_ACCOUNT: 20,
    RATE_LIMIT_LOGIN_PER_ACCOUNT_EVERYWHERE: 100,
    RATE_LIMIT_LOGIN_PER_ADDRESS: 100,
    RATE_LIMIT_SECOND_FACTOR_PER_ACCOUNT: 50,
    RATE_LIMIT_REGISTER_PER_ACCOUNT: 60,
    RATE_LIMIT_REGISTER_PER_ADDRESS: 60,
    RATE_LIMIT_REFRESH_PER_ACCOUNT: 120,
    RATE_LIMIT_REFRESH_PER_ADDRESS: 120,
    ...{ RATE_LIMIT_NEWSLETTER_PER_ADDRESS: 30, RATE_LIMIT_LEADS_PER_ADDRESS: 30 },
  };
  const DATABASE_URL = 'postgres://db/x';

  it('have their documented defaults with a DATABASE_URL', () => {
    const { embedded, WEBHOOK_ALLOW_PRIVATE_TARGETS, ...settings } = readSettings({ DATABASE_URL });
    expect([embedded, WEBHOOK_ALLOW_PRIVATE_TARGETS]).toEqual([false, false]);
    expect(Object.fromEntries(Object.entries(settings).filter(([name]) => name.startsWith('RATE_')))).toEqual(
      limits,
    );
  });

  it('are ten times as high on the embedded database', () => {
    const settings = readSettings({});
    for (const [name, limit] of Object.entries(limits)) {
      expect([name, settings[name as keyof typeof limits]]).toEqual([name, limit * 10]);
    }
    expect(settings.WEBHOOK_ALLOW_PRIVATE_TARGETS).toBe(true);
  });

  it.each([
    ['127.0.0.1', true],
    ['localhost', true],
    ['::1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.7', false],
    ['127.example.com', false],
  ])('allow private targets by default only when HOST is loopback: %s', (HOST, allowed) => {
    expect(readSettings({ HOST }).WEBHOOK_ALLOW_PRIVATE_TARGETS).toBe(allowed);
  });

  it('keep a configured value, also on the embedded database', () => {
    for (const name of Object.keys(limits)) {
      expect(readSettings({ [name]: '7' })[name as keyof typeof limits]).toBe(7);
    }
    expect(readSettings({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' }).WEBHOOK_ALLOW_PRIVATE_TARGETS).toBe(
      false,
    );
    expect(
      readSettings({ DATABASE_URL, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' }).WEBHOOK_ALLOW_PRIVATE_TARGETS,
    ).toBe(true);
  });
});

describe('A valid value', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['1', 1],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['loopback, 2001:db8::/32,192.0.2.1', 'loopback, 2001:db8::/32,192.0.2.1'],
  ])('of TRUST_PROXY is accepted: %s', (text, value) => {
    expect(readSettings({ TRUST_PROXY: text }).TRUST_PROXY).toBe(value);
  });

  it.each([
    ['https://agents.example.com', 'https://agents.example.com'],
    ['http://10.0.0.1:8000/', 'http://10.0.0.1:8000'],
    ['https://example.com/agents/', 'https://example.com/agents'],
  ])('of PUBLIC_URL is read without its trailing slash: %s', (text, value) => {
    expect(readSettings({ PUBLIC_URL: text }).PUBLIC_URL).toBe(value);
  });

  it.each([
    'postgres://u:p@h:5432/d',
    'postgresql://h/d?sslmode=require',
    'postgres://u@localhost/d?host=/run/pg',
    'postgres://u@/d?host=/run/pg&port=5433',
    'postgres:///d',
    'postgres://u:a,b%20c@[::1]:5432/d?sslmode=verify-full&sslrootcert=/ca.pem&sslcert=/c&sslkey=/k',
  ])('of DATABASE_URL is accepted: %s', (url) => {
    expect(readSettings({ DATABASE_URL: url })).toMatchObject({ DATABASE_URL: url, embedded: false });
  });
});
