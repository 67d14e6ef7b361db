import { InvalidError } from '../errors/domain-error.js';
import { assertRunConfig } from './run-config.js';

function problemsOf(config: unknown): readonly string[] {
  try {
    assertRunConfig(JSON.stringify(config));
    return [];
  } catch (error) {
    if (error instanceof InvalidError) return error.rules.map(({ message }) => message);
    throw error;
  }
}

describe('The check of a saved config', () => {
  it.each([
    ['no object', [1, 'x']],
    ["an author's own keys", { model: 'x', id: 7, dev: true, port: 80, app: {}, commandments: [] }],
    ['every key of svc run', { command: ['x'], env: { A: 1 }, cwd: '/srv', stop_grace_seconds: 0 }],
    ['names that objects inherit', JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}')],
  ])('accepts %s', (_, config) => {
    expect(problemsOf(config)).toEqual([]);
  });

  it.each([
    ['comand', 'command'],
    ['commands', 'command'],
    ['Command', 'command'],
    ['COMMAND', 'command'],
    ['cmd', 'command'],
    ['envs', 'env'],
    ['cdw', 'cwd'],
    ['wcd', 'cwd'],
    ['evn', 'env'],
    ['nev', 'env'],
    ['dwc', null],
    ['en', null],
    ['cwdd', 'cwd'],
    ['readyness', 'readiness'],
    ['restrat', 'restart'],
    ['erstarts', 'restart'],
    ['stop_grace_second', 'stop_grace_seconds'],
    ['stopgraceseconds', 'stop_grace_seconds'],
    ['ready', null],
    ['runs', 'run'],
  ])('suggests for the key "%s" the key %s', (key, meant) => {
    const expected = meant && [`config has "${key}", which svc run ignores: did you mean "${meant}"?`];
    expect(problemsOf({ [key]: 1 })).toEqual(expected ?? []);
  });

  it('names each wrong value and each misspelled key, in the order of the config', () => {
    expect(problemsOf({ comand: ['x'], cwd: 3, mine: 1, restart: { give_up_aftr: 1 } })).toEqual([
      'config has "comand", which svc run ignores: did you mean "command"?',
      'config.cwd must be a valid directory name',
      'config.restart has no "give_up_aftr": did you mean "give_up_after"?',
    ]);
  });

  it('never repeats a value of env, because it may be a secret', () => {
    const [problem] = problemsOf({ env: { KEY: ['hush'] } });
    expect(problem).toMatch(/^config\.env\.KEY must be a string, a number or a boolean/);
    expect(problem).not.toContain('hush');
  });

  it('takes no longer for a very long key', () => {
    expect(problemsOf({ ['x'.repeat(200_000)]: 1 })).toEqual([]);
  });
});
