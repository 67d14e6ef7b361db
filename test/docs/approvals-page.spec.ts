import { readFile } from 'node:fs/promises';
import {
  APPROVAL_STATES,
  type ApprovalTransition,
  APPROVAL_TRANSITIONS,
} from '../../src/lifecycle/approval-lifecycle.js';

const page = await readFile('docs/approvals.md', 'utf8');

describe('docs/approvals.md', () => {
  it('says that every state but pending is the last one', () => {
    expect(page).toContain('every other state is the last one');
    const from = Object.values<ApprovalTransition>(APPROVAL_TRANSITIONS).flatMap((step) => step.from);
    expect(new Set(from)).toEqual(new Set(['pending']));
  });

  it.each([...APPROVAL_STATES, ...Object.keys(APPROVAL_TRANSITIONS).slice(0, 4)])(
    'explains the word %s',
    (word) => {
      expect(page).toContain(`\`${word}\``);
    },
  );
});
