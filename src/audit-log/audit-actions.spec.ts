import { AUDIT_ACTIONS, AUDIT_TARGETS } from './audit-actions.js';

/** Targets in brackets, or what the action's name begins with. */
const targetsOf = (action: string, meaning: string) =>
  /^\[(.+?)\]/.exec(meaning)?.[1]!.split(' or ') ?? [action.replace(/\..*/, '')];

describe('AUDIT_ACTIONS', () => {
  it.each(Object.entries(AUDIT_ACTIONS))('describes %s in a sentence', (_, meaning) => {
    expect(meaning).toMatch(/^(\[[a-z_ ]+\] )?[A-Z`].*\.$/);
  });

  it('names a target that the audit log knows for each action, or the action begins with it', () => {
    const targets = Object.entries(AUDIT_ACTIONS).flatMap(([action, meaning]) => targetsOf(action, meaning));
    expect(AUDIT_TARGETS).toEqual(expect.arrayContaining(targets));
  });
});
