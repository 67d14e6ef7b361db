import { maskedConfig, maskedConfigs } from './masked-config.js';

describe('A masked config', () => {
  it('hides only the values of env', () => {
    const config = '{"command":["x"],"env":{"TOKEN":"hush","N":1}}';
    expect(maskedConfig(config)).toBe('{"command":["x"],"env":{"TOKEN":"***","N":"***"}}');
  });

  it.each(['{"command": ["x"]}', '[1, 2]', '"text"', 'null', '{"env": 7}'])('is unchanged: %s', (config) => {
    expect(maskedConfig(config)).toBe(config);
  });

  it('still differs from an earlier one if a value has changed', () => {
    const [before, after] = maskedConfigs('{"env":{"A":"1","B":"2"}}', '{"env":{"A":"3","B":"2","C":"4"}}');
    expect(before).toBe('{"env":{"A":"***","B":"***"}}');
    expect(after).toBe('{"env":{"A":"*** (changed)","B":"***","C":"***"}}');
  });

  it('keeps its numbers as they were written', () => {
    const config = '{"env":{"A":12345678901234567890},"id":1234567890123456789,"rate":1e400}';
    expect(maskedConfig(config)).toBe('{"env":{"A":"***"},"id":1234567890123456789,"rate":1e400}');
    const [, after] = maskedConfigs(config, config.replace('567890}', '567891}'));
    expect(after).toBe('{"env":{"A":"*** (changed)"},"id":1234567890123456789,"rate":1e400}');
  });
});
