import { approverRefusal, outcomeText } from './approval-words.js';

describe('outcomeText', () => {
  it('says who decided, and that an expired one is nobody’s no', () => {
    expect(outcomeText('edited', 'you')).toBe('Approved with changes by you');
    expect(outcomeText('responded', 'bob@example.com')).toBe('Answered by bob@example.com');
    expect(outcomeText('expired', 'x')).toBe('Nobody decided in time');
  });
});

describe('approverRefusal', () => {
  const approver = { self: 'user:1', runActor: 'user:2', needsTwo: true };

  it('refuses nobody where one is enough', () => {
    const alone = { ...approver, runActor: 'user:1', needsTwo: false };
    expect(approverRefusal({ first_approved_by: 'user:1' }, alone, false)).toBeNull();
  });

  it('refuses the one who asked for the run, with changes too', () => {
    for (const withChanges of [true, false])
      expect(
        approverRefusal({ first_approved_by: null }, { ...approver, runActor: 'user:1' }, withChanges),
      ).toContain('You asked for the run');
  });

  it('refuses the first of two the second approval, but not other changes', () => {
    expect(approverRefusal({ first_approved_by: 'user:1' }, approver, false)).toContain('another person');
    expect(approverRefusal({ first_approved_by: 'user:1' }, approver, true)).toBeNull();
    expect(approverRefusal({ first_approved_by: 'user:3' }, approver, false)).toBeNull();
  });
});
