import { readFile } from 'node:fs/promises';
import { AUDIT_ACTIONS, AUDIT_TARGETS } from '../../src/audit-log/audit-actions.js';

const page = await readFile('docs/audit-log.md', 'utf8');
const rows = [...page.matchAll(/^\| `([a-z_]+\.[a-z_]+)` *\| ([a-z_]+) *\|/gm)].map(([, action, target]) => ({
  action,
  target,
}));

describe('docs/audit-log.md', () => {
  it('lists every action of the audit log, and no other', () => {
    expect(rows.map(({ action }) => action)).toEqual(AUDIT_ACTIONS);
  });

  it('names a target that the audit log knows for each action', () => {
    expect(AUDIT_TARGETS).toEqual(expect.arrayContaining(rows.map(({ target }) => target)));
  });
});
