import { readFile } from 'node:fs/promises';
import { DEPLOYMENT_STATUSES, EVENT_TYPES } from './deployment-lifecycle.js';
import { lifecycleDiagram } from './lifecycle-diagram.js';

const page = await readFile('docs/lifecycle.md', 'utf8');

describe('docs/lifecycle.md', () => {
  it('shows the diagram of the state machine in the code', () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    expect(shown).toBe(lifecycleDiagram());
  });

  it.each([...DEPLOYMENT_STATUSES, ...EVENT_TYPES])('explains the word %s', (word) => {
    expect(page).toContain(`\`${word}\``);
  });
});
