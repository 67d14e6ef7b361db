import { readFile } from 'node:fs/promises';
import {
  APPROVAL_STATES,
  type ApprovalTransition,
  APPROVAL_TRANSITIONS,
} from '../../src/lifecycle/approval-lifecycle.js';

const page = await readFile('docs/approvals.md', 'utf8');

describe('docs/approvals.md', () => {
  it('shows the diagram of the state machine in the code', () => {
    const [, shown] = /```mermaid\n([\s\S]*?)\n```/.exec(page) ?? [];
    const arrows = Object.entries<ApprovalTransition>(APPROVAL_TRANSITIONS).flatMap(
      ([action, { from, to, by }]) =>
        from.map((state) => `    ${state} --> ${to}: ${action} (${by.join(' or ')})`),
    );
    expect(shown).toBe(['stateDiagram-v2', '    [*] --> pending: request (agent)', ...arrows].join('\n'));
  });

  it.each([...APPROVAL_STATES, ...Object.keys(APPROVAL_TRANSITIONS).slice(0, 4)])(
    'explains the word %s',
    (word) => {
      expect(page).toContain(`\`${word}\``);
    },
  );
});
