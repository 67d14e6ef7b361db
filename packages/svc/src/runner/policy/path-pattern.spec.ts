import { matchesName, matchesPath, patternFault, splitPattern } from './path-pattern.js';

describe('A name with wildcards', () => {
  it.each([
    ['a', 'a', true],
    ['a', 'ab', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['MODEL_*', 'MODEL_NAME', true],
    ['MODEL_*', 'XMODEL_NAME', false],
    ['a*a', 'a', false],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*b*', 'abc', true],
    // a letter and its accent are not the letter with the accent
    ['caf\u00e9', 'cafe\u0301', false],
    ['A', 'a', false],
  ])('%s of %j: %s', (pattern, name, expected) => {
    expect(matchesName(pattern, name)).toBe(expected);
  });

  it('is compared without trying again, so that a long name costs no time', () => {
    const start = performance.now();
    expect(matchesName(`${'*a'.repeat(2_000)}*b`, 'a'.repeat(200_000))).toBe(false);
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});

describe('A path with wildcards', () => {
  const matches = (pattern: string, path: string) => {
    const { directory, rest } = splitPattern(pattern);
    const prefix = directory === '/' ? '/' : `${directory}/`;
    return path.startsWith(prefix) && matchesPath(rest, path.slice(prefix.length).split('/'));
  };

  it.each([
    ['/srv/bin/*', '/srv/bin/agent', true],
    ['/srv/bin/*', '/srv/bin/deep/agent', false],
    ['/srv/bin/*', '/srv/bin', false],
    ['/srv/**', '/srv/bin/deep/agent', true],
    ['/srv/**', '/srv', false],
    ['/srv/**', '/srvx/agent', false],
    ['/srv/*/bin/**', '/srv/a/bin/x/y', true],
    ['/srv/*/bin/**', '/srv/a/b/bin/x', false],
    ['/*', '/agent', true],
    ['/**', '/usr/bin/sh', true],
  ])('%s of %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it.each([
    'bin/agent',
    './agent',
    '/srv//agent',
    '/srv/../agent',
    '/srv/./agent',
    '/srv/',
    '/**/agent',
    '/srv/a**',
  ])('is refused when what it stands for is not clear: %s', (pattern) => {
    expect(patternFault(pattern)).toMatch(/^(must|may)/);
  });
});
