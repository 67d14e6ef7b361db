import { showsColors } from './stream-terminal.js';

describe('The decision about colours', () => {
  it.each([
    [true, {}, true],
    [false, {}, false],
    [undefined, {}, false],
    [true, { NO_COLOR: '1' }, false],
    // https://no-color.org: an empty one is not set
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('terminal: %s, %j: %s', (isTerminal, environment, expected) => {
    expect(showsColors(isTerminal, environment)).toBe(expected);
  });
});
