import { secretsOf, withoutLogin } from './shown-settings.js';

it.each([
  ['postgres://me:hunter2@db:5433/x?sslmode=require', 'postgres://db:5433/x'],
  ['postgres://me:hunter2@db-1:5433,db-2/x?target_session_attrs=read-write', 'postgres://db-1:5433,db-2/x'],
])('%s is shown without its login, which no output may contain', (address, shown) => {
  expect(withoutLogin(address)).toBe(shown);
  expect(secretsOf({ DATABASE_URL: address })).toContain('hunter2');
});
