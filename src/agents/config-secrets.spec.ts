import { InvalidError } from '../errors/domain-error.js';
import type { ConfigView } from './agent.types.js';
import { deliveredConfig, keepingSecrets, shownConfig } from './config-secrets.js';

const STORED = JSON.stringify({
  command: ['x'],
  env: { API_TOKEN: 'hush', LEVEL: 'debug', PORT: 80, SEALED: { secret: 'never' } },
});
const MASKED = { secret: true };
/** Levels of a document that can be parsed, and not written again. */
const DEPTH = 100_000;

const shown = (config: string, view: ConfigView): unknown => JSON.parse(shownConfig(config, view));

function refusalOf(given: string, before: string | null): string {
  try {
    keepingSecrets(given, before);
  } catch (error) {
    return (error as InvalidError).message;
  }
  throw new Error('It was not refused');
}

describe('A config in a reply', () => {
  it.each<[ConfigView, object]>([
    ['masked', { API_TOKEN: MASKED, LEVEL: MASKED, PORT: MASKED, SEALED: MASKED }],
    ['usual', { API_TOKEN: MASKED, LEVEL: 'debug', PORT: 80, SEALED: MASKED }],
    ['revealed', { API_TOKEN: 'hush', LEVEL: 'debug', PORT: 80, SEALED: MASKED }],
  ])('masks values of env as its view asks: %s', (view, env) => {
    expect(shown(STORED, view)).toEqual({ command: ['x'], env });
  });

  it('is a message in the view of a key without read', () => {
    expect(shown('{"name":"x"}', 'none')).toMatch(/^This config is not shown/);
  });

  it('is a message for an operator outside its project', () => {
    expect(shown('{"name":"x"}', 'foreign')).toMatch(/Operators see it with reveal=true/);
  });

  it.each(['{"command": ["x"]}', '[1, 2]', '"env"', 'null', '{"env": 7}', '{"a": {"env": {"KEY": 1}}}'])(
    'is unchanged without an env: %s',
    (config) => {
      expect(shownConfig(config, 'revealed')).toBe(config);
    },
  );

  it.each([
    'TOKEN',
    'api_key',
    'OPENAI_APIKEY',
    'DbPassword',
    'DB_PWD',
    'PASSPHRASE',
    'AWS_SECRET_ACCESS_KEY',
    'GOOGLE_CREDENTIALS',
    'BASIC_AUTH',
    'SENTRY_DSN',
    'SLACK_WEBHOOK',
    'CONNECTIONSTRING',
  ])('masks a value by the name %s', (name) => {
    expect(shown(JSON.stringify({ env: { [name]: 'v' } }), 'usual')).toEqual({ env: { [name]: MASKED } });
  });

  it.each([
    ['postgres://ada:hush@db:5432/x', true],
    ['redis://:hush@cache', true],
    ['-----BEGIN RSA PRIVATE KEY-----\n...', true],
    ['https://example.com/a:b@c', false],
    ['postgres://db:5432/x', false],
  ])('judges the value %s', (value, isMasked) => {
    const env = { DATABASE_URL: value };
    expect(shown(JSON.stringify({ env }), 'usual')).toEqual({
      env: isMasked ? { DATABASE_URL: MASKED } : env,
    });
  });

  it('leaves nothing of an env that is written twice, nor of a variable that is, nor of escaped names', () => {
    const config = '{"env":{"A":"hush"},"\\u0065nv":{"TOKEN":"hush","TOK\\u0045N":"hush"}}';
    for (const view of ['masked', 'usual'] as const) expect(shownConfig(config, view)).not.toContain('hush');
  });

  it('keeps its numbers as they were written', () => {
    const config = '{"env":{"A":"x"},"id":1234567890123456789,"rate":1e400,"version":1.10}';
    expect(shownConfig(config, 'usual')).toBe(config);
    expect(shownConfig(config, 'masked')).toBe(config.replace('"x"', '{"secret":true}'));
  });

  it('is a message where it is nested too deeply to be written again', () => {
    const config = `{"env":{"TOKEN":"hush"},"deep":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`;
    expect(shown(config, 'usual')).toMatch(/^This config is not shown/);
  });

  it.each([
    ':'.repeat(200_000),
    '://a'.repeat(50_000),
    '-----BEGIN '.repeat(20_000),
    `://${'a:'.repeat(90_000)}`,
  ])('is judged in a time that grows with its length alone', (value) => {
    const start = performance.now();
    shownConfig(JSON.stringify({ env: { [value.slice(1)]: value } }), 'usual');
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});

describe('A config for a runtime', () => {
  it('has all values, the write-only ones too', () => {
    expect(JSON.parse(deliveredConfig(STORED))).toMatchObject({
      env: { API_TOKEN: 'hush', LEVEL: 'debug', PORT: 80, SEALED: 'never' },
    });
  });

  it('is unchanged where nothing is write-only', () => {
    const config = '{"env": {"A": "b"},  "secret": {"secret": "mine"}}';
    expect(JSON.parse(deliveredConfig(config))).toEqual(JSON.parse(config));
    expect(deliveredConfig('{"env": {"A": "b"}}')).toBe('{"env": {"A": "b"}}');
    const deep = `{"env":{"A":"\\u00e9"},"deep":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`;
    expect(deliveredConfig(deep)).toBe(deep);
  });
});

describe('A config to be stored', () => {
  it.each<ConfigView>(['masked', 'usual', 'revealed'])(
    'is the stored one when it comes back as it was shown: %s',
    (view) => {
      const spaced = JSON.stringify(JSON.parse(STORED), null, 2);
      expect(keepingSecrets(shownConfig(spaced, view), spaced)).toBe(spaced);
      expect(keepingSecrets(JSON.stringify(shown(spaced, view), null, 4), spaced)).toBe(spaced);
    },
  );

  it('keeps the values that it does not give, and how they may be shown', () => {
    const given = { env: { API_TOKEN: MASKED, SEALED: MASKED, LEVEL: 'info' }, command: ['y'] };
    expect(JSON.parse(keepingSecrets(JSON.stringify(given), STORED))).toEqual({
      env: { API_TOKEN: 'hush', SEALED: { secret: 'never' }, LEVEL: 'info' },
      command: ['y'],
    });
  });

  it('replaces a value that it gives', () => {
    const given = '{"env":{"API_TOKEN":{"secret":"new"},"SEALED":"open"}}';
    expect(keepingSecrets(given, STORED)).toBe(given);
  });

  it('is refused where there is nothing to keep, with the name of each variable', () => {
    const given = '{"env":{"OTHER":{"secret":true},"toString":{"secret":true},"LEVEL":{"secret":true}}}';
    const message = refusalOf(given, STORED);
    expect(message).toMatch(/config\.env\.OTHER keeps a stored value.*config\.env\.toString/);
    expect(message).not.toContain('LEVEL');
    expect(refusalOf('{"env":{"A":{"secret":true}}}', null)).toContain('config.env.A');
    expect(refusalOf('{"env":{"A":{"secret":true}}}', '"unreadable"')).toContain('config.env.A');
  });

  it('is refused where the kept values make it too large', () => {
    const before = JSON.stringify({ env: { A: 'x'.repeat(200_000) } });
    const given = JSON.stringify({ env: { A: MASKED, B: 'x'.repeat(200_000) } });
    expect(refusalOf(given, before)).toContain('at most 262144 bytes');
  });

  it('replaces a config that is nested too deeply to be written again, without keeping its secrets', () => {
    const before = `{"env":{"A":"hush"},"rate":1.10,"deep":${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}}`;
    expect(keepingSecrets('{"env":{"A":"b"}}', before)).toBe('{"env":{"A":"b"}}');
    expect(refusalOf('{"env":{"A":{"secret":true}}}', before)).toContain('config.env.A keeps a stored value');
    expect(refusalOf(before, null)).toContain('must not be nested thousands of levels deep');
  });

  it('is refused where it is the message of a reply', () => {
    expect(refusalOf(shownConfig('{}', 'none'), '{}')).toContain('that replaces a config that is not shown');
  });

  it('is stored unchanged if it keeps no secret', () => {
    const given = '{"env": {"A":  "b"}}';
    expect(keepingSecrets(given, null)).toBe(given);
    expect(keepingSecrets(given, '{"env":{"A":"c"}}')).toBe(given);
  });
});
