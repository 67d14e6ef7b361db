import picocolors from 'picocolors';
import { configDiff } from './config-diff.js';

const colors = picocolors.createColors(false);

describe('The difference of two configs', () => {
  const before = '{"command":["a"],"env":{"TOKEN":"one","SAME_KEY":"x","GONE_KEY":"y","MODEL":"small"}}';
  const after = '{"command":["b"],"env":{"TOKEN":"two","SAME_KEY":"x","NEW_KEY":"z","MODEL":"large"}}';

  it('shows which secrets have changed, without a value, and the values of other variables', () => {
    const lines = configDiff({ before, after, isAsShown: false }, colors);
    expect(lines).toContain('+    "TOKEN": "*** (changed)",');
    expect(lines).toContain('     "SAME_KEY": "***",');
    expect(lines).toContain('-    "GONE_KEY": "***",');
    expect(lines).toContain('+    "NEW_KEY": "***",');
    expect(lines).toContain('-    "MODEL": "small"');
    expect(lines).toContain('+    "MODEL": "large"');
    expect(lines.join('\n')).not.toMatch(/one|two|"[xyz]"/);
  });

  it('shows the values with the option for it', () => {
    const lines = configDiff({ before, after, isAsShown: true }, colors);
    expect(lines).toContain('-    "TOKEN": "one",');
    expect(lines).toContain('+    "TOKEN": "two",');
  });

  it('is empty if only the spacing differs', () => {
    expect(configDiff({ before: '{"a": 1}', after: '{"a":1}', isAsShown: false }, colors)).toEqual([]);
  });

  it.each([true, false])(
    "shows numbers that JavaScript can't distinguish, with secrets shown: %s",
    (isAsShown) => {
      const versions = {
        before: '{"env":{},"id":1234567890123456789}',
        after: '{"env":{},"id":1234567890123456788}',
      };
      const lines = configDiff({ ...versions, isAsShown }, colors);
      expect(lines).toContain('-  "id": 1234567890123456789');
      expect(lines).toContain('+  "id": 1234567890123456788');
    },
  );
});
