import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { readSettings } from '../../src/config/settings.js';
import { readWebSettings } from '../../src/web/web-settings.js';

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly environment?: Readonly<Record<string, string>> }>>;
}

const read = async (path: string) => load(await readFile(path, 'utf8')) as ComposeFile;
const { services } = await read('deploy/compose.yaml');
const { services: external } = await read('deploy/compose.external-database.yaml');

/** Settings that the image or the compose file sets: listen address, log format. */
const DECIDED = ['NODE_ENV', 'HOST', 'PORT', 'WEB_HOST', 'WEB_PORT', 'DATA_DIR', 'LOG_FORMAT'];

describe('deploy/compose.yaml', () => {
  it.each([
    ['service', readSettings({}), ['embedded']],
    ['web', readWebSettings({}), []],
  ])('passes every setting that an operator may change to the server: %s', (name, settings, derived) => {
    const known = Object.keys(settings).filter(
      (it) => !DECIDED.includes(it) && !(derived as string[]).includes(it),
    );
    const given = { ...services[name]!.environment, ...external[name]?.environment };
    expect(Object.keys(given).sort()).toEqual(known.sort());
  });

  it('has no default for a secret', async () => {
    const files = ['deploy/compose.yaml', 'deploy/compose.external-database.yaml'];
    const compose = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
    const secrets = [...compose.matchAll(/\$\{(\w*(?:PASSWORD|SECRET|_KEY|TOKEN)\w*?)(:[-?])(\w*)/g)];
    const defaults = secrets.filter(([, , sign, text]) => sign === ':-' && text !== '');
    expect(defaults.map(([found]) => found)).toEqual([]);
    const required = secrets.filter(([, , sign]) => sign === ':?').map(([, name]) => name);
    expect([...new Set(required)].sort()).toEqual([
      'DATABASE_OWNER_PASSWORD',
      'DATABASE_PASSWORD',
      'JWT_SECRET',
      'POSTGRES_PASSWORD',
      'WEBHOOK_SECRET_KEY',
    ]);
  });
});

it('No folder of the version control, of settings or of data gets into the image', async () => {
  const rules = (await readFile('.dockerignore', 'utf8')).split('\n').filter((line) => /^[^#\s]/.test(line));
  expect(rules[0]).toBe('*');
  expect(rules.filter((rule) => /^!.*(?:\.git|\.data|\.env|settings\.env|\*)/.test(rule))).toEqual([]);
});
