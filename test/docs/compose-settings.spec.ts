import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { readSettings } from '../../src/config/settings.js';
import { readWebSettings } from '../../src/web/web-settings.js';

interface ComposeFile {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>;
}

const { services } = load(await readFile('deploy/compose.yaml', 'utf8')) as ComposeFile;

/** Settings that the image or the compose file sets: listen address, log format, time to end, database. */
const DECIDED = [
  'NODE_ENV',
  'HOST',
  'PORT',
  'WEB_HOST',
  'WEB_PORT',
  'DATA_DIR',
  'DATABASE_DIRECT_URL',
  'LOG_FORMAT',
  'SHUTDOWN_DELAY_SECONDS',
  'DRAIN_TIMEOUT_SECONDS',
];

describe('deploy/compose.yaml', () => {
  it.each([
    ['service', readSettings({}), ['embedded']],
    ['web', readWebSettings({}), []],
  ])('passes every setting that an operator may change to the server: %s', (name, settings, derived) => {
    const known = Object.keys(settings).filter(
      (it) => !DECIDED.includes(it) && !(derived as string[]).includes(it),
    );
    expect(Object.keys(services[name]!.environment).sort()).toEqual(known.sort());
  });
});
