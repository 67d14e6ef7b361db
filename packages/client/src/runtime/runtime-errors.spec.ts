import { inspect } from 'node:util';
import { messageOf, StateDirectoryError } from './runtime-errors.js';

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

describe('The message of a thrown value', () => {
  const circular: Record<string, unknown> = { code: 7 };
  circular.self = circular;
  const throws = () => {
    throw new TypeError('It is not to be read');
  };

  it.each<[what: string, thrown: unknown, message: string]>([
    ['an error', new TypeError('no such invoice'), 'no such invoice'],
    ['a text', 'no such invoice', 'no such invoice'],
    ['nothing', undefined, 'undefined'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['an object without a prototype', Object.assign(Object.create(null), { code: 7 }), '{"code":7}'],
    ['an object with a message', { code: 7, message: 'no such invoice' }, 'no such invoice'],
    ['a list', [1, { code: 7 }], '[1,{"code":7}]'],
    ['an object that is no JSON', { count: 7n }, '{ count: 7n }'],
    ['an object that contains itself', circular, '<ref *1> { code: 7, self: [Circular *1] }'],
    [
      'an object whose message throws',
      Object.defineProperty({ code: 7 }, 'message', { get: throws }),
      '{ code: 7 }',
    ],
    ['an object that throws whatever is asked', { toJSON: throws, [inspect.custom]: throws }, ''],
    ['a function', messageOf, String(messageOf).slice(0, 8_192)],
  ])('says what was thrown: %s', (_, thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });

  it('is as long as the service keeps it at most', () => {
    for (const thrown of [{ text: 'x'.repeat(10_000) }, 'x'.repeat(10_000), new Error('x'.repeat(10_000))])
      expect(messageOf(thrown)).toHaveLength(8_192);
  });
});
