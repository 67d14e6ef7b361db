import { readFile } from 'node:fs/promises';
import { AUDIT_ACTIONS, AUDIT_TARGETS } from '../../src/audit-log/audit-actions.js';

const page = await readFile('docs/audit-log.md', 'utf8');
const [, section = ''] = /^## Know the actions\n([\s\S]*?)^## /m.exec(page) ?? [];
const lines = [...section.matchAll(/^- (`[^:(\n]+`)(?: \((.+?)\))?(?::|$)/gm)].map(
  ([, actions, targets]) => ({
    actions: actions!.split(', ').map((action) => action.slice(1, -1)),
    targets: targets?.split(' or '),
  }),
);

describe('docs/audit-log.md', () => {
  it('lists every action of the audit log once, and no other', () => {
    const listed = lines.flatMap(({ actions }) => actions);
    expect(listed.sort()).toEqual([...AUDIT_ACTIONS].sort());
  });

  it('names a target that the audit log knows for each action, or the action begins with it', () => {
    const targets = lines.flatMap(
      (line) => line.targets ?? line.actions.map((action) => action.replace(/\..*/, '')),
    );
    expect(AUDIT_TARGETS).toEqual(expect.arrayContaining(targets));
  });
});
