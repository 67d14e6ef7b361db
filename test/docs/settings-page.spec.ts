import { readFile } from 'node:fs/promises';
import { readWebSettings } from '../../src/web/web-settings.js';
import { readSettings } from '../../src/config/settings.js';

const page = await readFile('docs/settings.md', 'utf8');
const [service = '', web = ''] = page.split('\n## Set up the web server\n');

interface Row {
  readonly name: string;
  readonly shownDefault: string;
  readonly allowed: string;
}

/** The items of a list of variables: a name, then its default and what is allowed, in brackets. */
function rowsOf(section: string): Row[] {
  return [...section.matchAll(/^- `([A-Z_]+)` \((.*?); (.*)\): [^:]/gm)].map(
    ([, name, shownDefault, allowed]) => ({
      name: name!,
      shownDefault: shownDefault!,
      allowed: allowed!,
    }),
  );
}

/** The bounds of a whole number, from the refusal of a bad value; undefined for a variable of another kind. */
function boundsOf(read: (environment: Record<string, string>) => unknown, name: string): string | undefined {
  try {
    read({ [name]: '-1' });
    return undefined;
  } catch (error) {
    return /must be a whole number from (\d+ to \d+)/.exec((error as Error).message)?.[1];
  }
}

/** Variables with a default that depends on others, which the page describes in words. */
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
    rows: rowsOf(service),
    read: readSettings,
    // with an external database, because some limits are higher on the embedded one
    values: { ...readSettings({ DATABASE_URL: 'postgres://db/x' }), DATABASE_URL: '' },
    derived: ['embedded'],
  },
  {
    server: 'the web server',
    rows: rowsOf(web),
    read: readWebSettings,
    values: readWebSettings({}),
    derived: [],
  },
];

describe.each(servers)('docs/settings.md, for $server', ({ rows, read, values, derived }) => {
  const known = Object.keys(values).filter((name) => !(derived as string[]).includes(name));

  it('lists every variable, and no other', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(known.sort());
  });

  it('shows the default of every variable', () => {
    for (const { name, shownDefault } of rows.filter((row) => !DEPENDENT.includes(row.name))) {
      const value = String((values as Record<string, unknown>)[name]);
      expect([name, shownDefault]).toEqual([name, value === '' ? 'none' : `\`${value}\``]);
    }
  });

  it('shows the bounds of every number, and of nothing else', () => {
    for (const { name, allowed } of rows) {
      const bounds = boundsOf(read, name);
      if (bounds === undefined)
        expect([name, allowed]).not.toEqual([name, expect.stringMatching(/^\d+ to \d+$/)]);
      else expect([name, allowed]).toEqual([name, bounds]);
    }
  });
});
