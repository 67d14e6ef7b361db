import { Ajv2020 } from 'ajv/dist/2020.js';
import { maskedConfigs } from '../packages/client/src/masked-config.js';
import { readProcessConfig } from '../packages/svc/src/runner/processes/process-config.js';
import { PROCESS_CONFIG_SCHEMA } from '../packages/svc/src/runner/processes/process-config-schema.js';
import { shownConfig } from '../src/agents/config-secrets.js';
import { assertRunConfig } from '../src/agents/run-config.js';

function accepts(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

/** Values for each key, at and past each of its bounds. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  command: [['x'], ['x', ''], [], [''], ['x', 3], 'x y', null, {}],
  env: [
    {},
    { A: 'a', B: 1, C: false },
    { A: null },
    { A: [] },
    { 'A=B': '' },
    { '': '' },
    { A: 'a\0' },
    [],
    null,
  ],
  cwd: ['/srv', '', 3, null],
  stop_grace_seconds: [0, 120, 120.5, -1, '10', null],
  readiness: [
    {},
    { command: ['x'] },
    { command: 'x' },
    { port: 1 },
    { port: 65_536 },
    { port: 1.5 },
    { seconds: 0 },
    { seconds: 86_401 },
    { port: 1, command: ['x'] },
    { port: 80, interval_seconds: 0.01, timeout_seconds: 3_600 },
    { port: 80, interval_seconds: 0 },
    { port: 80, timeout_seconds: 3_601 },
    { prot: 80 },
    [],
    null,
  ],
  restart: [
    {},
    { first_delay_seconds: 0, longest_delay_seconds: 86_400, reset_seconds: 1, give_up_after: 1_000_000 },
    { first_delay_seconds: -1 },
    { longest_delay_seconds: 86_401 },
    { reset_seconds: 'x' },
    { give_up_after: 1.5 },
    { give_up_after: 1_000_001 },
    { give_up: 1 },
    { when: 'always' },
    { when: 'failed' },
    { when: 'never' },
    { when: 'sometimes' },
    { when: null },
    'never',
    null,
  ],
  run: [
    { command: ['x'] },
    { command: ['x'], concurrency: 100, timeout_seconds: 86_400 },
    { command: ['x'], concurrency: 0 },
    { command: ['x'], concurrency: 1.5 },
    { command: ['x'], concurrency: 101 },
    { command: ['x'], timeout_seconds: 0.5 },
    { command: ['x'], timeout_seconds: 86_401 },
    { command: ['x'], timeout: 1 },
    { command: [] },
    {},
    ['x'],
    null,
  ],
};

const followsSchema = new Ajv2020({ strict: false }).compile(PROCESS_CONFIG_SCHEMA);

describe('The service and svc run', () => {
  const cases = Object.entries(VALUES).flatMap(([key, values]) => values.map((value) => ({ key, value })));

  it.each(cases)('agree on whether $key may be $value', ({ key, value }) => {
    const config = key === 'run' ? { run: value } : { command: ['x'], [key]: value };
    const run = accepts(() => readProcessConfig(config));
    expect(accepts(() => assertRunConfig(JSON.stringify(config)))).toBe(run);
    // the schema from which svc explains a config
    expect(followsSchema(config)).toBe(run);
  });

  it('agree that a config has one of command and run', () => {
    const config = { command: ['x'], run: { command: ['x'] } };
    const message = 'config must have either command or run, not both: run contains a command';
    expect(() => readProcessConfig(config)).toThrow(message);
    expect(followsSchema(config)).toBe(false);
    expect(() => assertRunConfig(JSON.stringify(config))).toThrow(message);
  });
});

describe('The service and the diffs of clients', () => {
  const NAMES = [
    'MODEL',
    'LEVEL',
    'API_KEY',
    'DB_PASSWORD',
    'OAUTH_ID',
    'my_pwd',
    'pwd',
    'SENTRY_DSN',
    'PORT',
  ];
  const VALUES_OF_ENV = [
    'plain',
    'https://me:hush@example.com',
    '-----BEGIN PRIVATE KEY-----',
    { secret: 'x' },
  ];
  const cases = NAMES.flatMap((name) => VALUES_OF_ENV.map((value) => ({ name, value })));

  it.each(cases)('agree on whether $name with the value $value is a secret', ({ name, value }) => {
    const config = JSON.stringify({ env: { [name]: value } });
    const isShown = shownConfig(config, 'usual') === config;
    expect(maskedConfigs('{"env":{}}', config)[1] === config).toBe(isShown);
  });
});
