import { type Measured, sorted, topRows } from './top-rows.js';

const measured = (agent: string, id: string, cpu?: number | null): Measured => ({
  deployment: { id, agent_id: agent, agent_name: agent, replicas: 2, ready_replicas: 1, restart_count: 3 },
  metric: cpu === undefined ? undefined : { cpu_usage: cpu, memory_usage: null },
});

describe('The rows of svc top', () => {
  it('add up the deployments of an agent, and leave out missing values', () => {
    const used = { input_tokens: 1, cache_read_tokens: 2, cache_write_tokens: 3, output_tokens: 4 };
    const usage = [{ agent_id: 'a', cost_usd: '0.500000', ...used }] as never;
    expect(topRows([measured('a', '1', 10), measured('b', '2'), measured('a', '3', 5.5)], usage)).toEqual([
      {
        agent_id: 'a',
        agent_name: 'a',
        replicas: 4,
        ready_replicas: 2,
        restart_count: 6,
        cpu_usage: 15.5,
        memory_usage: null,
        tokens: 10,
        cost_usd: '0.500000',
      },
      {
        agent_id: 'b',
        agent_name: 'b',
        replicas: 2,
        ready_replicas: 1,
        restart_count: 3,
        cpu_usage: null,
        memory_usage: null,
        tokens: 0,
        cost_usd: '0.000000',
      },
    ]);
  });

  it('begin with the highest measured value; equal ones are in the order of names', () => {
    const rows = topRows(
      [measured('c', '1'), measured('b', '2', 0), measured('a', '3', 0), measured('d', '4', 7)],
      [],
    );
    const namesBy = (sort: 'cpu' | 'name' | 'restarts') => sorted(rows, sort).map((row) => row.agent_name);
    expect(namesBy('cpu')).toEqual(['d', 'a', 'b', 'c']);
    expect(namesBy('restarts')).toEqual(['a', 'b', 'c', 'd']);
    expect(namesBy('name')).toEqual(['a', 'b', 'c', 'd']);
  });
});
