import { readFileSync } from 'node:fs';
import { OWN_SOFTWARE } from './own-software.js';

it('names the package and its version', () => {
  const { name, version } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as typeof OWN_SOFTWARE;
  expect(OWN_SOFTWARE).toEqual({ name, version });
});
