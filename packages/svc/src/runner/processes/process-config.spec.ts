import { readProcessConfig } from './process-config.js';

describe('The configuration of processes', () => {
  it('needs only a command', () => {
    expect(readProcessConfig({ command: ['node', 'agent.js'], model: 'of the author' })).toEqual({
      command: ['node', 'agent.js'],
      env: {},
      cwd: undefined,
      readiness: { kind: 'uptime', afterMs: 5_000 },
      stopGraceMs: 10_000,
      restart: {
        when: 'always',
        firstDelayMs: 1_000,
        longestDelayMs: 60_000,
        resetAfterMs: 60_000,
        giveUpAfter: 5,
      },
    });
  });

  it('says when a process starts again, and refuses another word', () => {
    const whenOf = (when: string) => readProcessConfig({ command: ['x'], restart: { when } }).restart.when;
    expect(['always', 'failed', 'never'].map(whenOf)).toEqual(['always', 'failed', 'never']);
    expect(() => whenOf('sometimes')).toThrow('config.restart.when must be one of always, failed, never');
  });

  it('may have all settings', () => {
    const config = readProcessConfig({
      command: ['x'],
      env: { TEXT: 'a', COUNT: 3, ON: true },
      cwd: '/srv',
      readiness: { port: 9_000, interval_seconds: 0.5, timeout_seconds: 2 },
      stop_grace_seconds: 30,
      restart: { first_delay_seconds: 0.1, longest_delay_seconds: 5, reset_seconds: 10, give_up_after: 0 },
    });
    expect(config).toMatchObject({
      env: { TEXT: 'a', COUNT: '3', ON: 'true' },
      readiness: { kind: 'port', port: 9_000, intervalMs: 500, timeoutMs: 2_000 },
      stopGraceMs: 30_000,
      restart: { firstDelayMs: 100, longestDelayMs: 5_000, resetAfterMs: 10_000, giveUpAfter: 0 },
    });
  });

  it('may have a command for each run', () => {
    expect(readProcessConfig({ run: { command: ['x', 'y'] }, env: { A: 1 } })).toMatchObject({
      command: ['x', 'y'],
      env: { A: '1' },
      run: { concurrency: 1, timeoutMs: 3_600_000 },
    });
    const run = { command: ['x'], concurrency: 4, timeout_seconds: 60 };
    expect(readProcessConfig({ run }).run).toEqual({ concurrency: 4, timeoutMs: 60_000 });
  });

  it.each([
    [{}, 'config has no command: write what to start, like {"command": ["node", "agent.js"]}'],
    [[], 'config must be an object'],
    [null, 'config must be an object'],
    [{ command: 'node agent.js' }, 'config.command must be a list of strings'],
    [{ command: [] }, 'config.command must be a list of strings'],
    [{ command: ['x', 3] }, 'config.command must be a list of strings'],
    [{ run: {} }, 'config.run.command must be a list of strings'],
    [
      { run: { command: ['x'], concurrency: 0 } },
      'config.run.concurrency must be a whole number from 1 to 100',
    ],
    [{ run: { command: ['x'], timeout: 1 } }, 'config.run has no "timeout"'],
    [{ command: ['x'], run: { command: ['x'] } }, 'config must have either command or run, not both'],
    [{ command: ['x'], cwd: 3 }, 'config.cwd must be a valid directory name'],
    [{ command: ['x'], env: [] }, 'config.env must be an object'],
    [{ command: ['x'], env: { 'A=B': '' } }, 'config.env has an invalid name'],
    [
      { command: ['x'], readiness: { port: 0 } },
      'config.readiness.port must be a whole number from 1 to 65535',
    ],
    [{ command: ['x'], readiness: { port: 1, command: ['y'] } }, 'either command or port, not both'],
    [{ command: ['x'], readiness: { prot: 1 } }, 'config.readiness has no "prot"'],
    [
      { command: ['x'], restart: { give_up_after: 1.5 } },
      'config.restart.give_up_after must be a whole number',
    ],
    [{ command: ['x'], stop_grace_seconds: 600 }, 'config.stop_grace_seconds must be a number from 0 to 120'],
  ])('refuses %j', (config, message) => {
    expect(() => readProcessConfig(config)).toThrow(message);
  });

  it('never repeats a value of env, which may be a secret', () => {
    expect(() => readProcessConfig({ command: ['x'], env: { KEY: ['hush'] } })).toThrow(
      /^(?!.*hush).*config\.env\.KEY/,
    );
  });
});
