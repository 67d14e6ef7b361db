import { InvalidError } from '../errors/domain-error.js';
import { formatLogPosition, goalOf, type LogPosition, parseLogPosition } from './log-position.js';

const ID = '0192f0c4-2b1d-7c55-b1c7-7d0f2f6c8e90';

describe('A position in logs', () => {
  it.each<[LogPosition, string]>([
    [{ seen: '751:751:' }, 'kv.0'],
    [{ seen: '751:760:752,755' }, 'kv.9.1.4'],
    [{ seen: '751:752:751' }, 'kv.1.0'],
    [{ seen: '751:751:', toward: { snapshot: '755:755:', transaction: 753, id: ID } }, `kv.0/kz.0/kx/${ID}`],
    [{ seen: '3000000000000:3000000000001:' }, '12a6ijitc.1'],
  ])('%j is formatted and parsed', (position, text) => {
    expect(formatLogPosition(position)).toBe(text);
    expect(parseLogPosition(text)).toEqual(position);
  });

  it('continues towards the snapshot that it has not reached yet', () => {
    expect(goalOf({ seen: '3:3:' })).toBe('3:3:');
    expect(goalOf({ seen: '3:3:', toward: { snapshot: '5:5:', transaction: 4, id: ID } })).toBe('5:5:');
  });

  it.each([
    '',
    'kv',
    '751:751:',
    '0.0',
    'kv.',
    'kv.-1',
    'kv.KV',
    'kv.9.9',
    'kv.9.4.4',
    'kv.9.4.1',
    'kv.9.01',
    'kv.0/',
    'kv.0/kz.0',
    'kv.0/kz.0/kx',
    'kv.0/kz.0/kx/x',
    `kv.0/kz.0/0/${ID}`,
    `kv.0/kz/kx/${ID}`,
    `kv.0/kz.0/kx/${ID}/`,
    'zzzzzzzzzzz.0',
    "kv.0'; DROP TABLE users",
  ])('is refused when it is %j', (text) => {
    expect(() => parseLogPosition(text)).toThrow(InvalidError);
  });
});
