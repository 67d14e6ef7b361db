import { isLoadFailure } from './load-failure.js';

describe('isLoadFailure', () => {
  it.each([
    new TypeError('Failed to fetch dynamically imported module: http://localhost:3000/assets/page-1.js'),
    new TypeError('error loading dynamically imported module: http://localhost:3000/assets/page-1.js'),
    new TypeError('Importing a module script failed.'),
    new Error('Unable to preload CSS for http://localhost:3000/assets/page-1.css'),
  ])('is true for %s', (error) => expect(isLoadFailure(error)).toBe(true));

  it('is false for every other error', () => {
    expect(isLoadFailure(new TypeError("Cannot read properties of undefined (reading 'id')"))).toBe(false);
    expect(isLoadFailure('Failed to fetch dynamically imported module')).toBe(false);
  });
});
