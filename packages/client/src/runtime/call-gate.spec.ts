import { CallGate } from './call-gate.js';

/** A call that continues until it is told to end. */
function call(log: string[], name: string) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const made = async () => {
    log.push(`${name} begins`);
    await ended;
    log.push(`${name} ends`);
  };
  return { made, end };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('A call that is made alone', () => {
  it('hurries the others, waits for their end, and holds later ones back', async () => {
    const log: string[] = [];
    const [first, alone, later] = [call(log, 'first'), call(log, 'alone'), call(log, 'later')];
    const gate = new CallGate(() => first.end());
    const { signal } = new AbortController();
    const all = [gate.beside(first.made), gate.alone(alone.made, signal), gate.beside(later.made)];
    await turn();
    alone.end();
    later.end();
    await Promise.all(all);
    expect(log).toEqual([
      'first begins',
      'first ends',
      'alone begins',
      'alone ends',
      'later begins',
      'later ends',
    ]);
  });

  it('is given up when its signal aborts, while the others continue', async () => {
    const log: string[] = [];
    const [first, later] = [call(log, 'first'), call(log, 'later')];
    const gate = new CallGate(() => undefined);
    const stop = new AbortController();
    const going = gate.beside(first.made);
    const alone = gate.alone(async () => log.push('alone'), stop.signal);
    stop.abort(new Error('stopped'));
    await expect(alone).rejects.toThrow('stopped');
    const held = gate.beside(later.made);
    await turn();
    first.end();
    later.end();
    await Promise.all([going, held]);
    expect(log).toEqual(['first begins', 'later begins', 'first ends', 'later ends']);
  });
});
