import { approverRefusal, outcomeText } from './approval-words.js';

describe('outcomeText', () => {
  it('says what was decided, and that an expired approval is no refusal', () => {
    expect(outcomeText('edited')).toBe('Approved with changes');
    expect(outcomeText('responded')).toBe('Answered');
    expect(outcomeText('expired')).toBe('Nobody decided in time');
  });
});

describe('approverRefusal', () => {
  const approver = { self: 'user:1', needsTwo: true };

  it('refuses no approver where one is enough', () => {
    const alone = { ...approver, needsTwo: false };
    const own = { first_approved_by: 'user:1', asked_by_caller: true };
    expect(approverRefusal(own, alone, false)).toBeNull();
  });

  it('refuses the person who asked for the run, with changes too', () => {
    for (const withChanges of [true, false])
      expect(
        approverRefusal({ first_approved_by: null, asked_by_caller: true }, approver, withChanges),
      ).toContain('You requested this run');
  });

  it('refuses the first of two the second approval, but not other changes', () => {
    expect(approverRefusal({ first_approved_by: 'user:1' }, approver, false)).toContain('Another person');
    expect(approverRefusal({ first_approved_by: 'user:1' }, approver, true)).toBeNull();
    expect(approverRefusal({ first_approved_by: 'user:3' }, approver, false)).toBeNull();
  });
});
