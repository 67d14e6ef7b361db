import { verbIn } from './agent-verbs.js';

describe('verbIn', () => {
  it('returns the verb in any case, and the text after it', () => {
    expect(verbIn('  STOP  Invoi ')).toMatchObject({ verb: { label: 'Stop' }, text: 'Invoi' });
    expect(verbIn('resume invoice reader')).toMatchObject({
      verb: { label: 'Resume' },
      text: 'invoice reader',
    });
  });

  it.each(['', 'stop', 'stop ', 'stopwatch reader', 'reader stop'])('returns null for %j', (search) => {
    expect(verbIn(search)).toBeNull();
  });
});
