import { brokenPasswordRules } from '../src/auth/password-rules.js';
import { checkPassword } from '../src/web/ui/components/password-rules.js';

describe('The password rules on the sign-up page', () => {
  it.each([
    '',
    'short',
    'Correct-Horse-7',
    'correct-horse-7',
    'CORRECT-HORSE-7',
    'Correct-Horse',
    'CorrectHorse7',
    'Ünïcödé-٣٣',
    '🐎🐎🐎🐎',
    `Aa1-${'ä'.repeat(35)}`,
    `Aa1-${'ä'.repeat(34)}`,
  ])('agree with the service on the password %j', (password) => {
    const broken = checkPassword(password).filter(({ holds }) => !holds);
    expect(broken.map(({ name }) => name).sort()).toEqual(brokenPasswordRules(password).sort());
  });
});
