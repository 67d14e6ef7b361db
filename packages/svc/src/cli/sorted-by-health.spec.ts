import type { Agent } from '@agent-control-plane/client';
import { BY_HEALTH, readByHealth } from './sorted-by-health.js';

const AGENTS = BY_HEALTH.flatMap((state) =>
  ['a', 'b'].map((name) => ({ id: `${state}-${name}`, health: { state } }) as Agent),
).reverse();

describe('Agents by their health', () => {
  const asked: string[] = [];
  const read = (limit: number, skip = 0) =>
    readByHealth({ limit, skip }, BY_HEALTH, async ({ health }) => {
      asked.push(health);
      const data = AGENTS.filter((agent) => agent.health.state === health);
      return { data, response: new Response() };
    });

  beforeEach(() => void asked.splice(0));

  it('begin with the worst, and only as many states are read as are needed', async () => {
    const { items, hasMore } = await read(3);
    expect(items.map(({ id }) => id)).toEqual(['failing-b', 'failing-a', 'degraded-b']);
    expect([hasMore, asked]).toEqual([true, ['failing', 'degraded']]);
  });

  it('are all there, each once, and end', async () => {
    const { items, hasMore } = await read(Number.POSITIVE_INFINITY, 1);
    expect([items.length, hasMore, asked]).toEqual([13, false, [...BY_HEALTH]]);
    expect(items.at(-1)!.id).toBe('healthy-a');
  });
});
