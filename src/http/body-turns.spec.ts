import { setImmediate as turn } from 'node:timers/promises';
import { BYTES_OF_A_TURN } from '../budget/request-limits.js';
import { BodyTurns } from './body-turns.js';

/** Asks for the turns of bodies of these sizes. @returns those that have begun, after each turn of the event loop */
async function begun(...sizes: number[]): Promise<number[][]> {
  const turns = new BodyTurns();
  const all: number[] = [];
  for (const [index, bytes] of sizes.entries()) void turns.next(bytes).then(() => all.push(index));
  const seen: number[][] = [];
  while (all.length < sizes.length) {
    await turn();
    seen.push([...all]);
  }
  return seen;
}

describe('The turns of large bodies', () => {
  it('begin one body in each turn of the event loop when all are large', async () => {
    expect(await begun(BYTES_OF_A_TURN, 2 * BYTES_OF_A_TURN, BYTES_OF_A_TURN)).toEqual([
      [0],
      [0, 1],
      [0, 1, 2],
    ]);
  });

  it('begin several bodies in one turn when they fit into it, in their order', async () => {
    const half = BYTES_OF_A_TURN / 2;
    expect(await begun(half, half, 1, half, half)).toEqual([
      [0, 1],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
    ]);
  });

  it('begin a body that comes after all others', async () => {
    const turns = new BodyTurns();
    await turns.next(BYTES_OF_A_TURN);
    await turns.next(1);
    await Promise.all([turns.next(1), turns.next(1)]);
  });
});
