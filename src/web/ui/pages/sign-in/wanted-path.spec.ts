import { wantedPath } from './wanted-path.js';

const ORIGIN = 'http://127.0.0.1:3000';

describe('wantedPath', () => {
  it.each([
    [null, '/'],
    ['/agents/1?tab=logs', '/agents/1?tab=logs'],
    ['deployments', '/deployments'],
    [`${ORIGIN}/leads`, '/leads'],
  ])('returns the path %s', (next, path) => expect(wantedPath(next, ORIGIN)).toBe(path));

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    'javascript:alert(1)',
    'http://',
  ])('returns the first page instead of %s', (next) => expect(wantedPath(next, ORIGIN)).toBe('/'));
});
