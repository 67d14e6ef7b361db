import { hasMaskedValues, isNotShown, maskedConfigs } from './masked-config.js';

describe('Two masked configs', () => {
  it('hide only the secrets of env, and still differ if a secret has changed', () => {
    const [before, after] = maskedConfigs(
      '{"command":["x"],"env":{"A_KEY":"1","B_KEY":"2","MODEL":"small"}}',
      '{"command":["x"],"env":{"A_KEY":"3","B_KEY":"2","MODEL":"large","C_KEY":"4","LEVEL":"debug"}}',
    );
    expect(before).toBe('{"command":["x"],"env":{"A_KEY":"***","B_KEY":"***","MODEL":"small"}}');
    expect(after).toBe(
      '{"command":["x"],"env":{"A_KEY":"*** (changed)","B_KEY":"***","MODEL":"large","C_KEY":"***","LEVEL":"debug"}}',
    );
  });

  it('hide a value that is secret by itself, and one that is write-only', () => {
    const [, after] = maskedConfigs(
      '{"env":{"STORE":"memory"}}',
      '{"env":{"STORE":"postgres://me:hush@db/x","SEALED":{"secret":"hush"}}}',
    );
    expect(after).toBe('{"env":{"STORE":"*** (changed)","SEALED":"***"}}');
  });

  it('say where the service has not shown the earlier value, and take a value that is kept for unchanged', () => {
    const [, after] = maskedConfigs(
      '{"env":{"A":{"secret":true},"B":{"secret":true}}}',
      '{"env":{"A":"3","B":{"secret":true}}}',
    );
    expect(after).toBe('{"env":{"A":"*** (may have changed)","B":"***"}}');
  });

  it.each(['{"command": ["x"]}', '[1, 2]', '"text"', 'null', '{"env": 7}'])(
    'are unchanged without an env: %s',
    (config) => {
      expect(maskedConfigs(config, config)).toEqual([config, config]);
    },
  );

  it('keep their numbers as they were written', () => {
    const config = '{"env":{"A_KEY":12345678901234567890},"id":1234567890123456789,"rate":1e400}';
    const [before, after] = maskedConfigs(config, config.replace('567890}', '567891}'));
    expect(before).toBe('{"env":{"A_KEY":"***"},"id":1234567890123456789,"rate":1e400}');
    expect(after).toBe('{"env":{"A_KEY":"*** (changed)"},"id":1234567890123456789,"rate":1e400}');
  });
});

describe('A config of the service', () => {
  it.each([
    ['{"env":{"A":"x","B":{"secret":true}}}', true],
    ['{"env":{"A":"x"}}', false],
    ['{"B":{"secret":true}}', false],
    ['"a sentence"', false],
  ])('%s has masked values: %s', (config, expected) => {
    expect(hasMaskedValues(config)).toBe(expected);
  });

  it.each([
    ['"This config is not shown: it belongs to a project of which you are no member"', true],
    ['{"env":{}}', false],
    ['"a sentence"', false],
  ])('%s is not shown: %s', (config, expected) => {
    expect(isNotShown(config)).toBe(expected);
  });
});
