import { readFile } from 'node:fs/promises';
import { readTable } from '../../guide/tables.mjs';
import { readWebSettings } from '../../src/web/web-settings.js';
import { readSettings } from '../../src/config/settings.js';

const { rows } = readTable(await readFile('docs/settings.tsv', 'utf8'));
const [web, service] = [true, false].map((isWeb) =>
  rows.filter(({ group }) => (group === 'Web server') === isWeb),
) as [typeof rows, typeof rows];

/** The bounds of a whole number, from the refusal of a bad value; undefined for a variable of another kind. */
function boundsOf(read: (environment: Record<string, string>) => unknown, name: string): string | undefined {
  try {
    read({ [name]: '-1' });
    return undefined;
  } catch (error) {
    return /must be a whole number from (\d+ to \d+)/.exec((error as Error).message)?.[1];
  }
}

/** Variables with a default that depends on others, which the table describes in words. */
const DEPENDENT = [
  'PUBLIC_URL',
  'JWT_SECRET',
  'SETUP_TOKEN',
  'WEB_PUBLIC_URL',
  'SERVICE_URL',
  'WEBHOOK_ALLOW_PRIVATE_TARGETS',
];

const servers = [
  {
    server: 'the service',
    listed: service,
    read: readSettings,
    // with an external database, because some limits are higher on the embedded one
    values: { ...readSettings({ DATABASE_URL: 'postgres://db/x' }), DATABASE_URL: '' },
    derived: ['embedded'],
  },
  {
    server: 'the web server',
    listed: web,
    read: readWebSettings,
    values: readWebSettings({}),
    derived: [],
  },
];

describe.each(servers)('docs/settings.tsv, for $server', ({ listed, read, values, derived }) => {
  const known = Object.keys(values).filter((name) => !(derived as string[]).includes(name));

  it('lists every variable, and no other', () => {
    expect(listed.map(({ name }) => name).sort()).toEqual(known.sort());
  });

  it('says what every variable means', () => {
    for (const { name, meaning } of listed)
      expect([name, meaning]).toEqual([name, expect.stringMatching(/\w.*\.$/)]);
  });

  it('shows the default of every variable', () => {
    for (const row of listed.filter(({ name }) => !DEPENDENT.includes(name!))) {
      const value = String((values as Record<string, unknown>)[row.name!]);
      expect([row.name, row.default]).toEqual([row.name, value === '' ? 'none' : value]);
    }
  });

  it('shows the bounds of every number, and of nothing else', () => {
    for (const { name, allowed } of listed) {
      const bounds = boundsOf(read, name!);
      if (bounds === undefined)
        expect([name, allowed]).not.toEqual([name, expect.stringMatching(/^\d+ to \d+$/)]);
      else expect([name, allowed]).toEqual([name, bounds]);
    }
  });
});
