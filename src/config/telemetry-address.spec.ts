import { readSettings } from './settings.js';

describe('TELEMETRY_DATABASE_URL', () => {
  it('is refused when it is the same as DATABASE_URL', () => {
    const url = 'postgres://me:hunter2@db/x';
    const read = () => readSettings({ DATABASE_URL: url, TELEMETRY_DATABASE_URL: url });
    expect(read).toThrow(/^Invalid settings: TELEMETRY_DATABASE_URL: is the same as DATABASE_URL/);
    expect(read).not.toThrow(/hunter2/);
  });
});
