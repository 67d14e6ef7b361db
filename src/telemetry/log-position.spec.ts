import { InvalidError } from '../errors/domain-error.js';
import { formatLogPosition, parseLogPosition } from './log-position.js';

const AGENTS = ['0192f0c4-2b1d-7c55-b1c7-7d0f2f6c8e90', '0192f0c4-2b1d-7c55-b1c7-7d0f2f6c8e91'];
const [ONE, OTHER] = ['7d0f2f6c8e90', '7d0f2f6c8e91'];

describe('A position in logs', () => {
  it.each<[readonly number[], string]>([
    [[0, 0], `${ONE}-0.${OTHER}-0`],
    [[36, 751], `${ONE}-10.${OTHER}-kv`],
    [[36 ** 10 - 1, 1], `${ONE}-zzzzzzzzzz.${OTHER}-1`],
  ])('with the numbers %j is formatted and parsed', (numbers, text) => {
    expect(formatLogPosition(AGENTS, numbers)).toBe(text);
    expect([...parseLogPosition(text)]).toEqual([
      [ONE, numbers[0]],
      [OTHER, numbers[1]],
    ]);
  });

  it.each([
    '',
    'kv',
    ONE,
    `${ONE}-`,
    `${ONE}--1`,
    `${ONE}-KV`,
    `${ONE}-01`,
    `${ONE}-0.`,
    `${ONE}-zzzzzzzzzzz`,
    '12345-0',
    `${ONE}-0'; DROP TABLE users`,
  ])('is refused when it is %j', (text) => {
    expect(() => parseLogPosition(text)).toThrow(InvalidError);
  });
});
