import { exitText, restartsText } from './last-exit.js';

describe('The last exit of a replica', () => {
  it('is described by its signal or else its code, with the last line of output', () => {
    const at = '2026-01-31T09:30:00.000Z';
    expect(exitText({ at, code: 1, message: 'no key' })).toBe('exit code 1: no key');
    expect(exitText({ at, signal: 'SIGKILL' })).toBe('ended by SIGKILL');
    expect(exitText({ at })).toBe('ended');
  });

  it('is the reason of an active deployment that is not ready', () => {
    const last_exit = { at: '2026-01-31T09:30:00.000Z', code: 1 };
    const looping = { ready_replicas: 0, replicas: 2, ended_at: null, restart_count: 7, last_exit };
    expect(restartsText(looping)).toBe('7 restarts; exit code 1');
    expect(restartsText({ ...looping, restart_count: 1 })).toBe('1 restart; exit code 1');
    expect(restartsText({ ...looping, ready_replicas: 2 })).toBeNull();
    expect(restartsText({ ...looping, ended_at: last_exit.at })).toBeNull();
    expect(restartsText({ ...looping, last_exit: null })).toBeNull();
  });
});
