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
});
