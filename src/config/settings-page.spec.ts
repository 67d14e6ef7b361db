import { readFile } from 'node:fs/promises';
import { readSettings } from './settings.js';

const page = await readFile('docs/settings.md', 'utf8');
/** The web server's own are the affair of src/web/web-settings.spec.ts. */
const [own = ''] = page.split('\n## The web server\n');

/** What the settings object holds beyond environment variables. */
const DERIVED = ['embedded'];

describe('docs/settings.md', () => {
  it('lists every variable, and no other', () => {
    const listed = [...own.matchAll(/^\| `([A-Z_]+)` *\|/gm)].map(([, name]) => name);
    const known = Object.keys(readSettings({})).filter((name) => !DERIVED.includes(name));
    expect(listed.sort()).toEqual(known.sort());
  });
});
