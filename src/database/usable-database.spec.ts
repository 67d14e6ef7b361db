import { failureToOpen } from './usable-database.js';

const refusal = (code: string | undefined, message: string) => Object.assign(new Error(message), { code });

describe('The reason why a database is not opened', () => {
  it.each([
    ['28P01', 'password authentication failed for user "acp"', 'check the user and the password'],
    ['28000', 'role "acp" does not exist', 'check the user and the password'],
    ['3D000', 'database "acp" does not exist', 'check the name of the database'],
    [
      undefined,
      'SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string',
      'check the user and the password',
    ],
  ])('names the setting to correct after %s: %s', (code, message, advice) => {
    expect(failureToOpen(refusal(code, message), 'TELEMETRY_DATABASE_URL')).toBe(
      `${message}: ${advice} in TELEMETRY_DATABASE_URL`,
    );
    expect(failureToOpen(refusal(code, message))).toBe(message);
  });

  it('names no setting if the address is right', () => {
    const starting = refusal('57P03', 'the database system is starting up');
    expect(failureToOpen(starting, 'DATABASE_URL')).toBe('the database system is starting up');
  });
});
