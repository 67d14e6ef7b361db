import { isOutdated, upgradeAdvice } from './runtime-software.types.js';

const NUMBERS = { oldest: 2, newest: 3 };

describe('upgradeAdvice', () => {
  it.each([2, 3, undefined])(
    'returns nothing for a runtime of protocol %s, which the service takes',
    (protocol) => {
      expect(upgradeAdvice({ name: 'svc', protocol }, NUMBERS)).toBeUndefined();
    },
  );

  it('asks for another runtime when its protocol is older than the oldest one', () => {
    expect(upgradeAdvice({ name: 'svc', protocol: 1 }, NUMBERS)).toBe(
      'svc speaks protocol 1, but this service requires 2 or newer: upgrade svc',
    );
  });

  it('asks for another service when the protocol of the runtime is newer than its newest one', () => {
    expect(upgradeAdvice({ name: 'svc', protocol: 4 }, NUMBERS)).toContain(
      'upgrade the service before its runtimes',
    );
  });
});

describe('isOutdated', () => {
  it('returns false for a runtime that names no protocol', () => {
    expect([isOutdated({ name: 'curl' }), isOutdated({ name: 'curl', protocol: 0 })]).toEqual([false, true]);
  });
});
