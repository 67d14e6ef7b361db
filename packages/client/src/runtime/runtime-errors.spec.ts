import { StateDirectoryError } from './runtime-errors.js';

describe('A state directory that is not writable', () => {
  it.each([
    ['EACCES', 'give this user write access to it'],
    ['ENOSPC', 'its disk is full, free some space'],
    ['EDQUOT', 'its disk is full, free some space'],
  ])('is named with its remedy after %s', (code, remedy) => {
    const { message } = new StateDirectoryError('/srv/state', Object.assign(new Error('x'), { code }));
    expect(message).toBe(
      `The state directory /srv/state can't be written (${code}): ${remedy}, or choose another one`,
    );
  });
});
