import { readFile } from 'node:fs/promises';
import { ERROR_CODES, RULE_CODES } from '../../src/errors/error-codes.js';

const page = await readFile('docs/errors.md', 'utf8');
const rows = [...page.matchAll(/^- `([a-z_]+)`: (.+)$/gm)].map(([, code, meaning]) => [code, meaning]);

describe('docs/errors.md', () => {
  it('lists every code of errors and of rules with its meaning, and no other', () => {
    expect(rows).toEqual([...Object.entries(ERROR_CODES), ...Object.entries(RULE_CODES)]);
  });
});
