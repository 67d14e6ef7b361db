import { givenRules, NO_RULES } from './run-rules.js';

describe('The rules of a form', () => {
  it('are left to the service where nothing is typed', () => {
    expect(givenRules(NO_RULES)).toEqual({});
  });

  it('contain the number and the pauses of further attempts', () => {
    const typed = { ...NO_RULES, priority: 7, timeout_seconds: 60, first_delay_seconds: 10, abandoned: true };
    expect(givenRules(typed)).toEqual({ priority: 7, timeout_seconds: 60 });
    expect(givenRules({ ...typed, max_attempts: 1 })).toEqual({ priority: 7, timeout_seconds: 60 });
    expect(givenRules({ ...typed, max_attempts: 3 })).toMatchObject({
      retry: { max_attempts: 3, first_delay_seconds: 10, abandoned: true },
    });
    expect(givenRules({ ...NO_RULES, max_attempts: 2 })).toEqual({
      retry: { max_attempts: 2, first_delay_seconds: 0, abandoned: false },
    });
  });
});
